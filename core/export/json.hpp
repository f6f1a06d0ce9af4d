#pragma once
// An answer in the stable JSON form of the command line: "schema" and "version" first, then the analysis,
// the run, the filter's text, all params, the main table's columns and rows (one row per line), what was
// excluded and the run's diagnostics. Further tables, series and marks stand beside when there are any.
// Durations are integer nanoseconds, ratios plain numbers; what does not apply is null, never NaN.

#include "core/analysis/engine/analysis.hpp"

#include <string>
#include <string_view>

namespace core {

inline constexpr int kJsonSchema = 1;

std::string to_json(const Analysis&, const Run&, const Filter&, const Params&, const Answer&);
// A JSON string with its quotes; bytes that are not UTF-8 become U+FFFD.
std::string json_text(std::string_view text);
// "columns": [...], "rows": [...] of a table, and "params": {...} by name: parts of such an object.
std::string json_table(const Table&);
std::string json_params(const Analysis&, const Params&);
// "diagnostics": [...] of a run; with meanings for people who have no table of the kinds at hand.
std::string json_diagnostics(const Diagnostics&, bool with_meanings = false);

}  // namespace core
