#include "ui/model/panels/durations_model.hpp"
#include "tests/ui/model/panels/two_runs.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

namespace {

using core::Side;
using ui::Compared;
using ui::DurationsModel;
using ui::PairedKernel;
using ui::TopBy;
using ui::testing::run_pairs;
using ui::testing::TwoRuns;

DurationsModel durations_of(const TwoRuns& two, TopBy by = TopBy::TotalChange, std::vector<std::string> chosen = {},
                            std::size_t most = 100) {
    core::BySide<core::Answer> kernels;
    core::BySide<core::Answer> imbalance;
    DurationsModel::Input input{
        .sources = {}, .alignment = two.alignment, .chosen = std::move(chosen), .most = most, .by = by};
    for (const Side side : core::kSides) {
        kernels[side] = two.answer(side, "kernels", {});
        imbalance[side] = two.answer(side, "kernel-imbalance", {});
        input.sources[side] = {two.runs[side], {}, &kernels[side].main(), &imbalance[side].main()};
    }
    return DurationsModel::of(input);
}

std::optional<double> cell(const core::Comparison& table, std::size_t row, const std::string& column) {
    const std::size_t at = table.table.find_column(column);
    return table.table.absent(row, at) ? std::nullopt : std::optional(table.table.number(row, at));
}

}  // namespace

TEST_CASE("durations of two runs have core's numbers per kernel and rank") {
    for (const auto& [baseline, candidate] : run_pairs()) {
        const TwoRuns two(baseline, candidate);
        const DurationsModel shown = durations_of(two);
        const core::Comparison expected = two.compare("kernels", "");
        std::size_t seen = 0;
        for (std::size_t row = 0; row < expected.table.rows(); ++row) {
            const auto kernel = std::ranges::find(shown.kernels, expected.table.text(row, 2), &PairedKernel::kernel);
            REQUIRE(kernel != shown.kernels.end());
            const Side side = expected.sources[row].baseline.empty() ? Side::Candidate : Side::Baseline;
            const core::RankKey key = core::RankKey::unpacked(expected.table.integer(row, 0));
            const auto rank = std::ranges::find_if(kernel->ranks, [&](const auto& pair) { return pair[side] == key; });
            REQUIRE(rank != kernel->ranks.end());
            const auto place = static_cast<std::size_t>(rank - kernel->ranks.begin());
            for (const Side of : core::kSides) {
                const auto& duration = kernel->durations[of][place];
                const auto value = [&](double ui::RankDuration::*member) {
                    return duration ? std::optional((*duration).*member) : std::nullopt;
                };
                const std::string part = "." + std::string(name_of(of));
                CHECK(value(&ui::RankDuration::mean) == cell(expected, row, "mean" + part));
                CHECK(value(&ui::RankDuration::low) == cell(expected, row, "min" + part));
                CHECK(value(&ui::RankDuration::high) == cell(expected, row, "max" + part));
                seen += duration ? 1 : 0;
            }
        }
        std::size_t there = 0;
        for (const PairedKernel& kernel : shown.kernels)
            for (const Side side : core::kSides)
                there += static_cast<std::size_t>(std::ranges::count_if(
                    kernel.durations[side], [](const auto& duration) { return duration.has_value(); }));
        CHECK(there == seen);
    }
}

TEST_CASE("totals of two runs are core's sums over ranks, averaged where the runs differ") {
    for (const auto& [baseline, candidate] : run_pairs()) {
        const TwoRuns two(baseline, candidate);
        const DurationsModel shown = durations_of(two);
        const core::Comparison imbalance = two.compare("kernel-imbalance", "");
        for (std::size_t row = 0; row < imbalance.table.rows(); ++row) {
            const std::size_t name = imbalance.table.find_column("kernel");
            const auto kernel =
                std::ranges::find(shown.kernels, imbalance.table.text(row, name), &PairedKernel::kernel);
            REQUIRE(kernel != shown.kernels.end());
            CHECK(kernel->imbalance.baseline == cell(imbalance, row, "imbalance.baseline"));
            CHECK(kernel->imbalance.candidate == cell(imbalance, row, "imbalance.candidate"));
        }
        const bool differs = two.runs.baseline->ranks().size() != two.runs.candidate->ranks().size() ||
                             baseline.steps != candidate.steps;
        CHECK(shown.notes.empty() == !differs);
    }
    const DurationsModel fewer = durations_of(TwoRuns({}, {0, 3, 0, 2, 1}));
    REQUIRE_FALSE(fewer.notes.empty());
    CHECK(fewer.notes[0].starts_with("totals are averages per step"));
}

