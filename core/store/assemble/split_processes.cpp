#include "core/store/assemble/split_processes.hpp"

#include <algorithm>
#include <set>

namespace core {

std::optional<RankSplit> split_by_process(const Staged& staged, const std::map<std::string, std::int32_t>& ranks) {
    RankSplit split;
    std::vector<std::optional<std::int32_t>> rank_of_thread(staged.threads.size());
    for (std::size_t t = 0; t < staged.threads.size(); ++t) {
        const auto known = ranks.find(std::string(staged.pool.text(staged.threads[t].pid)));
        if (known != ranks.end()) rank_of_thread[t] = known->second;
    }
    std::set<std::int32_t> present;
    for (const std::uint32_t thread : staged.thread_of_event)
        if (rank_of_thread[thread]) present.insert(*rank_of_thread[thread]);
    if (present.size() < 2 || present.size() > kMostRanksOfFile) return std::nullopt;
    split.ranks.assign(present.begin(), present.end());
    split.part_of_thread.resize(staged.threads.size());
    for (std::size_t t = 0; t < staged.threads.size(); ++t) {
        const auto part = std::ranges::find(split.ranks, rank_of_thread[t].value_or(split.ranks.front()));
        if (part != split.ranks.end()) split.part_of_thread[t] = static_cast<std::uint32_t>(part - split.ranks.begin());
    }
    split.how = "processes with GPU work of their own";
    return split;
}

}  // namespace core
