#include "core/collectives/matched_run.hpp"

#include <set>

namespace core {

std::vector<Cohort> find_cohorts(std::span<const RankMembers> ranks) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t slot = 0; slot < ranks.size(); ++slot) order.push_back(slot);
    std::ranges::stable_sort(
        order, {}, [&](std::uint32_t slot) { return std::pair(ranks[slot].world_size, ranks[slot].work_begin); });
    struct Open {
        Cohort cohort;
        std::int64_t end = 0;
        std::set<std::int32_t> taken;
    };
    std::vector<Open> cohorts;
    for (const std::uint32_t slot : order) {
        const RankMembers& rank = ranks[slot];
        const auto fits = [&](const Open& open) {
            return open.cohort.world_size == rank.world_size && rank.work_begin < open.end &&
                   !open.taken.contains(rank.rank);
        };
        auto it = rank.work_begin < rank.work_end ? std::ranges::find_if(cohorts, fits) : cohorts.end();
        if (it == cohorts.end())
            it = cohorts.insert(it, Open{.cohort = {{}, rank.world_size}, .end = rank.work_end, .taken = {}});
        it->cohort.slots.push_back(slot);
        it->taken.insert(rank.rank);
        it->end = std::max(it->end, rank.work_end);
    }
    std::vector<Cohort> found;
    for (Open& open : cohorts) {
        std::ranges::sort(open.cohort.slots);
        found.push_back(std::move(open.cohort));
    }
    std::ranges::sort(found, {}, [](const Cohort& cohort) { return cohort.slots.front(); });
    return found;
}

}  // namespace core
