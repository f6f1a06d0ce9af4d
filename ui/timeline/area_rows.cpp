#include "ui/timeline/model/area_rows.hpp"

#include <algorithm>
#include <set>

namespace ui {
namespace {

// Of a lane's track the row, and those that it stands for while they are not shown.
core::TrackRows rows_of_lane(const core::RankSlot& rank, const LayoutRow& row) {
    const core::Lane& lane = rank.trace().lanes[row.item];
    return core::name_rows(rank, lane.track, lane.row, lane.row + 1 + row.count);
}

bool is_of_device(const core::Run& run, const LayoutRow& device, const LayoutRow& row) {
    if (row.kind != RowKind::Lane || row.slot != device.slot) return false;
    const core::RankTrace& trace = run.rank(row.slot).trace();
    return trace.tracks[trace.lanes[row.item].track].process == device.item;
}

}  // namespace

std::vector<core::TrackRows> collect_area_rows(const core::Run& run, const LaneLayout& layout, float top,
                                               float bottom) {
    std::vector<core::TrackRows> rows;
    const auto [first, last] = layout.find_visible(top, bottom);
    const std::span<const LayoutRow> crossed = std::span(layout.rows()).subspan(first, last - first);
    for (const LayoutRow& row : crossed) {
        if (is_folded(row))
            for (const std::uint32_t slot : *row.slots) rows.push_back({run.rank(slot).key, true, {}, {}, {}, 0, 0});
        const core::RankSlot& rank = run.rank(row.slot);
        const bool has_lanes = std::ranges::any_of(crossed, [&](const LayoutRow& other) {
            return row.kind == RowKind::Device ? is_of_device(run, row, other)
                                               : other.kind == RowKind::Lane && other.slot == row.slot;
        });
        if (row.kind == RowKind::Lane) {
            rows.push_back(rows_of_lane(rank, row));
        } else if (row.kind == RowKind::Rank && (!row.open || !has_lanes)) {
            rows.push_back({rank.key, true, {}, {}, {}, 0, 0});
        } else if (row.kind == RowKind::Device && !row.open) {
            const core::Process& process = rank.trace().processes[row.item];
            for (std::uint32_t i = 0; i < process.track_count; ++i) {
                const core::Track& track = rank.trace().tracks[process.first_track + i];
                rows.push_back(core::name_rows(rank, process.first_track + i, 0, track.lane_count));
            }
        }
    }
    return rows;
}

bool is_in_area(const core::Run& run, const LayoutRow& row, const std::vector<core::TrackRows>& rows) {
    if (row.kind == RowKind::Group)  // folded, with all of its ranks
        return is_folded(row) && std::ranges::all_of(*row.slots, [&](std::uint32_t slot) {
                   return std::ranges::any_of(rows, [&](const core::TrackRows& chosen) {
                       return chosen.whole_rank && chosen.rank == run.rank(slot).key;
                   });
               });
    const core::RankSlot& rank = run.rank(row.slot);
    return std::ranges::any_of(rows, [&](const core::TrackRows& chosen) {
        if (chosen.rank != rank.key) return false;
        if (chosen.whole_rank) return true;
        if (row.kind != RowKind::Lane) return false;
        const core::TrackRows own = rows_of_lane(rank, row);
        return chosen.process == own.process && chosen.thread == own.thread && chosen.kind == own.kind &&
               chosen.first_row <= own.first_row && own.first_row < chosen.last_row;
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
    if (rows_.empty() || (row.kind == RowKind::Group && !is_folded(row))) return false;
    return whole_[row.slot] || (row.kind == RowKind::Lane && lanes_[row.slot][row.item]);
}

}  // namespace ui
