#pragma once
// Runs an analysis: partials of the ranks, computed here or by several processes, merged into the answer; or what a run
// summary keeps of it. The window uses a ResultCache.

#include "core/analysis/engine/analysis.hpp"
#include "core/index/rank_count.hpp"

#include <span>
#include <vector>

namespace core {

// Calls merge(), or concatenates the tables and sums the exclusions. Without partials: an empty
// main table.
Result<Answer> merge_partials(const Analysis&, std::span<const Partial* const>, const Run&, const Params&,
                              const JobContext&);

// The map of an analysis: one partial per slot. What it refers to outlives it.
struct PartialsTask {
    const Analysis& analysis;
    const Run& run;
    const Filter& filter;
    const Params& params;
    std::vector<std::size_t> slots;
    unsigned threads = 1;
};
// The ranks that the filter accepts.
std::vector<std::size_t> slots_of(const Run&, const Filter&);
// Those of them that the analysis takes part of, and how many captures it leaves out (Analysis::one_capture).
ComparedSlots slots_of(const Analysis&, const Run&, const Filter&);
// Adds captures that were left out to the exclusions.
void add_other_captures(Answer&, std::uint64_t left_out);
Result<Partial> compute_partial(const PartialsTask&, std::size_t place, const JobContext&);
// By place, on the threads of this process.
std::vector<Result<Partial>> compute_partials(const PartialsTask&, const JobContext&);

// Computes the partials of run_analysis: in this process alone, or shared among several.
class PartialsSource {
public:
    virtual ~PartialsSource() = default;
    // By place in the task's slots; an error stands for all of them.
    virtual Result<std::vector<Result<Partial>>> compute(const PartialsTask&, const JobContext&) = 0;
};
// Set before the first analysis, for the whole process; null: this process alone.
void set_partials_source(PartialsSource*);

// Runs an analysis at once, ranks in parallel: for the CLI and tests.
Result<Answer> run_analysis(const Analysis&, const Run&, const Filter&, const Params&, unsigned threads,
                            const JobContext&);
// The same with partials of `source`, which has them already, or computes them otherwise.
Result<Answer> run_analysis(const Analysis&, const Run&, const Filter&, const Params&, unsigned threads,
                            PartialsSource& source, const JobContext&);

}  // namespace core
