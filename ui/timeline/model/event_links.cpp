#include "ui/timeline/model/event_links.hpp"

namespace ui {

core::EventRef find_neighbour(const core::Run& run, core::EventRef ref, Along along) {
    const core::RankTrace& trace = run.rank(ref.slot).trace();
    const core::Lane& lane = trace.lanes[trace.find_lane(ref.event)];
    const std::size_t event = core::index_of(ref.event);
    const bool at_end =
        along == Along::Back ? event == core::index_of(lane.first) : event + 1 == core::index_of(lane.last);
    if (at_end) return {};
    return {ref.slot, static_cast<core::EventId>(along == Along::Back ? event - 1 : event + 1)};
}

core::EventRef find_linked(const core::Run& run, core::EventRef ref, Along along, const EventLinks* links) {
    const EventLinks own = links != nullptr ? EventLinks{} : collect_own_links(run, ref);
    for (const EventLink& link : links != nullptr ? links->links : own.links)
        if (link.forward == (along == Along::Forward)) return link.event;
    return {};
}

}  // namespace ui
