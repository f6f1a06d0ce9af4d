#pragma once
// Which members of a run are gradient buckets, shards of parameters or exchanges of experts: the basis of ddp-buckets,
// fsdp and experts, and of the findings about them.

#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/parallelism/backward_window.hpp"

#include <map>
#include <optional>
#include <span>
#include <vector>

namespace core {

// Members of each rank and step, in the order of start; pointers into the places.
using MembersOfStep = std::map<StepOfSlot, std::vector<const MemberPlace*>>;
inline constexpr std::int64_t kOfNoStep = -1;

// All-reduces of data parallel groups that a backward pass launches.
MembersOfStep collect_buckets(const ChosenMembers&, const MemberPlaces&, const BackwardWindows&);
// Whether the last of several buckets has more than 30 % of what all of them expose.
bool is_last_bucket_exposed(std::span<const MemberPlace* const> buckets);

// All-gathers and reduce-scatters of FSDP groups; those of no step under kOfNoStep.
MembersOfStep collect_sharding(const ChosenMembers&, const MemberPlaces&);
// Whether it is an all-gather that a compute kernel waited for.
bool is_late_gather(const MatchedRun&, const MemberPlace&);

// Table of a rank's partial that the analysis pipeline needs of each of its ranks.
inline constexpr std::string_view kStepsOfStage = "steps of stages";

// All-to-alls of groups of experts; those of no step under kOfNoStep.
MembersOfStep collect_exchanges(const ChosenMembers&, const MemberPlaces&);

// Bytes that the opened members of one exchange take: the most, their sum and number. All 0 if one is unknown.
struct Exchange {
    std::int64_t most = 0, count = 0;
    Wide sum = 0;
    std::optional<std::uint32_t> fullest{};  // slot of the member with most
    // Most / mean - 1; absent with one member.
    std::optional<double> imbalance() const;
};
Exchange measure_exchange(const MatchedRun&, const Collective&);

}  // namespace core
