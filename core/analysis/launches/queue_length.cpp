#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/launches/launch_analyses.hpp"
#include "core/analysis/launches/launch_queue.hpp"

#include <algorithm>

namespace core::queue_length {
namespace {

// Time per queue length.
struct Lengths {
    std::map<std::int64_t, Duration> time;  // by length
    Duration window{};

    double mean() const {
        long double sum = 0;
        for (const auto& [length, duration] : time)
            sum += static_cast<long double>(length) * static_cast<long double>(duration.count());
        return static_cast<double>(sum / static_cast<long double>(window.count()));
    }
    // The smallest length that the queue doesn't exceed for half of the time.
    double median() const {
        Duration below{};
        for (const auto& [length, duration] : time) {
            below += duration;
            if (below >= window - below) return static_cast<double>(length);
        }
        return 0;
    }
    double max() const { return static_cast<double>(time.rbegin()->first); }
    Duration at_least(std::int64_t limit) const {
        Duration sum{};
        for (auto it = time.lower_bound(limit); it != time.end(); ++it) sum += it->second;
        return sum;
    }
};

// Calls step(begin, end, length) for each interval of the window between changes, left to right.
template <class Step>
void walk(const LaunchQueue& queue, RankRange window, const Step& step) {
    std::int64_t length = queue.at_begin;
    RankTime from = window.begin;
    for (const QueueChange& change : queue.changes) {
        if (change.time >= window.end) break;
        if (change.time > from) {
            step(from, change.time, length);
            from = change.time;
        }
        length += change.by;
    }
    if (from < window.end) step(from, window.end, length);
}

Lengths measure(const LaunchQueue& queue, RankRange window) {
    Lengths lengths;
    lengths.window = window.length();
    walk(queue, window,
         [&](RankTime begin, RankTime end, std::int64_t length) { lengths.time[length] += end - begin; });
    return lengths;
}

std::int64_t length_at(const LaunchQueue& queue, RankTime time) {
    std::int64_t length = queue.at_begin;
    for (const QueueChange& change : queue.changes) length += change.time <= time ? change.by : 0;
    return length;
}

// A point at every change of length and at both ends of the window.
Series build_series(const RankView& view, std::int64_t stream, const LaunchQueue& queue, RankRange window) {
    Series series{.name = "queue length, stream " + std::to_string(stream),
                  .slot = static_cast<std::uint32_t>(view.slot),
                  .unit = Unit::Count,
                  .time = {},
                  .value = {}};
    const auto add = [&](RankTime time, std::int64_t length) {
        series.time.push_back(view.rank().to_run(time));
        series.value.push_back(static_cast<double>(length));
    };
    std::int64_t last = -1;
    walk(queue, window, [&](RankTime begin, RankTime, std::int64_t length) {
        if (length != last) add(begin, length);
        last = length;
    });
    add(window.end, length_at(queue, window.end));
    return series;
}

RankRange cut(const RankView& view, RankRange window) {
    if (!view.time) return window;
    const RankTime begin = std::max(window.begin, view.time->begin);
    return {begin, std::max(begin, std::min(window.end, view.time->end))};
}

}  // namespace

std::vector<Column> columns() {
    return {{"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
            {"stream", Unit::Stream, Role::Key, Facet::Stream, "the stream"},
            {"mean", Unit::Number, Role::Measure, Facet::None, "launched and not yet started, weighted by time"},
            {"median", Unit::Number, Role::Measure, Facet::None, "not exceeded for half of the time"},
            {"max", Unit::Number, Role::Measure, Facet::None, "the longest"},
            {"blocked", Unit::Ns, Role::Measure, Facet::None, "time at the limit or above it", true},
            {"blocked_share", Unit::Ratio, Role::Measure, Facet::None, "blocked / window", false, {}, Better::Less},
            {"window",
             Unit::Ns,
             Role::Measure,
             Facet::None,
             "from the first call to the last GPU start",
             true,
             {},
             Better::Neither},
            {"launches", Unit::Count, Role::Measure, Facet::None, "calls in the time range that gave the stream work",
             true}};
}

Result<Partial> rank(const RankView& view, const Params& params, const JobContext& context) {
    Result<LaunchQueues> queues = collect_launch_queues(view.trace(), view.selection->gpu_events(), context);
    if (!queues) return std::move(queues).error();
    const Result<SelectionPtr> placed = view.build_selection_of_window(context);
    if (!placed) return placed.error();
    const Result<LaunchQueues> windows = collect_launch_queues(view.trace(), (*placed)->gpu_events(), context);
    if (!windows) return windows.error();

    Partial partial{{{"main", Table(columns())}}, {}, {}, view.collect_excluded()};
    std::ranges::move(queues->excluded, std::back_inserter(partial.excluded));
    Table& table = partial.tables.front().table;
    for (const auto& [stream, queue] : queues->by_stream) {
        const RankRange window = cut(view, windows->by_stream.at(stream).window());
        if (window.empty()) {
            table.add_row({view.key(), stream, {}, {}, {}, {}, {}, {}, {}});
            continue;
        }
        const Lengths lengths = measure(queue, window);
        const Duration blocked = lengths.at_least(params[0]);
        const auto calls =
            std::ranges::count_if(queue.calls, [&](RankTime t) { return !view.time || view.time->contains(t); });
        table.add_row({view.key(), stream, lengths.mean(), lengths.median(), lengths.max(), blocked.count(),
                       ratio_cell(blocked, lengths.window), lengths.window.count(), std::int64_t{calls}});
        partial.series.push_back(build_series(view, stream, queue, window));
    }
    return partial;
}

constexpr Param kQueueParams[] = {
    {"limit", "the queue counts as full at this length", Unit::Count, 1024, 1, 1'000'000'000},
};
constexpr std::string_view kMean[] = {"mean"};

}  // namespace core::queue_length

namespace core {

constinit const Analysis kQueueLength{
    .id = "queue-length",
    .title = "Queue length",
    .summary = "Per stream: how much work is launched and has not yet started, and for how long the queue is full.",
    .definition = R"(
+1 at the start of a launch call, -1 at the start of its first GPU event on the stream: one entry per call and
stream, but one per graph, on the stream of its first node. The window goes from the first call to the last start of work whose call is known, among what
the filter's steps and streams choose, cut to its time range; filters by name, class or duration choose entries and
leave the window as it is. mean, median and max of the length are weighted by time: what lasts no time has no
weight. blocked = time at a length of limit (1024) or more, in nanoseconds.

Work launched before the trace began, that is with a correlation but no call and no work of a known call before it
on its stream, is in the queue from the start. Other work without a call, and pairs whose GPU work began before the
call, are left out and counted. Streams of one number on several devices of a rank are one row. The series has every
change.

HTA knows twelve names of functions and no graphs, takes mean and median over the points of change, however long
they last, and gives the blocked time of one stream per rank, as a share of the whole trace.
)",
    .params = queue_length::kQueueParams,
    .chart = {.kind = ChartKind::Bars, .category = "rank", .measures = queue_length::kMean, .series = "stream"},
    .comparable = true,
    .rank = queue_length::rank,
    .columns = queue_length::columns,
    .lead = "mean",
    .input = Input::Launches,
};

}  // namespace core
