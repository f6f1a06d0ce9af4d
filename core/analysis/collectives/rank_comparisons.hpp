#pragma once
// Which chosen ranks are compared with which: those of one capture; captures that are windows of one job (are_windows)
// together, each rank with all its windows.

#include "core/analysis/collectives/chosen_members.hpp"

#include <map>
#include <optional>

namespace core {

// Ranks and comparisons are numbered from 0.
class RankComparisons {
public:
    RankComparisons(const Run&, std::span<const ChosenRank>);

    std::size_t ranks() const { return ranks_.size(); }
    std::size_t comparisons() const { return sizes_.size(); }
    // The rank at a position in the span.
    std::size_t rank_of(std::size_t position) const { return rank_of_[position]; }
    std::size_t comparison_of(std::size_t rank) const { return ranks_[rank].comparison; }
    // The comparison that a slot of the run belongs to; absent if no chosen rank is in it.
    std::optional<std::size_t> of_slot(const Run&, std::uint32_t slot) const;
    std::size_t ranks_in(std::size_t comparison) const { return sizes_[comparison]; }
    // The longest over its ranks, each with all its windows added up.
    Duration longest_window(std::size_t comparison) const { return longest_[comparison]; }

private:
    struct OneRank {
        std::size_t comparison = 0;
        Duration window{0};
    };
    std::map<std::int32_t, std::size_t> numbers_;  // comparisons by capture
    std::vector<OneRank> ranks_;
    std::vector<std::size_t> rank_of_;
    std::vector<Duration> longest_;
    std::vector<std::size_t> sizes_;
};

}  // namespace core
