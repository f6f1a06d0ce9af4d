// Two runs in one window: linked views, one filter, panels for each; opening and closing the candidate.

#include "core/query/filter_text.hpp"
#include "tests/ui/driver/comparing_window.hpp"
#include "ui/shell/top_bar.hpp"

#include <algorithm>

using nlohmann::json;
using ui::testing::ComparingWindow;
using ui::testing::did;
using ui::testing::DrivenWindow;
using ui::testing::kBaseline;
using ui::testing::kCandidate;
using ui::testing::pair;

namespace {

struct TwoRuns : ComparingWindow {
    TwoRuns() : TwoRuns(pair().candidate) {}
    explicit TwoRuns(const std::filesystem::path& candidate) : ComparingWindow(pair().baseline, candidate) {
        did(driver->resize(1600, 1000));
    }
    const ui::TimeView& view(core::Side side) { return driver->window().view(side).time; }
    // The same zoom, and the same distance from the aligned moment.
    bool linked() {
        const core::RunAlignment* alignment = driver->session().alignment();
        return alignment && view(kBaseline).px_per_ns == view(kCandidate).px_per_ns &&
               view(kBaseline).t0 - alignment->anchor.baseline == view(kCandidate).t0 - alignment->anchor.candidate;
    }
    core::RunPtr run(core::Side side) { return driver->session().run(side); }
    // Number of the candidate's events that its timeline shows now.
    std::pair<core::EventRef, ui::Box> find_longest_shown() {
        did(driver->wait_idle());
        std::pair<core::EventRef, ui::Box> longest;
        const core::Run& candidate = *run(kCandidate);
        for (std::uint32_t i = 0; i < candidate.rank(0).trace().size(); ++i) {
            const core::EventRef event{0, core::EventId{i}};
            const std::optional<ui::Box> place = driver->window().timeline(kCandidate).place_of(event);
            if (place && place->width() > longest.second.width()) longest = {event, *place};
        }
        REQUIRE(longest.first.valid());
        return longest;
    }
};

core::Filter filter_of(const char* text) {
    auto parsed = core::parse_filter(text);
    REQUIRE(parsed);
    return std::move(parsed).value();
}

}  // namespace

TEST_CASE("two long names that begin alike are shown from the part on in which they differ") {
    CHECK(ui::differing_end("llama-7b-dp8-compiled", "llama-7b-dp8-eager") == "\xE2\x80\xA6-compiled");
    CHECK(ui::differing_end("llama-7b-dp16", "llama-7b-dp8") == "\xE2\x80\xA6-dp16");
    CHECK(ui::differing_end("baseline", "candidate") == "baseline");
    CHECK(ui::differing_end("run", "run-2") == "run");
    CHECK(ui::differing_end("run-2", "run") == "run-2");
}

TEST_CASE_FIXTURE(TwoRuns, "both runs are drawn, each by its own name") {
    CHECK(at("/title") == "before | after \xE2\x80\x93 Lockstep");
    CHECK(at("/run/name") == "before");
    CHECK(at("/candidate/run/name") == "after");
    CHECK(at("/timeline/lanes") > 4);
    CHECK(at("/candidate/timeline/lanes") > 4);
    CHECK(at("/view/whole_run") == true);
    CHECK(at("/candidate/view/whole_run") == true);
    CHECK(linked());
}

TEST_CASE_FIXTURE(TwoRuns, "the view that shows the whole contains both runs") {
    for (const core::Side side : core::kSides) {
        const core::RunRange shown = view(side).range();
        const core::RunAlignment& alignment = *driver->session().alignment();
        for (const core::Side of : core::kSides) {
            const core::RunRange window = run(of)->window();
            const auto here = [&](core::RunTime t) { return of == side ? t : alignment.across(of, t); };
            CHECK(here(window.begin) >= shown.begin);
            CHECK(here(window.end) <= shown.end);
        }
    }
}

