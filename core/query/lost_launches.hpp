#pragma once
// Times for which the work of a rank's GPU is unknown: its launches are recorded, their GPU events are not. A GPU that
// runs nothing recorded then is not idle: nobody knows. Example: 24 of 27 launches of a window have no GPU event, and
// the other three leave three quarters of it empty; neither its idle nor its compute time can be computed.

#include "core/index/rank_index.hpp"

#include <memory>
#include <vector>

namespace core {

class LostLaunches {
public:
    explicit LostLaunches(const RankTrace&);  // O(events) where the trace says that work is missing, else O(1)
    // True if at least 1 % of the launches in `range` have no GPU event. O(log launches).
    bool hide(RankRange range) const;
    // True if any launch in `range` has none.
    bool any_in(RankRange range) const;

private:
    bool all_ = false;  // work is missing, and the launches are not here to say where: a run summary has no events
    std::vector<RankTime> lost_, linked_;  // starts of the calls, ascending
};
using LostLaunchesPtr = std::shared_ptr<const LostLaunches>;

// Made once per rank.
LostLaunchesPtr lost_launches_of(const RankIndex&);
// The same without ever waiting for it to be made: until then, and where work is missing, all of the rank is unknown.
bool are_launches_lost(const RankIndex&, RankRange);

}  // namespace core
