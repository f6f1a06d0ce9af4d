#pragma once
// Numbers the captures of each rank so that those of one letter belong together, also where a rank lacks one of them.

#include "core/ingest/load/identify_ranks.hpp"

#include <span>

namespace core {

// In the order of names, unless that puts captures of different labels or times under one letter: then by the iteration
// in their paths, else by the moments that the ranks share. Dumps come after the traces of their rank.
// O(claims log claims).
void number_captures(std::span<const RankClaim> claims, std::span<RankIdentity> ranks);

}  // namespace core
