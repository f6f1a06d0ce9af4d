#include "ui/model/panels/steps_model.hpp"
#include "core/index/rank_count.hpp"
#include "core/query/filter_text.hpp"
#include "tests/core/captures.hpp"
#include "tests/ui/model/panels/two_runs.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace {

using core::Side;
using ui::StepsModel;
using ui::testing::run_pairs;
using ui::testing::TwoRuns;

StepsModel steps_of(const TwoRuns& two, ui::StepsView view = {}) {
    core::BySide<core::Answer> answers;
    core::BySide<ui::StepsSource> sources;
    for (const Side side : core::kSides) {
        answers[side] = two.answer(side, "steps", {});
        sources[side] = {two.runs[side].get(), &answers[side].main(), {}};
    }
    return StepsModel::of(sources, two.alignment, view);
}

// Finds the cell of a row of core's comparison: the key cells are the baseline's where it has the row.
std::optional<std::size_t> find_cell(const StepsModel& shown, const core::Comparison& expected, std::size_t row) {
    const Side side = expected.sources[row].baseline.empty() ? Side::Candidate : Side::Baseline;
    const core::RankKey rank = core::RankKey::unpacked(expected.table.integer(row, 0));
    const std::int64_t step = expected.table.integer(row, 1);
    for (std::size_t r = 0; r < shown.ranks.size(); ++r)
        for (std::size_t c = 0; c < shown.steps.size(); ++c)
            if (shown.ranks[r][side] == rank && shown.steps[c][side] == step) return shown.at(r, c);
    return std::nullopt;
}

}  // namespace

TEST_CASE("the cells of two runs have core's numbers, whatever ranks and steps they have") {
    for (const auto& [baseline, candidate] : run_pairs()) {
        const TwoRuns two(baseline, candidate);
        const core::Comparison expected = two.compare("steps", "");
        const core::Table& table = expected.table;
        for (std::size_t measure = 0; measure < ui::kStepMeasures.size(); ++measure) {
            const StepsModel shown = steps_of(two, {measure, false, {}});
            if (measure == ui::kBusyMeasure) continue;  // a sum: steps_panel_test
            const std::string name(ui::kStepMeasures[measure].id);
            std::size_t known = 0;
            for (std::size_t row = 0; row < table.rows(); ++row) {
                const auto cell = find_cell(shown, expected, row);
                REQUIRE(cell);
                for (const Side side : core::kSides) {
                    const std::size_t column = table.find_column(name + "." + std::string(name_of(side)));
                    const double value = shown.values[side][*cell];
                    if (table.absent(row, column))
                        CHECK(std::isnan(value));
                    else
                        CHECK(value == table.number(row, column));
                    known += std::isfinite(value) ? 1 : 0;
                }
                const std::size_t change = table.find_column(name + ".change");
                if (table.absent(row, change))
                    CHECK(std::isnan(shown.change[*cell]));
                else
                    CHECK(shown.change[*cell] == table.number(row, change));
            }
            std::size_t shown_values = 0;
            for (const Side side : core::kSides)
                for (const double value : shown.values[side]) shown_values += std::isfinite(value) ? 1 : 0;
            CHECK(shown_values == known);
        }
    }
}

TEST_CASE("both runs' steps have one scale, and changes have 0 in the middle of theirs") {
    const StepsModel shown = steps_of(TwoRuns({}, {0, 3, 0, 4, 2}));
    for (const Side side : core::kSides)
        for (const double value : shown.values[side]) {
            CHECK(value >= shown.scale.low);
            if (!shown.scale.cut) CHECK(value <= shown.scale.high);
        }
    CHECK(shown.change_scale.share(0) == 0.5);
}

TEST_CASE("a run against itself has no changes in any step, also from the median") {
    for (const bool from_median : {false, true}) {
        const StepsModel shown = steps_of(TwoRuns({}, {}), {0, from_median});
        for (const double change : shown.change) CHECK(change == 0);
    }
}

TEST_CASE("steps and ranks paired by order have each side's own labels and the baseline's name for a filter") {
    const TwoRuns two({0, 2, 0, 3}, {4, 2, 10, 4, 2});
    const StepsModel shown = steps_of(two);
    CHECK(shown.rank_labels.baseline == std::vector<std::string>{"0", "1"});
    CHECK(shown.rank_labels.candidate == std::vector<std::string>{"4", "5"});
    CHECK(shown.step_labels.baseline == std::vector<std::string>{"0", "1", "2", "13"});
    CHECK(shown.step_labels.candidate == std::vector<std::string>{"10", "11", "12", "13"});
    CHECK(ui::named_rank(&two.alignment, shown.ranks[1]) == core::RankKey{1, 0});
    CHECK(ui::named_step(&two.alignment, shown.steps[2]) == 2);
    CHECK_FALSE(ui::named_step(&two.alignment, shown.steps[3]));
}

TEST_CASE("the steps of one run are those of the baseline, with the candidate absent and no change") {
    const TwoRuns two({}, {0, 3, 0, 4, 2});
    const core::Answer answer = two.answer(Side::Baseline, "steps", {});
    const StepsModel alone = StepsModel::of(*two.runs.baseline, answer.main(), {}, {});
    const StepsModel both = steps_of(two);
    CHECK_FALSE(alone.compared);
    CHECK(both.compared);
    CHECK(alone.values.baseline == both.values.baseline);
    CHECK(alone.ranges.baseline == both.ranges.baseline);
    CHECK(alone.rank_labels.baseline == both.rank_labels.baseline);
    CHECK(alone.values.candidate.empty());
    CHECK(alone.change.empty());
    for (const ui::RankPair& rank : alone.ranks) CHECK_FALSE(rank.candidate);
}

TEST_CASE("windows of one job are one row of a rank, and its last step is that of each window") {
    std::vector<core::RankTracePtr> traces;
    for (int rank = 0; rank < 2; ++rank)
        for (int window = 0; window < 2; ++window) {
            core::testing::TraceFixture trace;
            trace.rank(rank);
            for (int step = 0; step < 3; ++step) {
                const std::int64_t at = 100'000 * window + 1'000 * step;
                trace.step(at, 1'000, 10 * window + step).kernel(at, 100 + 10 * step + rank, "gemm");
            }
            traces.push_back(trace.build());
        }
    const core::RunPtr run = core::testing::run_of_captures(traces);
    REQUIRE(core::are_windows(*run));
    const core::Answer steps = core::testing::answer_of(*run, "steps");
    const auto shown = [&](const char* filter) {
        return StepsModel::of(*run, steps.main(), *core::parse_filter(filter), {});
    };
    const StepsModel all = shown("");
    CHECK(all.rank_labels.baseline == std::vector<std::string>{"0", "1"});
    CHECK(all.step_labels.baseline == std::vector<std::string>{"0", "1", "2", "10", "11", "12"});
    for (const double value : all.values.baseline) CHECK(std::isfinite(value));
    CHECK(all.ranges.baseline[all.at(1, 4)].begin == core::run_time(101'000));
    CHECK(shown("step:complete").faded == std::vector<std::uint8_t>{0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1});
    CHECK(shown("capture:b").faded == std::vector<std::uint8_t>{1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0});
}