TEST_CASE("kernels come by the size of their change, and those one run lacks are there without a change") {
    const TwoRuns two({}, {0, 3, 0, 4, 2, "gelu"});
    for (const TopBy by : {TopBy::TotalChange, TopBy::MeanChange}) {
        const DurationsModel shown = durations_of(two, by);
        REQUIRE(shown.kernels.size() == 5);
        double before = 1e300;
        for (const PairedKernel& kernel : shown.kernels) {
            const Compared& value = by == TopBy::TotalChange ? kernel.total : kernel.mean;
            const double size =
                value.change ? std::abs(*value.change) : value.baseline.value_or(0) + value.candidate.value_or(0);
            CHECK(size <= before);
            before = size;
        }
        const auto added = std::ranges::find(shown.kernels, "gelu", &PairedKernel::kernel);
        REQUIRE(added != shown.kernels.end());
        CHECK_FALSE(added->total.baseline);
        CHECK_FALSE(added->total.change);
        for (const auto& duration : added->durations.baseline) CHECK_FALSE(duration);
    }
}

TEST_CASE("chosen kernels of two runs come in the order chosen, the longest and the most uneven by either side") {
    const TwoRuns two({}, {0, 3, 0, 4, 2, "gelu"});
    const DurationsModel chosen = durations_of(two, TopBy::TotalChange, {"gemm", "relu", "none"});
    REQUIRE(chosen.kernels.size() == 2);
    CHECK(chosen.kernels[0].kernel == "gemm");
    CHECK(chosen.kernels[1].kernel == "relu");
    const DurationsModel longest = durations_of(two, TopBy::Total, {}, 3);
    REQUIRE(longest.kernels.size() == 3);
    const auto greatest = [](const Compared& value) {
        return std::max(value.baseline.value_or(0), value.candidate.value_or(0));
    };
    CHECK(greatest(longest.kernels[0].total) >= greatest(longest.kernels[1].total));
    const DurationsModel uneven = durations_of(two, TopBy::Imbalance);
    CHECK(greatest(uneven.kernels[0].imbalance) >= greatest(uneven.kernels[1].imbalance));
}

TEST_CASE("runs without a common kernel say so") {
    TwoRuns two({}, {});
    const auto run = [](const char* kernel) {
        return core::testing::run_of({core::testing::TraceFixture().kernel(0, 100, kernel).build()});
    };
    two.runs = {run("sgemm"), run("Cijk")};
    two.alignment = core::align_runs(*two.runs.baseline, *two.runs.candidate);
    const DurationsModel shown = durations_of(two);
    CHECK(shown.kernels.size() == 2);
    REQUIRE(shown.notes.size() == 1);
    CHECK(shown.notes[0].starts_with("no kernel is in both runs"));
}

TEST_CASE("a run against itself has no change in any kernel") {
    for (const PairedKernel& kernel : durations_of(TwoRuns({}, {})).kernels) {
        CHECK(kernel.total.change == 0);
        CHECK(kernel.mean.change == 0);
        CHECK(kernel.imbalance.change == 0);
    }
}

TEST_CASE("one run has the numbers of its side, with the candidate absent and no change") {
    const TwoRuns two({}, {0, 3, 0, 4, 2});
    const core::Answer kernels = two.answer(Side::Baseline, "kernels", {});
    const core::Answer imbalance = two.answer(Side::Baseline, "kernel-imbalance", {});
    DurationsModel::Input input{.sources = {}, .alignment = {}, .chosen = {}, .most = 100, .by = TopBy::Total};
    input.sources.baseline = {two.runs.baseline, {}, &kernels.main(), &imbalance.main()};
    const DurationsModel alone = DurationsModel::of(input);
    const DurationsModel both = durations_of(two, TopBy::Total);
    CHECK_FALSE(alone.compared);
    CHECK(both.compared);
    REQUIRE(alone.kernels.size() == 4);
    for (const PairedKernel& kernel : alone.kernels) {
        const auto same = std::ranges::find(both.kernels, kernel.kernel, &PairedKernel::kernel);
        REQUIRE(same != both.kernels.end());
        CHECK(kernel.total.baseline == same->total.baseline);
        CHECK(kernel.mean.baseline == same->mean.baseline);
        CHECK(kernel.imbalance.baseline == same->imbalance.baseline);
        CHECK(kernel.durations.baseline.size() == kernel.ranks.size());
        CHECK_FALSE(kernel.total.candidate);
        CHECK_FALSE(kernel.total.change);
        for (const auto& duration : kernel.durations.candidate) CHECK_FALSE(duration);
    }
}
