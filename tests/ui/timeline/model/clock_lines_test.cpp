#include "ui/timeline/model/clock_lines.hpp"

#include "core/analysis/telemetry/rank_samples.hpp"
#include "tests/core/analysis/telemetry/telemetry_fixture.hpp"
#include "ui/timeline/scene/collect_counter.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace core::testing;

namespace {

core::RunPtr run_with(const std::string& log) {
    const ScratchFolder folder;
    write_telemetry_traces(folder);
    folder.write("node-a.csv", log);
    core::RunPtr run = open_folder(folder);
    core::telemetry_of(*run);  // the log is read while its folder is there
    return run;
}

std::vector<ui::SeriesLine> lines_of(const core::Run& run, std::uint32_t slot) {
    std::vector<ui::SeriesLine> lines;
    ui::add_clock_lines(run, slot, 3, lines);
    return lines;
}

double value_at(const core::Run& run, std::uint32_t slot, const ui::CounterView& line, int second) {
    const core::RankTime time = core::rank_time((kTelemetryBase + second) * 1'000'000'000 + 1'000'000);
    return ui::counter_value_at(line, run.rank(slot), run.rank(slot).to_run(time)).value_or(-1);
}

}  // namespace

TEST_CASE("clock, power, temperature and reasons of a log are lines of each rank on a common scale") {
    const core::RunPtr run = run_with(query_csv());
    for (const std::uint32_t slot : {1U, std::uint32_t{kSlowRank}}) {
        const std::vector<ui::SeriesLine> lines = lines_of(*run, slot);
        REQUIRE(lines.size() == 4);
        CHECK(lines[0].name() == "SM clock");
        CHECK(lines[1].name() == "GPU power");
        CHECK(lines[2].name() == "GPU temperature");
        CHECK(lines[3].name() == "Clock lowered by");
        const bool slow = slot == kSlowRank;
        CHECK(value_at(*run, slot, lines[0].view(), 7) == (slow ? 1410 : 1980));
        CHECK(ui::choose_scale(std::array{lines[0].view()}) == ui::CounterScale{0, 1980});
        const double band = value_at(*run, slot, lines[3].view(), 7);
        CHECK(ui::format_value(lines[3].view(), band) == (slow ? "power" : "not lowered"));
    }
}

TEST_CASE("narrow steps show the means that telemetry has, and wide ones the samples") {
    const core::RunPtr run = run_with(query_csv());
    const std::vector<ui::SeriesLine> lines = lines_of(*run, kSlowRank);
    const double px_per_ns = 1.0 / (kTelemetryStep * 1e9);
    CHECK(lines[0].view_at(100 * px_per_ns).times.size() == lines[0].view().times.size());
    const ui::CounterView means = lines[0].view_at(2 * px_per_ns);
    REQUIRE(means.times.size() == 2 * kTelemetrySteps);
    const core::Table telemetry = answer_of(*run, "telemetry", "rank:2").main();
    for (std::size_t step = 0; step < kTelemetrySteps; ++step) {
        CHECK(means.values[2 * step] == telemetry.number(step + 1, telemetry.find_column("clock")));
        CHECK(std::isnan(means.values[2 * step + 1]));
    }
}

TEST_CASE("a time without samples is a gap in the line") {
    std::string log =
        "timestamp, index, clocks.sm [MHz]\n" + telemetry_lines([](const LoggedSecond& at) {
            const bool is_lost = at.second >= 8 && at.second < 14;
            return is_lost ? std::string()
                           : "2025/12/31 " + clock_text(at.second) + ".000, " + std::to_string(at.gpu) + ", 1980 MHz\n";
        });
    const core::RunPtr run = run_with(log);
    const std::vector<ui::SeriesLine> lines = lines_of(*run, 0);
    REQUIRE(lines.size() == 1);
    CHECK(value_at(*run, 0, lines[0].view(), 7) == 1980);
    CHECK(value_at(*run, 0, lines[0].view(), 12) == -1);
    CHECK(value_at(*run, 0, lines[0].view(), 14) == 1980);
    std::vector<core::ValueRange> columns(30);
    ui::TimeView view;
    view.t0 = run->rank(0).to_run(core::rank_time(kTelemetryBase * 1'000'000'000));
    view.px_per_ns = 1e-9;
    ui::collect_counter(lines[0].view(), run->rank(0), view, columns);
    CHECK_FALSE(columns[7].empty());
    CHECK(columns[12].empty());
    std::vector<ui::PlotRect> plot;
    ui::plot_band(columns, 1980, 10, plot);
    CHECK(plot.size() == 2);
}
