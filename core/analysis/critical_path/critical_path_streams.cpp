#include "core/analysis/critical_path/critical_path_streams.hpp"

#include <algorithm>
#include <numeric>

namespace core {
namespace {

bool is_inside(RankRange event, RankRange window) {
    return event.begin < window.end && (event.end > window.begin || event.begin >= window.begin);
}

class StreamCollector {
public:
    StreamCollector(const RankTrace& trace, RankRange window)
        : trace_(trace), window_(window), queue_of_track_(trace.tracks.size(), kNoQueue) {}

    void add(EventId e, EventId call, std::uint32_t replay, bool is_callback) {
        const RankRange range = trace_.range(e);
        if (!is_inside(range, window_)) return;
        const std::uint32_t queue = queue_of(trace_.lanes[trace_.find_lane(e)].track);
        const RankTime launched = call == kNoEvent ? range.begin : trace_.start[index_of(call)];
        queues_[queue].events.push_back({.event = e,
                                         .launched = (launched - window_.begin).count(),
                                         .begin = (std::max(range.begin, window_.begin) - window_.begin).count(),
                                         .end = (std::min(range.end, window_.end) - window_.begin).count(),
                                         .stream = queue,
                                         .call = call,
                                         .replay = replay,
                                         .is_callback = is_callback});
    }

    std::vector<StreamQueue> finish(bool sort) && {
        for (StreamQueue& queue : queues_) {
            if (sort) std::ranges::stable_sort(queue.events, {}, &StreamEvent::begin);
            queue.seal();
        }
        return std::move(queues_);
    }

private:
    static constexpr std::uint32_t kNoQueue = 0xFFFFFFFFu;

    // Callbacks are on tracks of their own, next to that of their stream's work.
    std::uint32_t queue_of(std::uint32_t track) {
        std::uint32_t& known = queue_of_track_[track];
        if (known != kNoQueue) return known;
        const Track& own = trace_.tracks[track];
        const auto is_same = [&](const StreamQueue& queue) {
            return queue.process == own.process && queue.stream == own.stream;
        };
        const auto found = own.kind == TrackKind::StreamSync ? std::ranges::find_if(queues_, is_same) : queues_.end();
        known = static_cast<std::uint32_t>(found - queues_.begin());
        if (found == queues_.end()) queues_.push_back({.process = own.process, .stream = own.stream, .events = {}});
        return known;
    }

    const RankTrace& trace_;
    RankRange window_;
    std::vector<std::uint32_t> queue_of_track_;
    std::vector<StreamQueue> queues_;
};

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

std::size_t StreamQueue::count_ended_before(std::size_t i) const {
    const std::pair limit(events[i].begin, static_cast<std::uint32_t>(i));
    const auto it =
        std::ranges::partition_point(by_end, [&](std::uint32_t at) { return std::pair(events[at].end, at) < limit; });
    return static_cast<std::size_t>(it - by_end.begin());
}

const StreamEvent* StreamQueue::find_before(std::size_t i) const {
    const std::size_t ended = count_ended_before(i);
    return ended == 0 ? nullptr : &events[by_end[ended - 1]];
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

std::vector<StreamQueue> collect_stream_queues(const RankTrace& trace, const ReplayEdges& edges, RankRange window) {
    StreamCollector collector(trace, window);
    for (const EventId e : trace.gpu_events)
        collector.add(e, trace.parent[index_of(e)], edges.replays.replay_of(e), false);
    for (const OtherNode& other : edges.others) {
        if (!other.is_callback && !edges.are_known(other.replay)) continue;
        const EventId call = other.replay == kNoReplay ? kNoEvent : edges.replays.replays[other.replay].call;
        collector.add(other.event, call, other.replay, other.is_callback);
    }
    return std::move(collector).finish(!edges.others.empty());
}

}  // namespace core