TEST_CASE_FIXTURE(TwoRuns, "zooming either run zooms the other by the same moment") {
    const ui::TimeView whole = view(kBaseline);
    did(driver->scroll("timeline/plot@0.3,0.5", 4, "ctrl"));
    did(driver->wait_idle());
    const ui::TimeView near = view(kBaseline);
    CHECK(near.px_per_ns > whole.px_per_ns);
    CHECK(linked());
    did(driver->scroll("candidate-timeline/plot@0.5,0.5", 4, "ctrl"));
    did(driver->wait_idle());
    CHECK(view(kBaseline).px_per_ns > near.px_per_ns);
    CHECK(linked());
    post(ui::ShowRun{});
    CHECK(view(kBaseline) == whole);
    CHECK(linked());
}

TEST_CASE_FIXTURE(TwoRuns, "unlocked, a view moves alone") {
    post(ui::LockViews{false});
    const ui::TimeView before = view(kBaseline);
    did(driver->scroll("candidate-timeline/plot@0.5,0.5", 4, "ctrl"));
    did(driver->wait_idle());
    CHECK(view(kBaseline) == before);
    CHECK(view(kCandidate).px_per_ns > before.px_per_ns);
    post(ui::LockViews{true});
    CHECK(linked());
}

TEST_CASE_FIXTURE(TwoRuns, "a drag that ends over the other run stays with the run it began on") {
    const core::RunTime t0 = view(kBaseline).t0;
    did(driver->scroll("timeline/plot@0.5,0.5", 6, "ctrl"));
    did(driver->drag("timeline/plot@0.3,0.5", "candidate-timeline/plot@0.6,0.5", {2, 1, ""}));
    did(driver->wait_idle());
    CHECK(view(kBaseline).t0 != t0);
    CHECK(linked());
}

TEST_CASE_FIXTURE(TwoRuns, "one filter is asked of both runs") {
    post(ui::ShowPanel{"breakdown"});
    const json before = at("/panels/breakdown/ranks");
    post(ui::SetFilter{filter_of("step:11")});
    const json window = at("/panels/breakdown/ranks/0/window_ns");
    CHECK(at("/panels/breakdown/fresh") == true);
    CHECK(window["candidate"] < before["0"]["window_ns"]["candidate"]);
    CHECK(window["candidate"] != window["baseline"]);
    post(ui::Undo{});
    CHECK(at("/panels/breakdown/ranks") == before);
}

TEST_CASE_FIXTURE(TwoRuns, "a click into a panel filters both") {
    post(ui::ShowPanel{"breakdown"});
    did(driver->click("breakdown/bar:rank 1"));
    CHECK(at("/filter") == "rank:1");
    CHECK(at("/panels/breakdown/ranks/0/in_filter") == false);
    CHECK(at("/panels/breakdown/ranks/1/in_filter") == true);
}

TEST_CASE_FIXTURE(TwoRuns, "an event of the candidate is selected there and shown in Details") {
    driver->window().post(ui::ToggleDrawer{});
    const auto [event, place] = find_longest_shown();
    const json items = driver->state(true)["items"];
    const auto found = std::ranges::find(items, "candidate-timeline/plot", [](const json& any) { return any["path"]; });
    REQUIRE(found != items.end());
    const json& item = *found;
    const float x = ((place.min.x + place.max.x) / 2 - item["min"][0].get<float>()) /
                    (item["max"][0].get<float>() - item["min"][0].get<float>());
    const float y = ((place.min.y + place.max.y) / 2 - item["min"][1].get<float>()) /
                    (item["max"][1].get<float>() - item["min"][1].get<float>());
    did(driver->click("candidate-timeline/plot@" + std::to_string(x) + "," + std::to_string(y)));
    CHECK(at("/selected").is_null());
    CHECK(driver->window().view(kCandidate).selected == event);
    post(ui::ToggleDrawer{});
    CHECK(at("/tabs/right") == "details");
    CHECK(at("/candidate/panels").contains("details"));
    post(ui::Dismiss{});
    CHECK(at("/candidate/selected").is_null());
}

