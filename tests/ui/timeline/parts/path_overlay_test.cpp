// The critical path over the rows of the timeline, by user input, compared with the analysis.

#include "core/analysis/catalogue/registry.hpp"
#include "core/analysis/run/run_analysis.hpp"
#include "core/query/filter_text.hpp"
#include "tests/ui/driver/comparing_window.hpp"
#include "ui/model/panels/critical_path_model.hpp"

#include <algorithm>

using nlohmann::json;
using ui::testing::ComparingWindow;
using ui::testing::did;
using ui::testing::DrivenWindow;
using ui::testing::SampleWindow;

namespace {

ui::CriticalPath path_of(const core::RunPtr& run, const std::string& filter, std::size_t slot) {
    const core::Analysis& analysis = *core::find_analysis("critical-path");
    const auto params = core::make_params(analysis, {});
    REQUIRE(params);
    const auto parsed = core::parse_filter(filter);
    REQUIRE(parsed);
    const auto answer = core::run_analysis(analysis, *run, *parsed, *params, 1, {});
    REQUIRE(answer);
    return ui::CriticalPath::of(*run, slot, *answer);
}

struct PathWindow : SampleWindow {
    PathWindow() {
        set_filter("rank:0");
        did(driver->key("p"));
    }
    void set_filter(const char* text) {
        const auto parsed = core::parse_filter(text);
        REQUIRE(parsed);
        driver->window().post(ui::SetFilter{*parsed});
        did(driver->wait_idle());
    }
    std::size_t stretches() { return at("/timeline/critical_path/stretches").get<std::size_t>(); }
    std::int64_t length() { return at("/timeline/critical_path/length_ns").get<std::int64_t>(); }
    core::RunPtr run() { return driver->session().run(); }
};

struct TwoPaths : ComparingWindow {
    TwoPaths() : ComparingWindow(ui::testing::pair().baseline, ui::testing::pair().candidate) {
        did(driver->resize(1600, 1000));
    }
};

}  // namespace

TEST_CASE_FIXTURE(PathWindow,
                  "P shows the path of the only rank of the filter, stretch by stretch, and hides it again") {
    const ui::CriticalPath expected = path_of(run(), "rank:0", 0);
    REQUIRE(expected.stretches.size() > 10);
    CHECK(at("/timeline/critical_path/fresh") == true);
    CHECK(at("/timeline/critical_path/rank") == "0");
    CHECK(stretches() == expected.stretches.size());
    CHECK(length() == expected.length.count());
    CHECK(at("/timeline/critical_path/arrows") > 0);
    CHECK(at("/timeline/critical_path/spans") > 0);
    did(driver->scroll("timeline/plot@0.4,0.3", 10, "ctrl"));
    CHECK(stretches() < expected.stretches.size());
    did(driver->key("p"));
    did(driver->wait_idle());
    CHECK_FALSE(at("/timeline").contains("critical_path"));
}

TEST_CASE_FIXTURE(PathWindow, "the path follows the filter and its undo") {
    const std::int64_t whole = length();
    const std::int64_t number = run()->rank(0).trace().steps.front().number;
    const std::string step = "rank:0 step:" + std::to_string(number);
    set_filter(step.c_str());
    const ui::CriticalPath expected = path_of(run(), step, 0);
    CHECK(expected.length.count() < whole);
    CHECK(length() == expected.length.count());
    CHECK(at("/timeline/critical_path/all_stretches") == expected.stretches.size());
    did(driver->key("ctrl+z"));
    CHECK(length() == whole);
    set_filter("rank:3");
    CHECK(at("/timeline/critical_path/rank") == "3");
    CHECK(length() == path_of(run(), "rank:3", 3).length.count());
    set_filter("rank:77");
    CHECK_FALSE(at("/timeline/critical_path").contains("rank"));
    CHECK(stretches() == 0);
}

TEST_CASE_FIXTURE(PathWindow, "the path of a pinned rank is drawn in its band, and that of another rank is not") {
    set_filter("");
    driver->window().post(ui::SelectEvent{{5, run()->rank(5).trace().gpu_events.front()}, true});
    REQUIRE(at("/timeline/critical_path/rank") == "5");
    driver->window().post(ui::ChangeRanks{ui::RankChange::PinSelected});
    CHECK(at("/timeline/critical_path/spans") > 0);
    driver->window().post(ui::SelectEvent{{7, run()->rank(7).trace().gpu_events.front()}, true});
    CHECK(at("/timeline/critical_path/rank") == "7");
    driver->window().post(ui::ChangeRanks{ui::RankChange::PinSelected});
    driver->window().post(ui::ChangeRanks{ui::RankChange::PinSelected});  // unpinned: it may be out of view
    CHECK(at("/timeline/critical_path/rank") == "7");
    did(driver->key("esc"));
    CHECK(at("/timeline/critical_path/of") == "run");
    CHECK(at("/timeline/critical_path/spans") > 0);
}

