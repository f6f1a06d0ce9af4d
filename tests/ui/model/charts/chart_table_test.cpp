#include "ui/model/charts/chart_table.hpp"

#include <doctest/doctest.h>

#include <cmath>

using core::Unit;
using ui::ChartTable;

TEST_CASE("chart columns are named like those of analyses, and integers stay integers") {
    ChartTable chart;
    chart.add_texts("name", {"a", "b"});
    chart.add_numbers("Exposed communication", Unit::Ns, {1e15, std::nan("")});
    chart.add_numbers("GEMM time", Unit::Ns, {0.5, 2});
    chart.add_numbers("share", Unit::Ratio, {1, 0.25});
    const core::Table table = chart.table();
    REQUIRE(table.rows() == 2);
    CHECK(table.columns()[1].name == "exposed_communication");
    CHECK(table.columns()[1].unit == Unit::Ns);
    CHECK(table.integer(0, 1) == 1'000'000'000'000'000);
    CHECK(table.absent(1, 1));
    CHECK(table.columns()[2].name == "GEMM_time_ns");  // keeps fractions of a nanosecond
    CHECK(table.number(0, 2) == 0.5);
    CHECK(table.number(1, 3) == 0.25);
    CHECK(table.text(1, 0) == "b");
}

TEST_CASE("two runs give both numbers and the change, which is absent if one side is") {
    ChartTable chart;
    chart.add_texts("rank", {"0", "1"});
    chart.add_pair("Mean", Unit::Ns, {{10, std::nan("")}, {14, 3}});
    const core::Table table = chart.table();
    CHECK(table.columns()[1].name == "mean_baseline");
    CHECK(table.columns()[2].name == "mean_candidate");
    CHECK(table.columns()[3].name == "mean_change");
    CHECK(table.integer(0, 3) == 4);
    CHECK(table.absent(1, 1));
    CHECK(table.absent(1, 3));
}
