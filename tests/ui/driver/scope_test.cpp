// What charts and tables are of: the rows of an area, worked through the whole window.

#include "core/analysis/engine/analysis.hpp"
#include "core/base/format.hpp"
#include "tests/ui/driver/sample_window.hpp"
#include "ui/driver/script.hpp"

#include <map>

using nlohmann::json;
using ui::testing::did;
using ui::testing::SampleWindow;

TEST_CASE("a drag over rows of two ranks breaks down the time of these ranks only, and says so") {
    const ui::testing::SampleWindow window;
    did(ui::run_script(*window.driver, json::parse(R"([
        {"resize": [1100, 620]},
        {"panel": "breakdown"},
        {"drag": "timeline/plot@0.3,0.2", "to": "timeline/plot@0.7,0.5"},
        {"expect": {"at": "/panels/breakdown/fresh", "equals": true}},
        {"expect": {"at": "/panels/breakdown/of", "contains": " of 8 ranks"}},
        {"expect": {"at": "/panels/breakdown/ranks/1", "exists": true}},
        {"expect": {"at": "/panels/breakdown/ranks/7", "exists": false}},
        {"expect": {"at": "/timeline/area/of", "contains": " of 8 ranks"}},
        {"click": "area/details"},
        {"expect": {"at": "/panels/area/of", "contains": " of 8 ranks"}},
        {"expect": {"item": "area/scope"}}
    ])"),
                       {}));
}

TEST_CASE("Overview, Details and Hang say what they are of") {
    const SampleWindow window;
    did(ui::run_script(*window.driver, json::parse(R"([
        {"panel": "overview"},
        {"expect": {"at": "/panels/overview/of", "contains": "8 ranks"}},
        {"expect": {"item": "overview/scope"}},
        {"click": "top/filter"}, {"type": "rank:0-2 class:compute"}, {"key": "enter"},
        {"expect": {"at": "/panels/overview/of", "contains": "3 of 8 ranks"}},
        {"expect": {"at": "/panels/overview/of", "contains": "class:compute highlights"}},
        {"click": {"event": "ncclDevKernel_AllReduce", "rank": 0, "nth": 1}},
        {"expect": {"at": "/panels/details/of", "contains": "rank 0 of 8 ranks"}}
    ])"),
                       {}));
}

TEST_CASE("the strip of the whole run has the scale of the timeline and follows the filter") {
    const SampleWindow window;
    did(ui::run_script(*window.driver, json::parse(R"([
        {"key": "home"},
        {"expect": {"at": "/timeline/overview/marked_px/0", "equals": 0}},
        {"click": "top/filter"}, {"type": "rank:0-2 class:compute time:1ms..5ms"}, {"key": "enter"},
        {"expect": {"at": "/timeline/overview/ranks", "equals": 3}},
        {"expect": {"at": "/timeline/overview/dimmed", "equals": 6}},
        {"expect": {"at": "/timeline/overview/cuts_time", "equals": true}},
        {"expect": {"at": "/timeline/overview/highlights", "equals": false}},
        {"click": "top/filter"}, {"key": "ctrl+a"}, {"type": "name:AllReduce"}, {"key": "enter"},
        {"expect": {"at": "/timeline/overview/highlights", "equals": true}},
        {"expect": {"at": "/timeline/overview/ranks", "equals": 8}}
    ])"),
                       {}));
}

TEST_CASE("launches are distributions; a click on a bar keeps its rows in the table, another one all") {
    const SampleWindow window;
    did(ui::run_script(*window.driver, json::parse(R"([
        {"resize": [1600, 900]},
        {"panel": "analysis"}
    ])"),
                       {}));
    window.driver->window().post(ui::ShowAnalysis{"launches"});
    did(window.driver->wait_idle());
    const json shown = window.driver->state().at(json::json_pointer("/panels/analysis"));
    REQUIRE(shown["analysis"] == "launches");
    for (const char* column : {"gpu", "delay", "call"}) {
        CAPTURE(column);
        CHECK(shown["distributions"][column]["values"] == shown["distributions"]["gpu"]["values"]);
        CHECK(shown["distributions"][column]["p99_ns"] >= shown["distributions"][column]["median_ns"]);
    }
    const json counts = shown["distributions"]["call"]["counts"];
    std::size_t bin = 0;
    while (counts[bin] == 0) ++bin;
    const json click = json::array({{{"click", "call/bin:" + std::to_string(bin)}}});
    const auto table_rows = [&] {
        return window.driver->state().at(json::json_pointer("/panels/analysis/rows_of_bar"));
    };
    CHECK(table_rows() == 0);
    did(ui::run_script(*window.driver, click, {}));
    CHECK(table_rows() > 0);
    did(ui::run_script(*window.driver, click, {}));
    CHECK(table_rows() == 0);
}

TEST_CASE("the top kernels of each rank are bars that add up to all of its kernel time") {
    const SampleWindow window;
    did(ui::run_script(
        *window.driver,
        json::parse(R"([{"resize": [1800, 1000]}, {"panel": "kernels"}, {"click": "kernels/Per rank"}])"), {}));
    const json panel = window.driver->state().at(json::json_pointer("/panels/kernels"));
    REQUIRE(panel.contains("top"));
    CHECK(panel["top"]["bars"].size() == 8);
    CHECK(panel["top"]["parts"].size() == 8);
    const core::Analysis& analysis = *core::find_analysis("kernels");
    const core::Answer answer =
        *core::run_analysis(analysis, *window.driver->session().run(), {}, core::Params{}, 1, {});
    std::map<std::int64_t, double> sums;
    for (std::size_t row = 0; row < answer.main().rows(); ++row)
        sums[answer.main().integer(row, 0)] += answer.main().number(row, answer.main().find_column("total"));
    for (const auto& [rank, sum] : sums) {
        double shown = 0;
        for (const double value : panel["top"]["bars"][core::format_rank(core::RankKey::unpacked(rank))])
            shown += value;
        CHECK(shown == doctest::Approx(sum));
    }
}
