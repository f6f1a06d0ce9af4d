#pragma once
// The schedule of a pipeline: one operation per forward, backward, send, receive and collective of a stage. Job-level
// tracers write such timelines without kernels (forward-compute, backward-send, grads-reduce-scatter, …); of kernels it
// is found by kernel_schedule.hpp. Each step is a graph of its own. Definitions: docs/definitions.md, what-if.

#include "core/analysis/engine/event_graph.hpp"
#include "core/index/run.hpp"

#include <set>
#include <string>

namespace core {

struct ScheduleOp {
    std::uint32_t slot = 0;
    EventId event = kNoEvent;
    std::int32_t dp = 0;
    std::int32_t stage = 0;
    std::int64_t step = 0;
    std::int64_t sequence = 0;  // among those of its type
    std::int64_t chunk = 0;
    std::uint32_t type = 0;  // into Schedule::types
    std::int64_t begin = 0;  // ns of the run
    std::int64_t end = 0;
    std::int64_t transfer = 0;  // of communication: end - the last member's begin
    bool joins = false;  // it ends when all of its group have begun, plus the transfer
    std::uint32_t group = 0;  // operations of one number join; 0: those of one type, stage and sequence
};

struct ScheduleStep {
    std::int64_t number = 0;
    std::int64_t begin = 0;
    EventGraph graph;
    std::vector<std::uint32_t> op_of_edge;  // whose duration or transfer an edge is; kNoOp: a gap before an operation
    std::vector<std::uint32_t> gap_of_edge;  // the operation that begins later than what it waited for; kNoOp: none
    std::uint32_t sink = 0;
};
inline constexpr std::uint32_t kNoOp = 0xFFFFFFFFu;

struct Schedule {
    std::vector<std::string> types;  // "forward-compute", …
    std::vector<ScheduleOp> ops;
    std::vector<ScheduleStep> steps;
    std::int32_t stages = 0;
    std::int32_t dp = 0;
    bool of_kernels = false;  // begins are exact, and what comes before and after the passes is in recorded order
    // Stages that compute two things at once for more than 1 % of their time, as where one timeline holds several jobs:
    // neither their idle time nor the order of their operations is known.
    std::set<std::int32_t> overlapping;
};

bool is_communication_type(std::string_view type);
std::string name_collective_type(std::string_view operation, std::string_view axis);  // "collective all_reduce DP"
bool is_compute_type(std::string_view type);  // forward or backward

// Takes one capture of each rank of these slots; no steps where they are not such timelines. Reads arguments:
// O(events). Fails if cancelled.
Result<Schedule> read_schedule(const Run&, std::span<const std::uint32_t> slots, const JobContext&);

// Mean time of a step with these durations (of joining operations: transfers), one per operation.
Result<std::int64_t> replay_schedule(const Schedule&, std::span<const std::int64_t> lengths, bool with_gaps,
                                     const JobContext&);

}  // namespace core
