#pragma once
// Doubts, confidence, missing members and sequence of matches. Internal to core/collectives.

#include "core/collectives/match_keys.hpp"
#include "core/collectives/matched_run.hpp"

namespace core {

// Finds what its members' events tell of a match, once: see Match. Ties of operations: the lowest rank's.
void check_match(const MatchInput&, Match&);
// Doubts of a checked match. shifted: by place, order-matches of these ranks may be shifted.
std::uint8_t doubts_of(const MatchInput&, const Match&, const std::vector<bool>& shifted);
// The latest end of its members on the cohort's clocks: sequences are numbered by it.
std::int64_t latest_end(const MatchedRun&, const Collective&);
// Appends the cohort's matches as collectives, sorted by group, operation and sequence.
void add_collectives(const MatchInput&, std::uint32_t cohort, std::span<const Match>, const std::vector<bool>& shifted,
                     KeyedMatches&, MatchedRun& to);

}  // namespace core
