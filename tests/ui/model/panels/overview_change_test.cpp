#include "core/stats/moments.hpp"
#include "tests/ui/model/panels/two_runs.hpp"
#include "ui/model/panels/overview_model.hpp"

#include <doctest/doctest.h>

namespace {

using core::Side;
using ui::Compared;
using ui::OverviewChange;
using ui::OverviewModel;
using ui::testing::make_run;
using ui::testing::run_pairs;
using ui::testing::TwoRuns;

struct Asked {
    core::BySide<core::Answer> breakdowns;
    core::BySide<core::Answer> steps;
    OverviewModel model;
    OverviewChange shown;
    explicit Asked(const TwoRuns& two, std::string_view filter_text = "") {
        core::BySide<OverviewModel::Source> sources;
        for (const Side side : core::kSides) {
            OverviewModel::Source& source = sources[side];
            source.run = two.runs[side];
            source.filter = two.filter(side, filter_text);
            breakdowns[side] = two.answer(side, "temporal-breakdown", source.filter);
            steps[side] = two.answer(side, "steps", source.filter);
            source.breakdown = &breakdowns[side].main();
            source.steps = &steps[side].main();
        }
        model = OverviewModel::of(sources, two.alignment);
        shown = model.change.value();
    }
};

// Over the steps of the verdict, each on its slowest rank; over all steps of all ranks where the verdict has none.
double mean_of(const core::Run& run, const core::StepSample& sample, const core::Table& table,
               std::string_view column) {
    double sum = 0;
    if (sample.steps.empty()) {
        for (std::size_t row = 0; row < table.rows(); ++row) sum += table.number(row, table.find_column(column));
        return sum / static_cast<double>(table.rows());
    }
    for (const core::StepValue& step : sample.steps) {
        for (std::size_t row = 0; row < table.rows(); ++row) {
            const bool is_it = table.integer(row, table.find_column("rank")) == run.rank(step.slowest).key.packed() &&
                               table.integer(row, table.find_column("step")) == step.number;
            if (is_it) sum += table.number(row, table.find_column(column));
        }
    }
    return sum / static_cast<double>(sample.steps.size());
}

}  // namespace

TEST_CASE("the overview of two runs has the average step of each, and its parts add up") {
    int judged = 0;
    for (const auto& [baseline, candidate] : run_pairs()) {
        const TwoRuns two(baseline, candidate);
        const Asked asked{two};
        REQUIRE(asked.shown.per_step);
        judged += asked.shown.has_steps() ? 1 : 0;
        for (const Side side : core::kSides) {
            const core::Table& steps = asked.steps[side].main();
            const core::StepSample sample = asked.shown.has_steps()
                                                ? core::collect_step_sample(*two.runs[side], two.filter(side, ""))
                                                : core::StepSample();
            const auto mean = [&](std::string_view column) { return mean_of(*two.runs[side], sample, steps, column); };
            CHECK(asked.shown.whole.of_side(side) == doctest::Approx(mean("duration")));
            if (asked.shown.has_steps())
                CHECK(asked.shown.whole.of_side(side) == doctest::Approx(core::stats::measure(sample.values()).mean));
            double parts = 0;
            for (std::size_t part = 0; part < asked.shown.parts.size(); ++part) {
                const double value = *asked.shown.parts[part].of_side(side);
                CHECK(value == doctest::Approx(mean(ui::kBreakdownParts[part].column)));
                parts += value;
            }
            CHECK(parts == doctest::Approx(*asked.shown.whole.of_side(side)));
            if (asked.shown.has_steps())
                CHECK(asked.shown.median_step.of_side(side) == doctest::Approx(core::stats::median(sample.values())));
        }
    }
    CHECK(judged > 0);
}

TEST_CASE("a run against itself changes nothing, and nothing changed most") {
    const OverviewChange shown = Asked(TwoRuns({}, {})).shown;
    CHECK(shown.median_step.change == 0);
    CHECK(shown.window.change == 0);
    for (const Compared& part : shown.parts) CHECK(part.change == 0);
    CHECK_FALSE(shown.part_changed_most);
    CHECK_FALSE(shown.rank_changed_most);
    CHECK(shown.environment.empty());
    CHECK(shown.notes.empty());
}