TEST_CASE_FIXTURE(TwoRuns, "runs are swapped, views and all, and undo swaps them back") {
    const ui::TimeView whole = view(kBaseline);
    did(driver->scroll("timeline/plot@0.5,0.5", 4, "ctrl"));
    did(driver->wait_idle());
    const ui::TimeView baseline = view(kBaseline);
    CHECK(baseline.px_per_ns > whole.px_per_ns);
    did(driver->click("top/swap"));
    CHECK(at("/run/name") == "after");
    CHECK(at("/candidate/run/name") == "before");
    CHECK(view(kCandidate) == baseline);
    CHECK(linked());
    post(ui::Undo{});
    CHECK(at("/run/name") == "before");
    CHECK(view(kBaseline) == baseline);
}

TEST_CASE_FIXTURE(TwoRuns, "closing the candidate leaves the window as with one run, undo brings it back") {
    did(driver->click("top/close-candidate"));
    CHECK(at("/title") == "before \xE2\x80\x93 Lockstep");
    CHECK(at("/candidate").is_null());
    CHECK(at("/view/whole_run") == true);
    CHECK(driver->window().ephemeral().has_keys);
    const core::RunRange alone = view(kBaseline).range();
    post(ui::Undo{});
    CHECK(at("/candidate/run/name") == "after");
    CHECK(linked());
    post(ui::CloseRun{kBaseline});
    CHECK(at("/title") == "after \xE2\x80\x93 Lockstep");
    CHECK(at("/view/whole_run") == true);
    CHECK(view(kBaseline).range() != alone);
}

namespace {

// The place of an event in the plot of a side's timeline, as a target.
std::string target_at(TwoRuns& window, core::Side side, const ui::Box& place) {
    const std::string plot = side == kBaseline ? "timeline/plot" : "candidate-timeline/plot";
    const json items = window.driver->state(true)["items"];
    const auto found = std::ranges::find(items, json(plot), [](const json& any) { return any["path"]; });
    REQUIRE(found != items.end());
    const auto share = [&](float at, std::size_t axis) {
        const float low = (*found)["min"][axis];
        return std::to_string((at - low) / ((*found)["max"][axis].get<float>() - low));
    };
    return plot + "@" + share((place.min.x + place.max.x) / 2, 0) + "," + share((place.min.y + place.max.y) / 2, 1);
}

// Rows of a side's timeline: title → height.
json heights_of(TwoRuns& window, const char* rows) {
    json heights = json::object();
    for (const json& row : window.at(rows))
        heights[row["rank"].get<std::string>() + "/" + row["title"].get<std::string>()] = row["y"];
    return heights;
}

// Rows on both sides are level: enough of them to be sure.
bool rows_meet(TwoRuns& window) {
    const json first = heights_of(window, "/timeline/rows");
    const json second = heights_of(window, "/candidate/timeline/rows");
    int shared = 0;
    for (const auto& [row, y] : first.items()) {
        if (!second.contains(row)) continue;
        if (second[row] != y) return false;
        ++shared;
    }
    return shared >= 4;
}

constexpr const char* kRows = "/timeline/rows";
constexpr const char* kCandidateRows = "/candidate/timeline/rows";

}  // namespace

TEST_CASE_FIXTURE(TwoRuns, "a right click on a step in either ruler aligns the runs there, undo takes it back") {
    CHECK(at("/timeline/aligned_at") == "step 10");
    CHECK(at("/candidate/timeline/aligned_at") == "step 10");
    const core::RunAlignment first = *driver->session().alignment();
    did(driver->right_click("candidate-timeline/ruler@0.9,0.8"));
    did(driver->wait_idle());
    did(driver->click("candidate-timeline/align/align-here"));
    CHECK(at("/timeline/aligned_at") == "step 12");
    CHECK(driver->session().alignment()->anchor ==
          core::BySide<core::RunTime>{first.steps[2].baseline.begin, first.steps[2].candidate.begin});
    CHECK(linked());
    did(driver->key("ctrl+z"));
    CHECK(at("/timeline/aligned_at") == "step 10");
    CHECK(driver->session().alignment()->anchor == first.anchor);
    CHECK(linked());
}

