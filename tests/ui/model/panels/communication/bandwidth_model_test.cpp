#include "ui/model/panels/communication/bandwidth_model.hpp"

#include "tests/core/analysis/engine/answers.hpp"
#include "tests/ui/model/panels/communication/waiting_fixture.hpp"

namespace {

using core::Facet;
using core::Role;
using core::Unit;

core::Table bandwidths() {
    core::Table table({{"group", Unit::Text, Role::Key},
                       {"operation", Unit::Text, Role::Key},
                       {"bytes", Unit::Bytes, Role::Key},
                       {"count", Unit::Count},
                       {"transfer", Unit::Ns},
                       {"algbw", Unit::BytesPerSecond},
                       {"busbw", Unit::BytesPerSecond},
                       {"concurrent", Unit::Ratio}});
    const auto add = [&](std::int64_t bytes, std::int64_t transfer, bool known) {
        const double rate = static_cast<double>(bytes) / static_cast<double>(transfer) * 1e9;
        table.add_row({std::string_view("dp"), std::string_view("all_reduce"), bytes, std::int64_t{3}, transfer, rate,
                       known ? core::Cell{rate * 1.5} : core::Cell{}, 0.0});
    };
    add(4'000, 14'000, true);
    add(1'000, 11'000, true);
    add(9'000, 19'000, false);
    return table;
}

core::Table lines(bool found) {
    core::Table table({{"group", Unit::Text, Role::Key},
                       {"operation", Unit::Text, Role::Key},
                       {"alpha", Unit::Ns},
                       {"bandwidth", Unit::BytesPerSecond},
                       {"link", Unit::BytesPerSecond},
                       {"verdict", Unit::Text, Role::Info}});
    const auto cell = [&](core::Cell value) { return found ? value : core::Cell{}; };
    table.add_row({std::string_view("dp"), std::string_view("all_reduce"), cell(std::int64_t{10'000}), cell(1e9),
                   cell(1.5e9), std::string_view(found ? "good" : "not identifiable")});
    return table;
}

core::Table slow_ones() {
    core::Table table({{"bytes", Unit::Bytes},
                       {"busbw", Unit::BytesPerSecond},
                       {"transfer", Unit::Ns},
                       {"expected", Unit::Ns},
                       {"pattern", Unit::Text, Role::Info}});
    table.add_row(
        {std::int64_t{8'000}, core::Cell{}, std::int64_t{90'000}, std::int64_t{18'000}, std::string_view("single")});
    table.add_row({std::int64_t{16'000}, 1e8, std::int64_t{160'000}, std::int64_t{26'000}, std::string_view("single")});
    return table;
}

}  // namespace

TEST_CASE("points rise by size, and the line goes through those it was fitted to") {
    const ui::BandwidthModel model = ui::BandwidthModel::of(bandwidths(), lines(true), slow_ones());
    REQUIRE(model.series.size() == 1);
    const ui::BandwidthSeries& one = model.series.front();
    REQUIRE(one.points.size() == 2);
    CHECK(one.points[0].bytes == 1'000);
    CHECK(model.unknown == 1);
    REQUIRE(one.line);
    for (const ui::BandwidthPoint& point : one.points)
        CHECK(one.line->bus_of(point.bytes) == doctest::Approx(point.bus));
    // A slow collective is a point of its own, with the row it leads to; without bus bandwidth it isn't plotted.
    REQUIRE(model.slow.size() == 1);
    CHECK(model.slow[0].row == 1);
    CHECK(model.most_bytes == 16'000);
    CHECK(model.least_bus == 1e8);
}

TEST_CASE("without an identifiable line there is none, and the verdict says so") {
    const ui::BandwidthModel model = ui::BandwidthModel::of(bandwidths(), lines(false), core::Table{});
    CHECK_FALSE(model.series.front().line);
    CHECK(model.series.front().verdict == "not identifiable");
}

TEST_CASE("a run without sizes has no points") {
    const core::RunPtr run = ui::testing::run_with_late_rank();
    const core::Answer points = core::testing::answer_of(*run, "bandwidth");
    const core::Answer model = core::testing::answer_of(*run, "link-model");
    CHECK(ui::BandwidthModel::of(points.main(), model.main(), core::Table{}).series.empty());
}
