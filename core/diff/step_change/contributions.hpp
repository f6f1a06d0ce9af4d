#pragma once
// Contributions to the change of the step, in parts that add up: the steps of the sample, each on its slowest rank,
// split into kernels, exposed communication, exposed copies and idle time. Every part is a sample with an interval of
// its own.

#include "core/diff/align/name_pairing.hpp"
#include "core/diff/statistics/run_statistics.hpp"
#include "core/diff/step_change/step_change.hpp"

namespace core {

struct Contribution {
    StepPart part = StepPart::Kernel;
    std::string kernel;  // of the parts Kernel
    BySide<std::vector<std::string>> names;  // full names of the kernels behind it, sorted
    BySide<std::int64_t> ns;  // mean per step; those of a side add up to its rounded mean step
    std::optional<double> share;  // of the step's change; absent where that is within the tolerance
    Tested tested;  // q is over all parts that both sides have
    std::int64_t change() const { return ns.candidate - ns.baseline; }
};

struct Contributions {
    std::vector<Contribution> parts;  // kernels by size of change, then the others in the order of StepPart
    BySide<std::int64_t> mean;  // of the step; the parts add up to it
    BySide<std::vector<std::pair<RankKey, std::size_t>>> slowest;  // in how many steps each rank was it, most first
    std::size_t kernels_changed = 0;
    BySide<std::size_t> kernels_only{};  // that a side alone has: not tested
    std::string absent;  // why there are none
};

// One run a side; otherwise absent.
Result<Contributions> compare_parts(const SampledRuns&, const StepStatistics&, const NameRules&, const JobContext&);

// The kernels beyond the first `most`, which changed least, as one part OtherKernels with a test of its own. q stays
// that of all parts, and the merged part has none.
Contributions with_fewer_kernels(Contributions, std::size_t most, const StatisticsOptions&);
// The same parts as the change of a step, for the waterfall: of the steps of the sample, on their slowest ranks.
StepChange to_step_change(const Contributions&, const StepStatistics&);

// Names the rank that is waited for, if ranks of one run are compared: "rank 6 idles 217 ms more per step than rank 3;
// the others wait for it (...)". Fails if cancelled.
Result<bool> add_waiting_rank(const SampledRuns&, StepStatistics&, const JobContext&);

// "step improved between these captures; no kernel changed, 2 only in candidate; 99 % is idle time"; where a rank is
// waited for, of the kernels alone.
std::string describe_contributions(const Contributions&, const StepStatistics&);

}  // namespace core
