#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/analysis/launches/launch_model.hpp"

#include <map>
#include <set>

using namespace core;
using namespace core::testing;

namespace {

// The queue of a stream: [since, until) of each entry.
struct QueueTwin {
    struct Entry {
        int since, until;
    };
    std::vector<Entry> entries;
    std::vector<int> calls;
    int window_begin = kModelSpan, window_end = 0;
};

std::map<int, QueueTwin> twins_of(const LaunchModel& model, const Chosen& chosen, bool all_events) {
    std::map<int, int> first_known;
    for (const ModelKernel& kernel : model.kernels) {
        if (kernel.call >= 0) first_known.try_emplace(kernel.stream, kernel.start);
    }
    std::map<int, QueueTwin> twins;
    std::set<std::pair<int, int>> entered;  // stream, call; −1 for everything launched before the trace
    for (const ModelKernel& kernel : model.kernels) {
        if (!chosen.places(model, kernel) || (!all_events && !chosen.takes(kernel))) continue;
        QueueTwin& twin = twins[kernel.stream];
        const auto known = first_known.find(kernel.stream);
        const bool before = known == first_known.end() || kernel.start <= known->second;
        if (kernel.call < 0 && !(kernel.has_correlation && before)) continue;
        if (!entered.emplace(kernel.stream, kernel.call).second) continue;
        if (kernel.call < 0) {
            twin.entries.push_back({-1, kernel.start});
            continue;
        }
        const int call = model.call_of(kernel)->start;
        if (kernel.start < call) continue;
        twin.entries.push_back({call, kernel.start});
        twin.calls.push_back(call);
        twin.window_begin = std::min(twin.window_begin, call);
        twin.window_end = std::max(twin.window_end, kernel.start);
    }
    return twins;
}

std::string row_of(const QueueTwin& twin, int begin, int end, int limit, const Chosen& chosen) {
    if (begin >= end) return "- - - - - - -";
    std::vector<int> lengths;
    for (int t = begin; t < end; ++t) {
        lengths.push_back(static_cast<int>(std::ranges::count_if(
            twin.entries, [&](const auto& entry) { return entry.since <= t && t < entry.until; })));
    }
    std::ranges::sort(lengths);
    std::int64_t sum = 0;
    for (const int length : lengths) sum += length;
    const auto blocked = std::ranges::count_if(lengths, [&](int length) { return length >= limit; });
    const auto calls =
        std::ranges::count_if(twin.calls, [&](int t) { return chosen.begin() <= t && t < chosen.end(); });
    const double size = static_cast<double>(lengths.size());
    return std::to_string(static_cast<double>(sum) / size) + " " +
           std::to_string(static_cast<double>(lengths[(lengths.size() - 1) / 2])) + " " +
           std::to_string(static_cast<double>(lengths.back())) + " " + std::to_string(blocked) + " " +
           std::to_string(static_cast<double>(blocked) / size) + " " + std::to_string(lengths.size()) + " " +
           std::to_string(calls);
}

Rows expected_queues(const LaunchModel& model, const Chosen& chosen, int limit) {
    const std::map<int, QueueTwin> windows = twins_of(model, chosen, true);
    Rows rows;
    for (const auto& [stream, twin] : twins_of(model, chosen, false)) {
        const QueueTwin& all = windows.at(stream);
        rows.push_back("0 " + std::to_string(stream) + " " +
                       row_of(twin, std::max(all.window_begin, chosen.begin()), std::min(all.window_end, chosen.end()),
                              limit, chosen));
    }
    return rows;
}

std::string points_of(const Series& series) {
    std::string text;
    for (std::size_t i = 0; i < series.time.size(); ++i)
        text += (i ? " " : "") + std::to_string(ns_of(series.time[i])) + ":" +
                std::to_string(static_cast<int>(series.value[i]));
    return text;
}

// Two launches queue up behind a long kernel.
TraceFixture three_kernels() {
    TraceFixture fixture;
    fixture.launch(0, 5, 1).launch(10, 5, 2).launch(20, 5, 3);
    fixture.kernel(6, 34, "a", 7, 1).kernel(40, 20, "b", 7, 2).kernel(60, 10, "c", 7, 3);
    return fixture;
}

}  // namespace

