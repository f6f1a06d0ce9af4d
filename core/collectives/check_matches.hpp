#pragma once
// Doubts, confidence, missing members and sequence of matches. Internal to core/collectives.

#include "core/collectives/match_keys.hpp"
#include "core/collectives/matched_run.hpp"

namespace core {

// Doubts of one match. shifted: by place, order-matches of these ranks may be shifted.
std::uint8_t find_doubts(const MatchInput&, const Match&, const std::vector<bool>& shifted);
// The operation of most of its members, ties: the lowest rank's.
Operation operation_of(const MatchInput&, const Match&);
// Appends the session's matches as collectives, sorted by group, operation and sequence.
void add_collectives(const MatchInput&, std::uint32_t session, std::span<const Match>, const std::vector<bool>& shifted,
                     MatchedRun& to);

}  // namespace core
