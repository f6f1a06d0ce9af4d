#include "core/query/area_summary.hpp"

#include "core/query/filter_text.hpp"
#include "tests/core/query/random_run.hpp"

#include <doctest/doctest.h>

#include <map>

using namespace core;
using core::testing::run_of;
using core::testing::TraceFixture;

namespace {

RunPtr two_ranks() {
    return run_of({TraceFixture()
                       .cpu(0, 500, "aten::mm")
                       .kernel(100, 100, "gemm")
                       .kernel(300, 50, "gemm")
                       .kernel(320, 80, "ncclDevKernel_AllReduce", 9)
                       .kernel(900, 50, "late")
                       .build(),
                   TraceFixture().kernel(150, 10, "relu").build()});
}

AreaSummary summarize(const RunPtr& run, std::int64_t begin, std::int64_t end, std::string_view filter = "") {
    AreaQuery query{run, {run_time(begin), run_time(end)}, {}, {}};
    if (!filter.empty()) query.filter = parse_filter(filter).value();
    return summarize_area(query, {}).value();
}

std::string name_of(const Run& run, const NameTotals& total) {
    return std::string(run.rank(total.example.slot).trace().name_text(total.example.event));
}

}  // namespace

TEST_CASE("an area contains the events that overlap it, cut to it, on every rank") {
    const RunPtr run = two_ranks();
    const AreaSummary summary = summarize(run, 150, 350);
    CHECK(summary.events == 5);
    CHECK(summary.gpu_events == 4);
    CHECK(summary.times.compute() == Duration{50 + 50 + 10});
    CHECK(summary.times.with(KernelClass::Communication) == Duration{30});
    CHECK(summary.times.total() == Duration{2 * 200});
    REQUIRE(summary.longest().size() == 3);
    CHECK(name_of(*run, summary.longest()[0]) == "gemm");
    CHECK(summary.longest()[0].total == Duration{100});
    CHECK(summary.longest()[0].count == 2);
    CHECK(name_of(*run, summary.longest()[1]) == "ncclDevKernel_AllReduce");
    CHECK(name_of(*run, summary.longest()[2]) == "relu");
}

TEST_CASE("an area contains only events that pass the filter") {
    const RunPtr run = two_ranks();
    CHECK(summarize(run, 0, 1000, "rank:1").events == 1);
    CHECK(summarize(run, 0, 1000, "name:gemm").gpu_events == 2);
    CHECK(summarize(run, 0, 1000, "time:310ns..330ns").longest().front().total == Duration{20});
    CHECK(summarize(run, 0, 100, "time:310ns..330ns").events == 0);
}

TEST_CASE("without GPU work the longest CPU events are named") {
    const RunPtr run = two_ranks();
    const AreaSummary summary = summarize(run, 0, 50);
    CHECK(summary.gpu_events == 0);
    REQUIRE(summary.longest().size() == 1);
    CHECK(name_of(*run, summary.longest()[0]) == "aten::mm");
}

TEST_CASE("a rank without streams is not counted as idle") {
    const RunPtr run =
        run_of({TraceFixture().kernel(0, 100, "gemm").build(), TraceFixture().rank(1).cpu(0, 100, "aten::mm").build()});
    const AreaSummary summary = summarize(run, 0, 100);
    CHECK(summary.events == 2);
    CHECK(summary.times.total() == Duration{100});
    CHECK(summary.times.idle() == Duration{0});
}

TEST_CASE("an area of rows contains the events of those rows, and the classes of those streams only") {
    const RunPtr run = two_ranks();
    const RankTrace& trace = run->rank(0).trace();
    AreaQuery query{run, {run_time(150), run_time(350)}, {}, {}};
    for (std::uint32_t track = 0; track < trace.tracks.size(); ++track)
        if (trace.tracks[track].stream == 9) query.rows.push_back(name_rows(run->rank(0), track, 0, 1));
    REQUIRE(query.rows.size() == 1);
    const AreaSummary of_stream = summarize_area(query, {}).value();
    CHECK(of_stream.events == 1);
    CHECK(of_stream.times.with(KernelClass::Communication) == Duration{30});
    CHECK(of_stream.times.compute() == Duration{0});
    CHECK(of_stream.times.total() == Duration{200});
    query.rows = {{RankKey{1, 0}, true, {}, {}, {}, 0, 0}};
    CHECK(summarize_area(query, {}).value().events == 1);
    query.rows = {{RankKey{7, 0}, true, {}, {}, {}, 0, 0}};
    CHECK(summarize_area(query, {}).value().events == 0);
}

