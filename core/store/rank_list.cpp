#include "core/store/rank_list.hpp"

#include "core/base/checksum.hpp"

#include <mutex>
#include <span>
#include <unordered_map>

namespace core {
namespace {

using Ranks = std::vector<std::int32_t>;

// Lists that are in use, by their content.
class KnownLists {
public:
    std::shared_ptr<const Ranks> find_or_add(Ranks ranks) {
        const std::uint64_t key = checksum(std::as_bytes(std::span(ranks)));
        const std::lock_guard lock(mutex_);
        const auto [first, last] = lists_.equal_range(key);
        for (auto known = first; known != last; ++known) {
            std::shared_ptr<const Ranks> list = known->second.lock();
            if (list && *list == ranks) return list;
        }
        if (lists_.size() >= sweep_at_) sweep();
        ranks.shrink_to_fit();
        auto added = std::make_shared<const Ranks>(std::move(ranks));
        lists_.emplace(key, added);
        return added;
    }

private:
    void sweep() {
        std::erase_if(lists_, [](const auto& entry) { return entry.second.expired(); });
        sweep_at_ = 2 * lists_.size() + 1'024;
    }
    std::mutex mutex_;
    std::unordered_multimap<std::uint64_t, std::weak_ptr<const Ranks>> lists_;
    std::size_t sweep_at_ = 1'024;
};

KnownLists& known_lists() {
    static KnownLists lists;
    return lists;
}

}  // namespace

const std::vector<std::int32_t> RankList::kNone;

RankList::RankList(std::vector<std::int32_t> ranks) {
    if (!ranks.empty()) shared_ = known_lists().find_or_add(std::move(ranks));
}

std::vector<RankStretch> stretches_of(const RankList& list) {
    std::vector<RankStretch> stretches;
    for (const std::int32_t rank : list) {
        if (!stretches.empty()) {
            RankStretch& last = stretches.back();
            const std::int64_t step = std::int64_t{rank} - (last.first + std::int64_t{last.step} * (last.count - 1));
            if (last.count == 1 && step == static_cast<std::int32_t>(step)) last.step = static_cast<std::int32_t>(step);
            if (step == last.step) {
                ++last.count;
                continue;
            }
        }
        stretches.push_back({.first = rank, .step = 0, .count = 1});
    }
    return stretches;
}

}  // namespace core
