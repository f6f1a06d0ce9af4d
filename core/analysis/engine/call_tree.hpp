#pragma once
// The call tree of one rank for analyses: operators, their launches and their children.

#include "core/analysis/engine/analysis.hpp"
#include "core/analysis/engine/rounding.hpp"

#include <limits>
#include <vector>

namespace core {

// Operator name of GPU events without one.
inline constexpr std::string_view kUnattributed = "(unattributed)";

// The rank's own events, with the calls of captured graphs behind them: parents of replayed kernels are the calls that
// became them (core/graphs). Kept with the rank.
const RankTrace& call_trace_of(const RankView&);

// All events of the trace, parents first. O(events).
std::vector<EventId> collect_parents_first(const RankTrace&);

// True for a cpu_op that is neither a step mark nor an instant.
bool is_operator(const RankTrace&, EventId);

// The nearest operator above an event: the innermost around it or, for a GPU event, around its
// launch call. Memoised: querying every event costs O(events).
class OperatorsAbove {
public:
    explicit OperatorsAbove(const RankTrace& trace) : trace_(trace), nearest_(trace.size(), kUnknown) {}
    EventId find(EventId e);  // kNoEvent if none

private:
    static constexpr EventId kUnknown{0xFFFFFFFEu};
    const RankTrace& trace_;
    std::vector<EventId> nearest_;  // by event: the operator at or above it
};

// Totals of the GPU events below a node, each cut to its visible part.
struct GpuWork {
    std::int64_t kernels = 0;
    Wide time = 0;  // sum of durations
    RankTime begin = RankTime::max();
    RankTime end = RankTime::min();

    void add(RankRange visible);
    void add(const GpuWork& other);
    Wide span() const;  // first start to last end; 0 if empty
};

struct OperatorCall {
    EventId event;
    std::uint32_t parent;       // position of the nearest operator above, or kNoCall
    Duration self{};            // visible part outside all children; children are cut at their parent's end
    Wide self_kernel_time = 0;  // GPU events below it but below none of its inner operators
    GpuWork below;              // at any depth
    // Captured into a graph: it has no time of its own in this recording.
    bool is_captured = false;
    std::int64_t replays = 0;  // in which GPU events below it pass
    Wide replay_spans = 0;     // sum over these of first start to last end

    Wide span() const { return is_captured ? replay_spans : below.span(); }
};
inline constexpr std::uint32_t kNoCall = 0xFFFFFFFFu;

struct OperatorCalls {
    std::vector<OperatorCall> calls;  // all operators of call_trace_of(), parents first
    GpuWork unattributed;             // GPU events below no operator; of a replayed graph, its launch does not count
};

// Attributes the view's GPU events to the operators above their launch calls, and those of replayed graphs to the
// operators of the capture; the operators around the launch of a graph have them below, too. O(events).
Result<OperatorCalls> collect_operator_calls(const RankView&, const JobContext&);

}  // namespace core