TEST_CASE("rows are named by rank, process, thread and depth, so the names stay valid when ranks arrive") {
    const auto trace = [](int rank) {
        return TraceFixture().rank(rank).cpu(0, 100, "out", 101).cpu(10, 20, "in", 101).kernel(0, 5, "k", 7).build();
    };
    const RunPtr late = run_of({trace(2)});
    const RankTrace& read = late->rank(0).trace();
    std::uint32_t thread = 0;
    while (read.tracks[thread].kind != TrackKind::Thread) ++thread;
    const TrackRows inner = name_rows(late->rank(0), thread, 1, 2);
    const RunPtr both = run_of({trace(0), trace(2)});
    const LaneChoice lanes = choose_lanes(*both, {inner});
    REQUIRE(lanes.size() == 2);
    CHECK(std::ranges::count(lanes[0], true) == 0);
    CHECK(std::ranges::count(lanes[1], true) == 1);
    const RankTrace& second = both->rank(1).trace();
    const auto lane = static_cast<std::size_t>(std::ranges::find(lanes[1], true) - lanes[1].begin());
    CHECK(second.name_text(second.lanes[lane].first) == "in");
    CHECK(choose_lanes(*both, {}).empty());
}

namespace {

struct SlowArea {
    std::size_t events = 0;
    std::map<std::pair<std::string, bool>, LengthTotals> names;
    std::array<std::int64_t, kClassSets> by_set{};
    std::map<std::pair<std::string, bool>, std::vector<Duration>> durations;
};

// Naive implementation: every event, every nanosecond.
SlowArea sum_area_naively(const Run& run, RunRange area, const Filter& filter, const LaneChoice& lanes) {
    SlowArea slow;
    if (const auto time = filter.time_range(run))
        area = {std::max(area.begin, time->begin), std::min(area.end, time->end)};
    if (area.empty()) return slow;
    for (std::uint32_t slot = 0; slot < run.ranks().size(); ++slot) {
        const RankSlot& rank = run.rank(slot);
        const RankTrace& trace = rank.trace();
        if (!filter.accepts_rank(rank.key)) continue;
        const SelectionPtr selection = Selection::build(run, slot, filter, {}).value();
        bool any_stream = false;
        std::vector<ClassSet> active(static_cast<std::size_t>(area.length().count()));
        for (std::size_t lane = 0; lane < trace.lanes.size(); ++lane) {
            if (!lanes.empty() && !lanes[slot][lane]) continue;
            any_stream |= trace.tracks[trace.lanes[lane].track].kind == TrackKind::Stream;
            for (std::size_t i = index_of(trace.lanes[lane].first); i < index_of(trace.lanes[lane].last); ++i) {
                const auto event = static_cast<EventId>(i);
                const RunRange range = rank.range_of(event);
                const bool inside = range.begin < area.end && (range.end > area.begin || range.begin >= area.begin);
                if (!inside) continue;
                const bool on_gpu = trace.has(event, kGpuEvent);
                const RunRange cut{std::max(range.begin, area.begin), std::min(range.end, area.end)};
                for (RunTime t = cut.begin; on_gpu && selection->is_in_window(event) && t < cut.end; t += Duration{1})
                    active[static_cast<std::size_t>((t - area.begin).count())] |=
                        set_of(rank.index->classes().of(event));
                if (!selection->passes(event)) continue;
                const std::pair key{std::string(trace.name_text(event)), on_gpu};
                ++slow.events;
                slow.names[key].add(cut.length());
                slow.durations[key].push_back(range.length());
            }
        }
        if (!any_stream) continue;
        for (const ClassSet set : active) ++slow.by_set[set];
    }
    return slow;
}

// Random lanes of some ranks, and whole ranks.
std::vector<TrackRows> choose_some_rows(const Run& run, std::mt19937& random) {
    std::vector<TrackRows> rows;
    for (const RankSlot& rank : run.ranks()) {
        if (random() % 3 == 0) continue;
        if (random() % 3 == 0) {
            rows.push_back({rank.key, true, {}, {}, {}, 0, 0});
            continue;
        }
        for (std::uint32_t track = 0; track < rank.trace().tracks.size(); ++track)
            if (random() % 2 == 0) rows.push_back(name_rows(rank, track, static_cast<std::uint32_t>(random() % 2), 3));
    }
    return rows;
}

}  // namespace

