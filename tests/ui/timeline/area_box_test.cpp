#include "ui/timeline/area_box.hpp"

#include "core/query/filter_text.hpp"
#include "tests/core/trace_fixture.hpp"
#include "tests/ui/timeline/timeline_bench.hpp"

#include <doctest/doctest.h>

using core::testing::run_of;
using core::testing::TraceFixture;
using ui::testing::Bench;

namespace {

core::RunPtr kernels() {
    return run_of({TraceFixture().kernel(0, 1000, "ka").kernel(1000, 500, "kb").kernel(2500, 500, "kc").build()});
}

const core::RunRange kArea{core::run_time(500), core::run_time(1500)};

}  // namespace

TEST_CASE("a filter gets the area's time instead of any it had, and keeps the rest") {
    const core::RunPtr run = kernels();
    const core::Filter before = core::parse_filter("rank:0 time:1us..2us -name:kc").value();
    CHECK(core::format_filter(ui::filter_to_time(before, {kArea.begin - run->origin(), kArea.end - run->origin()})) ==
          "rank:0 -name:kc time:+500ns..+1.5us");
}

TEST_CASE("the area is summed up beside it") {
    Bench bench(kernels());
    bench.state().area = kArea;
    bench.settle();
    const nlohmann::json area = bench.described()["area"];
    CHECK(area["length_ns"] == 1000);
    CHECK(area["events"] == 2);
    CHECK(area["busy"]["compute_ns"] == 1000);
    CHECK(area["longest"].size() == 2);
}

TEST_CASE("Enter makes the area the filter in one step that can be undone") {
    Bench bench(kernels());
    bench.state().area = kArea;
    bench.settle();
    bench.press(GLFW_KEY_ENTER);
    CHECK(core::format_filter(bench.session().filter()) == "time:+500ns..+1.5us");
    CHECK_FALSE(bench.state().area.has_value());
    bench.press({GLFW_KEY_LEFT_CONTROL, GLFW_KEY_Z});
    CHECK(bench.session().filter().empty());
}

TEST_CASE("Z and the button show just the area, which stays") {
    for (const bool by_key : {true, false}) {
        Bench bench(kernels());
        bench.state().area = kArea;
        bench.settle();
        if (by_key) {
            bench.press(GLFW_KEY_Z);
        } else {
            const ui::Item& zoom = bench.item("zoom");
            bench.point_at((zoom.min.x + zoom.max.x) / 2, (zoom.min.y + zoom.max.y) / 2);
            bench.click();
        }
        CHECK(bench.state().time.t0 == core::run_time(500));
        CHECK(bench.state().area.has_value());
    }
}
