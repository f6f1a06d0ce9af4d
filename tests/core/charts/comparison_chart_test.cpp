// The chart of two runs is built from their comparison: equal items on both sides, unknown where
// one lacks them.

#include "core/charts/comparison_chart.hpp"

#include "core/analysis/catalogue/registry.hpp"

#include <doctest/doctest.h>

namespace {

using core::Facet;
using core::Role;
using core::Unit;

core::Table table_of(std::initializer_list<std::pair<int, std::int64_t>> rows) {
    core::Table table({{"rank", Unit::Rank, Role::Key, Facet::Rank, {}},
                       {"overlapped", Unit::Ns, Role::Measure, Facet::None, {}, true},
                       {"exposed", Unit::Ns, Role::Measure, Facet::None, {}, true}});
    for (const auto& [rank, time] : rows) table.add_row({core::RankKey{rank, 0}.packed(), time, 2 * time});
    return table;
}

}  // namespace

TEST_CASE("both sides of a chart have the same items in numeric order") {
    const core::Table baseline = table_of({{0, 10}, {1, 20}, {2, 30}});
    const core::Table candidate = table_of({{1, 90}, {2, 31}, {3, 40}});
    core::RunAlignment alignment;
    const core::Comparison comparison = core::compare_tables({&baseline, &candidate}, alignment, {}, {});
    const core::Analysis& overlap = *core::find_analysis("overlap");
    const core::ComparisonChart chart = core::ComparisonChart::of(overlap, comparison, "");
    REQUIRE(chart.sides.baseline.items.size() == 4);
    REQUIRE(chart.sides.candidate.items.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) {
        const core::ChartModel::Item& here = chart.sides.baseline.items[i];
        const core::ChartModel::Item& there = chart.sides.candidate.items[i];
        CHECK(here.label == std::to_string(i));
        CHECK(there.label == here.label);
        CHECK(there.row == here.row);
        CHECK(comparison.table.integer(here.row, 0) == core::RankKey{static_cast<int>(i), 0}.packed());
        CHECK(here.known == (i != 3));
        CHECK(there.known == (i != 0));
    }
    CHECK(chart.sides.baseline.items[1].values == std::vector<double>{20, 40});
    CHECK(chart.sides.candidate.items[1].values == std::vector<double>{90, 180});
}
