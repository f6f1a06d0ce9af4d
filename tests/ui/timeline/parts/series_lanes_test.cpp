// Queue length and memory bandwidth as rows of the timeline, by user input, compared with the analyses.

#include "tests/corpus.hpp"
#include "tests/ui/driver/comparing_window.hpp"
#include "ui/timeline/model/rank_series.hpp"

using nlohmann::json;
using ui::testing::ComparingWindow;
using ui::testing::did;
using ui::testing::DrivenWindow;
using ui::testing::SampleWindow;

namespace {

std::vector<json> series_rows(const json& timeline) {
    std::vector<json> rows;
    for (const json& row : timeline["rows"])
        if (row["kind"] == "series") rows.push_back(row);
    return rows;
}

struct TwoWithLanes : ComparingWindow {
    TwoWithLanes() : ComparingWindow(ui::testing::pair().baseline, ui::testing::pair().candidate) {
        did(driver->resize(1600, 1400));
        did(driver->key("l"));
    }
};

}  // namespace

TEST_CASE_FIXTURE(SampleWindow, "L shows series below the streams of open ranks, and hides them again") {
    did(driver->resize(1600, 1400));
    CHECK_FALSE(at("/timeline").contains("series"));
    did(driver->key("l"));
    const json timeline = at("/timeline");
    CHECK(timeline["series"]["title"] == "queue and memory");
    const core::Result<ui::RankSeriesPtr> expected = ui::build_rank_series(*driver->session().run(), 0, {});
    REQUIRE(expected);
    REQUIRE((*expected)->lines.size() > 4);
    const std::vector<json> rows = series_rows(timeline);
    REQUIRE(rows.size() >= (*expected)->lines.size());
    for (std::size_t i = 0; i < (*expected)->lines.size(); ++i) {
        CHECK(rows[i]["title"] == (*expected)->lines[i].name());
        CHECK(rows[i]["rank"] == "0");
        CHECK(rows[i]["scale"]["top"] == (*expected)->lines[i].view().pyramid->whole().most);
    }
    did(driver->key("l"));
    CHECK(series_rows(at("/timeline")).empty());
    CHECK_FALSE(at("/timeline").contains("series"));
}

TEST_CASE_FIXTURE(SampleWindow, "hovering a line shows its value and unit; the filter does not change lines") {
    did(driver->resize(1600, 1400));
    did(driver->key("l"));
    const json rows = at("/timeline/rows");
    const ui::Item* plot = ui::items().find("timeline/plot");
    REQUIRE(plot);
    const float height = plot->max.y - plot->min.y;
    std::string queue, copies;
    for (const json& row : rows) {
        if (row["kind"] != "series" || row["rank"] != "0") continue;
        char target[64];
        const double y = (row["y"].get<double>() + 16) / static_cast<double>(height);
        std::snprintf(target, sizeof target, "timeline/plot@0.5,%.4f", y);
        if (y >= 1) break;
        did(driver->hover(target));
        const std::string said = at("/tooltip");
        CHECK(said.starts_with(row["title"].get<std::string>() + "\n"));
        if (said.starts_with("Queue length, stream 7")) queue = said;
        if (said.starts_with("Memory bandwidth, HtoD")) copies = said;
    }
    CHECK(queue.find("\nlaunched, not started: ") != std::string::npos);
    CHECK(copies.find("\nof the copies running: ") != std::string::npos);
    CHECK(copies.find("B/s") != std::string::npos);
    const std::size_t lines = at("/timeline/series/lines").get<std::size_t>();
    core::Filter filter;
    filter.terms.push_back({false, core::RankTerm{{{0, 0}}}});
    driver->window().post(ui::SetFilter{filter});
    CHECK(at("/timeline/series/lines") == lines);
}

TEST_CASE_FIXTURE(TwoWithLanes, "both sides of a comparison have lines, and partner rows have equal heights") {
    const std::vector<json> here = series_rows(at("/timeline"));
    const std::vector<json> there = series_rows(at("/candidate/timeline"));
    REQUIRE(here.size() > 4);
    std::size_t partners = 0;
    for (const json& row : here)
        for (const json& other : there)
            if (row["rank"] == other["rank"] && row["title"] == other["title"]) {
                CHECK(row["y"] == other["y"]);
                ++partners;
            }
    CHECK(partners > 4);
}

TEST_CASE_FIXTURE(DrivenWindow,
                  "a trace without launches says that nothing is known, and an empty window shows nothing") {
    did(driver->key("l"));
    did(driver->wait_idle());
    if (!core::testing::corpus_is_here()) return;
    open(core::testing::corpus_folder() / "HolisticTraceAnalysis" / "cpu_only");
    CHECK(at("/timeline/series/title") == "no queue, no memory");
    CHECK(series_rows(at("/timeline")).empty());
}