TEST_CASE_FIXTURE(TwoRuns, "T aligns at the step under the pointer, without one at the step of the selected event") {
    did(driver->hover("timeline/plot@0.5,0.5"));
    did(driver->key("t"));
    CHECK(at("/timeline/aligned_at") == "step 11");
    const core::EventRef step{0, driver->session().run()->rank(0).trace().steps[2].event};
    post(ui::SelectEvent{step});
    driver->leave();
    did(driver->wait_idle());
    did(driver->key("t"));
    CHECK(at("/timeline/aligned_at") == "step 12");
}

TEST_CASE_FIXTURE(TwoRuns, "the runs are aligned at the two events that are selected") {
    driver->window().post(ui::ToggleDrawer{});
    const auto [event, place] = find_longest_shown();
    did(driver->click("title/align"));
    did(driver->wait_idle());
    did(driver->key("esc"));
    did(driver->click(target_at(*this, kCandidate, place)));
    const core::RunAlignment before = *driver->session().alignment();
    did(driver->key("shift+t"));
    CHECK(driver->session().alignment()->anchor == before.anchor);  // only one is selected
    const core::EventRef gemm{1, core::EventId{0}};
    post(ui::SelectEvent{gemm});
    did(driver->click("candidate-title/align"));
    did(driver->wait_idle());
    did(driver->click("candidate-title/align-events"));
    did(driver->wait_idle());
    CHECK(driver->session().alignment()->anchor ==
          core::BySide<core::RunTime>{run(kBaseline)->start_of(gemm), run(kCandidate)->start_of(event)});
    CHECK(at("/timeline/aligned_at") == std::string(run(kBaseline)->rank(1).trace().name_text(gemm.event)));
    CHECK(at("/candidate/timeline/aligned_at") == std::string(run(kCandidate)->rank(0).trace().name_text(event.event)));
    CHECK(linked());
    post(ui::Undo{});
    CHECK(at("/timeline/aligned_at") == "step 10");
}

TEST_CASE_FIXTURE(TwoRuns,
                  "a rank opened on one side opens on the other, at the same height, until they are unlocked") {
    CHECK(rows_meet(*this));
    for (const char* row : {"candidate-timeline/row:rank 0", "timeline/row:rank 0"}) {
        const json before = heights_of(*this, kRows);
        did(driver->click(row));
        CHECK(heights_of(*this, kRows) != before);
        CHECK(rows_meet(*this));
    }
    post(ui::LockViews{false});
    const json alone = heights_of(*this, kRows);
    did(driver->click("candidate-timeline/row:rank 0"));
    CHECK(heights_of(*this, kRows) == alone);
    CHECK(heights_of(*this, kCandidateRows) != alone);
    post(ui::LockViews{true});
    CHECK(rows_meet(*this));
}

TEST_CASE_FIXTURE(TwoRuns, "rows scroll together while the runs are locked") {
    did(driver->resize(1600, 640));
    did(driver->scroll("candidate-timeline/plot@0.5,0.5", -2));
    const double scrolled = at("/candidate/timeline/scroll_y");
    CHECK(scrolled > 0);
    CHECK(at("/timeline/scroll_y") == scrolled);
    post(ui::LockViews{false});
    did(driver->scroll("candidate-timeline/plot@0.5,0.5", 2));
    CHECK(at("/candidate/timeline/scroll_y") < scrolled);
    CHECK(at("/timeline/scroll_y") == scrolled);
}

