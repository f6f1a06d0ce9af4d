#pragma once
// The schedule of a pipeline that runs kernels: which of them are the forward and the backward of which microbatch.
// A send to another stage ends a pass; where the first stage has nothing to send after a backward, and the last one
// nothing after a forward, the kernels' names tell the two apart. Needed where a recording does not show that compute
// waits for messages, and to compare events of all stages. Definitions: docs/definitions.md, what-if.

#include "core/analysis/parallelism/schedule.hpp"
#include "core/analysis/whatif/run_graph.hpp"

#include <string>

namespace core {

struct KernelSchedule {
    Schedule schedule{};  // no steps: none was found
    std::string why_not{};  // "the forwards and backwards of their stages are not known"
    std::size_t left_out = 0;  // steps whose passes are not known
    std::uint64_t overlapping = 0;  // collectives that overlap passes without being part of one
};

// Parts: of one capture of each rank. O(GPU events). Fails if cancelled.
Result<KernelSchedule> read_kernel_schedule(const Run&, const Waits&, std::span<const PartWindow>, const JobContext&);

// Whether kernels that wait for a message are seen to: by an event, a call, or their place on its stream. Without
// that a replay lets compute begin before its input is there. True without messages.
bool shows_waits_for_messages(const Waits&, const RunGraph&);

}  // namespace core
