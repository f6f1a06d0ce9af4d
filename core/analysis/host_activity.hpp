#pragma once
// What a CPU thread was doing in a stretch of time.

#include "core/store/rank_trace.hpp"

namespace core {

inline constexpr std::string_view kNoActivity = "(nothing)";

// The name that took most of the range on the thread of an event, counting every instant for the innermost CPU operator
// or runtime or driver call then open; kNoActivity if most of it was in none. Of equal ones the first.
std::string_view find_activity(const RankTrace&, EventId on_thread, RankRange range);

}  // namespace core
