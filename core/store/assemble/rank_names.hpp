#pragma once
// Rank numbers in the names of processes and threads: "rank 3", "Rank_3", "DP rank [1]", "PP rank 0, TP rank 1",
// "[TP03-DP01] 83".
// Some writers put all ranks of a job into one file and tell them apart only so.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace core {

// A position in a job: one number per kind of parallelism ("pp", "dp", "tp", ...). The kind is empty for a number in
// the whole job.
using RankPosition = std::map<std::string, std::int32_t>;

// Empty if the name says no rank.
RankPosition parse_rank_position(std::string_view name);

// The rank number of each position, in the same order: the number in the whole job if stated, else Megatron's order
// (tensor-parallel ranks are neighbours, pipeline stages are farthest apart), without kinds that follow from others.
// Nothing if the positions name different
// kinds, or if the grid is larger than kMostRanksOfGrid.
inline constexpr std::int64_t kMostRanksOfGrid = 1 << 24;
std::optional<std::vector<std::int32_t>> number_ranks(std::span<const RankPosition> positions);

}  // namespace core
