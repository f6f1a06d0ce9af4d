#include "core/store/rank_list.hpp"

#include "core/base/checksum.hpp"

#include <mutex>
#include <span>
#include <unordered_map>
#include <utility>

namespace core {
namespace {

using Ranks = std::vector<std::int32_t>;
using Stretches = std::vector<RankStretch>;

constexpr std::int64_t kMostListed = std::int64_t{1} << 20;

// Lists that are in use. Each is known by its stretches, which are few where it is long.
class KnownLists {
public:
    // make: the list, where it is not known.
    template <class Make>
    std::shared_ptr<const Ranks> find_or_add(Stretches stretches, const Make& make) {
        const std::uint64_t key = checksum(std::as_bytes(std::span(stretches)));
        const std::lock_guard lock(mutex_);
        const auto [first, last] = lists_.equal_range(key);
        for (auto one = first; one != last; ++one) {
            std::shared_ptr<const Ranks> list = one->second.list.lock();
            if (list && one->second.stretches == stretches) return list;
        }
        if (lists_.size() >= sweep_at_) sweep();
        auto list = std::make_shared<const Ranks>(make());
        lists_.emplace(key, Known{std::move(stretches), list});
        return list;
    }

private:
    struct Known {
        Stretches stretches;
        std::weak_ptr<const Ranks> list;
    };
    void sweep() {
        std::erase_if(lists_, [](const auto& entry) { return entry.second.list.expired(); });
        sweep_at_ = 2 * lists_.size() + 1'024;
    }
    std::mutex mutex_;
    std::unordered_multimap<std::uint64_t, Known> lists_;
    std::size_t sweep_at_ = 1'024;
};

KnownLists& known_lists() {
    static KnownLists lists;
    return lists;
}

Stretches stretches_of(const Ranks& ranks) {
    Stretches stretches;
    for (const std::int32_t rank : ranks) {
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

// Whether all are ranks that 32 bits hold, and not too many.
bool is_sound(const Stretches& stretches) {
    std::int64_t count = 0;
    for (const RankStretch& stretch : stretches) {
        const std::int64_t last = stretch.first + std::int64_t{stretch.step} * (std::int64_t{stretch.count} - 1);
        count += stretch.count;
        if (stretch.count == 0 || count > kMostListed || last != static_cast<std::int32_t>(last)) return false;
    }
    return true;
}

Ranks unrolled(const Stretches& stretches) {
    Ranks ranks;
    for (const RankStretch& stretch : stretches)
        for (std::int64_t i = 0; i < stretch.count; ++i)
            ranks.push_back(static_cast<std::int32_t>(stretch.first + stretch.step * i));
    ranks.shrink_to_fit();
    return ranks;
}

}  // namespace

const std::vector<std::int32_t> RankList::kNone;

RankList::RankList(std::vector<std::int32_t> ranks) {
    if (ranks.empty()) return;
    shared_ = known_lists().find_or_add(stretches_of(ranks), [&] { return std::move(ranks); });
}

std::optional<RankList> RankList::of(std::vector<RankStretch> stretches) {
    if (!is_sound(stretches)) return std::nullopt;
    for (RankStretch& stretch : stretches)
        if (stretch.count == 1) stretch.step = 0;  // as lists are cut
    RankList list;
    if (!stretches.empty()) list.shared_ = known_lists().find_or_add(stretches, [&] { return unrolled(stretches); });
    return list;
}

std::vector<RankStretch> RankList::stretches() const { return stretches_of(get()); }

}  // namespace core
