#pragma once
// The dense columns of a trace under construction. Internal to core/store.

#include "core/store/staged_events.hpp"

#include <span>

namespace core {

// By event.
struct EventColumns {
    std::span<RankTime> start;
    std::span<Duration> duration;
    std::span<NameId> name;
    std::span<std::uint16_t> category;
    std::span<std::uint8_t> flags;
    std::span<EventId> parent;
    std::span<std::uint32_t> order;

    std::int64_t start_ns(EventId e) const { return ns_of(start[index_of(e)]); }
    bool has(EventId e, std::uint8_t flag) const { return (flags[index_of(e)] & flag) != 0; }
};

// Moves every staged event to its place in all columns except parent, emptying the staged data.
void move_to_columns(Staged&, std::span<const EventId> event_of_row, const EventColumns& columns, const JobContext&);

}  // namespace core
