// Tooltips of titles and values, and the events behind a row.

#include "core/analysis/catalogue/registry.hpp"
#include "core/base/format.hpp"
#include "tests/ui/driver/comparing_window.hpp"

#include <set>

using nlohmann::json;
using ui::testing::ComparingWindow;
using ui::testing::did;
using ui::testing::SampleWindow;

namespace {

struct ExplainWindow : SampleWindow {
    void post(ui::Intent intent) {
        driver->window().post(std::move(intent));
        did(driver->wait_idle());
    }
    std::string hint(const std::string& target) {
        did(driver->hover(target));
        return at("/tooltip");
    }
    // The cell of a row below a column's title.
    std::string cell(const std::string& table, int row, const std::string& column) {
        did(driver->wait_idle());
        const std::string of_row = table + "/row:" + std::to_string(row);
        const ui::Item* title = ui::items().find(table + "/sort:" + column);
        const ui::Item* line = ui::items().find(of_row);
        REQUIRE(title);
        REQUIRE(line);
        const float x = ((title->min.x + title->max.x) / 2 - line->min.x) / (line->max.x - line->min.x);
        return of_row + "@" + std::to_string(x) + ",0.5";
    }
    void choose_analysis(const std::string& id) {
        post(ui::ShowPanel{"analysis"});
        did(driver->click("analysis/analysis"));
        did(driver->wait_idle());
        did(driver->click("analysis/" + id));
        did(driver->wait_idle());
    }
    std::size_t gpu_events() {
        std::size_t count = 0;
        for (const core::RankSlot& rank : driver->session().run()->ranks()) count += rank.trace().gpu_events.size();
        return count;
    }
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE_FIXTURE(ExplainWindow, "a title says unit, meaning, definition, filter, and how many events that is") {
    post(ui::ShowPanel{"kernels"});
    std::string said = hint("kernels/sort:total");
    CAPTURE(said);
    CHECK(has(said, "Total  ns\nsum of their durations, all ranks"));
    CHECK(has(said, std::string(core::find_analysis("kernels")->summary)));
    CHECK(has(said, "Filter: none, the whole run"));
    CHECK(has(said, "All " + core::format_count(std::uint64_t{gpu_events()}) + " GPU events\n"));
    CHECK(has(said, "lockstep analyses kernels"));
}

TEST_CASE_FIXTURE(ExplainWindow, "a title says how many events the filter leaves out") {
    post(ui::ShowPanel{"kernels"});
    post(ui::SetFilter{core::Filter{{{false, core::RankTerm{{{0, 0}}}}}}});
    const std::string said = hint("kernels/sort:count");
    CAPTURE(said);
    const std::size_t all = gpu_events();
    const std::size_t own = driver->session().run()->rank(0).trace().gpu_events.size();
    const auto words = [](std::size_t n) { return core::format_count(std::uint64_t{n}); };
    CHECK(has(said, "Filter: rank:0"));
    CHECK(has(said, words(own) + " of " + words(all) + " GPU events in the filter, " + words(all - own) + " left out"));
}

TEST_CASE_FIXTURE(ExplainWindow, "events on the CPU are counted where an analysis is of them too") {
    choose_analysis("operators");
    did(driver->click("analysis/table"));
    did(driver->wait_idle());
    CHECK(has(hint("analysis/sort:calls"), " CPU events\n"));
    choose_analysis("overlap");
    CHECK_FALSE(has(hint("analysis/sort:overlap"), "CPU events"));
}

TEST_CASE_FIXTURE(ExplainWindow, "a value says its exact form, its row in full and what it is") {
    post(ui::ShowPanel{"kernels"});
    const json row = at("/panels/kernels/table/rows/0");
    const std::string said = hint(cell("kernels", 0, "total"));
    CAPTURE(said);
    CHECK(said.starts_with(core::format_count(row["total_ns"].get<std::int64_t>()) + " ns  "));
    CHECK(has(said, row["kernel"].get<std::string>()));
    CHECK(has(said, "Total: sum of their durations, all ranks"));
    CHECK(has(said, "Filter: none"));
}

TEST_CASE_FIXTURE(ExplainWindow, "the events behind a row are listed, as many as it counts, and a click goes to one") {
    post(ui::ShowPanel{"kernels"});
    CHECK_FALSE(ui::items().find("tabs/events"));
    const json row = at("/panels/kernels/table/rows/0");
    did(driver->right_click("kernels/row:0"));
    did(driver->click("row-menu/list"));
    CHECK(at("/tabs/left") == "events");
    const json shown = at("/panels/events");
    CHECK(shown["events"] == row["count"]);
    CHECK(shown["total_ns"] == row["total_ns"]);
    CHECK(shown["unsaid"] == "");
    const json first = shown["table"]["rows"][0];
    CHECK(first["name"] == row["kernel"]);
    CHECK(first["duration_ns"] == row["max_ns"]);
    CHECK(shown["table"]["rows"][1]["duration_ns"] <= first["duration_ns"]);
    did(driver->click("events/row:1"));
    const json event = at("/selected");
    CHECK(event["name"] == row["kernel"]);
    CHECK(event["rank"] == shown["table"]["rows"][1]["rank"]);
    CHECK(event["start_ns"] == shown["table"]["rows"][1]["start_ns"]);
    const json view = at("/view");
    CHECK(view["begin_ns"].get<std::int64_t>() <= event["start_ns"].get<std::int64_t>());
    CHECK(view["end_ns"].get<std::int64_t>() > event["start_ns"].get<std::int64_t>());
    CHECK(at("/tabs/left") == "events");
    CHECK(ui::items().find("tabs/events"));
}

TEST_CASE_FIXTURE(ExplainWindow, "the list follows the filter, and a rank's row lists the rank's own") {
    post(ui::ShowPanel{"kernels"});
    did(driver->click("Per rank"));
    const json row = at("/panels/kernels/table/rows/0");
    did(driver->right_click("kernels/row:0"));
    did(driver->click("row-menu/list"));
    CHECK(at("/panels/events/events") == row["count"]);
    CHECK(at("/panels/events/table/rows/0/rank") == row["rank"]);
    core::TimeTerm nothing;
    nothing.begin = core::Duration{1'000'000'000'000};
    post(ui::SetFilter{core::Filter{{{false, nothing}}}});
    CHECK(at("/panels/events/events") == 0);
}

TEST_CASE_FIXTURE(ExplainWindow, "a key that no filter can express is stated above the list") {
    choose_analysis("idle-breakdown");
    did(driver->right_click("analysis/row:0"));
    did(driver->click("row-menu/list"));
    CHECK(has(at("/panels/events/unsaid"), "cause "));
    CHECK(at("/panels/events/events") > 0);
}

TEST_CASE_FIXTURE(ExplainWindow, "the measure of the steps' map is explained as a column is") {
    post(ui::ShowPanel{"steps"});
    const std::string said = hint("steps/measure");
    CAPTURE(said);
    CHECK(has(said, "Duration  ns\n"));
    CHECK(has(said, std::string(core::find_analysis("steps")->summary)));
}

TEST_CASE_FIXTURE(ExplainWindow, "a row whose events cannot be listed says why") {
    choose_analysis("operators");
    did(driver->click("analysis/table"));
    did(driver->wait_idle());
    const json rows = at("/panels/analysis/table/rows");
    std::size_t row = 0;
    while (row < rows.size() && rows[row]["operator"] != "(unattributed)") ++row;
    if (row == rows.size()) return;
    did(driver->right_click("analysis/row:" + std::to_string(row)));
    did(driver->wait_idle());
    CHECK(ui::items().find("row-menu/unlisted"));
    CHECK_FALSE(ui::items().find("row-menu/list"));
}

TEST_CASE_FIXTURE(ExplainWindow,
                  "a stretch of the critical path leads to its event; all tables of an answer can be chosen") {
    choose_analysis("critical-path");
    CHECK(at("/panels/analysis/tables") == json{"main", "what-if", "names", "links", "path"});
    CHECK(at("/panels/analysis/shown") == "main");
    did(driver->click("analysis/table"));
    did(driver->wait_idle());
    did(driver->click("table:path"));
    CHECK(at("/panels/analysis/shown") == "path");
    const json rows = at("/panels/analysis/table/rows");
    std::size_t row = 0;
    while (row < rows.size() && (rows[row]["event"].is_null() || rows[row]["duration_ns"] == 0)) ++row;
    REQUIRE(row < rows.size());
    const std::string of_row = "analysis/row:" + std::to_string(row);
    const std::string said = hint(cell("analysis", static_cast<int>(row), "duration"));
    CAPTURE(said);
    CHECK(has(said, "A click selects the event, a double click shows it"));
    CHECK_FALSE(has(said, "A right click lists the events"));
    did(driver->click(of_row));
    CHECK(at("/selected/name") == rows[row]["name"]);
    CHECK(at("/selected/rank") == "0");
    CHECK(at("/filter") == "");
    did(driver->double_click(of_row));
    const json event = at("/selected");
    const json view = at("/view");
    CHECK(view["begin_ns"].get<std::int64_t>() <= event["start_ns"].get<std::int64_t>());
    CHECK(view["end_ns"].get<std::int64_t>() > event["start_ns"].get<std::int64_t>());
    did(driver->right_click(of_row));
    did(driver->wait_idle());
    CHECK(ui::items().find("row-menu/show"));
    CHECK_FALSE(ui::items().find("row-menu/list"));
    did(driver->key("esc"));
    choose_analysis("overlap");
    CHECK(at("/panels/analysis/shown") == "main");
}

TEST_CASE_FIXTURE(ExplainWindow, "a finding is not its worst event, but a double click goes there") {
    choose_analysis("findings");
    const json row = at("/panels/analysis/table/rows/0");
    REQUIRE_FALSE(row["event"].is_null());
    CHECK(has(hint(cell("analysis", 0, "gain")), "A right click lists the events"));
    did(driver->double_click("analysis/row:0"));
    const json event = at("/selected");
    CHECK(event["rank"] == row["rank"]);
    const core::Run& run = *driver->session().run();
    const auto slot = static_cast<std::size_t>(std::stoi(row["rank"].get<std::string>()));
    const auto id = core::EventId(row["event"].get<std::uint32_t>());
    CHECK(event["name"] == run.rank(slot).trace().name_text(id));
}

TEST_CASE_FIXTURE(ExplainWindow,
                  "a cell of the steps' map says what it is, and lists the events of its rank and step") {
    post(ui::ShowPanel{"steps"});
    const std::string rank = at("/panels/steps/ranks/1"), step = std::to_string(at("/panels/steps/steps/0").get<int>());
    const std::string target = "steps/cell:" + rank + "," + step;
    const std::string said = hint(target);
    CAPTURE(said);
    CHECK(said.starts_with("rank " + rank + ", step " + step + "\nDuration, ns: "));
    CHECK(has(said, "Right click: list the events"));
    CHECK(hint("steps/legend").starts_with("Duration, ns: "));
    CHECK(has(hint("over-ranks"), "\nDuration, ns: "));
    did(driver->right_click(target));
    did(driver->click("row-menu/list"));
    const json shown = at("/panels/events");
    CHECK(shown["title"] == "rank " + rank + ", step " + step);
    CHECK(has(shown["filter"], "rank:" + rank));
    CHECK(has(shown["filter"], "step:" + step));
    CHECK(shown["events"] > 0);
    CHECK(at("/filter") == "");
}

TEST_CASE_FIXTURE(ExplainWindow,
                  "a bar of the breakdown says what its parts are, and lists the events of the one pointed at") {
    post(ui::ShowPanel{"breakdown"});
    const std::string said = hint("breakdown/bar:rank 2@0.02,0.5");
    CAPTURE(said);
    CHECK(said.starts_with("rank 2\nCompute, ns: "));
    CHECK(has(said, "Right click: list the events"));
    CHECK(hint("breakdown/legend:Idle").starts_with("Idle, ns: "));
    const std::string legend = hint("breakdown/legend:Exposed communication");
    CHECK(legend.starts_with("Exposed communication, ns: "));
    CHECK(has(legend, "A click filters by communication"));
    CHECK(has(hint("breakdown/axis"), "Idle, ns: "));
    did(driver->right_click("breakdown/bar:rank 2@0.02,0.5"));
    did(driver->click("row-menu/list"));
    const json shown = at("/panels/events");
    CHECK(shown["title"] == "rank 2 \xC2\xB7 compute");
    const core::RankSlot& rank = driver->session().run()->rank(2);
    std::size_t compute = 0;
    for (const core::EventId e : rank.trace().gpu_events)
        compute += rank.index->classes().of(e) == core::KernelClass::Compute ? 1 : 0;
    CHECK(shown["events"] == compute);
    CHECK(shown["unsaid"] == "");
}

TEST_CASE_FIXTURE(ExplainWindow, "bars of any analysis and of kernel durations are explained and list their events") {
    did(driver->resize(1600, 900));
    choose_analysis("overlap");
    const std::string said = hint("analysis/bar:rank 1@0.01,0.5");
    CAPTURE(said);
    CHECK(said.starts_with("rank 1\n"));
    CHECK(has(said, "Right click: list the events"));
    CHECK(has(hint("analysis/axis"), "\nExposed, ns: "));
    did(driver->right_click("analysis/bar:rank 1@0.01,0.5"));
    did(driver->click("row-menu/list"));
    CHECK(at("/panels/events/filter") == "rank:1");
    CHECK(at("/panels/events/events") == driver->session().run()->rank(1).trace().gpu_events.size());
    post(ui::ShowPanel{"kernel-durations"});
    const std::string mean = hint("chart:0/bar:rank 3");
    CHECK(mean.starts_with("rank 3\nMean, ns: "));
    did(driver->right_click("chart:0/bar:rank 3"));
    did(driver->click("row-menu/list"));
    CHECK(at("/panels/events/filter") == "rank:3");
    CHECK(at("/panels/events/events") > 0);
    for (const std::string rank : {"1", "3", "6"}) {  // at most one of them has the longest of all
        post(ui::ShowPanel{"kernel-durations"});
        did(driver->right_click("chart:0/bar:rank " + rank));
        did(driver->click("row-menu/show"));
        did(driver->wait_idle());
        CHECK(at("/selected/rank") == rank);
    }
}

TEST_CASE_FIXTURE(ExplainWindow, "a part of a bar that a second key makes lists its own events") {
    did(driver->resize(1600, 900));
    choose_analysis("kernel-types");
    did(driver->right_click("analysis/bar:rank 1@0.01,0.5"));
    did(driver->click("row-menu/list"));
    const json shown = at("/panels/events");
    CHECK(has(shown["filter"], "rank:1"));
    CHECK(has(shown["filter"], "class:"));
    CHECK(shown["events"] > 0);
    CHECK(shown["events"] < driver->session().run()->rank(1).trace().gpu_events.size());
}

TEST_CASE_FIXTURE(ExplainWindow, "of idle time nothing is listed; what a window's bar is about is shown within it") {
    post(ui::ShowPanel{"breakdown"});
    did(driver->click("breakdown/Share"));
    did(driver->right_click("breakdown/bar:rank 5@0.995,0.5"));
    CHECK(ui::items().find("row-menu/unlisted"));
    CHECK_FALSE(ui::items().find("row-menu/list"));
    did(driver->key("esc"));
    const core::RunPtr run = driver->session().run();
    const core::Duration third = run->window().length() / 3;
    for (const int part : {0, 1}) {
        const core::RunRange window{run->window().begin + part * third, run->window().begin + (part + 1) * third};
        post(ui::ShowRange{window});
        did(driver->click("breakdown/Visible"));
        did(driver->wait_idle());
        did(driver->right_click("breakdown/bar:rank 2@0.02,0.5"));
        did(driver->click("row-menu/show"));
        did(driver->wait_idle());
        const std::int64_t start = at("/selected/start_ns");
        CHECK(start >= (window.begin - run->origin()).count());
        CHECK(start < (window.end - run->origin()).count());
    }
}

TEST_CASE("bars and cells of two runs list the events of either") {
    ComparingWindow window(ui::testing::pair().baseline, ui::testing::pair().candidate);
    did(window.driver->resize(1600, 1000));
    for (const core::Side side : core::kSides) {
        const std::string name(core::name_of(side));
        window.post(ui::ShowPanel{"breakdown"});
        did(window.driver->right_click("breakdown/bar:rank 1@0.02,0.2"));
        did(window.driver->click("row-menu/list-" + name));
        json shown = window.at("/panels/events");
        CHECK(shown["side"] == name);
        CHECK(shown["title"] == "rank 1 \xC2\xB7 compute");
        CHECK(shown["events"] > 0);
        window.post(ui::ShowPanel{"kernel-durations"});
        did(window.driver->right_click("chart:0/bar:rank 2"));
        did(window.driver->click("row-menu/list-" + name));
        shown = window.at("/panels/events");
        CHECK(shown["side"] == name);
        CHECK(shown["events"] > 0);
        for (const json& row : shown["table"]["rows"]) CHECK(row["rank"] == "2");
        window.post(ui::ShowPanel{"steps"});
        const std::string step = std::to_string(window.at("/panels/steps/baseline/steps/0").get<int>());
        did(window.driver->right_click("steps/candidate/cell:0," + step));
        did(window.driver->click("row-menu/list-" + name));
        shown = window.at("/panels/events");
        CHECK(shown["side"] == name);
        CHECK(shown["events"] > 0);
    }
}

TEST_CASE(
    "bars of the waterfall say what they are and list the events of either side; wholes and idle time have none") {
    ComparingWindow window(ui::testing::pair().baseline, ui::testing::pair().candidate);
    did(window.driver->resize(1600, 1000));
    window.post(ui::ShowPanel{"compare"});
    const auto hint = [&](std::size_t bar) -> std::string {
        did(window.driver->hover("compare/bar:" + std::to_string(bar)));
        return window.at("/tooltip");
    };
    CHECK(has(hint(0), "The mean over "));
    CHECK_FALSE(has(hint(0), "Right click"));
    const json parts = window.at("/panels/compare/parts");
    std::size_t bar = 0;
    std::set<std::string> seen;
    for (const json& part : parts) {
        const std::string kind = part["part"];
        if (kind != "kernel" && part["baseline_ns"] == 0 && part["candidate_ns"] == 0) continue;
        ++bar;
        if (!seen.insert(kind).second) continue;
        CAPTURE(kind);
        const std::string said = hint(bar);
        CHECK(has(said, kind == "idle" ? "the GPU runs nothing" : "ime in which") == (kind != "other_kernels"));
        CHECK(has(said, "Right click: list the events") == (kind != "idle"));
        did(window.driver->right_click("compare/bar:" + std::to_string(bar)));
        CHECK((ui::items().find("row-menu/unlisted") != nullptr) == (kind == "idle"));
        for (const core::Side side : core::kSides) {
            if (kind == "idle" || part[std::string(name_of(side)) + "_ns"] == 0) continue;
            did(window.driver->right_click("compare/bar:" + std::to_string(bar)));
            did(window.driver->click("row-menu/list-" + std::string(name_of(side))));
            CHECK(window.at("/panels/events/side") == name_of(side));
            CHECK(window.at("/panels/events/events") > 0);
            window.post(ui::ShowPanel{"compare"});
        }
        did(window.driver->key("esc"));
    }
    CHECK(seen.contains("kernel"));
    CHECK(seen.contains("exposed_communication"));
    CHECK(seen.contains("idle"));
}

TEST_CASE("of two runs the events of the side that is asked for are listed and shown") {
    ComparingWindow window(ui::testing::pair().baseline, ui::testing::pair().candidate);
    window.post(ui::ShowPanel{"kernels"});
    const json rows = window.at("/panels/kernels/comparison/rows");
    std::size_t row = 0;
    while (row < rows.size() && rows[row]["presence"] != "both") ++row;
    REQUIRE(row < rows.size());
    did(window.driver->hover("kernels/sort:total.change"));
    const std::string said = window.at("/tooltip");
    CAPTURE(said);
    CHECK(has(said, "Total, change"));
    CHECK(has(said, "Baseline: All "));
    CHECK(has(said, "Candidate: All "));
    for (const core::Side side : core::kSides) {
        window.post(ui::ShowPanel{"kernels"});
        const std::string name(core::name_of(side));
        did(window.driver->right_click("kernels/row:" + std::to_string(row)));
        did(window.driver->click("row-menu/list-" + name));
        const json shown = window.at("/panels/events");
        CHECK(shown["side"] == name);
        CHECK(shown["events"] > 0);
        CHECK(shown["table"]["rows"][0]["name"] == rows[row]["kernel"]);
        did(window.driver->click("events/row:0"));
        const json event = window.at(side == core::Side::Baseline ? "/selected" : "/candidate/selected");
        CHECK(event["start_ns"] == shown["table"]["rows"][0]["start_ns"]);
        CHECK(event["duration_ns"] == shown["table"]["rows"][0]["duration_ns"]);
    }
}
