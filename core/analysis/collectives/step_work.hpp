#pragma once
// Compute of each rank by step and kernel: what ranks did is compared by it.

#include "core/analysis/telemetry/busy_samples.hpp"

#include <map>
#include <memory>
#include <string_view>
#include <vector>

namespace core {

struct KernelSum {
    std::int64_t count = 0;
    std::int64_t time = 0;
    EventId longest = kNoEvent;
    std::int64_t longest_time = -1;
};
using KernelSums = std::map<std::string_view, KernelSum>;

// Compute of a rank in each step, by kernel; of the whole trace as step kWholeTrace where there are none.
class StepWork {
public:
    explicit StepWork(const RankSlot& rank);
    const KernelSums& of(std::int64_t step) const;

private:
    std::map<std::int64_t, KernelSums> steps_;
};

// By slot. Made once per run. O(events log names).
struct WorkOfRun {
    std::vector<StepWork> ranks;
};
std::shared_ptr<const WorkOfRun> work_of(const Run& run);

}  // namespace core