TEST_CASE_FIXTURE(TwoRuns, "events that only one run has are counted and marked, until the marks are switched off") {
    const json only = at("/candidate/timeline/only_here");
    CHECK(only["names"] > 0);
    CHECK(only["events"] > 0);
    CHECK(only["marked"] == true);
    const ui::Image marked = driver->picture();
    did(driver->click("candidate-title/only-here"));
    driver->leave();
    CHECK(at("/candidate/timeline/only_here/marked") == false);
    CHECK(at("/timeline/only_here/marked") == false);
    CHECK(driver->picture().rgba != marked.rgba);
    CHECK(at("/candidate/timeline/only_here/names") == only["names"]);
}

TEST_CASE_FIXTURE(TwoRuns, "the other run's steps are ghosts on this one's timeline, until they are switched off") {
    const json ghosts = at("/timeline/ghosts");
    REQUIRE(ghosts.size() == 3);
    const core::RunAlignment& alignment = *driver->session().alignment();
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(ghosts[i]["step"] == alignment.steps[i].candidate.number);
        const core::Step& step = run(kCandidate)->rank(0).trace().steps[i];
        const core::RunTime there = run(kCandidate)->rank(0).to_run(step.range.begin);
        CHECK(ghosts[i]["begin_ns"] == (alignment.across(kCandidate, there) - run(kBaseline)->origin()).count());
    }
    CHECK(at("/candidate/timeline/ghosts").size() == 3);
    post(ui::ShowGhosts{false});
    CHECK(at("/timeline/ghosts").empty());
    CHECK(at("/candidate/timeline/ghosts").empty());
}

TEST_CASE_FIXTURE(TwoRuns, "finding searches both runs and walks in the one the mouse was on last") {
    did(driver->hover("candidate-timeline/plot@0.5,0.9"));
    did(driver->key("/"));
    driver->frames(3);
    driver->type("AllReduce");
    did(driver->wait_idle());
    CHECK(at("/timeline/find/found") > 0);
    CHECK(at("/candidate/timeline/find/found") > 0);
    CHECK(at("/candidate/timeline/find/text") == "AllReduce");
    post(ui::FindStep{1});
    CHECK(at("/candidate/timeline/find").contains("index"));
    CHECK(at("/selected").is_null());
    CHECK(linked());
    did(driver->hover("timeline/plot@0.5,0.9"));
    post(ui::FindStep{1});
    CHECK(at("/timeline/find").contains("index"));
    post(ui::Dismiss{});
    CHECK_FALSE(at("/candidate/timeline").contains("find"));
}

TEST_CASE_FIXTURE(TwoRuns, "the crosshair shows the same moment on both sides, locked or not") {
    for (const bool locked : {true, false}) {
        post(ui::LockViews{locked});
        did(driver->hover("candidate-timeline/plot@0.4,0.5"));
        did(driver->wait_idle());
        const core::RunAlignment& alignment = *driver->session().alignment();
        REQUIRE(driver->window().ephemeral(kCandidate).pointer);
        CHECK(driver->window().ephemeral(kBaseline).echo ==
              alignment.across(kCandidate, *driver->window().ephemeral(kCandidate).pointer));
    }
}

TEST_CASE_FIXTURE(TwoRuns,
                  "an area of the candidate becomes a filter of that time, which stays when the baseline is alone") {
    did(driver->drag("candidate-timeline/plot@0.3,0.9", "candidate-timeline/plot@0.5,0.9"));
    did(driver->wait_idle());
    REQUIRE(driver->window().view(kCandidate).area);
    const core::RunRange area = *driver->window().view(kCandidate).area;
    did(driver->key("enter"));
    did(driver->wait_idle());
    const auto times = [&](core::Side side) { return *driver->session().filter(side).time_range(*run(side)); };
    CHECK(times(kCandidate) == area);
    const core::RunRange baseline = times(kBaseline);
    CHECK(baseline.begin == driver->session().alignment()->across(kCandidate, area.begin));
    post(ui::AlignRuns{{core::AlignBy::Kind::Start, 0, {}, {}}});
    CHECK(times(kBaseline) == baseline);
    post(ui::CloseRun{});
    CHECK(times(kBaseline) == baseline);
    post(ui::Undo{});
    CHECK(times(kBaseline) == baseline);
}

