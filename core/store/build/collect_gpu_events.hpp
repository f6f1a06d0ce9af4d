#pragma once
// All GPU events of all tracks by (start, longer first, order): lanes rise already, so they are merged. Internal to
// core/store.

#include "core/store/event_columns.hpp"
#include "core/store/build/track_layout.hpp"

namespace core {

std::vector<EventId> collect_gpu_events(const EventColumns& columns, std::span<const LaidTrack> tracks,
                                        std::span<const Lane> lanes);

}  // namespace core
