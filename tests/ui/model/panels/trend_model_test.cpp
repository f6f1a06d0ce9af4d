// The trend of sample runs in one folder.

#include "ui/model/panels/trend_model.hpp"

#include "core/sample/sample_run.hpp"
#include "tests/core/temp_folder.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <thread>

using namespace ui;

namespace {

void finish(TrendModel& model, core::JobPool& pool) {
    while (model.busy()) {
        model.update(pool, core::IndexFiles::Ignore);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

}  // namespace

TEST_CASE("runs next to a run are read on request, and those that fail say why") {
    const core::testing::TempFolder folder;
    for (int i = 0; i < 3; ++i) {
        core::SampleOptions options;
        options.ranks = 2;
        options.layers = 1;
        options.steps = 3;
        options.seed = static_cast<std::uint64_t>(i + 1);
        REQUIRE(core::write_sample_run(folder.path() / ("run" + std::to_string(i)), options, {}));
    }
    std::filesystem::create_directories(folder.path() / "broken");
    std::ofstream(folder.path() / "broken/rank0.json") << "no trace";
    core::JobPool pool(1);
    TrendModel model;
    model.list(pool, TrendOf::Neighbours, {folder.path() / "run0"});
    finish(model, pool);
    REQUIRE(model.sources().size() == 4);
    CHECK(model.measured() == 0);
    CHECK(model.series().runs.empty());
    model.measure();
    finish(model, pool);
    CHECK(model.measured() == 4);
    CHECK_FALSE(model.sources()[0].failed.empty());
    REQUIRE(model.series().with_values.size() == 3);
    for (std::size_t place = 0; place < 3; ++place) {
        REQUIRE(model.source_at(place));
        CHECK(model.source_at(place)->name == model.series().runs[model.series().with_values[place]].name);
    }
    CHECK_FALSE(model.source_at(3));
    REQUIRE(model.levels().size() == 1);
    CHECK(model.levels().front().last == 3);
}

TEST_CASE("levels are between change points, each with its own mean") {
    std::vector<core::SeriesRun> runs;
    for (int i = 0; i < 12; ++i)
        runs.push_back(
            {.name = std::to_string(i), .start_ns = i, .ns = (i < 7 ? 100e6 : 120e6) + 1e5 * (i % 3), .steps = 5});
    runs.push_back({.name = "none", .start_ns = 3, .ns = {}, .steps = 0});
    const core::RunSeries series = core::analyse_series(std::move(runs));
    const std::vector<TrendLevel> levels = find_levels(series);
    REQUIRE(levels.size() == 2);
    CHECK(levels[0].first == 0);
    CHECK(levels[0].last == 7);
    CHECK(levels[1].first == 7);
    CHECK(levels[1].last == 12);
    CHECK(levels[0].mean_ns < 101e6);
    CHECK(levels[1].mean_ns > 119e6);
}