TEST_CASE_FIXTURE(TwoRuns, "every panel is drawn for both, stacked or side by side, also in a small window") {
    for (const ui::Placement placement : {ui::Placement::Stacked, ui::Placement::SideBySide}) {
        post(ui::PlaceRuns{placement});
        for (const ui::PanelType& type : ui::all_panels()) {
            CAPTURE(type.id);
            post(ui::ShowPanel{std::string(type.id)});
            CHECK(at("/panels").contains(type.id));
            if (!type.shows_selection && !type.shows_both) CHECK(at("/candidate/panels").contains(type.id));
        }
        CHECK(linked());
        did(driver->resize(500, 400));
        did(driver->wait_idle());
        did(driver->resize(1600, 1000));
    }
}

TEST_CASE("a run against itself shows the same on both sides") {
    TwoRuns window(pair().baseline);
    CHECK(window.linked());
    CHECK(window.view(kBaseline) == window.view(kCandidate));
    const json state = window.at("");
    CHECK(state["candidate"]["run"] == state["run"]);
    CHECK(state["timeline"]["only_here"]["events"] == 0);
    CHECK(rows_meet(window));
}

TEST_CASE("a candidate that is not there says so and leaves the run alone") {
    TwoRuns window(pair().parent.path() / "nothing");
    CHECK(window.at("/run/name") == "before");
    CHECK(window.at("/candidate/run").is_null());
    CHECK(window.at("/candidate/load/error") != "");
    window.post(ui::CloseRun{kCandidate});
    CHECK(window.at("/candidate").is_null());
}

TEST_CASE_FIXTURE(DrivenWindow, "two folders dropped at once are baseline and candidate, in this order") {
    driver->window().post(ui::DropPaths{{pair().baseline, pair().candidate}});
    CHECK(at("/run/name") == "before");
    CHECK(at("/candidate/run/name") == "after");
}

TEST_CASE_FIXTURE(DrivenWindow, "what is dropped on a run is compared with it, opened instead, or not opened") {
    driver->window().post(ui::DropPaths{{pair().baseline}});
    CHECK(at("/run/name") == "before");
    const auto drop = [&](const std::filesystem::path& path, const char* answer) {
        driver->window().post(ui::DropPaths{{path}});
        driver->frames(3);
        did(driver->click(answer));
        did(driver->wait_idle());
    };
    drop(pair().candidate, "drop/cancel");
    CHECK(at("/candidate").is_null());
    drop(pair().candidate, "drop/compare");
    CHECK(at("/run/name") == "before");
    CHECK(at("/candidate/run/name") == "after");
    driver->window().post(ui::Undo{});
    CHECK(at("/candidate").is_null());
    driver->window().post(ui::Redo{});
    CHECK(at("/candidate/run/name") == "after");
    drop(pair().candidate, "drop/replace");
    CHECK(at("/run/name") == "after");
    CHECK(at("/candidate").is_null());
}

TEST_CASE_FIXTURE(DrivenWindow, "the Open dialog opens a candidate by its own key") {
    open(pair().baseline);
    did(driver->key("ctrl+shift+o"));
    driver->frames(3);
    did(driver->key("ctrl+a"));
    driver->type(pair().candidate.string());
    did(driver->key("enter"));
    CHECK(at("/run/name") == "before");
    CHECK(at("/candidate/run/name") == "after");
}

