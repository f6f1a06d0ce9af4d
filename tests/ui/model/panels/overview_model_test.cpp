// The overview's numbers against those of hand-made runs.

#include "ui/model/panels/overview_model.hpp"
#include "core/index/rank_count.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/captures.hpp"
#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace {

using core::testing::answer_of;
using core::testing::run_of;
using core::testing::TraceFixture;

ui::RunOverview overview_of(const core::Run& run, std::string_view filter = "") {
    const core::Answer breakdown = answer_of(run, "temporal-breakdown", filter);
    const core::Answer steps = answer_of(run, "steps", filter);
    const core::Answer stragglers = answer_of(run, "stragglers", filter);
    const core::Answer findings = answer_of(run, "findings", filter);
    return ui::RunOverview::of(run, &breakdown.main(), &steps.main(), &stragglers.main(), &findings.main());
}

// This rank is late by so much for each of six all-reduces, and idles meanwhile.
core::RankTracePtr all_reducing(int rank, std::int64_t late) {
    TraceFixture fixture;
    fixture.rank(rank);
    for (std::int64_t k = 0; k < 6; ++k) {
        const std::int64_t begin = k * 20'000'000;
        fixture.kernel(begin, 8'000'000, "gemm").launch(begin + 8'500'000 + late, 10, k + 1);
        fixture.kernel(begin + 9'000'000 + late, 6'000'000 - late, "ncclDevKernel_AllReduce", 9, k + 1)
            .arg(core::Arg::CollectiveName, "allreduce")
            .arg(core::Arg::Seq, k);
    }
    return fixture.build();
}

core::RankTracePtr rank_of(std::initializer_list<std::int64_t> step_times, std::int64_t busy) {
    TraceFixture fixture;
    std::int64_t at = 0;
    int step = 0;
    for (const std::int64_t duration : step_times) {
        fixture.step(at, duration, step++).kernel(at, busy, "gemm");
        at += 1000;
    }
    return fixture.kernel(at - 1, 1, "gemm").build();
}

}  // namespace

TEST_CASE("a spread knows its ends, its quarters and where the greatest is") {
    const ui::Spread spread = ui::make_spread({{"a", 4}, {"b", 1}, {"c", 3}, {"d", 2}, {"e", 5}});
    CHECK(spread.least == 1);
    CHECK(spread.lower_quarter == 2);
    CHECK(spread.median == 3);
    CHECK(spread.upper_quarter == 4);
    CHECK(spread.greatest == 5);
    CHECK(spread.at_greatest == 4);
    CHECK(ui::make_spread({{"a", 1}, {"b", 2}}).median == 1.5);
    CHECK(ui::make_spread({}).points.empty());
}

TEST_CASE("the overview spreads step times over ranks and over steps") {
    const core::RunPtr run = run_of({rank_of({100, 200, 300}, 50), rank_of({110, 900, 310}, 50)});
    const ui::StepTimes times = overview_of(*run).steps;
    REQUIRE(times.all.points.size() == 6);
    CHECK(times.all.least == 100);
    CHECK(times.all.greatest == 900);
    REQUIRE(times.over_ranks.points.size() == 2);
    CHECK(times.over_ranks.points[0].value == 200);
    CHECK(times.over_ranks.points[1].value == 310);
    REQUIRE(times.over_steps.points.size() == 3);
    CHECK(times.over_steps.points[0].value == 110);
    CHECK(times.over_steps.points[1].value == 900);
    const ui::StepTime& worst = times.slowest[times.over_steps.at_greatest];
    CHECK(worst.step == 1);
    CHECK(worst.rank == core::RankKey{1, 0});
    CHECK(worst.range.length() == core::Duration{900});
    CHECK(times.least_per_rank == 3);
    CHECK(times.most_per_rank == 3);
}

