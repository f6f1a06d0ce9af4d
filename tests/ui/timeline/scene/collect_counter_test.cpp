#include "ui/timeline/scene/collect_counter.hpp"

#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <random>

using core::testing::run_of;
using core::testing::TraceFixture;

namespace {

void add_sample(TraceFixture& fixture, std::int64_t time_ns, double value, std::string_view series = "value") {
    core::EventBatch& batch = fixture.batch();
    batch.counters.push_back(
        {time_ns, batch.pool.intern("0"), batch.pool.intern("memory"), batch.pool.intern(series), value});
}

ui::TimeView view_of(double px_per_ns, std::int64_t t0 = 0, float width = 100) {
    ui::TimeView view;
    view.px_per_ns = px_per_ns;
    view.t0 = core::run_time(t0);
    view.width_px = width;
    return view;
}

ui::CounterView line_of(const core::RunPtr& run) { return ui::view_counter(run->rank(0), 0); }

}  // namespace

TEST_CASE("a value holds until the next, the last one to the end of its rank") {
    TraceFixture fixture;
    fixture.kernel(0, 60, "k");
    add_sample(fixture, 10, 4);
    add_sample(fixture, 30, -2);
    const core::RunPtr run = run_of({fixture.build()});
    std::vector<core::ValueRange> columns(100);
    ui::collect_counter(line_of(run), run->rank(0), view_of(1), columns);
    CHECK(columns[9].empty());
    CHECK(columns[10] == core::ValueRange{4, 4});
    CHECK(columns[29] == core::ValueRange{4, 4});
    CHECK(columns[30] == core::ValueRange{-2, 4});  // the step
    CHECK(columns[31] == core::ValueRange{-2, -2});
    CHECK(columns[59] == core::ValueRange{-2, -2});
    CHECK(columns[60].empty());
    CHECK_FALSE(ui::counter_value_at(line_of(run), run->rank(0), core::run_time(9)).has_value());
    CHECK(ui::counter_value_at(line_of(run), run->rank(0), core::run_time(29)) == 4);
    CHECK(ui::counter_value_at(line_of(run), run->rank(0), core::run_time(30)) == -2);
    const ui::CounterScale scale = ui::choose_scale(std::array{line_of(run)});
    CHECK(scale == ui::CounterScale{-2, 4});
}

TEST_CASE("every column has the least and the most of all values that hold in it, at any zoom") {
    std::mt19937 random(11);
    TraceFixture fixture;
    fixture.kernel(0, 200'000, "k");
    std::vector<std::pair<std::int64_t, double>> samples;
    std::int64_t at = 500;
    for (int i = 0; i < 3000; ++i) {
        at += 1 + static_cast<std::int64_t>(random() % (random() % 50 == 0 ? 2000 : 20));
        samples.emplace_back(at, static_cast<double>(random() % 1000) - 200);
        add_sample(fixture, samples.back().first, samples.back().second);
    }
    const core::RunPtr run = run_of({fixture.build()});
    for (int round = 0; round < 30; ++round) {
        const double px_per_ns = std::pow(10.0, std::uniform_real_distribution<>(-3, 0.5)(random));
        const ui::TimeView view = view_of(px_per_ns, static_cast<std::int64_t>(random() % 40'000), 300);
        std::vector<core::ValueRange> columns(300);
        ui::collect_counter(line_of(run), run->rank(0), view, columns);
        for (std::size_t x = 0; x < columns.size(); ++x) {
            const std::int64_t begin = core::ns_of(view.to_time(static_cast<double>(x)));
            const std::int64_t end = std::max(core::ns_of(view.to_time(static_cast<double>(x + 1))), begin + 1);
            core::ValueRange expected;
            for (std::size_t i = 0; i < samples.size(); ++i) {
                const bool within = samples[i].first >= begin && samples[i].first < end;
                const bool held = samples[i].first < begin &&
                                  (i + 1 == samples.size() ? begin < 200'000 : samples[i + 1].first >= begin);
                if (within || held) expected.add(samples[i].second);
            }
            REQUIRE(columns[x] == expected);
        }
    }
}

TEST_CASE("the line of steps joins least and most of each column, equal columns are one rectangle") {
    const std::vector<core::ValueRange> columns{{0, 0}, {0, 0}, {0, 10}, {10, 10}, {}, {5, 5}};
    std::vector<ui::PlotRect> line;
    ui::plot_steps(columns, {0, 10}, 21, 1, line);
    const std::vector<ui::PlotRect> expected{{0, 2, 20, 21}, {2, 3, 0, 21}, {3, 4, 0, 1}, {5, 6, 10, 11}};
    CHECK(line == expected);
}

TEST_CASE("the area is between the line and zero, below zero for negative values") {
    const std::vector<core::ValueRange> columns{{10, 10}, {-10, -10}, {-10, 10}, {0, 0}};
    std::vector<ui::PlotRect> area;
    ui::plot_area(columns, {-10, 10}, 21, area);
    const std::vector<ui::PlotRect> expected{{0, 1, 0, 10}, {1, 2, 10, 20}, {2, 3, 0, 20}};
    CHECK(area == expected);
}

TEST_CASE("values too large to subtract still make a plot inside its area") {
    const std::vector<core::ValueRange> columns{{-1.7e308, 1.7e308}};
    std::vector<ui::PlotRect> line;
    ui::plot_steps(columns, {-1.7e308, 1.7e308}, 20, 1, line);
    REQUIRE(line.size() == 1);
    CHECK(line[0].y0 >= 0);
    CHECK(line[0].y1 <= 20);
}
