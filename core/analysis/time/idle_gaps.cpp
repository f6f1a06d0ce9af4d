#include "core/analysis/time/idle_gaps.hpp"

#include "core/analysis/engine/host_activity.hpp"
#include "core/graphs/lost_nodes.hpp"
#include "core/query/lost_launches.hpp"

#include <algorithm>
#include <map>

namespace core {
namespace {

constexpr std::array<std::string_view, kGapCauses> kCauseNames = {"host_wait", "graph_gap", "kernel_wait", "other",
                                                                  "not_recorded"};
constexpr std::string_view kUnknownLaunch = "(launch unknown)";

GapCause find_cause(const RankTrace& trace, RankRange gap, EventId next, Duration short_gap) {
    const EventId call = next == kNoEvent ? kNoEvent : trace.parent[index_of(next)];
    if (call == kNoEvent) return GapCause::Other;
    if (trace.start[index_of(call)] > gap.begin) return GapCause::HostWait;
    return gap.length() < short_gap ? GapCause::KernelWait : GapCause::Other;
}

struct StreamWork {
    std::vector<EventId> events;  // that pass step and stream terms, by start
    RankRange window{};
};
using Streams = std::map<std::uint32_t, StreamWork>;  // by track

std::uint32_t track_of(const RankTrace& trace, EventId e) { return trace.lanes[trace.find_lane(e)].track; }

Streams collect_streams(const RankTrace& trace, const Selection& selection) {
    Streams streams;
    for (const EventId e : selection.window_events()) {
        const auto [at, fresh] = streams.try_emplace(track_of(trace, e));
        RankRange& window = at->second.window;
        window = fresh ? trace.range(e) : RankRange{window.begin, std::max(window.end, trace.end(e))};
        at->second.events.push_back(e);
    }
    return streams;
}

}  // namespace

std::string_view name_of(GapCause cause) { return kCauseNames[static_cast<std::size_t>(cause)]; }

std::vector<Gap> collect_gaps(const RankView& view, std::span<const EventId> events, RankRange window,
                              Duration short_gap) {
    const RankTrace& trace = view.trace();
    const LostLaunchesPtr lost = lost_launches_of(*view.rank().index);
    const std::shared_ptr<const LostNodes> graphs = lost_nodes_of(*view.rank().index);
    std::vector<Gap> gaps;
    EventId previous = kNoEvent;
    // Work that is launched after the event before the gap and before its end may have run in it.
    const auto may_have_work = [&](RankRange gap) {
        const EventId call = previous == kNoEvent ? kNoEvent : trace.parent[index_of(previous)];
        return lost->any_in({call == kNoEvent ? gap.begin : trace.start[index_of(call)], gap.end});
    };
    const auto cause_of = [&](RankRange gap, EventId next) {
        if (may_have_work(gap) || graphs->may_hide(previous, next)) return GapCause::NotRecorded;
        if (graphs->are_of_one_replay(previous, next)) return GapCause::GraphGap;
        return find_cause(trace, gap, next, short_gap);
    };
    const auto add = [&](RankRange whole, EventId next) {
        RankRange visible = whole;
        if (view.time) visible = {std::max(whole.begin, view.time->begin), std::min(whole.end, view.time->end)};
        if (visible.empty()) return;
        gaps.push_back(
            {.whole = whole, .visible = visible, .previous = previous, .next = next, .cause = cause_of(whole, next)});
    };
    RankTime end = window.begin;
    for (const EventId e : events) {
        add({end, trace.start[index_of(e)]}, e);
        if (previous != kNoEvent && trace.end(e) <= end) continue;
        previous = e;
        end = std::max(end, trace.end(e));
    }
    add({end, window.end}, kNoEvent);
    return gaps;
}

std::vector<Gap> collect_device_gaps(const RankView& view, Duration short_gap) {
    if (!view.has_gpu_work()) return {};
    return collect_gaps(view, view.selection->window_events(), view.selection->window(), short_gap);
}

std::string_view find_host_activity(const RankTrace& trace, const Gap& gap) {
    const EventId call = gap.next == kNoEvent ? kNoEvent : trace.parent[index_of(gap.next)];
    return call == kNoEvent ? kUnknownLaunch : find_activity(trace, call, gap.whole);
}

Result<std::vector<TrackGaps>> collect_track_gaps(const RankView& view, Duration short_gap, const JobContext& context) {
    std::vector<TrackGaps> tracks;
    for (const auto& [track, work] : collect_streams(view.trace(), *view.selection)) {
        if (context.cancelled()) return cancelled_error();
        tracks.push_back({track, work.events.size(), collect_gaps(view, work.events, work.window, short_gap)});
    }
    return tracks;
}

Wide total_time(const GapsByCause& gaps) {
    Wide sum = 0;
    for (const GapSums& of_cause : gaps) sum += of_cause.time;
    return sum;
}

}  // namespace core
