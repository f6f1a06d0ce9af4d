#pragma once
// Numbers of collectives in replays of graphs, equal on all ranks that replay the same graphs: of the step, the class
// of the graph (its collective operations in order), the replay of the class in the step, and the place in the graph.
// A recorded Seq numbers the capture there, not the replay. Internal to core/index, but for the test of a
// number.

#include "core/index/member_facts.hpp"

#include <span>

namespace core {

inline constexpr std::int64_t kReplayNumbers = std::int64_t{1} << 62;  // all are at least this; no Seq is
constexpr bool is_replay_number(std::int64_t number) { return number >= kReplayNumbers; }

// Members of replays outside of all steps lose their number: only their order places them.
void number_replays(const RankTrace&, std::span<MemberFacts>);

}  // namespace core
