#pragma once
// The bubble of stages on timelines of a schedule without kernels. Definition: docs/definitions.md, pipeline.

#include "core/analysis/parallelism/schedule.hpp"

#include <optional>
#include <vector>

namespace core {

// One stage in one step. Times in ns.
struct StageBubble {
    std::uint32_t slot = 0;
    std::int64_t step = 0;
    std::int64_t stage = 0;
    std::int64_t duration = 0;  // first operation of the step to its last, over all stages
    // Absent where the stage computes two things at once.
    struct Parts {
        std::int64_t busy = 0;  // an operation computes
        std::int64_t receive_wait = 0;  // waits for its partners, and nothing else runs
        std::int64_t idle = 0;  // no operation at all
        std::int64_t bubble() const { return receive_wait + idle; }
    };
    std::optional<Parts> parts{};
    std::optional<std::int64_t> microbatches{};  // forwards of each chunk; absent where chunks differ in them
    std::int64_t chunks = 1;
};

// By step, then stage. Empty for an empty schedule.
std::vector<StageBubble> measure_bubbles(const Schedule&);

}  // namespace core
