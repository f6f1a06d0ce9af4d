#include "ui/timeline/parts/timeline.hpp"

#include "tests/core/trace_fixture.hpp"
#include "tests/ui/timeline/parts/timeline_bench.hpp"
#include "ui/timeline/scene/collect_visible.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

using core::testing::run_of;
using core::testing::TraceFixture;
using ui::testing::Bench;

namespace {

// Centre of the first stream's row.
struct Place {
    int left, y;
};
Place first_stream(const Bench& bench) {
    constexpr int kRankRow = 33;  // rows have grown: there is room for more than all
    const ui::Item& plot = bench.item("plot");
    return {static_cast<int>(plot.min.x), static_cast<int>(plot.min.y) + kRankRow + 8};
}

core::RunPtr three_kernels() {
    return run_of({TraceFixture().kernel(0, 1000, "ka").kernel(1000, 500, "kb").kernel(2500, 500, "kc").build()});
}

}  // namespace

TEST_CASE("bars are exact from first to last pixel, with one free pixel before the next") {
    Bench bench(three_kernels());
    const ui::TimeView& view = bench.view().time;
    for (const double offset_ns : {0.0, 0.3, 123.0, 333.7}) {
        bench.change_view([&](ui::View& changed) {
            changed.time.t0 = core::run_time(static_cast<std::int64_t>(std::floor(offset_ns)) - 450);
            changed.time.fraction_ns = offset_ns - std::floor(offset_ns);
            changed.time.px_per_ns = 0.17;
        });
        bench.frames();
        const auto [left, y] = first_stream(bench);
        const std::uint32_t a = ui::color::of_name("ka", core::KernelClass::Compute);
        const std::uint32_t b = ui::color::of_name("kb", core::KernelClass::Compute);
        const auto edge = [&](std::int64_t ns) {
            return left + static_cast<int>(std::floor(view.to_px(core::run_time(ns)) + 0.5));
        };
        CHECK(bench.pixel(edge(0) - 1, y + 6) == ui::color::palette().background);
        CHECK(bench.pixel(edge(0), y + 6) == a);
        CHECK(bench.pixel(edge(1000) - 2, y + 6) == a);
        CHECK(bench.pixel(edge(1000) - 1, y + 6) == ui::color::palette().background);
        CHECK(bench.pixel(edge(1000), y + 6) == b);
        CHECK(bench.pixel(edge(1500) - 2, y + 6) == b);
        CHECK(bench.pixel(edge(1500) - 1, y + 6) == ui::color::palette().background);
        CHECK(bench.pixel(edge(2500), y + 6) == ui::color::of_name("kc", core::KernelClass::Compute));
    }
}

TEST_CASE("nanoseconds at the end of an hour are drawn at the exact pixel") {
    constexpr std::int64_t kOneHour = 3'600'000'000'000;
    TraceFixture fixture;
    fixture.kernel(0, 1, "first");
    for (int i = 0; i < 60; ++i) fixture.kernel(kOneHour + 2 * i, 1, "slice");
    Bench bench(run_of({fixture.build()}));
    std::mt19937_64 random(21);
    const ui::TimeView& view = bench.view().time;
    const std::uint32_t color = ui::color::of_name("slice", core::KernelClass::Compute);
    std::size_t compared = 0;
    for (int round = 0; round < 60; ++round) {
        bench.change_view([&](ui::View& changed) {
            changed.time.px_per_ns = std::uniform_real_distribution<>(20, 200)(random);
            changed.time.t0 = core::run_time(kOneHour + static_cast<std::int64_t>(random() % 100));
            changed.time.fraction_ns = std::uniform_real_distribution<>(0, 0.99)(random);
        });
        bench.frames();
        const auto [left, y] = first_stream(bench);
        for (int i = 0; i < 60; ++i) {
            const auto exact = [&](std::int64_t ns) {
                const long double since =
                    static_cast<long double>(ns - core::ns_of(view.t0)) - static_cast<long double>(view.fraction_ns);
                return static_cast<int>(std::floor(since * static_cast<long double>(view.px_per_ns) + 0.5L));
            };
            const int begin = exact(kOneHour + 2 * i);
            const int end = exact(kOneHour + 2 * i + 1) - 1;
            if (begin < 1 || end > Bench::kWidth - left - 12) continue;
            CHECK(bench.pixel(left + begin - 1, y + 7) != color);
            CHECK(bench.pixel(left + begin, y + 7) == color);
            CHECK(bench.pixel(left + end - 1, y + 7) == color);
            CHECK(bench.pixel(left + end, y + 7) != color);
            compared += 2;
        }
    }
    CHECK(compared > 200);
}

