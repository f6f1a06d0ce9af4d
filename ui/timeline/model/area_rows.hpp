#pragma once
// Finds the rows of an area that was dragged over them. Pure.

#include "core/query/track_rows.hpp"
#include "ui/model/weak_key.hpp"
#include "ui/timeline/model/lane_layout.hpp"

namespace ui {

// Of the rows that overlap [top, bottom): lanes as they are, of what is closed everything below it. The head of an open
// rank or group says nothing beside rows of its own. Empty where there are only plots.
std::vector<core::TrackRows> collect_area_rows(const core::Run&, const LaneLayout&, float top, float bottom);
// A lane's row, and those of its track that it stands for while they are not shown.
core::TrackRows name_lane_rows(const core::RankSlot&, const LayoutRow&);
bool is_in_area(const core::Run&, const LayoutRow&, const std::vector<core::TrackRows>&);

// The same for many rows: what depends on the area alone is made again only when that changes.
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
