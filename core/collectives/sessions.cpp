#include "core/collectives/matched_run.hpp"

#include <set>

namespace core {

std::vector<RunSession> find_sessions(std::span<const RankMembers> ranks) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t slot = 0; slot < ranks.size(); ++slot) order.push_back(slot);
    std::ranges::stable_sort(
        order, {}, [&](std::uint32_t slot) { return std::pair(ranks[slot].world_size, ranks[slot].work_begin); });
    struct Open {
        RunSession session;
        std::int64_t end = 0;
        std::set<std::int32_t> taken;
    };
    std::vector<Open> sessions;
    for (const std::uint32_t slot : order) {
        const RankMembers& rank = ranks[slot];
        const auto fits = [&](const Open& open) {
            return open.session.world_size == rank.world_size && rank.work_begin < open.end &&
                   !open.taken.contains(rank.rank);
        };
        auto it = rank.work_begin < rank.work_end ? std::ranges::find_if(sessions, fits) : sessions.end();
        if (it == sessions.end())
            it = sessions.insert(it, Open{.session = {{}, rank.world_size}, .end = rank.work_end, .taken = {}});
        it->session.slots.push_back(slot);
        it->taken.insert(rank.rank);
        it->end = std::max(it->end, rank.work_end);
    }
    std::vector<RunSession> found;
    for (Open& open : sessions) {
        std::ranges::sort(open.session.slots);
        found.push_back(std::move(open.session));
    }
    std::ranges::sort(found, {}, [](const RunSession& session) { return session.slots.front(); });
    return found;
}

}  // namespace core
