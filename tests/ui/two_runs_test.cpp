// Two runs in one window: linked views, one filter, panels for each, and the way in and out of it.

#include "core/query/filter_text.hpp"
#include "tests/ui/driver/comparing_window.hpp"

#include <algorithm>

using nlohmann::json;
using ui::testing::ComparingWindow;
using ui::testing::did;
using ui::testing::pair;

namespace {

constexpr core::Side kBaseline = core::Side::Baseline;
constexpr core::Side kCandidate = core::Side::Candidate;

struct TwoRuns : ComparingWindow {
    TwoRuns() : TwoRuns(pair().candidate) {}
    explicit TwoRuns(const std::filesystem::path& candidate) : ComparingWindow(pair().baseline, candidate) {
        did(driver->resize(1600, 1000));
    }
    const ui::TimeView& view(core::Side side) { return driver->window().state(side).time; }
    // The same zoom, and the same distance from the moment that is the same.
    bool linked() {
        const core::RunAlignment* alignment = driver->session().alignment();
        return alignment && view(kBaseline).px_per_ns == view(kCandidate).px_per_ns &&
               view(kBaseline).t0 - alignment->anchor.baseline == view(kCandidate).t0 - alignment->anchor.candidate;
    }
    core::RunPtr run(core::Side side) { return driver->session().run(side); }
    // Of the candidate's events that its timeline shows now.
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

TEST_CASE_FIXTURE(TwoRuns, "both runs lie in the view that shows the whole") {
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
    CHECK(driver->window().state(kCandidate).selected == event);
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
    CHECK(driver->window().state().has_hands);
    const core::RunRange alone = view(kBaseline).range();
    post(ui::Undo{});
    CHECK(at("/candidate/run/name") == "after");
    CHECK(linked());
    post(ui::CloseRun{kBaseline});
    CHECK(at("/title") == "after \xE2\x80\x93 Lockstep");
    CHECK(at("/view/whole_run") == true);
    CHECK(view(kBaseline).range() != alone);
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
}

TEST_CASE("a candidate that is not there says so and leaves the run alone") {
    TwoRuns window(pair().parent.path() / "nothing");
    CHECK(window.at("/run/name") == "before");
    CHECK(window.at("/candidate/run").is_null());
    CHECK(window.at("/candidate/load/error") != "");
    window.post(ui::CloseRun{kCandidate});
    CHECK(window.at("/candidate").is_null());
}
