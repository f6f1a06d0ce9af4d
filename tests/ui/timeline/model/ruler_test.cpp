#include "ui/timeline/model/ruler.hpp"

#include "core/base/format.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

TEST_CASE("tick steps are 1, 2 or 5 times a power of ten, the smallest that is wide enough") {
    std::mt19937_64 random(4);
    for (int i = 0; i < 10'000; ++i) {
        const double px_per_ns = std::pow(10.0, std::uniform_real_distribution<>(-12, 3)(random));
        const double least = std::uniform_real_distribution<>(40, 200)(random);
        std::int64_t step = ui::choose_tick_step(px_per_ns, least).count();
        CHECK(static_cast<double>(step) * px_per_ns >= least);
        CHECK((step == 1 || static_cast<double>(step) * px_per_ns < least * 2.5001));
        while (step % 10 == 0) step /= 10;
        CHECK((step == 1 || step == 2 || step == 5));
    }
}

TEST_CASE("ticks are multiples of the step from the origin, inside the plot, in order, and none is missing") {
    std::mt19937_64 random(5);
    const core::RunTime origin = core::run_time(1'700'000'000'000'000'123);
    for (int i = 0; i < 3'000; ++i) {
        ui::TimeView view;
        view.width_px = 1000;
        view.t0 = origin + core::Duration{
                               std::uniform_int_distribution<std::int64_t>(-1'000'000'000, 3'600'000'000'000)(random)};
        view.px_per_ns = std::pow(10.0, std::uniform_real_distribution<>(-9, 2)(random));
        const core::Duration step = ui::choose_tick_step(view.px_per_ns, 80);
        const std::vector<ui::Tick> ticks = ui::collect_ticks(view, origin, step);
        REQUIRE_FALSE(ticks.empty());
        for (std::size_t k = 0; k < ticks.size(); ++k) {
            CHECK(ticks[k].offset.count() % step.count() == 0);
            CHECK(ticks[k].px < 1000);
            if (k > 0) CHECK(ticks[k].offset - ticks[k - 1].offset == step);
        }
        CHECK(view.to_px(origin + ticks.front().offset) <= 0.5);
        CHECK(view.to_px(origin + ticks.back().offset + step) >= 999);
    }
}

TEST_CASE("neighbouring ticks have different labels from hours to a nanosecond") {
    const core::RunTime origin = core::run_time(0);
    for (double px_per_ns = 1e-11; px_per_ns < 500; px_per_ns *= 3) {
        ui::TimeView view;
        view.width_px = 1500;
        view.t0 = core::run_time(3'599'999'999'000);
        view.px_per_ns = px_per_ns;
        const core::Duration step = ui::choose_tick_step(px_per_ns, 80);
        const std::vector<ui::Tick> ticks = ui::collect_ticks(view, origin, step);
        for (std::size_t k = 1; k < ticks.size(); ++k) {
            CHECK(core::format_time_offset(ticks[k].offset, step) !=
                  core::format_time_offset(ticks[k - 1].offset, step));
        }
    }
}
