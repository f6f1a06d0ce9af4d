#pragma once
// Ranks that do something else than the others in a collective, or never come to it: a job out of step, as findings.

#include "core/analysis/collectives/chosen_members.hpp"
#include "core/analysis/findings/findings_of_rank.hpp"

namespace core {

struct DesynchronisedRank {
    std::uint32_t slot = 0;
    Finding finding;
};

// By slot. Of partials that have add_members' tables; others are skipped.
std::vector<DesynchronisedRank> find_desynchronised(std::span<const Partial* const>, const Run&);

}  // namespace core
