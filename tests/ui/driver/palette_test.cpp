// The palette: commands by name, places by text, the sheet of keys.

#include "core/analysis/catalogue/analysis_groups.hpp"
#include "core/analysis/catalogue/registry.hpp"
#include "core/query/filter_text.hpp"
#include "tests/ui/driver/comparing_window.hpp"
#include "ui/commands/commands.hpp"

using nlohmann::json;
using ui::testing::ComparingWindow;
using ui::testing::did;
using ui::testing::SampleWindow;

namespace {

struct PaletteWindow : SampleWindow {
    void post(ui::Intent intent) {
        driver->window().post(std::move(intent));
        did(driver->wait_idle());
    }
    void open(const std::string& key, const std::string& text) {
        did(driver->key(key));
        did(driver->wait_idle());
        REQUIRE(ui::items().find("palette/text"));
        driver->type(text);
        did(driver->wait_idle());
    }
    void take() {
        did(driver->key("enter"));
        did(driver->wait_idle());
    }
    std::int64_t shown(const char* edge) { return at((std::string("/view/") + edge).c_str()); }
};

}  // namespace

TEST_CASE_FIXTURE(PaletteWindow, "a command is found by parts of its name and done by Enter") {
    REQUIRE(at("/drawer/open") == true);
    open("ctrl+shift+p", "hide drawers");
    CHECK(ui::items().find("palette/row:0"));
    CHECK_FALSE(ui::items().find("palette/row:1"));
    take();
    CHECK(at("/drawer/open") == false);
    CHECK_FALSE(ui::items().find("palette/text"));
    open("ctrl+shift+p", "no command is called this");
    CHECK_FALSE(ui::items().find("palette/row:0"));
    take();
    CHECK(ui::items().find("palette/text"));
    did(driver->key("esc"));
    did(driver->wait_idle());
    CHECK_FALSE(ui::items().find("palette/text"));
    CHECK(at("/drawer/open") == false);
}

TEST_CASE_FIXTURE(PaletteWindow, "arrows choose among the rows, which stop at the ends; a click takes one") {
    const core::RunPtr run = driver->session().run();
    post(ui::ShowRange{run->rank(0).to_run(run->rank(0).trace().steps[0].range)});
    const std::int64_t before = shown("begin_ns");
    open("ctrl+shift+p", "go step");  // going somewhere, the next step, the one before
    for (int i = 0; i < 8; ++i) did(driver->key("down"));
    did(driver->key("up"));
    take();
    const core::RunRange next = run->rank(0).to_run(run->rank(0).trace().steps[1].range);
    CHECK(shown("begin_ns") > before);
    CHECK(shown("begin_ns") <= (next.begin - run->origin()).count());
    open("ctrl+shift+p", "hide drawers");
    did(driver->click("palette/row:0"));
    did(driver->wait_idle());
    CHECK(at("/drawer/open") == false);
}

TEST_CASE_FIXTURE(PaletteWindow, "one goes to a time, a step, a stream of a rank") {
    const core::RunPtr run = driver->session().run();
    open("ctrl+p", "1.5ms");
    take();
    CHECK(shown("begin_ns") < 1'500'000);
    CHECK(shown("end_ns") > 1'500'000);
    CHECK(shown("end_ns") - shown("begin_ns") <= run->window().length().count() / 40);
    const core::Step& step = run->rank(0).trace().steps[0];
    open("ctrl+p", "step " + std::to_string(step.number));
    take();
    const core::RunRange of_step = run->rank(0).to_run(step.range);
    CHECK(shown("begin_ns") <= (of_step.begin - run->origin()).count());
    CHECK(shown("end_ns") >= (of_step.end - run->origin()).count());
    did(driver->key("ctrl+."));
    did(driver->wait_idle());
    const core::Step& next = run->rank(0).trace().steps[1];
    const core::RunRange of_next = run->rank(0).to_run(next.range);
    CHECK(shown("begin_ns") <= (of_next.begin - run->origin()).count());
    CHECK(shown("begin_ns") > (of_step.begin - run->origin()).count());
    did(driver->key("ctrl+,"));
    did(driver->wait_idle());
    CHECK(shown("begin_ns") <= (of_step.begin - run->origin()).count());
    const std::int64_t before = shown("begin_ns");
    open("ctrl+p", "rank 6 stream 20");
    take();
    CHECK(shown("begin_ns") == before);
    CHECK(at("/selected").is_null());
    const json rows = at("/timeline/rows");
    const auto has = [](const json& row) { return row.value("rank", "") == "6"; };
    CHECK(std::ranges::any_of(rows, has));
}

