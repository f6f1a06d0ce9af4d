#pragma once
// The activity of a CPU thread during a time range.

#include "core/store/rank_trace.hpp"

namespace core {

inline constexpr std::string_view kNoActivity = "(nothing)";

// The name with most of the range on an event's thread; each instant counts for the innermost open
// CPU operator, runtime or driver call. kNoActivity if most of the range is in none. Ties: the
// first.
std::string_view find_activity(const RankTrace&, EventId on_thread, RankRange range);

// The innermost event of any kind on an event's thread that covers at least half of the range; kNoEvent if none does.
// O(lanes * log events).
EventId find_covering(const RankTrace&, EventId on_thread, RankRange range);

// The host's call while the GPU waited for work: find_covering on the thread that launched `next`, or data loading
// around it, which says more. next: the GPU event that ends the gap, or kNoEvent. kNoEvent: nothing was recorded.
EventId find_host_of_gap(const RankTrace&, EventId next, RankRange gap);

}  // namespace core
