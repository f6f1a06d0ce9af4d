#include "ui/model/panels/breakdown_model.hpp"
#include "core/query/filter_text.hpp"
#include "tests/core/captures.hpp"
#include "tests/ui/model/panels/two_runs.hpp"
#include "ui/model/filter_clicks.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace {

using core::Side;
using ui::BreakdownModel;
using ui::Compared;
using ui::testing::run_pairs;
using ui::testing::RunShape;
using ui::testing::TwoRuns;

BreakdownModel breakdown_of(const TwoRuns& two, std::string_view filter_text) {
    BreakdownModel::Input input{
        .runs = two.runs, .filters = {}, .alignment = two.alignment, .sides = {}, .same_window = false};
    for (const Side side : core::kSides) {
        const core::Filter filter = two.filter(side, filter_text);
        const core::Answer breakdown = two.answer(side, "temporal-breakdown", ui::without_rank(filter));
        const core::Answer types = two.answer(side, "kernel-types", ui::without_rank(filter));
        input.filters[side] = filter;
        input.sides[side] = ui::RunBreakdown::of_answers(breakdown.main(), &types.main(), filter);
    }
    return BreakdownModel::of(input);
}

void check_same(const Compared& shown, const core::Comparison& expected, std::size_t row, std::size_t measure) {
    const Compared wanted = Compared::of(expected, row, measure);
    CHECK(shown.baseline == wanted.baseline);
    CHECK(shown.candidate == wanted.candidate);
    CHECK(shown.change == wanted.change);
    CHECK(shown.ratio == wanted.ratio);
}

