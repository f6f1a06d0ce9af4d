#pragma once
// How long a member of a collective was exposed communication, while it waited and while it transferred. O(log
// segments); a run summary has it as it was in the run.

#include "core/collectives/waits.hpp"
#include "core/index/summary_rank.hpp"

namespace core {

struct MemberExposure {
    std::int64_t waiting = 0;
    std::int64_t transferring = 0;
};

// position: into MatchedRun::members. Absent where its wait is not known, or a summary is on other clocks or lacks
// ranks.
std::optional<MemberExposure> find_exposure(const Run&, const Waits&, std::uint32_t collective, std::uint32_t position);
// Waiting and transferring that nothing hides, as a summary keeps them; absent where unknown.
HiddenTimes find_hidden_times(const Run&, const Waits&, MemberRef);

}  // namespace core