TEST_CASE_FIXTURE(PaletteWindow, "the sheet has every key; commands about two runs are offered with two only") {
    did(driver->key("shift+/"));
    did(driver->wait_idle());
    CHECK(ui::items().find("palette/sheet"));
    did(driver->key("esc"));
    open("ctrl+shift+p", "swap baseline");
    CHECK_FALSE(ui::items().find("palette/row:0"));
}

TEST_CASE("with two runs one goes where input goes, and the other follows") {
    ComparingWindow window(ui::testing::pair().baseline, ui::testing::pair().candidate);
    did(window.driver->hover("candidate-timeline/plot"));
    did(window.driver->wait_idle());
    did(window.driver->key("ctrl+p"));
    did(window.driver->wait_idle());
    const core::RunPtr run = window.driver->session().run(core::Side::Candidate);
    const core::Step& step = run->rank(0).trace().steps.back();
    window.driver->type("step " + std::to_string(step.number));
    did(window.driver->wait_idle());
    did(window.driver->key("enter"));
    did(window.driver->wait_idle());
    const core::RunRange shown = window.driver->window().view(core::Side::Candidate).time.range();
    const core::RunRange range = run->rank(0).to_run(step.range);
    CHECK(shown.begin <= range.begin);
    CHECK(shown.end >= range.end);
    CHECK(shown.length() < 2 * range.length());
    did(window.driver->key("ctrl+shift+p"));
    window.driver->type("swap baseline");
    did(window.driver->wait_idle());
    CHECK(ui::items().find("palette/row:0"));
}

TEST_CASE_FIXTURE(PaletteWindow, "the copied command line opens the same place with the same filter") {
    const core::RunPtr run = driver->session().run();
    post(ui::SetFilter{*core::parse_filter("rank:0-3")});
    post(ui::ShowRange{run->rank(0).to_run(run->rank(0).trace().steps[1].range)});
    const core::RunRange shown = driver->window().view().time.range();
    const core::RankSlot& rank = run->rank(3);
    core::EventRef event;
    for (const core::EventId e : rank.trace().gpu_events) {
        const core::RunRange range = rank.range_of(e);
        if (range.begin > shown.begin + shown.length() / 3 && range.end < shown.end) event = {3, e};
        if (event.valid()) break;
    }
    REQUIRE(event.valid());
    post(ui::SelectEvent{event, false});
    post(ui::CopyLink{});
    const std::string line = ImGui::GetClipboardText();
    CAPTURE(line);
    CHECK(line.starts_with("lockstep '"));
    CHECK(line.find("--filter 'rank:0-3'") != line.npos);
    const std::size_t at_place = line.find("--goto '");
    REQUIRE(at_place != line.npos);
    const core::Result<ui::Place> place = ui::parse_place(line.substr(at_place + 8, line.size() - at_place - 9));
    REQUIRE(place);
    CHECK(place->rank == "3");
    post(ui::ShowRun{});
    REQUIRE(driver->window().go_to(*place));
    did(driver->wait_idle());
    const core::RunRange again = driver->window().view().time.range();
    const core::RunTime middle = run->rank(3).range_of(event.event).begin;
    CHECK(again.begin < middle);
    CHECK(again.end > middle);
    CHECK(std::abs((again.length() - shown.length()).count()) <= shown.length().count() / 20);
    CHECK_FALSE(driver->window().go_to({"99", {}, {}, {}}));
    // Hidden content doesn't move the view.
    const ui::Place of_view = ui::place_of_view(*run, shown, {});
    const ui::Place beside = ui::place_of_view(*run, shown, {3, rank.trace().gpu_events.front()});
    CHECK(beside.time == of_view.time);
    CHECK(beside.rank == "3");
}

TEST_CASE_FIXTURE(PaletteWindow, "Enter takes effect once places are found, and typing continues if there are none") {
    const core::RunPtr run = driver->session().run();
    const core::Step& step = run->rank(0).trace().steps[1];
    did(driver->key("ctrl+p"));
    driver->type("step " + std::to_string(step.number));
    did(driver->key("enter"));
    did(driver->wait_idle());
    CHECK_FALSE(ui::items().find("palette/text"));
    CHECK(shown("begin_ns") > 0);
    open("ctrl+shift+p", "hide drawersx");
    did(driver->key("enter"));
    did(driver->wait_idle());
    did(driver->key("end"));
    did(driver->key("backspace"));
    did(driver->wait_idle());
    CHECK(ui::items().find("palette/row:0"));
    take();
    CHECK(at("/drawer/open") == false);
}

