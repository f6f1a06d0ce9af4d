#include "ui/timeline/model/area_rows.hpp"

#include <algorithm>
#include <set>

namespace ui {
core::TrackRows name_lane_rows(const core::RankSlot& rank, const LayoutRow& row) {
    const core::Lane& lane = rank.trace().lanes[row.item];
    return core::name_rows(rank, lane.track, lane.row, lane.row + 1 + row.count);
}

std::vector<core::TrackRows> collect_area_rows(const core::Run& run, const LaneLayout& layout, float top,
                                               float bottom) {
    std::vector<core::TrackRows> rows;
    const auto [first, last] = layout.find_visible(top, bottom);
    const std::span<const LayoutRow> crossed = std::span(layout.rows()).subspan(first, last - first);
    for (const LayoutRow& row : crossed) row.kind->add_area_rows(run, row, crossed, rows);
    return rows;
}

bool is_in_area(const core::Run& run, const LayoutRow& row, const std::vector<core::TrackRows>& rows) {
    const auto has_whole = [&](std::uint32_t slot) {
        return std::ranges::any_of(rows, [&](const core::TrackRows& chosen) {
            return chosen.whole_rank && chosen.rank == run.rank(slot).key;
        });
    };
    if (is_heading(row)) return is_folded(row) && std::ranges::all_of(*row.slots, has_whole);
    if (has_whole(row.slot)) return true;
    if (!row.kind->lane_of(row)) return false;
    const core::TrackRows own = name_lane_rows(run.rank(row.slot), row);
    return std::ranges::any_of(rows, [&](const core::TrackRows& chosen) {
        return chosen.rank == own.rank && chosen.process == own.process && chosen.thread == own.thread &&
               chosen.kind == own.kind && chosen.first_row <= own.first_row && own.first_row < chosen.last_row;
    });
}

void AreaLook::update(const core::RunPtr& run, const std::vector<core::TrackRows>& rows) {
    if (run_ == run && rows_ == rows) return;
    run_ = run;
    rows_ = rows;
    lanes_ = core::choose_lanes(*run, rows);
    std::set<core::RankKey> whole;
    for (const core::TrackRows& of_rank : rows)
        if (of_rank.whole_rank) whole.insert(of_rank.rank);
    whole_.clear();
    for (const core::RankSlot& rank : run->ranks()) whole_.push_back(whole.contains(rank.key));
}

bool AreaLook::has(const LayoutRow& row) const {
    if (rows_.empty() || (is_heading(row) && !is_folded(row))) return false;
    if (whole_[row.slot]) return true;
    const std::optional<std::uint32_t> lane = row.kind->lane_of(row);
    return lane && lanes_[row.slot][*lane];
}

}  // namespace ui
