#include "ui/model/time_view.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

namespace {

// How far the left edge moved, with whole nanoseconds subtracted as integers.
double moved_ns(const ui::TimeView& from, const ui::TimeView& to) {
    return static_cast<double>((to.t0 - from.t0).count()) + (to.fraction_ns - from.fraction_ns);
}

constexpr std::int64_t kHour = 3'600'000'000'000;

ui::TimeView random_view(std::mt19937_64& random) {
    ui::TimeView view;
    view.t0 = core::run_time(std::uniform_int_distribution<std::int64_t>(1'700'000'000'000'000'000,
                                                                         1'700'000'000'000'000'000 + kHour)(random));
    view.fraction_ns = std::uniform_real_distribution<>(0, 0.999)(random);
    view.px_per_ns = std::pow(10.0, std::uniform_real_distribution<>(-9, 2.9)(random));
    view.width_px = 1600;
    return view;
}

}  // namespace

TEST_CASE("zooming keeps the time under the pointer, at any zoom and far from zero") {
    std::mt19937_64 random(7);
    for (int i = 0; i < 20'000; ++i) {
        ui::TimeView view = random_view(random);
        const double anchor = std::uniform_real_distribution<>(0, 1600)(random);
        const double factor = std::pow(2.0, std::uniform_real_distribution<>(-3, 3)(random));
        const ui::TimeView before = view;
        view.zoom(factor, anchor);
        const double anchor_moved_ns = moved_ns(before, view) + anchor / view.px_per_ns - anchor / before.px_per_ns;
        CHECK(std::fabs(anchor_moved_ns * view.px_per_ns) < 0.01);
        CHECK(view.fraction_ns >= 0);
        CHECK(view.fraction_ns < 1);
    }
}

TEST_CASE("a pixel turned into a time and back moves by less than a pixel or a nanosecond") {
    std::mt19937_64 random(8);
    for (int i = 0; i < 20'000; ++i) {
        const ui::TimeView view = random_view(random);
        const double px = std::uniform_real_distribution<>(-100, 1700)(random);
        const double back = view.to_px(view.to_time(px));
        CHECK(back <= px + 1e-6 * std::fabs(px) + 1e-3);
        CHECK(px - back < view.px_per_ns + 1e-3);
    }
}

TEST_CASE("panning there and back returns to the same left edge") {
    std::mt19937_64 random(9);
    for (int i = 0; i < 5'000; ++i) {
        ui::TimeView view = random_view(random);
        const ui::TimeView before = view;
        const double px = std::uniform_real_distribution<>(-2000, 2000)(random);
        view.pan(px);
        view.pan(-px);
        CHECK(std::fabs(moved_ns(before, view)) * view.px_per_ns < 0.01);
    }
}

TEST_CASE("fitting a range puts its ends inside the plot, with the margin asked for") {
    ui::TimeView view;
    view.width_px = 1000;
    const core::RunRange range{core::run_time(5'000), core::run_time(15'000)};
    view.fit(range, 0);
    CHECK(view.to_px(range.begin) == doctest::Approx(0));
    CHECK(view.to_px(range.end) == doctest::Approx(1000));
    view.fit(range, 0.02);
    CHECK(view.to_px(range.begin) == doctest::Approx(1000 * 0.02 / 1.04));
    CHECK(view.to_px(range.end) == doctest::Approx(1000 * 1.02 / 1.04));
}

TEST_CASE("fitting an empty range is possible") {
    ui::TimeView view;
    view.fit({core::run_time(5), core::run_time(5)});
    CHECK(view.px_per_ns > 0);
    CHECK(std::isfinite(view.px_per_ns));
}

TEST_CASE("clamping keeps some of the run on the screen and the zoom between its limits") {
    const core::RunRange bounds{core::run_time(0), core::run_time(1'000'000)};
    std::mt19937_64 random(10);
    for (int i = 0; i < 5'000; ++i) {
        ui::TimeView view = random_view(random);
        view.t0 = core::run_time(std::uniform_int_distribution<std::int64_t>(-kHour, kHour)(random));
        view.px_per_ns = std::pow(10.0, std::uniform_real_distribution<>(-13, 6)(random));
        view.clamp(bounds);
        CHECK(view.px_per_ns <= 1000);
        CHECK(view.to_px(bounds.begin) <= 1600 + 1);
        CHECK(view.to_px(bounds.end) >= -1);
        const double length = static_cast<double>(bounds.length().count()) * view.px_per_ns;
        CHECK(length > 1600 / 1.2);
        if (length > 1600) continue;
        CHECK(view.to_px(bounds.begin) >= -1);
        CHECK(view.to_px(bounds.end) <= 1600 + 1);
    }
}

TEST_CASE("the visible range covers every pixel of the plot") {
    std::mt19937_64 random(11);
    for (int i = 0; i < 5'000; ++i) {
        const ui::TimeView view = random_view(random);
        CHECK(view.to_px(view.range().begin) <= 1e-6);
        CHECK(view.to_px(view.range().end) >= 1600 - 1e-2);
    }
}
