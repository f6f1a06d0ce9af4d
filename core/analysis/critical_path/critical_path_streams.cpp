#include "core/analysis/critical_path/critical_path_streams.hpp"

#include <algorithm>
#include <numeric>

namespace core {
namespace {

bool is_inside(RankRange event, RankRange window) {
    return event.begin < window.end && (event.end > window.begin || event.begin >= window.begin);
}

}  // namespace

void StreamQueue::seal() {
    by_end.resize(events.size());
    std::iota(by_end.begin(), by_end.end(), 0u);
    by_launch = by_end;
    const auto sort_by = [](std::vector<std::uint32_t>& order, const auto& time) {
        if (!std::ranges::is_sorted(order, {}, time)) std::ranges::stable_sort(order, {}, time);
    };
    sort_by(by_end, [&](std::uint32_t i) { return events[i].end; });
    sort_by(by_launch, [&](std::uint32_t i) { return events[i].launched; });
    last_end.reserve(events.size());
    for (const std::uint32_t i : by_launch) {
        const bool later = last_end.empty() || events[i].end >= events[last_end.back()].end;
        last_end.push_back(later ? i : last_end.back());
    }
}

const StreamEvent* StreamQueue::find_before(std::size_t i) const {
    const std::pair limit(events[i].begin, static_cast<std::uint32_t>(i));
    const auto it =
        std::ranges::partition_point(by_end, [&](std::uint32_t at) { return std::pair(events[at].end, at) < limit; });
    return it == by_end.begin() ? nullptr : &events[*std::prev(it)];
}

std::size_t StreamQueue::count_launched_before(std::int64_t moment) const {
    const auto it =
        std::ranges::partition_point(by_launch, [&](std::uint32_t at) { return events[at].launched < moment; });
    return static_cast<std::size_t>(it - by_launch.begin());
}

const StreamEvent* StreamQueue::find_last_launched(std::int64_t moment) const {
    const std::size_t count = count_launched_before(moment);
    return count == 0 ? nullptr : &events[last_end[count - 1]];
}

const StreamEvent* StreamQueue::find_ended(std::int64_t launched, std::int64_t ended) const {
    const auto it = std::ranges::partition_point(by_end, [&](std::uint32_t at) { return events[at].end <= ended; });
    const std::size_t count = std::min(static_cast<std::size_t>(it - by_end.begin()), count_launched_before(launched));
    if (count == 0) return nullptr;
    const StreamEvent& found = events[by_end[count - 1]];
    return found.launched < launched ? &found : nullptr;
}

const StreamEvent* StreamQueue::find_next_launched(std::int64_t moment) const {
    const auto it =
        std::ranges::partition_point(by_launch, [&](std::uint32_t at) { return events[at].launched <= moment; });
    return it == by_launch.end() ? nullptr : &events[*it];
}

std::vector<StreamQueue> collect_stream_queues(const RankTrace& trace, RankRange window) {
    std::vector<StreamQueue> queues;
    std::vector<std::uint32_t> queue_of_track(trace.tracks.size(), 0xFFFFFFFFu);
    for (const EventId e : trace.gpu_events) {
        const RankRange range = trace.range(e);
        if (!is_inside(range, window)) continue;
        const std::uint32_t track = trace.lanes[trace.find_lane(e)].track;
        if (queue_of_track[track] == 0xFFFFFFFFu) {
            queue_of_track[track] = static_cast<std::uint32_t>(queues.size());
            queues.push_back({trace.tracks[track].process, trace.tracks[track].stream, {}});
        }
        const std::uint32_t queue = queue_of_track[track];
        const EventId call = trace.parent[index_of(e)];
        const RankTime launched = call == kNoEvent ? range.begin : trace.start[index_of(call)];
        queues[queue].events.push_back({e, (launched - window.begin).count(),
                                        (std::max(range.begin, window.begin) - window.begin).count(),
                                        (std::min(range.end, window.end) - window.begin).count(), queue});
    }
    for (StreamQueue& queue : queues) queue.seal();
    return queues;
}

}  // namespace core
