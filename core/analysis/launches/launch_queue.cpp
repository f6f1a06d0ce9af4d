#include "core/analysis/launches/launch_queue.hpp"

#include "core/analysis/launches/launch_calls.hpp"
#include "core/store/launch_names.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace core {
namespace {

// An entry in a stream's queue: the work of one call.
struct Entry {
    std::uint32_t track;
    bool launched;     // the call is in the trace; else `launch` is the correlation of an earlier call
    std::int64_t launch;
    RankTime start;    // start of the GPU event
};

class Collector {
public:
    explicit Collector(const RankTrace& trace)
        : trace_(trace), correlations_(trace.integers(Arg::Correlation)), calls_(trace) {
        for (const EventId e : trace.gpu_events) {
            if (trace.parent[index_of(e)] != kNoEvent) first_known_.try_emplace(track_of(e), trace.start[index_of(e)]);
        }
    }

    void add(EventId e) {
        const std::uint32_t track = track_of(e);
        const RankTime start = trace_.start[index_of(e)];
        const EventId call = trace_.parent[index_of(e)];
        if (trace_.tracks[track].stream < 0)
            ++without_stream_;
        else if (call != kNoEvent && !calls_.contains(call))
            ++by_others_;
        else if (call != kNoEvent && is_graph(call) && track != track_of(first_of(call, e)))
            other_streams_.insert(track);
        else if (call != kNoEvent)
            entries_.push_back(
                {.track = track, .launched = true, .launch = static_cast<std::int64_t>(call), .start = start});
        else if (const std::int64_t* const correlation = correlations_.find(e); correlation && is_first(track, start))
            entries_.push_back({.track = track, .launched = false, .launch = *correlation, .start = start});
        else
            unknown_on_.push_back(track);
    }

    LaunchQueues take() {
        std::ranges::stable_sort(entries_, {},
                                 [](const Entry& e) { return std::tuple(e.track, e.launched, e.launch); });
        const auto [last, end] =
            std::ranges::unique(entries_, {}, [](const Entry& e) { return std::tuple(e.track, e.launched, e.launch); });
        entries_.erase(last, end);
        LaunchQueues queues;
        for (const std::uint32_t track : other_streams_) queues.by_stream[trace_.tracks[track].stream];
        for (const std::uint32_t track : unknown_on_) queues.by_stream[trace_.tracks[track].stream];
        for (const Entry& entry : entries_) enter(entry, queues.by_stream[trace_.tracks[entry.track].stream]);
        for (auto& [stream, queue] : queues.by_stream) {
            std::ranges::sort(queue.changes, {}, &QueueChange::time);
            std::ranges::sort(queue.calls);
        }
        const auto exclude = [&](const char* what, std::uint64_t count) {
            if (count) queues.excluded.push_back({what, count});
        };
        exclude("GPU events whose launch call is not in the trace", unknown_on_.size());
        exclude("launches whose GPU work began before the call", reversed_);
        exclude("GPU events linked to no runtime or driver call", by_others_);
        exclude("GPU events without a stream", without_stream_);
        return queues;
    }

private:
    std::uint32_t track_of(EventId e) const { return trace_.lanes[trace_.find_lane(e)].track; }
    EventId first_of(EventId call, EventId otherwise) const {
        const std::span<const EventId> work = trace_.launched_by(call);
        return work.empty() ? otherwise : work.front();
    }
    // A graph is queued once, on the stream of its first node; nodes on other streams wait for it, not in their queues.
    bool is_graph(EventId call) {
        const NameId name = trace_.name[index_of(call)];
        const auto [known, is_new] = is_graph_.try_emplace(name, false);
        if (is_new) known->second = launch_kind(trace_.text(name)) == LaunchKind::Graph;
        return known->second;
    }
    // Streams run in order: work that starts after work of a known call was launched after that
    // call.
    bool is_first(std::uint32_t track, RankTime start) const {
        const auto known = first_known_.find(track);
        return known == first_known_.end() || start <= known->second;
    }
    void enter(const Entry& entry, LaunchQueue& queue) {
        if (!entry.launched) {
            ++queue.at_begin;
            queue.changes.push_back({entry.start, -1});
            return;
        }
        const RankTime call = trace_.start[static_cast<std::size_t>(entry.launch)];
        if (entry.start < call) {
            ++reversed_;
            return;
        }
        queue.last_start = queue.calls.empty() ? entry.start : std::max(queue.last_start, entry.start);
        queue.calls.push_back(call);
        queue.changes.push_back({call, 1});
        queue.changes.push_back({entry.start, -1});
    }

    const RankTrace& trace_;
    SparseColumn<std::int64_t> correlations_;
    LaunchCalls calls_;
    std::map<std::uint32_t, RankTime> first_known_;  // per track: first start of work with a known call
    std::map<NameId, bool> is_graph_;  // by name of a call
    std::set<std::uint32_t> other_streams_;  // tracks with nodes of graphs that are queued elsewhere
    std::vector<Entry> entries_;
    std::vector<std::uint32_t> unknown_on_;  // tracks of GPU events without a known call
    std::uint64_t reversed_ = 0;
    std::uint64_t without_stream_ = 0;
    std::uint64_t by_others_ = 0;
};

}  // namespace

Result<LaunchQueues> collect_launch_queues(const RankTrace& trace, std::span<const EventId> events,
                                           const JobContext& context) {
    Collector collector(trace);
    for (std::size_t i = 0; i < events.size(); ++i) {
        if (i % kEventsBetweenChecks == 0 && context.cancelled()) return cancelled_error();
        collector.add(events[i]);
    }
    return collector.take();
}

}  // namespace core
