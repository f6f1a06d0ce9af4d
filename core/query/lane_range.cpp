#include "core/query/lane_range.hpp"

namespace core {

LaneRange find_events_in(const RankSlot& rank, const Lane& lane, RunRange range) {
    const auto partition = [&](EventId from, auto is_left) {
        std::size_t low = index_of(from);
        std::size_t high = index_of(lane.last);
        while (low < high) {
            const std::size_t middle = (low + high) / 2;
            if (is_left(static_cast<EventId>(middle)))
                low = middle + 1;
            else
                high = middle;
        }
        return static_cast<EventId>(low);
    };
    const EventId first = partition(lane.first, [&](EventId e) {
        const RunRange own = rank.range_of(e);
        return own.end <= range.begin && own.begin < range.begin;
    });
    const EventId last = partition(first, [&](EventId e) { return rank.start_of(e) < range.end; });
    return {first, last};
}

}  // namespace core