TEST_CASE("a click selects the event under the pointer, a click elsewhere clears the selection") {
    Bench bench(three_kernels());
    const auto [left, y] = first_stream(bench);
    const auto x = static_cast<float>(left) + static_cast<float>(bench.view().time.to_px(core::run_time(1200)));
    bench.point_at(x, static_cast<float>(y));
    REQUIRE(bench.ephemeral().hovered.valid());
    CHECK(core::index_of(bench.ephemeral().hovered.event) == 1);
    bench.click();
    REQUIRE(bench.last_intent<ui::SelectEvent>() != nullptr);
    CHECK(bench.last_intent<ui::SelectEvent>()->event == core::EventRef{0, core::EventId{1}});
    bench.point_at(static_cast<float>(left) + static_cast<float>(bench.view().time.to_px(core::run_time(2000))),
                   static_cast<float>(y));
    CHECK_FALSE(bench.ephemeral().hovered.valid());
    bench.click();
    CHECK_FALSE(bench.last_intent<ui::SelectEvent>()->event.valid());
}

TEST_CASE("Ctrl+wheel zooms at the pointer, Shift+wheel pans") {
    Bench bench(three_kernels());
    const auto [left, y] = first_stream(bench);
    bench.point_at(static_cast<float>(left + 200), static_cast<float>(y));
    const core::RunTime under = bench.view().time.to_time(200);
    const double before = bench.view().time.px_per_ns;
    bench.input.keys = {GLFW_KEY_LEFT_CONTROL};
    bench.input.wheel = 3;
    bench.frames(2);
    CHECK(bench.view().time.px_per_ns > before * 1.5);
    CHECK(std::fabs(bench.view().time.to_px(under) - 200) < 1.5 * bench.view().time.px_per_ns + 1);
    const double zoomed = bench.view().time.px_per_ns;
    const core::RunTime from = bench.view().time.t0;
    bench.input.keys = {GLFW_KEY_LEFT_SHIFT};
    bench.input.wheel = -1;
    bench.frames(2);
    CHECK(bench.view().time.px_per_ns == zoomed);
    CHECK(bench.view().time.t0 > from);
}

TEST_CASE("dragging selects a time range, Escape clears it") {
    Bench bench(three_kernels());
    const auto [left, y] = first_stream(bench);
    bench.point_at(static_cast<float>(left + 100), static_cast<float>(y));
    bench.input.buttons[0] = true;
    bench.frames();
    for (int x = 110; x <= 300; x += 10) {
        bench.input.mouse_x = static_cast<float>(left + x);
        bench.frames();
    }
    bench.input.buttons[0] = false;
    bench.frames(2);
    REQUIRE(bench.view().area.has_value());
    CHECK(std::fabs(bench.view().time.to_px(bench.view().area->begin) - 100) < 1.5);
    CHECK(std::fabs(bench.view().time.to_px(bench.view().area->end) - 300) < 1.5);
    CHECK(bench.last_intent<ui::SelectEvent>() == nullptr);
    bench.press(GLFW_KEY_ESCAPE);
    CHECK_FALSE(bench.view().area.has_value());
}

TEST_CASE("W and S zoom, A and D pan, and F centres the selection, then fits it") {
    Bench bench(three_kernels());
    const ui::TimeView& view = bench.view().time;
    const double px_per_ns = view.px_per_ns;
    bench.press(GLFW_KEY_W);
    CHECK(view.px_per_ns > px_per_ns * 1.05);
    const core::RunTime left = view.t0;
    bench.press(GLFW_KEY_D);
    CHECK(view.t0 > left);
    bench.press(GLFW_KEY_A);
    CHECK(std::fabs(view.to_px(left)) < 2);
    bench.change_view([](ui::View& changed) { changed.selected = {0, core::EventId{2}}; });
    bench.press(GLFW_KEY_F);
    CHECK(std::fabs(view.to_px(core::run_time(2750)) - static_cast<double>(view.width_px) / 2) < 1.5);
    bench.press(GLFW_KEY_F);
    CHECK(view.to_px(core::run_time(3000)) - view.to_px(core::run_time(2500)) >
          static_cast<double>(view.width_px) * 0.4);
}

