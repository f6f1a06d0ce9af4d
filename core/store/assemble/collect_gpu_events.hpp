#pragma once
// All GPU events of all tracks by (start, longer first, order). Lanes are sorted already, so they
// are merged. Internal to core/store.

#include "core/store/assemble/track_layout.hpp"
#include "core/store/event_columns.hpp"

namespace core {

std::vector<EventId> collect_gpu_events(const EventColumns& columns, std::span<const LaidTrack> tracks,
                                        std::span<const Lane> lanes);

}  // namespace core
