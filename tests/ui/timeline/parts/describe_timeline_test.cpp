#include "ui/timeline/parts/describe_timeline.hpp"

#include "core/query/filter_text.hpp"
#include "tests/core/trace_fixture.hpp"
#include "tests/ui/timeline/parts/timeline_bench.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using core::testing::run_of;
using core::testing::TraceFixture;
using ui::testing::Bench;

namespace {

void add_counter(TraceFixture& fixture, std::string_view name, std::string_view series, double value) {
    core::EventBatch& batch = fixture.batch();
    batch.counters.push_back({100, batch.pool.intern("0"), batch.pool.intern(name), batch.pool.intern(series), value});
}

core::RunPtr one_rank() {
    TraceFixture fixture;
    fixture.kernel(0, 1000, "ka").kernel(2000, 1000, "kb");
    add_counter(fixture, "memory", "allocated", 30);
    add_counter(fixture, "memory", "reserved", 40);
    add_counter(fixture, "power", "watt", -5);
    return run_of({fixture.build()});
}

}  // namespace

TEST_CASE("a description lists the visible time range, rows and counters") {
    Bench bench(one_rank());
    bench.change_view([&](ui::View& view) { view.time.fit({core::run_time(500), core::run_time(1500)}, 0); });
    bench.frames(2);
    const nlohmann::json shown = bench.described();
    CHECK(shown["begin_ns"] == 500);
    CHECK(shown["end_ns"] == 1500);
    std::string kinds;
    for (const nlohmann::json& row : shown["rows"]) kinds += row["kind"].get<std::string>() + " ";
    CHECK(kinds == "rank lane counters counter counter ");
    const nlohmann::json& memory = shown["rows"][3];
    CHECK(memory["title"] == "memory");
    CHECK(memory["scale"]["series"] == nlohmann::json{"allocated", "reserved"});
    CHECK(memory["scale"]["top"] == 40);
    CHECK(shown["rows"][4]["scale"]["bottom"] == -5);
}

TEST_CASE("events can be located on the screen while they are drawn") {
    Bench bench(one_rank());
    const core::EventRef kb{0, core::EventId{1}};
    const auto place = bench.timeline().place_of(kb);
    REQUIRE(place.has_value());
    bench.point_at((place->min.x + place->max.x) / 2, (place->min.y + place->max.y) / 2);
    CHECK(bench.ephemeral().hovered == kb);
    CHECK(bench.described()["hovered"]["name"] == "kb");
    bench.change_view([&](ui::View& view) { view.time.fit({core::run_time(0), core::run_time(1000)}, 0); });
    bench.frames(2);
    CHECK_FALSE(bench.timeline().place_of(kb).has_value());
    CHECK_FALSE(bench.timeline().place_of({0, core::EventId{99}}).has_value());
    CHECK_FALSE(bench.timeline().place_of({7, core::EventId{0}}).has_value());
}

TEST_CASE("events outside the filter are described as faded, without any other request for the filter") {
    Bench bench(one_rank());
    bench.change_view([&](ui::View& view) { view.selected = {0, core::EventId{1}}; });
    bench.frames(2);
    CHECK_FALSE(bench.described()["selected"]["faded"]);
    bench.session().set_filter(core::parse_filter("name:ka").value());
    for (int i = 0; i < 1000 && !bench.described()["selected"]["faded"]; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        bench.frames();
    }
    CHECK(bench.described()["selected"]["faded"]);
}

TEST_CASE("a counter is plotted as a line at its value with nothing above") {
    Bench bench(one_rank());
    const ui::Item plot = bench.item("plot");
    const int x = static_cast<int>(plot.min.x + plot.max.x) / 2 + 7;  // off the grid
    const nlohmann::json shown = bench.described();
    const auto row = std::ranges::find_if(shown["rows"], [](const auto& one) { return one["kind"] == "counter"; });
    REQUIRE(row != shown["rows"].end());
    // The plot of 32 has a margin of 3 above and below. 40 of 40 is at its top.
    const int top = static_cast<int>(plot.min.y) + (*row)["y"].get<int>() + 3;
    CHECK(bench.pixel(x, top) == ui::color::of_series(1));
    CHECK(bench.pixel(x, top + 3) == ui::color::palette().background);
    CHECK(bench.pixel(x, top - 2) == ui::color::palette().background);
}
