#include "core/query/name_totals.hpp"

namespace core {

void TotalsByName::begin_rank(std::uint32_t slot) {
    slot_ = slot;
    trace_ = &run_.rank(slot).trace();
    of_rank_.assign(2 * trace_->names.size(), {});
}

RankTotals TotalsByName::end_rank() {
    RankTotals rank;
    rank.slot = slot_;
    const std::vector<InternedName>& names = *run_.rank(slot_).names;
    for (std::size_t i = 0; i < of_rank_.size(); ++i) {
        const NameTotals& own = of_rank_[i];
        if (own.count == 0) continue;
        rank.add(own);
        ++rank.names;
        NameTotals& all = all_[std::uint64_t{2} * index_of(names[i / 2]) + i % 2];
        if (all.count == 0) {
            all.example = own.example;
            all.on_gpu = i % 2 == 1;
        }
        all.add(own);
        ++all.ranks;
    }
    return rank;
}

std::vector<NameTotals> TotalsByName::take() {
    std::vector<NameTotals> totals;
    totals.reserve(all_.size());
    for (const auto& [name, of_name] : all_) totals.push_back(of_name);
    std::ranges::sort(totals, [](const NameTotals& a, const NameTotals& b) {
        return a.total != b.total ? a.total > b.total : a.example < b.example;
    });
    return totals;
}

}  // namespace core
