#pragma once
// An answer in the stable JSON form of the command line: "schema" and "version" first, then the
// analysis, the run, the filter's text, all params, the main table's columns and rows (one row per
// line), the exclusions and the run's diagnostics; then further tables, series and marks, if any.
// Durations are integer nanoseconds, ratios plain numbers; absent values are null, never NaN.

#include "core/analysis/engine/analysis.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace core {

inline constexpr int kJsonSchema = 1;

std::string to_json(const Analysis&, const Run&, const Filter&, const Params&, const Answer&);

using SmallJson = nlohmann::ordered_json;

// A quoted JSON string; invalid UTF-8 becomes U+FFFD.
std::string json_text(std::string_view text);
// The members of an object without its braces, one per line, lists of objects one object per line.
// Invalid UTF-8 becomes U+FFFD, numbers that JSON does not have become null.
std::string json_members(const SmallJson& object);
// "columns": [...], "rows": [...] of a table: members of a JSON object.
std::string json_table(const Table&);
// "schema" and "version", with which every document begins.
SmallJson json_header();
// A number, or a text such as "3·b" for a further capture.
SmallJson json_rank(RankKey);
SmallJson json_params(const Analysis&, const Params&);
// A list; with_meanings adds severity and meaning of each kind.
SmallJson json_diagnostics(const Diagnostics&, bool with_meanings = false);

}  // namespace core
