#pragma once
// An answer in the stable JSON form of all commands (docs/agents.md): "schema" and "lockstep" first, the command that
// repeats it, what was asked, columns with their meanings, rows (one per line), then further tables, series and marks,
// notes, and where it comes from. Durations are integer nanoseconds, ratios plain numbers; absent values are null,
// never NaN.

#include "core/analysis/engine/analysis.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace core {

inline constexpr std::string_view kTableSchema = "lockstep.table/1";

using SmallJson = nlohmann::ordered_json;

// What a document says about where it comes from.
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
// Cells of text columns whose text is that of a JSON number, which they are written as. By column, then by row; an
// empty column has none.
using NumberCells = std::vector<std::vector<bool>>;
bool is_number_cell(const NumberCells&, std::size_t row, std::size_t column);
// "columns", "rows", "total_rows" and "truncated" of a whole table: members of a JSON object.
std::string json_table(const Table&, const NumberCells& numbers = {});
// "schema", "lockstep" and "command", with which every document begins.
SmallJson json_header(const JsonOrigin&, std::string_view schema = kTableSchema);
// The members of the origin, with which it ends; begins with a comma unless there are none.
std::string json_footer(const JsonOrigin&);
// A number, or a text such as "3·b" for a further capture.
SmallJson json_rank(RankKey);
SmallJson json_params(const Analysis&, const Params&);
// A list of sentences: what was left out, and why a table has no rows.
SmallJson json_notes(const Analysis&, const Run&, const Filter&, const Answer&, const Table&);
// A list; with_meanings adds severity and meaning of each kind.
SmallJson json_diagnostics(const Diagnostics&, bool with_meanings = false);

}  // namespace core
