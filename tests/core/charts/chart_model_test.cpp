// Parts and measures of charts, and that their sums are complete.

#include "core/charts/chart_model.hpp"
#include "core/analysis/catalogue/registry.hpp"
#include "core/charts/comparison_chart.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

namespace {

using core::ChartModel;
using core::Facet;
using core::Role;
using core::Unit;

// Like kernels-by-operator: `count` kernels of one operator, the first ones short.
core::Table kernels_of(std::size_t count, std::int64_t factor = 1) {
    core::Table table({{"rank", Unit::Rank, Role::Key, Facet::Rank, {}},
                       {"operator", Unit::Text, Role::Key, Facet::Operator, {}},
                       {"kernel", Unit::Text, Role::Key, Facet::Kernel, {}},
                       {"total", Unit::Ns, Role::Measure, Facet::None, {}, true}});
    for (std::size_t i = 0; i < count; ++i)
        table.add_row({core::RankKey{0, 0}.packed(), "aten::mm", "kernel_" + std::to_string(i),
                       factor * static_cast<std::int64_t>(i + 1)});
    return table;
}

double sum_of(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

}  // namespace

TEST_CASE("the longest of many kernels are separate parts, the others one part, and nothing is lost") {
    const core::Analysis& analysis = *core::find_analysis("kernels-by-operator");
    const core::Table table = kernels_of(20);
    const ChartModel model = ChartModel::of(analysis, table, "");
    REQUIRE(model.items.size() == 1);
    REQUIRE(model.parts.size() == 8);
    CHECK(model.has_others);
    CHECK(model.parts.front() == "kernel_19");
    CHECK(model.parts.back() == "(other)");
    CHECK(model.items[0].values[0] == 20);
    CHECK(model.items[0].values.back() == 13 * 14 / 2);
    CHECK(sum_of(model.items[0].values) == 20 * 21 / 2);
    CHECK(model.part_rows.front() == std::optional<std::size_t>(19));
    CHECK_FALSE(model.part_rows.back());
    CHECK_FALSE(model.items[0].rows_of_parts.back());
}

TEST_CASE("few kernels keep their order, without an others part") {
    const ChartModel model = ChartModel::of(*core::find_analysis("kernels-by-operator"), kernels_of(8), "");
    CHECK_FALSE(model.has_others);
    REQUIRE(model.parts.size() == 8);
    CHECK(model.parts.front() == "kernel_0");
    CHECK(model.items[0].values.back() == 8);
}

TEST_CASE("values that cannot be summed have no others part") {
    const core::Analysis& analysis = *core::find_analysis("queue-length");
    core::Table table({{"rank", Unit::Rank, Role::Key, Facet::Rank, {}},
                       {"stream", Unit::Number, Role::Key, Facet::Stream, {}},
                       {"mean", Unit::Number, Role::Measure, Facet::None, {}}});
    for (int stream = 0; stream < 20; ++stream) table.add_row({core::RankKey{0, 0}.packed(), double(stream), 1.0});
    const ChartModel model = ChartModel::of(analysis, table, "");
    CHECK_FALSE(model.has_others);
    CHECK(model.parts.size() == 12);
}

TEST_CASE("two runs have the same parts: the largest of both together") {
    const core::Table baseline = kernels_of(20);
    const core::Table candidate = kernels_of(30, 2);
    const core::Comparison comparison = core::compare_tables({&baseline, &candidate}, {}, {}, {});
    const core::ComparisonChart chart =
        core::ComparisonChart::of(*core::find_analysis("kernels-by-operator"), comparison, "");
    CHECK(chart.sides.baseline.parts == chart.sides.candidate.parts);
    CHECK(chart.sides.baseline.parts[0] == "kernel_29");
    REQUIRE(chart.sides.baseline.items.size() == 1);
    CHECK(sum_of(chart.sides.baseline.items[0].values) == 20 * 21 / 2);
    CHECK(sum_of(chart.sides.candidate.items[0].values) == 30 * 31);
}

TEST_CASE("bars show the first measure with values: own time for operators of a CPU-only run") {
    const core::Analysis& analysis = *core::find_analysis("operators");
    core::Table table({{"operator", Unit::Text, Role::Key, Facet::Operator, {}},
                       {"self", Unit::Ns, Role::Measure, Facet::None, {}, true},
                       {"self_kernel_time", Unit::Ns, Role::Measure, Facet::None, {}, true}});
    table.add_row({"aten::mm", std::int64_t{70}, std::int64_t{0}});
    const ChartModel on_cpu = ChartModel::of(analysis, table, "");
    CHECK(on_cpu.parts == std::vector<std::string>{"self"});
    CHECK(on_cpu.items[0].values == std::vector<double>{70});
    table.add_row({"aten::relu", std::int64_t{7}, std::int64_t{3}});
    CHECK(ChartModel::of(analysis, table, "").parts == std::vector<std::string>{"self_kernel_time"});
}

TEST_CASE("a label is finer than the category: each sequence of an operator is a separate bar") {
    const core::Analysis& analysis = *core::find_analysis("kernel-sequences");
    core::Table table({{"operator", Unit::Text, Role::Key, Facet::Operator, {}},
                       {"sequence", Unit::Text, Role::Key, Facet::None, {}},
                       {"count", Unit::Count, Role::Measure, Facet::None, {}, true}});
    table.add_row({"aten::add", "00ff", std::int64_t{5}});
    table.add_row({"aten::add", "11ff", std::int64_t{4}});
    table.add_row({"aten::mul", "00ff", std::int64_t{3}});
    const ChartModel model = ChartModel::of(analysis, table, "");
    REQUIRE(model.items.size() == 3);
    CHECK(model.items[0].label == "aten::add");
    CHECK(model.items[1].label == "aten::add");
    CHECK(model.items[2].label == "aten::mul");
    CHECK(model.items[2].row == 2);
}

TEST_CASE("a bar of several ranks is their mean or the slowest of them, never their sum, and says so") {
    core::Table table({{"rank", Unit::Rank, Role::Key, Facet::Rank, {}},
                       {"step", Unit::Step, Role::Key, Facet::Step, {}},
                       {"compute", Unit::Ns, Role::Measure, Facet::None, {}, true},
                       {"idle", Unit::Ns, Role::Measure, Facet::None, {}, true}});
    const auto add = [&](int rank, std::int64_t step, std::int64_t compute, std::int64_t idle) {
        table.add_row({core::RankKey{rank, 0}.packed(), step, compute, idle});
    };
    add(0, 1, 40, 10);
    add(0, 2, 40, 12);
    add(1, 1, 60, 2);
    add(1, 2, 30, 0);
    add(2, 2, 80, 0);
    const core::Analysis& analysis = *core::find_analysis("steps");
    const ChartModel mean = ChartModel::of(analysis, table, "");
    REQUIRE(mean.items.size() == 2);
    const auto part = static_cast<std::size_t>(std::ranges::find(mean.parts, "compute") - mean.parts.begin());
    CHECK(mean.items[0].values[part] == 50);
    CHECK(mean.items[1].values[part] == 50);
    CHECK(mean.words_of_ranks() == "mean of 3 ranks");
    const ChartModel slowest = ChartModel::of(analysis, table, "", nullptr, core::OverRanks::Slowest);
    CHECK(slowest.items[0].values[part] == 60);
    CHECK(sum_of(slowest.items[0].values) == 62);
    CHECK(slowest.items[1].values[part] == 80);
    CHECK(slowest.words_of_ranks() == "the slowest of 3 ranks, bar by bar");
    CHECK(ChartModel::of(*core::find_analysis("kernels-by-operator"), kernels_of(3), "").words_of_ranks().empty());
}
