#pragma once
// The call tree of one rank as analyses walk it: operators, what they launched, and what lies in them.

#include "core/analysis/engine/analysis.hpp"
#include "core/analysis/rounding.hpp"

#include <limits>
#include <vector>

namespace core {

// What stands for the operator of GPU events that are below none.
inline constexpr std::string_view kUnattributed = "(unattributed)";

// Every event of the trace, each after its parent. O(events).
std::vector<EventId> collect_parents_first(const RankTrace&);

// A cpu_op that is neither a step mark nor a moment.
bool is_operator(const RankTrace&, EventId);

// The operator nearest above an event: the innermost around it, of a GPU event around its launch call. Remembers
// what it passed, so that asking for every event costs O(events).
class OperatorsAbove {
public:
    explicit OperatorsAbove(const RankTrace& trace) : trace_(trace), nearest_(trace.size(), kUnknown) {}
    EventId find(EventId e);  // kNoEvent if there is none

private:
    static constexpr EventId kUnknown{0xFFFFFFFEu};
    const RankTrace& trace_;
    std::vector<EventId> nearest_;  // by event: the operator at or above it
};

// GPU events below something, each with its visible part.
struct GpuWork {
    std::int64_t kernels = 0;
    Wide time = 0;  // sum of durations
    RankTime begin = RankTime::max();
    RankTime end = RankTime::min();

    void add(RankRange visible);
    void add(const GpuWork& other);
    Wide span() const;  // first start to last end; 0 without any
};

struct OperatorCall {
    EventId event;
    std::uint32_t parent;       // position of the nearest operator above, or kNoCall
    Duration self{};            // visible part that lies in no child; children are cut at their parent's end
    Wide self_kernel_time = 0;  // of GPU events below it and below no operator inside it
    GpuWork below;              // at any depth
};
inline constexpr std::uint32_t kNoCall = 0xFFFFFFFFu;

struct OperatorCalls {
    std::vector<OperatorCall> calls;  // every operator of the trace, each after its parent
    GpuWork unattributed;             // GPU events below no operator
};

// The view's GPU events, attributed to the operators above their launch calls. O(events).
Result<OperatorCalls> collect_operator_calls(const RankView&, const JobContext&);

}  // namespace core