TEST_CASE("a step is the worst only where it is longer than the others by more than noise") {
    const auto stands_out = [](std::initializer_list<std::int64_t> times) {
        return overview_of(*run_of({rank_of(times, 90), rank_of(times, 90)})).steps.worst_stands_out;
    };
    CHECK_FALSE(stands_out({1'000, 1'001, 1'003, 1'002, 1'005}));
    CHECK_FALSE(stands_out({900, 1'000, 1'100, 950, 1'150}));
    CHECK(stands_out({1'000, 1'001, 1'003, 1'002, 1'500}));
}

TEST_CASE("nobody is the worst rank who is late but holds nothing up") {
    const core::RunPtr run = run_of({all_reducing(0, 0), all_reducing(1, 0), all_reducing(2, 5'000'000)});
    const core::Answer stragglers = answer_of(*run, "stragglers");
    const core::Table findings(answer_of(*run, "findings").main().columns());
    CHECK_FALSE(ui::RunOverview::of(*run, nullptr, nullptr, &stragglers.main(), &findings).worst_rank);
}

TEST_CASE("the worst rank has the longest steps, or idles most where steps are equally long") {
    const ui::RunOverview slow = overview_of(*run_of({rank_of({100}, 50), rank_of({100}, 50), rank_of({150}, 60)}));
    REQUIRE(slow.worst_rank);
    CHECK(slow.worst_rank->rank == core::RankKey{2, 0});
    CHECK(slow.worst_rank->by_step_time);
    CHECK(slow.worst_rank->over == doctest::Approx(0.5));
    const ui::RunOverview idle =
        overview_of(*run_of({rank_of({100, 100}, 90), rank_of({100, 100}, 30), rank_of({100, 100}, 90)}));
    REQUIRE(idle.worst_rank);
    CHECK(idle.worst_rank->rank == core::RankKey{1, 0});
    CHECK_FALSE(idle.worst_rank->by_step_time);
}

TEST_CASE("the parts of the overview add up and name the rank at their bad end") {
    const core::RunPtr run =
        run_of({TraceFixture().kernel(0, 60, "gemm").kernel(90, 10, "ncclDevKernel_AllReduce").build(),
                TraceFixture().kernel(0, 20, "gemm").kernel(20, 80, "ncclDevKernel_AllReduce").build()});
    const ui::RunOverview model = overview_of(*run);
    REQUIRE(model.parts.size() == 4);
    double share = 0;
    for (const ui::TimePart& part : model.parts) share += part.share;
    CHECK(share == doctest::Approx(1));
    CHECK(model.parts[0].time == 80);
    CHECK(model.parts[0].share == doctest::Approx(0.4));
    CHECK(model.parts[0].worst == core::RankKey{1, 0});
    CHECK(model.parts[0].worst_share == doctest::Approx(0.2));
    CHECK(model.parts[1].worst == core::RankKey{1, 0});
    CHECK(model.parts[3].worst == core::RankKey{0, 0});
    CHECK(model.ranks_with_parts == 2);
}

// Its second window alone would make rank 0 the worst.
TEST_CASE("windows of one job are added up before a rank is named at the bad end") {
    const auto window = [](int rank, std::int64_t from, std::int64_t busy) {
        return TraceFixture().rank(rank).kernel(from, busy, "gemm").kernel(from + 99, 1, "gemm").build();
    };
    const core::RunPtr run =
        core::testing::run_of_captures({window(0, 0, 99), window(0, 5000, 39), window(1, 0, 59), window(1, 5000, 59)});
    REQUIRE(core::are_windows(*run));
    const ui::RunOverview model = overview_of(*run);
    CHECK(model.ranks_with_parts == 2);
    REQUIRE(model.parts.size() == 4);
    CHECK(model.parts[0].share == doctest::Approx(0.65));
    CHECK(model.parts[0].worst == core::RankKey{1, 0});
    CHECK(model.parts[0].worst_share == doctest::Approx(0.6));
    CHECK(model.parts[3].worst == core::RankKey{1, 0});
}

TEST_CASE("the overview of a run without GPU, steps or answers has the facts only") {
    const core::RunPtr run = run_of({TraceFixture().cpu(10, 5, "aten::mm").build()});
    const ui::RunOverview model = overview_of(*run);
    CHECK(model.ranks.ranks == 1);
    CHECK(model.window.length() == core::Duration{5});
    CHECK(model.parts.empty());
    CHECK(model.steps.all.points.empty());
    CHECK_FALSE(model.worst_rank);
    CHECK(ui::RunOverview::of(*run, nullptr, nullptr).parts.empty());
}

TEST_CASE("the overview follows the filter") {
    const core::RunPtr run = run_of({rank_of({100, 200}, 50), rank_of({110, 900}, 50)});
    const ui::StepTimes times = overview_of(*run, "rank:1 step:1").steps;
    REQUIRE(times.all.points.size() == 1);
    CHECK(times.all.median == 900);
}

TEST_CASE("the worst rank is the one that the others wait for, and none where ranks are alike") {
    const auto run =
        run_of({all_reducing(0, 0), all_reducing(1, 10'000), all_reducing(2, 5'000'000), all_reducing(3, 0)});
    const ui::RunOverview model = overview_of(*run);
    REQUIRE(model.worst_rank);
    CHECK(model.worst_rank->rank.number == 2);
    CHECK(model.worst_rank->waited_ns == 89'940'000);  // six times 5, 5 and 4.99 ms
    const ui::RunOverview even = overview_of(*run_of({all_reducing(0, 0), all_reducing(1, 0), all_reducing(2, 0)}));
    CHECK_FALSE(even.worst_rank);  // nothing stands out
}

TEST_CASE("exposed communication says how much of it waits for a later rank") {
    const auto exposed_of = [](const ui::RunOverview& model) {
        const auto part = std::ranges::find(model.parts, std::string_view("exposed_communication"), &ui::TimePart::id);
        REQUIRE(part != model.parts.end());
        return *part;
    };
    const ui::TimePart late = exposed_of(overview_of(
        *run_of({all_reducing(0, 0), all_reducing(1, 10'000), all_reducing(2, 5'000'000), all_reducing(3, 0)})));
    REQUIRE(late.waiting);
    CHECK(*late.waiting > 0);
    CHECK(*late.waiting < late.share);
    const ui::TimePart even =
        exposed_of(overview_of(*run_of({all_reducing(0, 0), all_reducing(1, 0), all_reducing(2, 0)})));
    CHECK(even.waiting.value_or(0) == 0);
}

TEST_CASE("warm-up steps are in no statistic of steps, and named") {
    const core::RunPtr run =
        run_of({rank_of({900, 500, 100, 102, 98, 100}, 50), rank_of({900, 500, 100, 100, 99, 101}, 50)});
    const ui::StepTimes times = overview_of(*run).steps;
    CHECK(times.warm_up == std::vector<std::int64_t>{0, 1});
    CHECK(times.all.points.size() == 8);
    CHECK(times.all.greatest == 102);
    CHECK(times.over_steps.points.size() == 4);
    CHECK(times.most_per_rank == 6);
}

TEST_CASE("steps of two captures that count the same numbers are not mixed in a step time or the worst step") {
    core::RunParts parts = run_of({rank_of({100, 100, 100}, 50), rank_of({900, 900, 900}, 50)})->parts();
    parts.ranks[1].key = {0, 1};
    const core::Run run(std::move(parts));
    REQUIRE_FALSE(core::are_windows(run));
    const ui::RunOverview model = overview_of(run);
    CHECK(model.steps.all.greatest == 100);
    CHECK(model.steps.all.points.size() == 3);
    CHECK(overview_of(run, "capture:b").steps.all.least == 900);
}