TEST_CASE("random areas and rows agree with a naive sum over every event and nanosecond") {
    for (std::uint32_t seed = 1; seed <= 10; ++seed) {
        const RunPtr run = core::testing::random_run(seed);
        std::mt19937 random(seed);
        for (const char* filter : {"", "rank:0,2", "time:300ns..900ns", "stream:1-2", "dur:>10ns -name:k3"}) {
            const auto begin = static_cast<std::int64_t>(random() % 1500);
            AreaQuery query{run,
                            {run_time(begin), run_time(begin + 1 + static_cast<std::int64_t>(random() % 600))},
                            parse_filter(filter).value(),
                            {}};
            if (random() % 4 != 0) query.rows = choose_some_rows(*run, random);
            const SlowArea slow = sum_area_naively(*run, query.range, query.filter, choose_lanes(*run, query.rows));
            const AreaSummary summary = summarize_area(query, {}).value();
            CHECK(summary.events == slow.events);
            for (std::size_t set = 0; set < kClassSets; ++set)
                CHECK(summary.times.by_set[set].count() == slow.by_set[set]);
            std::array<std::int64_t, kClassSets> of_ranks{};
            for (const AreaSummary::TimesOfRank& rank : summary.times_of_ranks)
                for (std::size_t set = 0; set < kClassSets; ++set) of_ranks[set] += rank.times.by_set[set].count();
            CHECK(of_ranks == slow.by_set);
            REQUIRE(summary.names.size() == slow.names.size());
            for (const NameTotals& name : summary.names) {
                const std::pair key{name_of(*run, name), name.on_gpu};
                CHECK(static_cast<const LengthTotals&>(name) == slow.names.at(key));
                std::vector<Duration> durations = collect_durations(query, key.first, key.second, {}).value();
                std::vector<Duration> expected = slow.durations.at(key);
                std::ranges::sort(durations);
                std::ranges::sort(expected);
                CHECK(durations == expected);
            }
        }
    }
}

// The window of a rank is the same whether streams are chosen by rows or by the filter.
TEST_CASE("the part of an area inside the window of its streams is that of a filter by these streams") {
    for (std::uint32_t seed = 1; seed <= 10; ++seed) {
        const RunPtr run = core::testing::random_run(seed);
        std::mt19937 random(seed);
        for (const std::string steps : {"", "step:1 ", "-name:k3 "}) {
            AreaQuery by_rows{run, {run_time(200), run_time(900)}, parse_filter(steps).value(), {}};
            AreaQuery by_filter = by_rows;
            by_filter.filter = parse_filter(steps + "stream:1").value();
            for (const RankSlot& rank : run->ranks())
                for (std::uint32_t track = 0; track < rank.trace().tracks.size(); ++track)
                    if (rank.trace().tracks[track].kind == TrackKind::Stream && rank.trace().tracks[track].stream == 1)
                        by_rows.rows.push_back(name_rows(rank, track, 0, rank.trace().tracks[track].lane_count));
            if (by_rows.rows.empty()) continue;
            const AreaSummary rows = summarize_area(by_rows, {}).value();
            const AreaSummary filtered = summarize_area(by_filter, {}).value();
            for (const AreaSummary::TimesOfRank& rank : rows.times_of_ranks) {
                const auto same =
                    std::ranges::find(filtered.times_of_ranks, rank.slot, &AreaSummary::TimesOfRank::slot);
                REQUIRE(same != filtered.times_of_ranks.end());
                CHECK(rank.times == same->times);
                CHECK(rank.window == same->window);
            }
        }
    }
}