TEST_CASE("the part and the rank that changed most go the way the step went") {
    const auto run = [](std::int64_t longer) {
        std::vector<core::RankTracePtr> traces;
        for (int rank = 0; rank < 3; ++rank) {
            const std::int64_t more = rank == 2 ? longer : longer / 4;
            traces.push_back(core::testing::TraceFixture()
                                 .step(0, 1'000 + more, 1)
                                 .launch(10, 5, 1)
                                 .launch(20, 5, 2)
                                 .kernel(100, 400, "gemm", 7, 1)
                                 .kernel(500, 100 + more, "ncclDevKernel_AllReduce", 20, 2)
                                 .rank(rank)
                                 .build());
        }
        return core::testing::run_of(traces);
    };
    TwoRuns two({}, {});
    two.runs = {run(0), run(400)};
    two.alignment = core::align_runs(*two.runs.baseline, *two.runs.candidate);
    const OverviewChange slower = Asked(two).shown;
    REQUIRE(slower.part_changed_most);
    CHECK(ui::kBreakdownParts[*slower.part_changed_most].column == "exposed_communication");
    REQUIRE(slower.rank_changed_most);
    CHECK(slower.rank_changed_most->rank.candidate == core::RankKey{2, 0});
    CHECK(slower.rank_changed_most->median_step.change == 400);
    std::swap(two.runs.baseline, two.runs.candidate);
    const OverviewChange faster = Asked(two).shown;
    CHECK(faster.part_changed_most == slower.part_changed_most);
    CHECK(faster.rank_changed_most->median_step.change == -400);
}

TEST_CASE("no rank is named when all changed alike") {
    const auto run = [](std::int64_t duration) {
        std::vector<core::RankTracePtr> traces;
        for (int rank = 0; rank < 3; ++rank)
            traces.push_back(core::testing::TraceFixture().step(0, duration + rank, 1).rank(rank).build());
        return core::testing::run_of(traces);
    };
    TwoRuns two({}, {});
    two.runs = {run(1'000), run(1'400)};
    two.alignment = core::align_runs(*two.runs.baseline, *two.runs.candidate);
    const OverviewChange shown = Asked(two).shown;
    CHECK(shown.median_step.change == 400);
    CHECK_FALSE(shown.rank_changed_most);
}

TEST_CASE("against a run without events a note stands once, and nothing is said twice") {
    TwoRuns two({}, {});
    two.runs.candidate = core::testing::run_of({core::testing::TraceFixture().build()});
    two.alignment = core::align_runs(*two.runs.baseline, *two.runs.candidate);
    const OverviewChange shown = Asked(two).shown;
    REQUIRE(shown.notes.size() == 1);
    CHECK(shown.notes[0].find("averages per rank: 3 in the baseline, 1 in the candidate") != std::string::npos);
}

TEST_CASE("a rank that only one run has is said to be only there") {
    const TwoRuns two({}, {0, 5});
    const OverviewChange shown = Asked(two, "rank:4").shown;
    REQUIRE_FALSE(shown.notes.empty());
    CHECK(shown.notes[0] == "rank 4 is only in the candidate");
    CHECK_FALSE(shown.median_step.baseline);
    CHECK(shown.median_step.candidate);
    for (const std::string& note : Asked(two, "rank:1").shown.notes) CHECK(note.find("only in") == std::string::npos);
}

TEST_CASE("the overview says when step counts differ, and averages per step all the same") {
    const OverviewChange shown = Asked(TwoRuns({}, {0, 3, 0, 2})).shown;
    REQUIRE(shown.notes.size() == 1);
    CHECK(shown.notes[0] == "3 steps against 1, each on its slowest rank, without 2 of warm-up");
}

TEST_CASE("what differs between the environments is listed, what one side lacks is empty there") {
    const auto run = [](const char* device, const char* version, bool with_host) {
        core::testing::TraceFixture fixture;
        fixture.kernel(0, 100, "gemm");
        fixture.info().devices.push_back({});
        fixture.info().devices.back().name = device;
        fixture.info().environment = {{"cuda_version", version}, {"nccl_version", "\"2.27\""}};
        if (with_host) fixture.info().host = "node1";
        return core::testing::run_of({fixture.build()});
    };
    TwoRuns two({}, {});
    two.runs = {run("H100", "12.4", true), run("MI300X", "12.8", false)};
    two.alignment = core::align_runs(*two.runs.baseline, *two.runs.candidate);
    const OverviewChange shown = Asked(two).shown;
    REQUIRE(shown.environment.size() == 3);
    CHECK(shown.environment[0].label == "Device");
    CHECK(shown.environment[0].values == core::BySide<std::string>{"H100", "MI300X"});
    CHECK(shown.environment[1].values == core::BySide<std::string>{"node1", ""});
    CHECK(shown.environment[2].values == core::BySide<std::string>{"12.4", "12.8"});
    CHECK(shown.same_environment == 1);
}

TEST_CASE("runs without steps are compared by their ranks' windows") {
    const auto run = [](std::int64_t duration) {
        return core::testing::run_of(
            {core::testing::TraceFixture().kernel(0, duration, "gemm").kernel(2'000, 10, "gemm").build()});
    };
    TwoRuns two({}, {});
    two.runs = {run(100), run(300)};
    two.alignment = core::align_runs(*two.runs.baseline, *two.runs.candidate);
    const OverviewChange shown = Asked(two).shown;
    CHECK_FALSE(shown.per_step);
    CHECK_FALSE(shown.median_step.known());
    CHECK(shown.whole.baseline == 2'010);
    CHECK(shown.parts[0].change == 200);
    CHECK(shown.headline().change == 0);
    core::BySide<OverviewModel::Source> unanswered;
    for (const Side side : core::kSides) unanswered[side].run = two.runs[side];
    CHECK_FALSE(OverviewModel::of(unanswered, two.alignment).change.value().headline().known());
}

TEST_CASE("one run has the overview of its side, with the candidate absent and no change") {
    const TwoRuns two({}, {0, 3, 0, 4, 2});
    const Asked asked(two);
    core::BySide<OverviewModel::Source> sources;
    sources.baseline.run = two.runs.baseline;
    sources.baseline.breakdown = &asked.breakdowns.baseline.main();
    sources.baseline.steps = &asked.steps.baseline.main();
    const OverviewModel alone = OverviewModel::of(sources, {});
    CHECK_FALSE(alone.change);
    CHECK_FALSE(alone.sides.candidate);
    REQUIRE(alone.sides.baseline);
    CHECK(alone.sides.baseline->ranks.ranks == 3);
    CHECK(alone.sides.baseline->steps.all.median == asked.model.sides.baseline->steps.all.median);
    CHECK(alone.sides.baseline->parts.size() == 4);
}
