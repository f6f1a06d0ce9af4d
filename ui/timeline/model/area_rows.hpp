#pragma once
// Rows that an area dragged on the timeline selects. Pure.

#include "core/query/track_rows.hpp"
#include "ui/model/weak_key.hpp"
#include "ui/timeline/model/lane_layout.hpp"

namespace ui {

// Rows that overlap [top, bottom): lanes by themselves, closed nodes with everything below them. The header of an open
// rank or group adds nothing if one of its own rows is included. Empty if there are only plots.
std::vector<core::TrackRows> collect_area_rows(const core::Run&, const LaneLayout&, float top, float bottom);
// A lane's row, with those of its track that it represents while they are hidden.
core::TrackRows name_lane_rows(const core::RankSlot&, const LayoutRow&);
bool is_in_area(const core::Run&, const LayoutRow&, const std::vector<core::TrackRows>&);

// Tests many rows against an area; caches what depends on the area alone.
class AreaLook {
public:
    void update(const core::RunPtr&, const std::vector<core::TrackRows>&);
    bool has(const LayoutRow&) const;

private:
    WeakKey<core::Run> run_;
    std::vector<core::TrackRows> rows_;
    core::LaneChoice lanes_;
    std::vector<bool> whole_;  // by slot
};

}  // namespace ui
