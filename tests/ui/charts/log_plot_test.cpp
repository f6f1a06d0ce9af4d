#include "ui/charts/log_plot.hpp"

#include <doctest/doctest.h>

#include <limits>

TEST_CASE("ticks of a logarithmic axis are powers between its ends, and no more than there is room for") {
    CHECK(ui::find_log_ticks(1, 1000, 10, 10) == std::vector<double>{1, 10, 100, 1000});
    CHECK(ui::find_log_ticks(2, 900, 10, 10) == std::vector<double>{10, 100});
    CHECK(ui::find_log_ticks(1, 1e6, 10, 4).size() <= 4);
    CHECK(ui::find_log_ticks(2, 3, 10, 4).empty());
    CHECK(ui::find_log_ticks(0, 3, 10, 4).empty());
    CHECK(ui::find_log_ticks(1, std::numeric_limits<double>::infinity(), 10, 4).empty());
}
