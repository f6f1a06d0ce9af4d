#include "ui/timeline/model/rank_map.hpp"

#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using core::testing::run_of;
using core::testing::TraceFixture;

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

core::RunPtr ranks_that_compute(int count) {
    std::vector<core::RankTracePtr> traces;
    for (int rank = 0; rank < count; ++rank)
        traces.push_back(TraceFixture().rank(rank).kernel(0, 10 + rank, "gemm").kernel(90, 10, "gemm").build());
    return run_of(traces);
}

}  // namespace

TEST_CASE("the time without compute is known for each rank") {
    const ui::RankValues values = ui::collect_not_computing(*ranks_that_compute(3));
    REQUIRE(values.size() == 3);
    CHECK(values[0] == doctest::Approx(0.80));
    CHECK(values[2] == doctest::Approx(0.78));
    const ui::RankValues measures = ui::collect_measures(*ranks_that_compute(2), {{0, 5}});
    CHECK(measures[0] == 5);
    CHECK(std::isnan(measures[1]));
}

TEST_CASE("a pixel of the scrollbar shows the greatest measure of the ranks in its rows") {
    const core::RunPtr run = ranks_that_compute(100);
    const ui::LaneLayout layout(*run, {}, ui::Opening::Closed, {});
    ui::RankValues values(100, 0.1);
    values[37] = 0.9;
    values[99] = kNone;
    const ui::RankMap map = ui::RankMap::of(layout, values, 50);
    REQUIRE(map.pixels.size() == 50);
    for (std::size_t px = 0; px < 49; ++px) CHECK(map.pixels[px] == (px == 18 || px == 19 ? 0.9 : 0.1));
    CHECK(ui::RankMap::of(layout, values, 0).pixels.empty());
    CHECK(std::isnan(ui::RankMap::of(layout, ui::RankValues(100, kNone), 5).pixels[2]));
}

TEST_CASE("a folded group shows the greatest of all its ranks") {
    const core::RunPtr run = ranks_that_compute(320);
    ui::RankSorting sorting;
    sorting.choices = ui::group_at_first(*run);
    const auto order = std::make_shared<const ui::RankOrder>(ui::order_ranks(*run, sorting));
    const ui::LaneLayout layout(*run, {}, ui::Opening::Closed, {}, {}, order);
    ui::RankValues values(320, 0.1);
    values[9] = 0.9;
    const ui::RankMap map = ui::RankMap::of(layout, values, order->sections.size());
    CHECK(map.pixels[1] == 0.9);
    CHECK(map.pixels[3] == 0.1);
}
