#include "core/analysis/collectives/rank_comparisons.hpp"

#include "core/index/rank_count.hpp"

#include <algorithm>

namespace core {
namespace {

// Dumps and logs beside the traces keep their own capture: they are never compared with traces.
std::int32_t capture_of(const Run& run, std::uint32_t slot) {
    const RankSlot& rank = run.rank(slot);
    constexpr std::int32_t kAllWindows = -1;
    return are_windows(run) && !is_beside(rank.trace().info) ? kAllWindows : rank.key.capture;
}

}  // namespace

RankComparisons::RankComparisons(const Run& run, std::span<const ChosenRank> chosen) {
    std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> places;  // by capture and rank number
    for (const ChosenRank& one : chosen) {
        const std::int32_t capture = capture_of(run, one.slot);
        const std::size_t comparison = numbers_.try_emplace(capture, numbers_.size()).first->second;
        const auto [place, is_new] = places.try_emplace({capture, run.rank(one.slot).key.number}, ranks_.size());
        if (is_new) ranks_.push_back({comparison, Duration{0}});
        ranks_[place->second].window += one.window;
        rank_of_.push_back(place->second);
    }
    longest_.resize(numbers_.size(), Duration{0});
    sizes_.resize(numbers_.size(), 0);
    for (const OneRank& rank : ranks_) {
        longest_[rank.comparison] = std::max(longest_[rank.comparison], rank.window);
        ++sizes_[rank.comparison];
    }
}

std::optional<std::size_t> RankComparisons::of_slot(const Run& run, std::uint32_t slot) const {
    const auto found = numbers_.find(capture_of(run, slot));
    return found == numbers_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace core
