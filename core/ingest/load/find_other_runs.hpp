#pragma once
// Tells files of another run in one folder from further ranks, where no number tells the rank: what ran on the same
// GPUs at another time, or on GPUs of another model, without communicating with the others. Guesses nothing of stated
// ranks.

#include "core/index/rank_index.hpp"
#include "core/ingest/load/identify_ranks.hpp"

#include <span>
#include <string>
#include <vector>

namespace core {

// The GPUs on whose streams the trace has work. O(tracks).
UsedGpus find_gpus(const RankTrace&);
// RankClaim::group_size. O(groups).
std::int64_t find_group_size(const RankIndex&);

struct OtherRun {
    std::size_t of = 0;  // the claim whose rank this one is in another run; its own place: none
    std::string reason{};  // "other GPUs: AMD Instinct MI300X, NVIDIA H100"
};
// One per claim. Claims must be in the order of names. O(claims log claims).
std::vector<OtherRun> find_other_runs(std::span<const RankClaim> claims, std::span<const RankIdentity> ranks);

}  // namespace core
