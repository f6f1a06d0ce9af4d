#include "ui/timeline/event_links.hpp"

#include <algorithm>

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

core::EventRef find_linked(const core::Run& run, core::EventRef ref, Along along) {
    const core::RankTrace& trace = run.rank(ref.slot).trace();
    if (along == Along::Forward) {
        const auto launched = trace.launched_by(ref.event);
        if (!launched.empty()) return {ref.slot, launched.front()};
        const auto flow = std::ranges::lower_bound(trace.flows, ref.event, {}, &core::Flow::from);
        return flow != trace.flows.end() && flow->from == ref.event ? core::EventRef{ref.slot, flow->to}
                                                                    : core::EventRef{};
    }
    if (trace.has(ref.event, core::kGpuEvent) && trace.parent[core::index_of(ref.event)] != core::kNoEvent)
        return {ref.slot, trace.parent[core::index_of(ref.event)]};
    const auto flow = std::ranges::find(trace.flows, ref.event, &core::Flow::to);
    return flow != trace.flows.end() ? core::EventRef{ref.slot, flow->from} : core::EventRef{};
}

}  // namespace ui
