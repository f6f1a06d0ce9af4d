#pragma once
// A comparison of two runs as readable text and in the stable JSON form. For CSV use to_csv of its
// table.

#include "core/diff/step_change/contributions.hpp"
#include "core/export/json.hpp"

#include <string>

namespace core {

// Like to_json of one answer, with both runs, their alignment, notes, and exclusions and
// diagnostics per side ("side": "baseline" or "candidate").
std::string to_json(const DiffQuery&, const BySide<const Run*>&, const RunAlignment&, const RunComparison&,
                    const RunStatistics* = nullptr, const Contributions* = nullptr, const JsonOrigin& = {});

// The keys, the complete lead measure, and as many changes of other measures as fit `most_columns`
// (0: fit 120 and don't cut names); then the notes. Changes have a sign. With statistics of its rows: verdict, interval
// and q of each.
std::string to_text(const Comparison&, std::size_t most_columns, const RowStatistics* = nullptr);

}  // namespace core
