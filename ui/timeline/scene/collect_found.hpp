#pragma once
// Found events of a lane, as stretches of pixel columns. Pure; any thread. Cost follows columns:
// events that share a stretch are skipped by search.

#include "core/query/event_set.hpp"
#include "ui/timeline/scene/collect_visible.hpp"

namespace ui {

inline constexpr std::int32_t kFoundPx = 3;  // minimum width, so that a single short event is visible

// Appends stretches inside the plot, left to right, with at least one pixel between them.
void collect_found(const core::RankSlot&, std::size_t lane, const core::EventSet& found, const TimeView&,
                   std::vector<PixelSpan>& out);

// Found events of all streams of a rank, for the strip of its GPU work. Cost follows the columns of lanes with found
// events.
void collect_found_on_gpu(const core::RankSlot&, const core::EventSet& found, const TimeView&,
                          std::vector<PixelSpan>& out);

}  // namespace ui