TEST_CASE("the queue has launched work that has not started, weighted by time") {
    const Answer answer = answer_of(*run_of({three_kernels().build()}), "queue-length", "", {{"limit", "2"}});
    // 0..6: 1, 6..10: 0, 10..20: 1, 20..40: 2, 40..60: 1
    CHECK(rows_of(answer.main()) == Rows{"0 7 1.266667 1.000000 2.000000 20 0.333333 60 3"});
    REQUIRE(answer.series.size() == 1);
    CHECK(answer.series[0].name == "queue length, stream 7");
    CHECK(points_of(answer.series[0]) == "0:1 6:0 10:1 20:2 40:1 60:0");
}

TEST_CASE("a time range cuts the window and keeps work queued before it") {
    const Answer answer = answer_of(*run_of({three_kernels().build()}), "queue-length", "time:25ns..50ns");
    CHECK(rows_of(answer.main()) == Rows{"0 7 1.600000 2.000000 2.000000 0 0.000000 25 0"});
    CHECK(points_of(answer.series[0]) == "25:2 40:1 50:1");
}

TEST_CASE("a graph is one entry, on the stream of its first node") {
    TraceFixture fixture;
    fixture.event(0, 5, "cudaGraphLaunch", "cuda_runtime", {}).arg(Arg::Correlation, 1);
    fixture.kernel(10, 5, "a", 7, 1).kernel(15, 5, "b", 7, 1).kernel(20, 5, "c", 8, 1);
    const RunPtr run = run_of({fixture.build()});
    CHECK(rows_of(answer_of(*run, "queue-length").main(), 3) == Rows{"0 7 1.000000", "0 8 -"});
}

TEST_CASE("a call is one entry on each of its streams") {
    const RunPtr run = run_of({TraceFixture()
                                   .launch(0, 5, 1)
                                   .kernel(10, 5, "a", 7, 1)
                                   .kernel(15, 5, "b", 7, 1)
                                   .kernel(20, 5, "c", 8, 1)
                                   .build()});
    CHECK(rows_of(answer_of(*run, "queue-length").main()) ==
          Rows{"0 7 1.000000 1.000000 1.000000 0 0.000000 10 1", "0 8 1.000000 1.000000 1.000000 0 0.000000 20 1"});
}

TEST_CASE("work launched before the trace starts in the queue; work without a launch does not") {
    const Answer answer = answer_of(*run_of({TraceFixture()
                                                 .launch(0, 5, 1)
                                                 .kernel(10, 10, "launched before", 7, 50)
                                                 .kernel(30, 10, "known", 7, 1)
                                                 .kernel(40, 10, "its call was not recorded", 7, 51)
                                                 .build()}),
                                    "queue-length");
    CHECK(rows_of(answer.main()) == Rows{"0 7 1.333333 1.000000 2.000000 0 0.000000 30 1"});
    REQUIRE(answer.excluded.size() == 1);
    CHECK(answer.excluded[0].what == "GPU events whose launch call is not in the trace");
    CHECK(answer.excluded[0].count == 1);
}

TEST_CASE("a pair whose work began before its call is dropped and counted; a stream without calls has no lengths") {
    const Answer answer = answer_of(
        *run_of({TraceFixture().launch(20, 5, 1).kernel(10, 5, "early", 7, 1).kernel(0, 5, "alone", 8).build()}),
        "queue-length");
    CHECK(rows_of(answer.main()) == Rows{"0 7 - - - - - - -", "0 8 - - - - - - -"});
    CHECK(answer.series.empty());
    REQUIRE(answer.excluded.size() == 2);
    CHECK(answer.excluded[1].what == "launches whose GPU work began before the call");
}

TEST_CASE("random traces: queues agree with a naive count") {
    std::size_t seen = 0;
    for (unsigned seed = 0; seed < 250; ++seed) {
        Dice dice(seed);
        const LaunchModel model = random_launch_model(dice);
        const RunPtr run = run_of({build_trace(model)});
        for (int i = 0; i < 5; ++i) {
            const Chosen chosen = random_choice(model, dice);
            const int limit = dice.roll(1, 3);
            INFO("seed ", seed, " filter", chosen.text());
            const Answer answer = answer_of(*run, "queue-length", chosen.text(), {{"limit", std::to_string(limit)}});
            const Rows expected = expected_queues(model, chosen, limit);
            CHECK(rows_of(answer.main()) == expected);
            seen += expected.size();
        }
    }
    CHECK(seen > 1000);
}
