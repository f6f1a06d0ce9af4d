#include "core/analysis/engine/host_activity.hpp"

#include "core/analysis/engine/data_loading.hpp"

#include <algorithm>
#include <map>
#include <ranges>
#include <utility>
#include <vector>

namespace core {
namespace {

struct Edge {
    RankTime time;
    bool begins;  // ends come first
    std::uint32_t row;
    NameId name;
};

bool counts(const RankTrace& trace, EventId e) {
    const Category category = trace.category_kind(e);
    return (category == Category::CpuOp && !trace.has(e, kStepMark)) || is_launch_category(category);
}

void collect_edges(const RankTrace& trace, const Lane& lane, RankRange range, std::vector<Edge>& edges) {
    const auto ids = std::views::iota(static_cast<std::uint32_t>(lane.first), static_cast<std::uint32_t>(lane.last));
    const auto ends = [&](std::uint32_t e) { return trace.end(EventId{e}); };
    for (auto it = std::ranges::upper_bound(ids, range.begin, {}, ends); it != ids.end(); ++it) {
        const EventId e{*it};
        const RankRange open{std::max(trace.start[*it], range.begin), std::min(trace.end(e), range.end)};
        if (trace.start[*it] >= range.end) break;
        if (open.empty() || !counts(trace, e)) continue;
        edges.push_back({open.begin, true, lane.row, trace.name[*it]});
        edges.push_back({open.end, false, lane.row, trace.name[*it]});
    }
}

}  // namespace

std::string_view find_activity(const RankTrace& trace, EventId on_thread, RankRange range) {
    const Track& track = trace.track_of(on_thread);
    std::vector<Edge> edges;
    for (const Lane& lane : trace.lanes.subspan(track.first_lane, track.lane_count))
        collect_edges(trace, lane, range, edges);
    std::ranges::sort(edges, {}, [](const Edge& e) { return std::pair(e.time, e.begins); });

    std::map<std::uint32_t, NameId> open;  // by row; the last is the innermost
    std::vector<std::pair<NameId, Duration>> times;
    const auto spend = [&](Duration time) {
        const NameId name = open.empty() ? kNoName : open.rbegin()->second;
        const auto it = std::ranges::find(times, name, [](const auto& t) { return t.first; });
        if (it == times.end())
            times.emplace_back(name, time);
        else
            it->second += time;
    };
    RankTime from = range.begin;
    for (const Edge& edge : edges) {
        if (edge.time > from) spend(edge.time - from);
        from = edge.time;
        if (edge.begins)
            open[edge.row] = edge.name;
        else
            open.erase(edge.row);
    }
    if (from < range.end) spend(range.end - from);
    const auto most = std::ranges::max_element(times, {}, [](const auto& t) { return t.second; });
    return most == times.end() || most->first == kNoName ? kNoActivity : trace.text(most->first);
}

EventId find_covering(const RankTrace& trace, EventId on_thread, RankRange gap) {
    const Track& track = trace.track_of(on_thread);
    const RankTime middle = gap.begin + gap.length() / 2;
    EventId innermost = kNoEvent;
    Duration least = Duration::max();
    for (std::uint32_t i = track.first_lane; i < track.first_lane + track.lane_count; ++i) {
        const Lane& lane = trace.lanes[i];
        std::size_t low = index_of(lane.first), high = index_of(lane.last);
        while (low < high) {
            const std::size_t half = low + (high - low) / 2;
            if (trace.start[half] <= middle)
                low = half + 1;
            else
                high = half;
        }
        if (low == index_of(lane.first)) continue;
        const EventId e{static_cast<std::uint32_t>(low - 1)};
        const RankRange own = trace.range(e);
        const Duration covered = std::min(own.end, gap.end) - std::max(own.begin, gap.begin);
        if (covered * 2 < gap.length() || trace.duration[index_of(e)] >= least) continue;
        innermost = e;
        least = trace.duration[index_of(e)];
    }
    return innermost;
}

EventId find_host_of_gap(const RankTrace& trace, EventId next, RankRange gap) {
    const EventId launch = next == kNoEvent ? kNoEvent : trace.parent[index_of(next)];
    const EventId covering = launch == kNoEvent ? kNoEvent : find_covering(trace, launch, gap);
    for (EventId at = covering; at != kNoEvent; at = trace.parent[index_of(at)])
        if (loads_data(trace.name_text(at))) return at;
    return covering;
}

}  // namespace core
