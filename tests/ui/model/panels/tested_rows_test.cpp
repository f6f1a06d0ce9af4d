// Verdicts, points and columns of tested rows.

#include "ui/model/panels/tested_rows.hpp"

#include <doctest/doctest.h>

using namespace ui;

namespace {

core::Comparison comparison_of(const std::vector<std::pair<const char*, const char*>>& rows) {
    core::Comparison comparison;
    comparison.table = core::Table({{"kernel", core::Unit::Text, core::Role::Key, core::Facet::Kernel, ""},
                                    {"presence", core::Unit::Text, core::Role::Info, core::Facet::None, ""}});
    comparison.keys = 1;
    for (const auto& [name, presence] : rows)
        comparison.table.add_row({std::string_view(name), std::string_view(presence)});
    return comparison;
}

std::optional<core::Tested> tested_of(std::vector<double> baseline, std::vector<double> candidate) {
    return core::test_values({std::move(baseline), std::move(candidate)}, {}, false, 0);
}

}  // namespace

TEST_CASE("rows are counted by verdict, added and removed ones apart from tested ones") {
    const core::Comparison comparison = comparison_of({{"slower", "both"},
                                                       {"faster", "both"},
                                                       {"noise", "both"},
                                                       {"new", "added"},
                                                       {"old", "removed"},
                                                       {"few", "both"}});
    core::RowStatistics statistics;
    statistics.rows = {tested_of({100, 101, 102, 101}, {200, 202, 201, 200}),
                       tested_of({200, 202, 201, 200}, {100, 101, 102, 101}),
                       tested_of({100, 150, 90, 120}, {110, 140, 95, 121}),
                       std::nullopt,
                       std::nullopt,
                       std::nullopt};
    statistics.family = core::adjust_family(statistics.rows);
    REQUIRE(statistics.family == 3);
    const TestedRows rows = TestedRows::of(comparison, statistics);
    CHECK(rows.count(RowVerdict::Regressed) == 1);
    CHECK(rows.count(RowVerdict::Improved) == 1);
    CHECK(rows.count(RowVerdict::Undecided) == 1);
    CHECK(rows.count(RowVerdict::Added) == 1);
    CHECK(rows.count(RowVerdict::Removed) == 1);
    CHECK_FALSE(rows.verdicts.back());
    REQUIRE(rows.points.size() == 3);
    for (const VolcanoPoint& point : rows.points) {
        CHECK((point.log2_ratio > 0.9) == (point.row == 0));
        CHECK((point.log2_ratio < -0.9) == (point.row == 1));
        CHECK((point.log10_q < 1.3) == (point.row == 2));
    }
    const core::Table table = with_tests(comparison, statistics);
    CHECK(table.rows() == comparison.table.rows());
    CHECK(table.text(0, table.find_column(kVerdictColumn)) == "regressed");
    CHECK(table.text(3, table.find_column(kVerdictColumn)) == "only in candidate");
    CHECK(table.absent(5, table.find_column(kVerdictColumn)));
    CHECK(table.number(0, table.find_column(kQColumn)) < 0.05);
    CHECK(table.integer(0, table.find_column(kMarginColumn)) > 0);
}

TEST_CASE("a q of 0 and changes without measure stay in the chart") {
    const core::Comparison comparison = comparison_of({{"exact", "both"}, {"huge", "both"}});
    core::RowStatistics statistics;
    statistics.rows = {tested_of({3000, 3000, 3000}, {4000, 4000, 4000}),
                       tested_of({10, 11, 10, 11}, {100000, 100001, 100000, 100001})};
    statistics.family = core::adjust_family(statistics.rows);
    const TestedRows rows = TestedRows::of(comparison, statistics);
    REQUIRE(rows.points.size() == 2);
    for (const VolcanoPoint& point : rows.points) {
        CHECK(point.log10_q <= core::kMostLog10Q);
        CHECK(point.log2_ratio <= core::kMostLog2Ratio);
        if (point.row == 0) CHECK(point.is_certain);
    }
}
