#pragma once
// An answer in the stable JSON form of all commands (docs/agents.md): "schema" and "lockstep" first, the command that
// repeats it, the question, columns with their meanings, rows (one per line), then further tables, series and marks,
// notes, and the sources. Durations are integer nanoseconds, ratios plain numbers; absent values are null, never NaN.

#include "core/analysis/engine/analysis.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace core {

inline constexpr std::string_view kTableSchema = "lockstep.table/1";

using SmallJson = nlohmann::ordered_json;

// The origin that a document states.
struct JsonOrigin {
    std::string command{};  // the command line that repeats it
    std::string sources{};  // members of json_sources (envelope.hpp); empty: none are known
};
std::string to_json(const Analysis&, const Run&, const Filter&, const Params&, const Answer&, const JsonOrigin& = {});

// A quoted JSON string; invalid UTF-8 becomes U+FFFD.
std::string json_text(std::string_view text);
// The members of an object without its braces, one per line, lists of objects one object per line.
// Invalid UTF-8 becomes U+FFFD, numbers that JSON does not have become null.
std::string json_members(const SmallJson& object);
// A list: id, unit, role and meaning of each.
SmallJson json_columns(const std::vector<Column>&);
// Cells of text columns that hold a JSON number and are written as one. By column, then by row; an empty column has
// none.
using NumberCells = std::vector<std::vector<bool>>;
bool is_number_cell(const NumberCells&, std::size_t row, std::size_t column);
// "columns", "rows", "total_rows" and "truncated" of a whole table: members of a JSON object.
std::string json_table(const Table&, const NumberCells& numbers = {});
// "schema", "lockstep" and "command": the beginning of every document.
SmallJson json_header(const JsonOrigin&, std::string_view schema = kTableSchema);
// Members of the origin: the end of every document. Begins with a comma unless there are none.
std::string json_footer(const JsonOrigin&);
// A number, or a text such as "3·b" for a further capture.
SmallJson json_rank(RankKey);
SmallJson json_params(const Analysis&, const Params&);
// A list of sentences: omissions, and the reason for a table without rows.
SmallJson json_notes(const Analysis&, const Run&, const Filter&, const Answer&, const Table&);
// A list; with_meanings adds severity and meaning of each kind.
SmallJson json_diagnostics(const Diagnostics&, bool with_meanings = false);

}  // namespace core
