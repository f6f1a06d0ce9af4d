#pragma once
// A comparison of two runs as text for people and in the stable JSON form. As CSV: to_csv of its table.

#include "core/diff/compare_runs.hpp"

#include <string>

namespace core {

// As to_json of one answer, with both runs, how they were aligned, notes, and what was left out and the
// diagnostics of each side ("side": "baseline" or "candidate").
std::string to_json(const DiffQuery&, const BySide<const Run*>&, const RunAlignment&, const RunComparison&);

// The keys, all of the lead measure, and of the others as many changes as fit into `most_columns` (0: into
// 120, and names are not cut); then the notes. Changes carry their sign.
std::string to_text(const Comparison&, std::size_t most_columns);

}  // namespace core
