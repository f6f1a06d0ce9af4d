#include "ui/model/panels/bandwidth_model.hpp"

#include "tests/core/analysis/engine/answers.hpp"
#include "tests/ui/model/panels/waiting_fixture.hpp"

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

}  // namespace

TEST_CASE("points rise by size, and the line goes through those it was fitted to") {
    const ui::BandwidthModel model = ui::BandwidthModel::of(bandwidths(), lines(true));
    REQUIRE(model.series.size() == 1);
    const ui::BandwidthSeries& one = model.series.front();
    REQUIRE(one.points.size() == 2);
    CHECK(one.points[0].bytes == 1'000);
    CHECK(model.unknown == 1);
    REQUIRE(one.line);
    for (const ui::BandwidthPoint& point : one.points)
        CHECK(one.line->bus_of(point.bytes) == doctest::Approx(point.bus));
}

TEST_CASE("without an identifiable line there is none, and the verdict says so") {
    const ui::BandwidthModel model = ui::BandwidthModel::of(bandwidths(), lines(false));
    CHECK_FALSE(model.series.front().line);
    CHECK(model.series.front().verdict == "not identifiable");
}

TEST_CASE("a run without sizes has no points") {
    const core::RunPtr run = ui::testing::run_with_late_rank();
    const core::Answer points = core::testing::answer_of(*run, "bandwidth");
    const core::Answer model = core::testing::answer_of(*run, "link-model");
    CHECK(ui::BandwidthModel::of(points.main(), model.main()).series.empty());
}