TEST_CASE_FIXTURE(TwoRuns, "what is found in both runs is one table, and a row of it narrows the hits of each") {
    did(driver->key("/"));
    driver->frames(3);
    driver->type("gemm");
    did(driver->wait_idle());
    post(ui::ShowPanel{"found"});
    const json found = at("/panels/found");
    CHECK(found["fresh"] == true);
    CHECK(found["events"] == at("/timeline/find/found"));
    CHECK(found["candidate"]["events"] == at("/candidate/timeline/find/found"));
    CHECK(found["comparison"]["lead"] == "total");
    CHECK(found["comparison"]["rows"].size() > 0);
    did(driver->click("found/Hits"));
    CHECK(at("/panels/found/hits") == found["events"]);
    CHECK(at("/panels/found/candidate/hits") == found["candidate"]["events"]);
    did(driver->click("found/Names"));
    did(driver->click("found/totals/row:0"));
    did(driver->click("found/Hits"));
    CHECK(at("/panels/found/hits") < found["events"]);
    CHECK(at("/panels/found/candidate/hits") > 0);
    CHECK(at("/panels/found/name") == at("/panels/found/candidate/name"));
    did(driver->click("hits/baseline/all-hits"));
    CHECK(at("/panels/found/hits") == found["events"]);
    did(driver->click("found/Ranks"));
    CHECK(at("/panels/found/comparison/rows").size() == run(kBaseline)->ranks().size());
    did(driver->click("found/totals/row:1"));
    did(driver->click("found/Hits"));
    CHECK(at("/panels/found/rank") == at("/panels/found/candidate/rank"));
    did(driver->click("hits/candidate/row:0"));
    CHECK_FALSE(at("/candidate/selected").is_null());
}

TEST_CASE_FIXTURE(TwoRuns, "an area of both runs is one table, by name and by rank, and durations of a name of each") {
    did(driver->drag("timeline/plot@0.3,0.9", "timeline/plot@0.6,0.9"));
    did(driver->wait_idle());
    post(ui::ShowPanel{"area"});
    const json area = at("/panels/area");
    CHECK(area["fresh"] == true);
    CHECK(area["events"] > 0);
    CHECK(area["candidate"]["events"] > 0);
    CHECK(area["comparison"]["rows"].size() > 0);
    did(driver->click("left/area/row:0"));
    did(driver->click("area/Durations"));
    const json chosen = at("/panels/area");
    REQUIRE(chosen.contains("histogram"));
    CHECK(chosen["histogram"]["name"] == chosen["candidate"]["histogram"]["name"]);
    did(driver->click("area/Ranks"));
    CHECK(at("/panels/area/comparison/rows").size() == run(kBaseline)->ranks().size());
}

TEST_CASE_FIXTURE(TwoRuns, "with views of their own an area of the candidate alone has its tab and is shown alone") {
    post(ui::LockViews{false});
    did(driver->drag("candidate-timeline/plot@0.3,0.9", "candidate-timeline/plot@0.6,0.9"));
    did(driver->wait_idle());
    REQUIRE(driver->window().view(kCandidate).area);
    REQUIRE_FALSE(driver->window().view(kBaseline).area);
    post(ui::ShowPanel{"area"});
    did(driver->wait_idle());
    const json area = at("/panels/area");
    CHECK(area["candidate"]["events"] > 0);
    CHECK_FALSE(area.contains("events"));
    CHECK(area["names"]["rows"].size() > 0);
}

TEST_CASE_FIXTURE(TwoRuns, "an area is summed again although the window is too small for the timelines") {
    did(driver->drag("timeline/plot@0.3,0.9", "timeline/plot@0.6,0.9"));
    post(ui::ShowPanel{"area"});
    const json before = at("/panels/area/events");
    did(driver->resize(500, 260));
    REQUIRE(at("/candidate/timeline/lanes") == 0);
    post(ui::SetFilter{*core::parse_filter("rank:0")});
    did(driver->wait_idle());
    CHECK(at("/panels/area/fresh") == true);
    CHECK(at("/panels/area/events") < before);
    CHECK(at("/panels/area/candidate/events") > 0);
}

