#include "core/analysis/hangs/waiting_graph.hpp"

#include <algorithm>

namespace core::hangs {

// Tarjan's strongly connected components, without recursion.
void WaitingGraph::close() {
    for (std::vector<std::size_t>& targets : waits_for_) {
        std::ranges::sort(targets);
        const auto repeated = std::ranges::unique(targets);
        targets.erase(repeated.begin(), repeated.end());
    }
    constexpr std::size_t kUnseen = 0;
    const std::size_t ranks = waits_for_.size();
    std::vector<std::size_t> order(ranks, kUnseen), lowest(ranks, 0), open;
    std::vector<bool> is_open(ranks, false);
    struct Visit {
        std::size_t rank;
        std::size_t next = 0;
    };
    std::size_t seen = 0, circles = 0;
    for (std::size_t root = 0; root < ranks; ++root) {
        if (order[root] != kUnseen) continue;
        std::vector<Visit> path{{root}};
        while (!path.empty()) {
            const std::size_t rank = path.back().rank;
            if (path.back().next == 0) {
                order[rank] = lowest[rank] = ++seen;
                open.push_back(rank);
                is_open[rank] = true;
            }
            bool deeper = false;
            while (path.back().next < waits_for_[rank].size()) {
                const std::size_t target = waits_for_[rank][path.back().next++];
                if (order[target] == kUnseen) {
                    path.push_back({target});
                    deeper = true;
                    break;
                }
                if (is_open[target]) lowest[rank] = std::min(lowest[rank], order[target]);
            }
            if (deeper) continue;
            if (lowest[rank] == order[rank]) {
                for (bool last = false; !last; open.pop_back()) {
                    last = open.back() == rank;
                    is_open[open.back()] = false;
                    circle_[open.back()] = circles;
                }
                ++circles;
            }
            path.pop_back();
            if (!path.empty()) lowest[path.back().rank] = std::min(lowest[path.back().rank], lowest[rank]);
        }
    }
    leaves_.assign(circles, false);
    for (std::size_t rank = 0; rank < ranks; ++rank)
        for (const std::size_t target : waits_for_[rank])
            if (circle_[target] != circle_[rank]) leaves_[circle_[rank]] = true;
}

bool WaitingGraph::is_end(std::size_t rank) const { return !leaves_[circle_[rank]]; }

}  // namespace core::hangs
