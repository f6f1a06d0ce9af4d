#include "ui/timeline/model/rank_series.hpp"

#include "core/analysis/engine/analysis.hpp"
#include "tests/core/trace_fixture.hpp"
#include "ui/timeline/model/lane_layout.hpp"
#include "ui/timeline/rows/rows.hpp"
#include "ui/timeline/scene/collect_counter.hpp"

#include <doctest/doctest.h>

using core::testing::run_of;
using core::testing::TraceFixture;

namespace {

TraceFixture two_launches() {
    TraceFixture fixture;
    fixture.launch(10, 2, 1).launch(20, 2, 2).kernel(40, 10, "k", 7, 1).kernel(50, 30, "k", 7, 2);
    fixture.kernel(60, 5, "Memcpy HtoD (Pinned -> Device)", 8, -1, "gpu_memcpy")
        .arg(core::Arg::Bytes, 1000)
        .arg(core::Arg::BandwidthMbPerS, 200'000);
    return fixture;
}

ui::RankSeriesPtr series_of(const core::RunPtr& run) {
    const core::Result<ui::RankSeriesPtr> series = ui::build_rank_series(*run, 0, {});
    REQUIRE(series);
    return *series;
}

std::vector<std::string> names_of(const ui::RankSeries& series) {
    std::vector<std::string> names;
    for (const ui::SeriesLine& line : series.lines) names.push_back(line.name());
    return names;
}

}  // namespace

TEST_CASE("what analyses know over time becomes lines with a name, a unit and values that hold until the next") {
    const core::RunPtr run = run_of({two_launches().build()});
    const ui::RankSeriesPtr series = series_of(run);
    CHECK(names_of(*series) == std::vector<std::string>{"Queue length, stream 7", "Memory bandwidth, HtoD"});
    const ui::CounterView queue = series->lines[0].view();
    const core::RankSlot& rank = run->rank(0);
    CHECK_FALSE(ui::counter_value_at(queue, rank, core::run_time(9)));
    for (const auto& [time, length] : {std::pair(10, 1), {19, 1}, {20, 2}, {39, 2}, {40, 1}, {50, 0}, {79, 0}})
        CHECK(ui::counter_value_at(queue, rank, core::run_time(time)) == length);
    CHECK(ui::format_value(queue, 2) == "2");
    const ui::CounterView copies = series->lines[1].view();
    CHECK(ui::counter_value_at(copies, rank, core::run_time(60)) == 2e11);
    CHECK(ui::counter_value_at(copies, rank, core::run_time(65)) == 0);
    CHECK(ui::format_value(copies, 2e11) == "200 GB/s");
    CHECK(ui::choose_scale(std::array{queue}) == ui::CounterScale{0, 2});
    CHECK(series->rank == run->rank(0).index);
}

TEST_CASE("a line that the trace has as a counter of its own is not drawn twice") {
    TraceFixture fixture = two_launches();
    core::EventBatch& batch = fixture.batch();
    batch.counters.push_back(
        {15, batch.pool.intern("0"), batch.pool.intern("queue length, stream 7"), batch.pool.intern("launched"), 1});
    CHECK(names_of(*series_of(run_of({fixture.build()}))) == std::vector<std::string>{"Memory bandwidth, HtoD"});
}

TEST_CASE("a rank without launches and copies has no lines; work can be cancelled") {
    const core::RunPtr run = run_of({TraceFixture().cpu(0, 10, "aten::mm").build()});
    CHECK(series_of(run)->lines.empty());
    std::stop_source stop;
    stop.request_stop();
    CHECK_FALSE(ui::build_rank_series(*run_of({two_launches().build()}), 0, {stop.get_token()}).has_value());
}

TEST_CASE("lines are below the streams of their rank while it is open") {
    TraceFixture fixture = two_launches();
    fixture.cpu(0, 5, "op");
    const core::RunPtr run = run_of({fixture.build()});
    const ui::RankSeriesPtr series = series_of(run);
    const ui::SeriesByRank by_rank{{series->rank.get(), series}};
    const auto labels = [&](const ui::RowChoices& choices) {
        const ui::LaneLayout layout(*run, choices, ui::Opening::Streams, ui::RowSizes::comfortable(1), by_rank);
        std::vector<std::string> texts;
        for (const ui::LayoutRow& row : layout.rows()) texts.push_back(format_row_label(*run, row));
        return texts;
    };
    CHECK(labels({}) == std::vector<std::string>{"rank 0", "stream 7", "stream 8", "Queue length, stream 7",
                                                 "Memory bandwidth, HtoD"});
    CHECK(labels({{{run->rank(0).key.packed(), &ui::rank_kind(), 0}, false}}) == std::vector<std::string>{"rank 0"});
}