TEST_CASE_FIXTURE(PaletteWindow, "Esc that zooms a flame graph out leaves the selected event") {
    const core::RunPtr run = driver->session().run();
    post(ui::SelectEvent{{0, run->rank(0).trace().gpu_events[3]}, false});
    post(ui::ShowPanel{"flame-graph"});
    std::string frame;
    const json state = driver->state(true);
    for (const json& item : state["items"])
        if (const std::string path = item["path"]; frame.empty() && path.find("frame:1:") != path.npos) frame = path;
    REQUIRE_FALSE(frame.empty());
    did(driver->click(frame));
    did(driver->wait_idle());
    const json zoomed = at("/panels/flame-graph");
    did(driver->key("esc"));
    did(driver->wait_idle());
    CHECK(at("/panels/flame-graph") != zoomed);
    CHECK_FALSE(at("/selected").is_null());
    did(driver->key("esc"));
    CHECK(at("/selected").is_null());
}

TEST_CASE_FIXTURE(PaletteWindow, "every command that is not one of many alike is in the menu of its group") {
    std::size_t seen = 0;
    for (std::size_t i = 0; i < ui::kCommandGroups; ++i) {
        const auto group = static_cast<ui::CommandGroup>(i);
        const std::string name(name_of(group));
        CAPTURE(name);
        did(driver->click("top/menu"));
        did(driver->click("menu/group:" + name));
        did(driver->wait_idle());
        for (const ui::Command& command : ui::all_commands()) {
            const bool shown = command.group == group && command.trait != ui::CommandTrait::Alias &&
                               command.trait != ui::CommandTrait::OfNumber &&
                               command.trait != ui::CommandTrait::InPalette &&
                               command.trait != ui::CommandTrait::AboutTwoRuns;
            CAPTURE(command.id);
            const ui::Item* item = ui::items().find("menu/" + std::string(command.id));
            REQUIRE((item != nullptr) == shown);
            if (!item) continue;
            ++seen;
            CHECK(item->visible);
        }
        did(driver->key("esc"));
        did(driver->wait_idle());
        CHECK_FALSE(ui::items().find("menu/group:File"));
    }
    CHECK(seen > 50);
}

TEST_CASE_FIXTURE(PaletteWindow, "a command of the menu is done, and Escape closes the menu and nothing else") {
    did(driver->click(ui::NamedEvent{"ncclDevKernel_AllReduce", "3"}));
    did(driver->click("top/menu"));
    did(driver->key("esc"));
    CHECK_FALSE(at("/selected").is_null());
    did(driver->click("top/menu"));
    did(driver->hover("menu/group:Go"));
    did(driver->wait_idle());
    did(driver->key("esc"));
    open("ctrl+shift+p", "");
    did(driver->key("esc"));
    did(driver->click("top/menu"));
    did(driver->click("menu/group:View"));
    did(driver->click("menu/drawer"));
    CHECK(at("/drawer/open") == false);
    CHECK_FALSE(ui::items().find("menu/group:View"));
}

TEST_CASE_FIXTURE(PaletteWindow, "the menu has every analysis below its subject, and a click shows it") {
    std::size_t seen = 0;
    for (const core::AnalysisGroup& subject : core::analysis_groups()) {
        const std::string name(subject.title);
        CAPTURE(name);
        did(driver->click("top/menu"));
        did(driver->click("menu/group:Analyses"));
        did(driver->wait_idle());
        did(driver->click("menu/subject:" + name));
        did(driver->wait_idle());
        for (const core::Analysis* analysis : core::collect_analyses(subject)) {
            CAPTURE(analysis->id);
            CHECK(ui::items().find("menu/analysis-" + std::string(analysis->id)));
            ++seen;
        }
        did(driver->key("esc"));
        did(driver->wait_idle());
    }
    CHECK(seen == core::all_analyses().size());
    did(driver->click("top/menu"));
    did(driver->click("menu/group:Analyses"));
    did(driver->wait_idle());
    did(driver->click("menu/subject:Time"));
    did(driver->wait_idle());
    did(driver->click("menu/analysis-idle-gaps"));
    did(driver->wait_idle());
    CHECK(at("/panels/analysis/analysis") == "idle-gaps");
}

TEST_CASE("the menus of all groups fit a small window") {
    ComparingWindow window(ui::testing::pair().baseline, ui::testing::pair().candidate);
    did(window.driver->resize(640, 480));
    for (std::size_t i = 0; i < ui::kCommandGroups; ++i) {
        const auto group = static_cast<ui::CommandGroup>(i);
        CAPTURE(name_of(group));
        did(window.driver->click("top/menu"));
        did(window.driver->click("menu/group:" + std::string(name_of(group))));
        did(window.driver->wait_idle());
        for (const ui::Command& command : ui::all_commands()) {
            const ui::Item* item = ui::items().find("menu/" + std::string(command.id));
            if (!item) continue;
            CHECK(item->visible);
            CHECK(item->max.y <= 480);
            CHECK(item->max.x <= 640);
        }
        did(window.driver->key("esc"));
    }
}
