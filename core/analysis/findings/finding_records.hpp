#pragma once
// Rows of the partials of `findings` that are of interest only next to those of other ranks. Internal to this folder.

#include "core/analysis/engine/record_table.hpp"

namespace core {

// A kernel of compute or memory on a rank. Times in ns.
struct FindingKernel {
    std::int64_t rank = 0;  // RankKey::packed
    std::string_view name;
    std::int64_t count = 0;
    std::int64_t total = 0;
    EventId longest = kNoEvent;
};
template <>
inline constexpr auto kFields<FindingKernel> = std::tuple{
    field("rank", &FindingKernel::rank), field("kernel", &FindingKernel::name), field("count", &FindingKernel::count),
    field("total", &FindingKernel::total), field("longest", &FindingKernel::longest)};

// A rank that has GPU work; the others have no such row. Times in ns.
struct FindingRank {
    std::int64_t rank = 0;
    std::uint32_t slot = 0;
    std::int64_t window = 0;  // of its GPU work
    std::int64_t exposed = 0;  // communication
    std::int64_t exposed_wait = 0;  // of it, waiting for a later rank
    std::int64_t steps = 0;  // that the filter chooses
};
template <>
inline constexpr auto kFields<FindingRank> = std::tuple{field("rank", &FindingRank::rank),
                                                        field("slot", &FindingRank::slot),
                                                        field("window", &FindingRank::window),
                                                        field("exposed", &FindingRank::exposed),
                                                        field("exposed_wait", &FindingRank::exposed_wait),
                                                        field("steps", &FindingRank::steps)};

}  // namespace core