TEST_CASE("a click on a rank closes and opens it, and revealing an event opens its rows") {
    std::vector<core::RankTracePtr> traces;
    for (int i = 0; i < 4; ++i)
        traces.push_back(TraceFixture().rank(i).kernel(0, 100, "ka").kernel(0, 100, "kb", 8).cpu(0, 50, "op").build());
    Bench bench(run_of(traces));
    const std::size_t lanes = bench.timeline().stats().lanes;
    const ui::Item rank = bench.item("row:rank 0");
    bench.point_at(rank.min.x + 30, (rank.min.y + rank.max.y) / 2);
    bench.click();
    bench.frames(2);
    CHECK(bench.timeline().stats().lanes < lanes);
    const core::EventRef hidden{3, core::testing::find_named(*traces[3], "op")};
    bench.timeline().reveal(hidden);
    bench.frames(2);
    const ui::Item& opened = bench.item("row:CPU \xC2\xB7 1 thread");
    CHECK(opened.visible);
}

TEST_CASE("an unchanged view collects nothing") {
    Bench bench(three_kernels());
    bench.frames(2);
    CHECK_FALSE(bench.timeline().stats().collected);
    const std::size_t rects = bench.timeline().stats().rects;
    bench.change_view([&](ui::View& view) { view.time.pan(3); });
    bench.frames();
    CHECK(bench.timeline().stats().collected);
    CHECK(bench.timeline().stats().rects == rects);
}

TEST_CASE("the ruler shows the steps of the hovered rank, with lines across its rows only") {
    Bench bench(run_of({TraceFixture().step(0, 1000, 1).kernel(0, 4000, "ka").build(),
                        TraceFixture().step(2000, 1000, 2).kernel(0, 4000, "kb").build()}));
    const ui::Item plot = bench.item("plot");
    const auto x_of = [&](std::int64_t ns) {
        return static_cast<int>(plot.min.x) +
               static_cast<int>(std::lround(bench.view().time.to_px(core::run_time(ns))));
    };
    const auto band = [&](std::int64_t ns) { return bench.pixel(x_of(ns), static_cast<int>(plot.min.y) - 4); };
    const ui::Item second = bench.item("row:rank 1");
    bench.point_at(plot.min.x + 2, plot.min.y + 10);
    CHECK(band(900) != band(3500));
    CHECK(band(2900) == band(3500));
    bench.point_at(plot.min.x + 2, (second.min.y + second.max.y) / 2);
    CHECK(band(900) == band(3500));
    CHECK(band(2900) != band(3500));
    const auto crossed = [&](float y) {
        return bench.pixel(x_of(2000), static_cast<int>(y)) != bench.pixel(x_of(2000) + 3, static_cast<int>(y));
    };
    CHECK(crossed(second.max.y + 8));
    CHECK_FALSE(crossed(plot.min.y + 22 + 8));
}

TEST_CASE("a large folded group is drawn coarsely first and finely once the view rests") {
    std::vector<core::RankTracePtr> traces;
    for (int rank = 0; rank < 100; ++rank) {
        TraceFixture fixture;
        for (int i = 0; i < 200; ++i) fixture.kernel(1000 * i + 3 * rank, 300, "gemm");
        fixture.info().host = rank < 99 ? "alpha" : "beta";
        traces.push_back(fixture.rank(rank).build());
    }
    Bench bench(run_of(traces));
    bench.choose([](ui::UiChoices& choices) { choices.ranks.grouping = "node"; });
    bench.choose([](ui::UiChoices& choices) { choices.ranks.fold_groups = true; });
    bench.settle();
    CHECK_FALSE(bench.timeline().busy());
    bench.change_view([&](ui::View& view) { view.time.zoom(2, 100); });
    bench.frames();
    CHECK(bench.timeline().busy());
    CHECK(bench.timeline().stats().moving);  // one extra frame detects that the view rests
    bench.settle();
    CHECK_FALSE(bench.timeline().busy());
    CHECK_FALSE(bench.timeline().stats().moving);
    CHECK_FALSE(bench.timeline().stats().collected);
}
