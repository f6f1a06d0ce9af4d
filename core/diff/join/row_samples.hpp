#pragma once
// Rows of a table of GPU work as samples: per row and step, the GPU time of what was launched in the step. With a rank
// key it is that rank's time, else the mean over the ranks.

#include "core/analysis/engine/analysis.hpp"
#include "core/diff/align/step_sample.hpp"

namespace core {

// The measure that collect_row_samples samples; empty for analyses whose rows it cannot.
std::string_view sampled_measure(const Analysis&);

struct RowSamples {
    std::size_t ranks = 1;                       // sums below are over so many ranks
    std::vector<std::vector<std::int64_t>> ns;   // by table row, then by step of the sample; empty: in none of them
    std::vector<std::int64_t> calls;             // by table row: GPU events in these steps
    std::int64_t grain_ns = 1;  // of the clock: 1000 if every start and duration is whole microseconds
    std::string absent;  // why there are none; ns is empty then
};

// The table is an answer of the analysis under this filter, or such a one with ranks added up. O(events).
Result<RowSamples> collect_row_samples(const Analysis&, const Table&, const Run&, const Filter&, const StepSample&,
                                       const JobContext&);

}  // namespace core
