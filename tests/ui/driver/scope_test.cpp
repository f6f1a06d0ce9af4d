// Scope of charts and tables: the rows of an area, operated through the whole window.

#include "core/analysis/catalogue/registry.hpp"
#include "core/analysis/run/run_analysis.hpp"
#include "core/base/format.hpp"
#include "core/base/short_name.hpp"
#include "core/query/filter_text.hpp"
#include "tests/ui/driver/sample_window.hpp"
#include "ui/driver/script.hpp"

#include <nlohmann/json.hpp>

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

TEST_CASE_FIXTURE(SampleWindow,
                  "a folded rank says that names of the filter do not dim its row, and does not without them") {
    const auto hover_rank = [&] {
        for (const json& row : at("/timeline/rows")) {
            if (row["kind"] != "rank" || row["rank"] != "1") continue;
            const ui::Item* const plot = ui::items().find("timeline/plot");
            REQUIRE(plot);
            const double y = (row["y"].get<double>() + 8) / static_cast<double>(plot->max.y - plot->min.y);
            did(driver->hover("timeline/plot@0.5," + std::to_string(y)));
        }
        return at("/tooltip").get<std::string>();
    };
    driver->window().post(ui::SetFilter{core::parse_filter("class:compute").value()});
    did(driver->wait_idle());
    const std::string by_class = hover_rank();
    CHECK_MESSAGE(by_class.starts_with("rank 1\n"), by_class);
    CHECK(by_class.find("all work") == std::string::npos);
    did(driver->hover("top/filter"));
    driver->window().post(ui::SetFilter{core::parse_filter("name:gemm").value()});
    did(driver->wait_idle());
    CHECK(hover_rank().find("what passes the filter is drawn over the rest") != std::string::npos);
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
    const json shown = window.at("/panels/analysis");
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
    const auto table_rows = [&] { return window.at("/panels/analysis/rows_of_bar"); };
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
        json::parse(R"([{"resize": [2400, 1000]}, {"panel": "kernels"}, {"click": "kernels/Per rank"}])"), {}));
    const json panel = window.at("/panels/kernels");
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

TEST_CASE("operators are a tree that adds up: total is self and what is below; the table is a click away") {
    const SampleWindow window;
    window.driver->window().post(ui::ShowAnalysis{"operators"});
    did(window.driver->wait_idle());
    const json rows = window.at("/panels/analysis/tree/tree");
    REQUIRE(rows.size() > 3);
    CHECK(rows[0]["depth"] == 0);
    std::size_t checked = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        std::int64_t below = 0;
        bool any = false;
        for (std::size_t j = i + 1; j < rows.size() && rows[j]["depth"] > rows[i]["depth"]; ++j) {
            if (rows[j]["depth"].get<int>() != rows[i]["depth"].get<int>() + 1) continue;
            below += rows[j]["total_ns"].get<std::int64_t>();
            any = true;
        }
        if (!any) continue;
        CHECK(rows[i]["self_ns"].get<std::int64_t>() + below == rows[i]["total_ns"].get<std::int64_t>());
        ++checked;
    }
    CHECK(checked > 0);
    did(window.driver->click("analysis/table"));
    did(window.driver->wait_idle());
    CHECK(window.at("/panels/analysis/table/rows_total") > 0);
}

TEST_CASE("a click on a bar of the GPU work of launches filters by its durations") {
    const SampleWindow window;
    did(window.driver->resize(1600, 900));
    window.driver->window().post(ui::ShowAnalysis{"launches"});
    did(window.driver->wait_idle());
    const json counts = window.at("/panels/analysis/distributions/gpu/counts");
    std::size_t bin = 0;
    while (counts[bin] == 0) ++bin;
    did(window.driver->click("gpu/bin:" + std::to_string(bin)));
    did(window.driver->wait_idle());
    CHECK(window.at("")["filter"].get<std::string>().starts_with("dur:"));
}

TEST_CASE("cards, marks and entries of lists are walked by keys, and Enter does what a click does") {
    const SampleWindow window;
    did(ui::run_script(*window.driver, json::parse(R"([
        {"resize": [1280, 720]},
        {"panel": "findings"},
        {"key": "tab"}, {"key": "tab"},
        {"expect": {"at": "/focus", "contains": "findings"}},
        {"expect": {"at": "/panels/findings/cursor", "equals": 0}},
        {"key": "down"},
        {"expect": {"at": "/panels/findings/cursor", "equals": 1}},
        {"key": "home"},
        {"expect": {"at": "/panels/findings/cursor", "equals": 0}},
        {"key": "enter"},
        {"expect": {"at": "/selected/rank", "equals": "5"}},
        {"key": "shift+enter"},
        {"expect": {"at": "/filter", "contains": "rank:"}},
        {"key": "end"},
        {"expect": {"at": "/panels/findings/cursor", "at_least": 1}},
        {"key": "esc"},
        {"expect": {"at": "/focus", "equals": ""}},
        {"key": "ctrl+z"},
        {"click": {"event": "ncclDevKernel_AllReduce", "rank": 0, "nth": 1}},
        {"key": "shift+m"},
        {"key": "home"},
        {"panel": "marks"},
        {"key": "tab"}, {"key": "tab"},
        {"expect": {"at": "/focus", "contains": "marks"}},
        {"expect": {"at": "/panels/marks/cursor", "equals": 0}},
        {"expect": {"at": "/timeline/overview/marked_px/0", "equals": 0}},
        {"key": "enter"},
        {"expect": {"at": "/timeline/overview/marked_px/0", "differs": 0}}
    ])"),
                       {}));
}

TEST_CASE("letters go to the next row of a table that begins with them, once it is walked by keys") {
    const SampleWindow window;
    did(ui::run_script(*window.driver, json::parse(R"([
        {"resize": [1280, 720]},
        {"panel": "kernels"}
    ])"),
                       {}));
    const auto focus = [&] { return window.at("").at("focus").get<std::string>(); };
    for (int i = 0; i < 12 && focus().find("kernels") == std::string::npos; ++i) {
        did(window.driver->key("tab"));
        did(window.driver->wait_idle());
    }
    REQUIRE(focus().find("kernels") != std::string::npos);
    CHECK(window.at("/panels/kernels/table/cursor") == 0);
    const json rows = window.at("/panels/kernels/table/rows");
    std::size_t wanted = 0;
    for (std::size_t i = 1; i < rows.size() && wanted == 0; ++i)
        if (rows[i]["kernel"].get<std::string>().starts_with("nccl")) wanted = i;
    REQUIRE(wanted > 0);
    const json view = window.at("")["view"];
    window.driver->type(std::string(1, core::short_name(rows[wanted]["kernel"].get<std::string>()).normal.front()));
    did(window.driver->wait_idle());
    const std::size_t at = window.at("/panels/kernels/table/cursor").get<std::size_t>();
    CHECK(at > 0);
    CHECK(at <= wanted);
    CHECK(window.at("")["view"] == view);  // the timeline gets none of its letters
}