TEST_CASE_FIXTURE(PathWindow,
                  "selecting an event leads the path to its rank; with nothing selected it goes across the ranks") {
    set_filter("");
    CHECK(at("/timeline/critical_path/of") == "run");
    driver->window().post(ui::SelectEvent{{2, run()->rank(2).trace().gpu_events.front()}, true});
    CHECK(at("/timeline/critical_path/rank") == "2");
    CHECK(length() == path_of(run(), "rank:2", 2).length.count());
    did(driver->key("esc"));
    did(driver->wait_idle());
    CHECK(at("/timeline/critical_path/of") == "run");
    CHECK_FALSE(at("/timeline/critical_path").contains("rank"));
}

TEST_CASE_FIXTURE(PathWindow, "with several ranks P draws the path of the run, with its crossings") {
    set_filter("");
    const core::Analysis& analysis = *core::find_analysis("critical-path");
    const std::pair<std::string, std::string> of_run[] = {{"of", "run"}};
    const auto params = core::make_params(analysis, of_run);
    REQUIRE(params);
    const auto answer = core::run_analysis(analysis, *run(), {}, *params, 1, {});
    REQUIRE(answer);
    const ui::RunCriticalPath expected = ui::RunCriticalPath::of(*run(), *answer);
    REQUIRE(expected.crossings.size() > 0);
    core::RunTime at_end = expected.visits.front().first.begin;
    for (const auto& [range, slot] : expected.visits) {
        CHECK(range.begin == at_end);
        at_end = range.end;
    }
    CHECK(at_end - expected.visits.front().first.begin == expected.length);
    CHECK(at("/timeline/critical_path/fresh") == true);
    CHECK(length() == expected.length.count());
    CHECK(at("/timeline/critical_path/all_stretches") == expected.stretches);
    CHECK(at("/timeline/critical_path/all_crossings") == expected.crossings.size());
    CHECK(at("/timeline/critical_path/spans") > 0);
    CHECK(at("/timeline/critical_path/crossings") > 0);
    json visited = json::array();
    for (std::size_t slot = 0; slot < expected.ranks.size(); ++slot)
        if (expected.ranks[slot].rank) visited.push_back(slot);
    CHECK(at("/timeline/critical_path/visited_slots") == visited);
    did(driver->key("p"));
    did(driver->wait_idle());
    CHECK_FALSE(at("/timeline").contains("critical_path"));
}

TEST_CASE_FIXTURE(PathWindow, "opening and closing rows keeps the path; without open rows it has no arrows") {
    driver->window().post(ui::ShowRun{});
    const std::size_t all = stretches();
    did(driver->click("timeline/tree@0.06,0.02"));
    did(driver->wait_idle());
    REQUIRE(at("/timeline/rows/0/open") == false);
    CHECK(stretches() == all);
    CHECK(at("/timeline/critical_path/arrows") == 0);
    CHECK(at("/timeline/critical_path/spans") > 0);
}

TEST_CASE_FIXTURE(PathWindow, "the analysis panel shows and hides the path; all what-ifs can be reached") {
    driver->window().post(ui::ShowPanel{"analysis"});
    did(driver->wait_idle());
    did(driver->click("left/analysis/analysis"));
    did(driver->click("critical-path"));
    did(driver->click("analysis/param:launch_delay"));
    did(driver->wait_idle());  // an answer moves the button
    did(driver->click("analysis/path"));
    CHECK_FALSE(at("/timeline").contains("critical_path"));
    did(driver->click("analysis/path"));
    CHECK(stretches() > 0);
}

TEST_CASE_FIXTURE(TwoPaths, "each of two runs has its own path") {
    driver->window().post(ui::SetFilter{*core::parse_filter("rank:0")});
    did(driver->wait_idle());
    did(driver->key("p"));
    for (const core::Side side : core::kSides) {
        const core::RunPtr run = driver->session().run(side);
        const json shown = at(side == core::Side::Baseline ? "/timeline" : "/candidate/timeline")["critical_path"];
        REQUIRE(shown.contains("rank"));
        CHECK(shown["length_ns"].get<std::int64_t>() == path_of(run, "rank:0", 0).length.count());
    }
    CHECK(at("/timeline/critical_path/length_ns") != at("/candidate/timeline/critical_path/length_ns"));
}

TEST_CASE_FIXTURE(SampleWindow, "the stretches of a path are contiguous and add up, also by event") {
    const core::RunPtr run = driver->session().run();
    const ui::CriticalPath path = path_of(run, "rank:1", 1);
    core::Duration sum{};
    for (std::size_t i = 0; i < path.stretches.size(); ++i) {
        sum += path.stretches[i].range.length();
        if (i > 0) REQUIRE(path.stretches[i].range.begin == path.stretches[i - 1].range.end);
    }
    CHECK(sum == path.length);
    core::Duration of_events{};
    for (const ui::PathPart& part : path.parts) of_events += part.time;
    core::Duration of_stretches{};
    for (const ui::PathStretch& stretch : path.stretches)
        if (stretch.event != core::kNoEvent) of_stretches += stretch.range.length();
    CHECK(of_events == of_stretches);
    const core::EventId event = path.parts.front().event;
    REQUIRE_FALSE(path.parts_of(event).empty());
    for (const ui::PathPart& part : path.parts_of(event)) CHECK(part.event == event);
}
