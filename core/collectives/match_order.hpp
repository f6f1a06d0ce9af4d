#pragma once
// Matching by order from the end within (group, operation), on clocks aligned so far. For traces that give no numbers:
// older writers, logs, replayed graphs. Internal to core/collectives.

#include "core/collectives/match_keys.hpp"

#include <functional>

namespace core {

// Offset of each rank's clock against the first with events, guessed from the list of its ends alone.
struct ClockGuess {
    std::vector<std::int64_t> offset;  // by place in the cohort
    std::vector<bool> may_be_shifted;  // another shift fits as well
};
ClockGuess guess_clocks(const MatchInput&);

// to_true maps a time of a place to the common clock.
using ToTrue = std::function<std::int64_t(std::uint32_t place, std::int64_t t)>;
std::vector<Match> match_by_order(const MatchInput&, const OrderedMembers& rest, const ToTrue&);

}  // namespace core
