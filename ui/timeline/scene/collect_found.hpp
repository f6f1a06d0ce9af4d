#pragma once
// Found events of a lane, as stretches of pixel columns. Pure; any thread. Cost follows columns: events that share a
// stretch are skipped by search.

#include "core/query/event_set.hpp"
#include "ui/timeline/scene/collect_visible.hpp"

namespace ui {

inline constexpr std::int32_t kFoundPx = 3;  // the shortest stretch, so that a single short event can be seen

// Appends stretches inside the plot, left to right, with at least one pixel between them.
void collect_found(const core::RankSlot&, std::size_t lane, const core::EventSet& found, const TimeView&,
                   std::vector<PixelSpan>& out);

// Of all streams of a rank together, for the strip that stands for its GPU work. Cost follows columns of each lane that
// has any.
void collect_found_on_gpu(const core::RankSlot&, const core::EventSet& found, const TimeView&,
                          std::vector<PixelSpan>& out);

}  // namespace ui
