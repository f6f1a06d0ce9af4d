#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/analysis/launches/launch_model.hpp"

#include <map>

using namespace core;
using namespace core::testing;

namespace {

// Three launches: short; slow call; delayed by earlier work of its stream. Microseconds.
RankTracePtr three_launches() {
    const auto us = [](int value) { return value * 1000; };
    return TraceFixture()
        .launch(us(0), us(10), 1)
        .launch(us(20), us(60), 2)
        .launch(us(100), us(5), 3)
        .kernel(us(12), us(4), "short", 7, 1)
        .kernel(us(90), us(110), "long", 7, 2)
        .kernel(us(210), us(50), "late", 7, 3)
        .build();
}

std::size_t column(const Table& table, std::string_view name) { return table.find_column(name); }

}  // namespace

TEST_CASE("short kernels, slow calls and delayed work are counted at the cutoffs") {
    const RunPtr run = run_of({three_launches()});
    CHECK(rows_of(answer_of(*run, "launch-summary").main()) ==
          Rows{"0 3 1 1 1 1 0 0 75000 164000 39000 10000 105000 0 3 25000"});
    // A value at a cutoff is not beyond it.
    const Answer wide = answer_of(*run, "launch-summary", "", {{"runtime_cutoff", "60us"}, {"delay_cutoff", "105us"}});
    CHECK(rows_of(wide.main()) == Rows{"0 3 1 0 0 0 0 0 75000 164000 39000 10000 105000 0 3 25000"});
}

TEST_CASE("functions have separate rows on any device") {
    const RunPtr run = run_of({TraceFixture()
                                   .event(0, 5, "hipLaunchKernel", "cuda_runtime", {})
                                   .arg(Arg::Correlation, 1)
                                   .event(10, 5, "cuLaunchKernelEx", "cuda_driver", {})
                                   .arg(Arg::Correlation, 2)
                                   .event(20, 5, "hipLaunchKernel", "cuda_runtime", {})
                                   .arg(Arg::Correlation, 3)
                                   .kernel(4, 10, "a", 0, 1)
                                   .kernel(9, 10, "b", 1, 2)
                                   .kernel(36, 10, "c", 2, 3)
                                   .build()});
    const Answer answer = answer_of(*run, "launch-summary");
    REQUIRE(answer.tables.size() == 2);
    CHECK(answer.tables[1].name == "apis");
    // a began before its call returned, b before its call began.
    CHECK(rows_of(answer.tables[1].table) == Rows{"0 cuLaunchKernelEx 1 0 0 0 0 1 1 5 10 -6 -6 -6 0 1 5",
                                                  "0 hipLaunchKernel 2 0 0 0 0 1 0 10 20 5 5 11 0 2 5"});
    CHECK(rows_of(answer.main()) == Rows{"0 3 0 0 0 0 2 1 15 30 1 -1 11 0 3 5"});
}

TEST_CASE("a rank without GPU work has absent cells, one without launches counts of zero") {
    const RunPtr run = run_of({TraceFixture().cpu(0, 5, "op").build(), TraceFixture().kernel(0, 5, "gemm").build()});
    const Answer answer = answer_of(*run, "launch-summary");
    CHECK(rows_of(answer.main()) == Rows{"0 - - - - - - - - - - - - - - -", "1 0 0 0 0 0 0 0 0 0 - - - 0 0 -"});
    CHECK(answer.tables[1].table.rows() == 0);
}

TEST_CASE("random traces: the summary equals that of the rows of launches, in total and per function") {
    for (unsigned seed = 0; seed < 150; ++seed) {
        Dice dice(seed);
        const LaunchModel model = random_launch_model(dice);
        const RunPtr run = run_of({build_trace(model)});
        const Chosen chosen = random_choice(model, dice);
        INFO("seed ", seed, " filter", chosen.text());
        const Table launches = answer_of(*run, "launches", chosen.text()).main();
        const Answer answer =
            answer_of(*run, "launch-summary", chosen.text(), {{"runtime_cutoff", "6ns"}, {"delay_cutoff", "12ns"}});
        std::map<std::string, std::int64_t> expected;
        for (std::size_t row = 0; row < launches.rows(); ++row) {
            const auto value = [&](std::string_view name) { return launches.integer(row, column(launches, name)); };
            const bool late = value("delay") > 12;
            ++expected["launches"];
            expected["short_kernels"] += value("gpu") < value("call") && value("call") <= 6;
            expected["runtime_outliers"] += value("call") > 6;
            expected["delay_outliers"] += late;
            expected["delay_outliers_queued"] += late && 2 * value("queued") > value("delay");
            expected["negative_delays"] += value("delay") < 0;
            expected["reversed"] += value("delay") + value("call") < 0;
            expected["call_total"] += value("call");
            expected["gpu_total"] += value("gpu");
        }
        for (const auto& [name, value] : expected) {
            INFO(name);
            CHECK(value_of(answer.main(), name, 0) == value);
            const Table& apis = answer.tables[1].table;
            std::int64_t sum = 0;
            for (std::size_t row = 0; row < apis.rows(); ++row) sum += apis.integer(row, column(apis, name));
            CHECK(sum == value);
        }
    }
}

TEST_CASE("a graph whose first node begins while its call runs is overlapped: one launch without a delay") {
    TraceFixture fixture;
    fixture.event(0, 100, "hipGraphLaunch", "cuda_runtime", {}).arg(Arg::Correlation, 1);
    fixture.event(200, 10, "hipLaunchKernel", "cuda_runtime", {}).arg(Arg::Correlation, 2);
    fixture.kernel(50, 100, "a", 7, 1).kernel(160, 40, "b", 7, 1).kernel(230, 5, "c", 7, 2);
    const Answer answer = answer_of(*run_of({fixture.build()}), "launch-summary");
    const Table& main = answer.main();
    CHECK(main.integer(0, column(main, "launches")) == 2);
    CHECK(main.integer(0, column(main, "overlapped")) == 1);
    CHECK(main.integer(0, column(main, "negative_delays")) == 0);
    CHECK(main.integer(0, column(main, "events")) == 3);
    CHECK(main.integer(0, column(main, "delay_mean")) == 20);
}