const ui::PairedRank* find_rank(const BreakdownModel& shown, const core::Comparison& expected, std::size_t row) {
    const bool of_baseline = !expected.sources[row].baseline.empty();
    const core::RankKey key = core::RankKey::unpacked(expected.table.integer(row, 0));
    const auto found = std::ranges::find_if(shown.ranks, [&](const ui::PairedRank& rank) {
        return of_baseline ? rank.keys.baseline == key : !rank.keys.baseline && rank.keys.candidate == key;
    });
    return found == shown.ranks.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("the breakdown of two runs has core's numbers per rank, whatever ranks and steps they have") {
    for (const auto& [baseline, candidate] : run_pairs()) {
        const TwoRuns two(baseline, candidate);
        for (const char* filter : {"", "step:1", "class:compute"}) {
            CAPTURE(filter);
            const BreakdownModel shown = breakdown_of(two, filter);
            const core::Comparison expected = two.compare("temporal-breakdown", filter);
            REQUIRE(shown.ranks.size() == expected.table.rows());
            for (std::size_t row = 0; row < expected.table.rows(); ++row) {
                const ui::PairedRank* rank = find_rank(shown, expected, row);
                REQUIRE(rank);
                check_same(rank->window, expected, row, 0);
                for (std::size_t part = 0; part < rank->parts.size(); ++part)
                    check_same(rank->parts[part], expected, row, part + 1);
            }
        }
    }
}

TEST_CASE("parts add up to the window on either side, and so do the sets of classes") {
    for (const auto& [baseline, candidate] : run_pairs()) {
        const BreakdownModel shown = breakdown_of(TwoRuns(baseline, candidate), "");
        REQUIRE(shown.parts.size() == 5);
        CHECK(shown.parts.front().name == "window");
        for (const Side side : core::kSides) {
            double parts = 0;
            double sets = 0;
            for (std::size_t part = 1; part < shown.parts.size(); ++part)
                parts += shown.parts[part].time.of_side(side).value_or(0);
            for (const ui::PairedTime& set : shown.sets) sets += set.time.of_side(side).value_or(0);
            const double window = *shown.parts.front().time.of_side(side);
            CHECK(parts == doctest::Approx(window).epsilon(0.001));
            CHECK(sets == doctest::Approx(window).epsilon(0.001));
        }
    }
}

TEST_CASE("where the runs differ in steps or ranks sums are averages, and the notes say so") {
    const BreakdownModel same = breakdown_of(TwoRuns({}, {0, 3, 0, 4, 2}), "");
    CHECK(same.notes.empty());
    const BreakdownModel fewer = breakdown_of(TwoRuns({}, {0, 2, 0, 2, 2}), "");
    REQUIRE(fewer.notes.size() == 2);
    CHECK(fewer.notes[0].starts_with("averages per step"));
    CHECK(fewer.notes[1].starts_with("averages per rank and step"));
}

TEST_CASE("a run against itself has no changes in its breakdown") {
    const BreakdownModel shown = breakdown_of(TwoRuns({}, {}), "");
    for (const ui::PairedRank& rank : shown.ranks) {
        CHECK(rank.window.change == 0);
        for (const Compared& part : rank.parts) CHECK(part.change == 0);
    }
    for (const auto* times : {&shown.parts, &shown.sets})
        for (const ui::PairedTime& time : *times) {
            CHECK(time.time.change == 0);
            CHECK(time.share.change == 0);
        }
}

TEST_CASE("the rank only one side has is there without a number of the other") {
    const BreakdownModel shown = breakdown_of(TwoRuns({}, {0, 2}), "");
    REQUIRE(shown.ranks.size() == 3);
    CHECK(shown.ranks[2].keys.baseline == core::RankKey{2, 0});
    CHECK_FALSE(shown.ranks[2].keys.candidate);
    CHECK_FALSE(shown.ranks[2].window.candidate);
    CHECK_FALSE(shown.ranks[2].window.change);
}

TEST_CASE("ranks that the filter leaves out stay, and do not count") {
    const BreakdownModel all = breakdown_of(TwoRuns({}, {0, 3, 0, 4, 2}), "");
    const BreakdownModel one = breakdown_of(TwoRuns({}, {0, 3, 0, 4, 2}), "rank:1");
    REQUIRE(one.ranks.size() == 3);
    CHECK(one.ranks[0].left_out.baseline);
    CHECK(one.ranks[0].left_out.candidate);
    CHECK(one.ranks[0].window.baseline == all.ranks[0].window.baseline);
    CHECK(one.parts[0].time.baseline == all.ranks[1].window.baseline);
    CHECK(one.parts[0].time.candidate == all.ranks[1].window.candidate);
}

TEST_CASE("the breakdown of one run is the baseline's, with the candidate absent and no change") {
    const TwoRuns two({}, {0, 3, 0, 4, 2});
    BreakdownModel::Input input{
        .runs = {two.runs.baseline, nullptr}, .filters = {}, .alignment = {}, .sides = {}, .same_window = false};
    const core::Answer breakdown = two.answer(Side::Baseline, "temporal-breakdown", {});
    const core::Answer types = two.answer(Side::Baseline, "kernel-types", {});
    input.sides.baseline = ui::RunBreakdown::of_answers(breakdown.main(), &types.main(), {});
    const BreakdownModel alone = BreakdownModel::of(input);
    const BreakdownModel both = breakdown_of(two, "");
    CHECK_FALSE(alone.compared);
    CHECK(both.compared);
    REQUIRE(alone.ranks.size() == 3);
    for (std::size_t rank = 0; rank < alone.ranks.size(); ++rank) {
        CHECK(alone.ranks[rank].window.baseline == both.ranks[rank].window.baseline);
        CHECK_FALSE(alone.ranks[rank].keys.candidate);
        for (std::size_t part = 0; part < alone.ranks[rank].parts.size(); ++part) {
            CHECK(alone.ranks[rank].parts[part].baseline == both.ranks[rank].parts[part].baseline);
            CHECK_FALSE(alone.ranks[rank].parts[part].candidate);
            CHECK_FALSE(alone.ranks[rank].parts[part].change);
        }
    }
    REQUIRE(alone.parts.size() == 5);
    for (std::size_t part = 0; part < alone.parts.size(); ++part)
        CHECK(alone.parts[part].time.baseline == both.parts[part].time.baseline);
    double share = 0;
    for (const ui::PairedTime& set : alone.sets) share += set.share.baseline.value_or(0);
    CHECK(share == doctest::Approx(1));
}

TEST_CASE("of many ranks the quartiles and the worst are listed, of a few all") {
    const TwoRuns two(run_pairs().front().first, run_pairs().front().second);
    BreakdownModel::Input input{.runs = {two.runs.baseline, nullptr}, .filters = {}, .alignment = {}, .sides = {}};
    for (int rank = 0; rank < 1'001; ++rank) {
        ui::RankTimes times{.key = {rank, 0}, .left_out = rank == 1'000};
        times.idle = (rank * 3) % 1'001;  // every number once
        times.compute = 1'001 - times.idle;
        input.sides.baseline.ranks.push_back(times);
    }
    const BreakdownModel model = BreakdownModel::of(input);
    REQUIRE(model.listed.size() == 4 + 48);
    const auto idle_of = [&](std::size_t bar) { return *model.ranks[model.listed[bar].rank].parts.back().baseline; };
    CHECK(model.listed[0].label.starts_with("least: rank "));
    CHECK(idle_of(0) == 0);
    CHECK(model.listed[2].label.starts_with("median: rank "));
    CHECK(idle_of(2) == doctest::Approx(500).epsilon(0.01));
    for (std::size_t bar = 5; bar < model.listed.size(); ++bar) CHECK(idle_of(bar) < idle_of(bar - 1));
    CHECK(model.listed[4].label == "rank " + model.ranks[model.listed[4].rank].label());
    for (const ui::ListedRank& one : model.listed) CHECK(one.rank != 1'000);
    input.sides.baseline.ranks.resize(20);
    CHECK(BreakdownModel::of(input).listed.size() == 20);
}

TEST_CASE("windows of one job are one bar of a rank: those that count, added up") {
    const auto window = [](int rank, std::int64_t from, std::int64_t busy) {
        return core::testing::TraceFixture()
            .rank(rank)
            .kernel(from, busy, "gemm")
            .kernel(from + 99, 1, "ncclDevKernel_AllReduce", 9)
            .build();
    };
    const core::RunPtr run =
        core::testing::run_of_captures({window(0, 0, 90), window(0, 5000, 40), window(1, 0, 60), window(1, 5000, 60)});
    REQUIRE(core::are_windows(*run));
    const auto shown = [&](const char* filter_text, ui::BreakdownOf of) {
        const core::Filter filter = *core::parse_filter(filter_text);
        const core::Answer breakdown = core::testing::answer_of(*run, "temporal-breakdown");
        const core::Answer types = core::testing::answer_of(*run, "kernel-types");
        BreakdownModel::Input input{.runs = {run, nullptr}, .filters = {filter, {}}, .alignment = {}, .sides = {}};
        input.sides.baseline = ui::RunBreakdown::of_answers(breakdown.main(), &types.main(), filter);
        input.of = of;
        return BreakdownModel::of(input);
    };
    const BreakdownModel all = shown("", ui::BreakdownOf::Mean);
    REQUIRE(all.ranks.size() == 2);
    CHECK(all.ranks[0].label() == "0");
    CHECK(all.ranks[0].window.baseline == 200);
    CHECK(all.ranks[0].parts[0].baseline == 130);
    CHECK(all.counted.baseline == core::RankCount{.ranks = 2, .captures = 2});
    CHECK(all.parts[1].time.baseline == 125);  // compute, mean of the ranks
    REQUIRE_FALSE(all.sets.empty());
    CHECK(all.sets[0].time.baseline == 125);
    CHECK(shown("", ui::BreakdownOf::Slowest).parts[1].time.baseline == 130);
    const BreakdownModel second = shown("capture:b", ui::BreakdownOf::Mean);
    CHECK(second.ranks[0].parts[0].baseline == 40);
    CHECK_FALSE(second.ranks[0].left_out.baseline);
    CHECK(second.counted.baseline.ranks == 2);
    const BreakdownModel one = shown("rank:0", ui::BreakdownOf::Mean);
    CHECK(one.ranks[1].left_out.baseline);
    CHECK(one.ranks[1].window.baseline == 200);
}
