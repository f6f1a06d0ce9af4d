#pragma once
// Matching by all processes of a team that have the same run open. Each looks up the keys of its share of the ranks and
// sends the members to the owners of their keys; an owner matches and checks what it got; all get all matches. Order,
// clocks and what follows from them, each process computes for itself, from equal matches.

#include "core/cluster/team.hpp"
#include "core/collectives/matched_run.hpp"

namespace core {

// Collective. Equal to match_run of the run in every process, to the byte. Fails when stopped, or when what came from
// another process isn't whole. Keeps no reference to the run, but to its ranks' indexes.
Result<MatchedRunPtr> exchange_matches(Team&, const Run&, const MatchParams&, const std::stop_token&);
// Collective. The same as match_members: ranks and groups are set already.
Result<MatchedRunPtr> exchange_matches(Team&, MatchedRun, const std::stop_token&);

}  // namespace core
