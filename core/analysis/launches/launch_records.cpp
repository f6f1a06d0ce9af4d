#include "core/analysis/launches/launch_records.hpp"

#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/launches/launch_calls.hpp"
#include "core/store/launch_names.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace core {
namespace {

Launch measure(const RankTrace& trace, EventId call, std::span<const EventId> gpu) {
    const EventId first = gpu.front();
    const RankTime begin = trace.start[index_of(first)];
    Wide sum = 0;
    for (const EventId e : gpu) sum += trace.duration[index_of(e)].count();
    return {.call = call,
            .first = first,
            .events = std::ssize(gpu),
            .call_time = trace.duration[index_of(call)],
            .gpu_time = Duration{clamped(sum)},
            .delay = Duration{clamped(Wide{ns_of(begin)} - ns_of(trace.end(call)))},
            .queued = {},
            .reversed = begin < trace.start[index_of(call)],
            .overlapped = begin >= trace.start[index_of(call)] && begin < trace.end(call) &&
                          launch_kind(trace.name_text(call)) == LaunchKind::Graph};
}

// Streams run in order: earlier work had to end first, whatever the filter.
void measure_queued(const RankTrace& trace, std::vector<Launch>& launches) {
    std::unordered_map<EventId, Launch*> by_first;
    for (Launch& launch : launches) by_first.emplace(launch.first, &launch);
    std::map<std::uint32_t, RankTime> ends;  // per track: latest end so far
    for (const EventId e : trace.gpu_events) {
        const std::uint32_t track = trace.lanes[trace.find_lane(e)].track;
        const auto [end, first] = ends.try_emplace(track, trace.end(e));
        if (first) continue;
        if (const auto found = by_first.find(e); found != by_first.end()) {
            const RankTime returned = trace.end(found->second->call);
            const RankTime until = std::min(end->second, trace.start[index_of(e)]);
            found->second->queued = until > returned ? until - returned : Duration{0};
        }
        end->second = std::max(end->second, trace.end(e));
    }
}

}  // namespace

Result<Launches> collect_launches(const RankView& view, const JobContext& context) {
    const RankTrace& trace = view.trace();
    std::vector<std::pair<EventId, EventId>> links;  // call, GPU event
    const LaunchCalls calls(trace);
    std::uint64_t without_call = 0;
    std::uint64_t by_others = 0;
    for (const EventId e : view.gpu_events()) {
        const EventId call = trace.parent[index_of(e)];
        if (call == kNoEvent)
            ++without_call;
        else if (calls.contains(call))
            links.emplace_back(call, e);
        else
            ++by_others;
    }
    std::ranges::stable_sort(
        links, {}, [&](const auto& link) { return std::pair(trace.start[index_of(link.first)], link.first); });

    Launches launches{{}, view.collect_excluded()};
    if (without_call) launches.excluded.push_back({"GPU events whose launch call is not in the trace", without_call});
    if (by_others) launches.excluded.push_back({"GPU events linked to no runtime or driver call", by_others});
    std::vector<EventId> gpu;
    for (std::size_t i = 0; i < links.size(); ++i) {
        if (i % kEventsBetweenChecks == 0 && context.cancelled()) return cancelled_error();
        gpu.push_back(links[i].second);
        if (i + 1 < links.size() && links[i + 1].first == links[i].first) continue;
        launches.calls.push_back(measure(trace, links[i].first, gpu));
        gpu.clear();
    }
    measure_queued(trace, launches.calls);
    return launches;
}

}  // namespace core