TEST_CASE_FIXTURE(TwoRuns, "a search runs again although the window is too small for the timelines") {
    did(driver->key("/"));
    driver->frames(3);
    driver->type("gemm");
    did(driver->wait_idle());
    post(ui::ShowPanel{"found"});
    const json before = at("/panels/found/events");
    did(driver->resize(500, 260));
    REQUIRE(at("/candidate/timeline/lanes") == 0);
    post(ui::SetFilter{*core::parse_filter("rank:0")});
    did(driver->wait_idle());
    CHECK(at("/panels/found/fresh") == true);
    CHECK(at("/panels/found/searching") == false);
    CHECK(at("/panels/found/events") < before);
    CHECK(at("/panels/found/candidate/events") < before);
}

TEST_CASE_FIXTURE(TwoRuns, "what was chosen in an area of both runs goes with its run when the runs are swapped") {
    did(driver->drag("timeline/plot@0.3,0.9", "timeline/plot@0.6,0.9"));
    post(ui::ShowPanel{"area"});
    did(driver->click("left/area/row:1"));
    did(driver->click("area/Durations"));
    const json before = at("/panels/area");
    REQUIRE(before.contains("histogram"));
    post(ui::SwapRuns{});
    did(driver->wait_idle());
    const json after = at("/panels/area");
    CHECK(after["histogram"]["name"] == before["candidate"]["histogram"]["name"]);
    CHECK(after["candidate"]["histogram"]["name"] == before["histogram"]["name"]);
}

TEST_CASE_FIXTURE(TwoRuns, "Escape drops the area of both runs, wherever input goes") {
    did(driver->drag("candidate-timeline/plot@0.3,0.9", "candidate-timeline/plot@0.6,0.9"));
    REQUIRE(driver->window().view(kBaseline).area);
    REQUIRE(driver->window().view(kCandidate).area);
    did(driver->key("esc"));
    CHECK_FALSE(driver->window().view(kBaseline).area);
    CHECK_FALSE(driver->window().view(kCandidate).area);
}

TEST_CASE_FIXTURE(TwoRuns, "the list of events goes with its run when runs are swapped, closed or brought back") {
    post(ui::ShowPanel{"kernels"});
    did(driver->right_click("kernels/row:0"));
    did(driver->click("row-menu/list-candidate"));
    const json listed = at("/panels/events");
    REQUIRE(listed["events"] > 0);
    CHECK(listed["side"] == "candidate");
    const auto is_same = [&](const char* side) {
        const json now = at("/panels/events");
        return now["side"] == side && now["title"] == listed["title"] && now["events"] == listed["events"] &&
               now["total_ns"] == listed["total_ns"];
    };
    post(ui::SwapRuns{});
    CHECK(is_same("baseline"));
    post(ui::Undo{});
    CHECK(is_same("candidate"));
    post(ui::CloseRun{kBaseline});
    CHECK(is_same("baseline"));
    post(ui::Undo{});
    post(ui::CloseRun{kCandidate});
    CHECK_FALSE(driver->window().document().choices.listed);
}

TEST_CASE_FIXTURE(TwoRuns, "of a row put on top and an event revealed in one frame the later one is shown") {
    did(driver->resize(1600, 640));
    post(ui::LockViews{false});
    const core::EventRef last{3, core::EventId{0}};
    driver->window().post(ui::SetBookmark{0});
    post(ui::RevealEvent{last});
    const double revealed = at("/timeline/scroll_y");
    REQUIRE(revealed > 0);
    driver->window().post(ui::RevealEvent{last});
    post(ui::GoToBookmark{0, kBaseline});
    const double top = at("/timeline/scroll_y");
    CHECK(top == 0);
    driver->window().post(ui::GoToBookmark{0, kBaseline});
    post(ui::RevealEvent{last});
    CHECK(at("/timeline/scroll_y") == revealed);
}
