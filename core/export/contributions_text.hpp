#pragma once
// The contributions to a change of the step, as text and in the stable JSON form.

#include "core/diff/step_change/contributions.hpp"
#include "core/export/json.hpp"

namespace core {

// A table whose change column adds up, and the ranks of its steps. Kernels after the first `most_kernels` share a row.
std::string to_text(const Contributions&, const StepStatistics&, std::size_t most_kernels, std::size_t most_columns);
// {"headline": ..., "mean": [..], "slowest": ..., "parts": [{"part": ..., "kernel": ..., "ns": [..], "change": ..,
// "share": .., "test": {...}}]}, every kernel apart.
SmallJson json_contributions(const Contributions&, const StepStatistics&);

}  // namespace core
