#include "ui/model/session/saved_session.hpp"
#include "core/analysis/whatif/what_if_choice.hpp"
#include "core/collectives/choose_clocks.hpp"
#include "tests/core/temp_folder.hpp"
#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <fstream>

namespace {

using nlohmann::json;

ui::SavedSession sessions_example(const std::filesystem::path& run) {
    ui::SavedSession session;
    ui::SavedSide& side = session.sides.baseline;
    side.paths = {run};
    side.view = {core::Duration{-5}, core::Duration{700}};
    side.selected_rank = "3";
    side.selected_name = "gemm";
    side.selected_start = core::Duration{1000};
    side.marks = {{core::Duration{1}, core::Duration{2}, {"slow \xE2\x80\xA6", "Ann", 60}}};
    side.bookmarks = {{8, {core::Duration{5}, core::Duration{9}, {"here", {}, 0}}, "3"}};
    side.clocks = core::ClockChoice::Recorded;
    side.gaps_cut = true;
    session.sides.candidate.paths = {"/elsewhere/run"};
    session.filter = "rank:0-3";
    session.align = {core::AlignBy::Kind::Step, 7, {}, {}};
    session.names = {core::NameMatching::Normalised, {{"a", "b"}}};
    session.statistics = {.warmup = core::kAutoWarmUp, .tolerance = 0.02, .noise = 0.05, .paired = true};
    return session;
}

}  // namespace

TEST_CASE("a session is read as it was written") {
    const core::testing::TempFolder folder;
    const ui::SavedSession session = sessions_example(folder.path() / "run");
    ui::UiChoices choices;
    choices.left_tab = "kernels";
    choices.drawer_share = 0.5f;
    choices.critical_path = true;
    const std::pair<std::string, std::string> changed[] = {{"compute", "50"}, {"stragglers", "none"}};
    choices.what_if = core::make_what_if(changed);
    choices.chosen_kernels = {"k"};
    choices.ranks.grouping = "node";
    choices.ranks.fold_groups = true;
    choices.ranks.other_groups = {"node alpha"};
    choices.ranks.singled = {core::RankKey{5, 0}.packed()};
    const json written = json::parse(ui::write_session(session, choices, folder.path()).dump());
    ui::UiChoices read_choices;
    const core::Result<ui::SavedSession> read = ui::read_session(written, folder.path(), read_choices);
    REQUIRE(read);
    CHECK(read->sides == session.sides);
    CHECK(read->filter == session.filter);
    CHECK(read->align == session.align);
    CHECK(read->names == session.names);
    CHECK(read->statistics == session.statistics);
    CHECK(read_choices.left_tab == "kernels");
    CHECK(read_choices.drawer_share == 0.5f);
    CHECK(read_choices.critical_path);
    CHECK(read_choices.what_if == choices.what_if);
    CHECK_FALSE(read_choices.what_if.empty());
    CHECK(read_choices.chosen_kernels == choices.chosen_kernels);
    CHECK(read_choices.ranks == choices.ranks);
}

TEST_CASE("every choice of the document that a session has comes back, none is left at its default") {
    const core::testing::TempFolder folder;
    const ui::SavedSession session = sessions_example(folder.path() / "run");
    ui::Document document;
    ui::UiChoices& choices = document.choices;
    choices.left_tab = "kernels";
    choices.right_tab = "details";
    choices.analysis = "steps";
    choices.communication = "matrix";
    choices.drawer_open = choices.locked = choices.mark_unique_events = choices.ghost_steps = false;
    choices.follow_visible = choices.follow_newest = choices.critical_path = choices.series_lanes = true;
    choices.find_open = choices.find_arguments = true;
    choices.find_text = "gemm";
    choices.drawer_share = 0.5f;
    choices.tree_width = 300;
    choices.interface_size = 1.5f;
    choices.color_by = ui::ColorBy::Rank;
    choices.theme = ui::Theme::Light;
    choices.placement = ui::Placement::SideBySide;
    choices.chosen_kernels = {"gemm", "relu"};
    choices.ranks.sort = ui::RankSort::Measure;
    choices.ranks.measure = "steps/duration";
    choices.ranks.worst_on_top = false;
    choices.ranks.descending = !choices.ranks.descending;
    choices.ranks.kernel = "gemm";
    choices.ranks.grouping = "node";
    choices.ranks.pinned = {3};
    choices.ranks.hidden = {5, 8};
    choices.ranks.singled = {4};
    choices.ranks.pinned_rows = {{ui::kEveryRank, "stream 7"}, {3, "thread python"}};
    choices.ranks.hidden_rows = {{5, "stream 20"}};
    choices.ranks.fold_groups = true;
    choices.ranks.other_groups = {"node alpha"};
    choices.ranks.singled = {6};
    const json written = ui::write_session(session, choices, folder.path());
    const json of_defaults = ui::write_session(session, {}, folder.path());
    for (const char* part : {"layout", "ranks"})
        for (const auto& [key, value] : written[part].items()) {
            CAPTURE(key);
            CHECK(value != of_defaults[part][key]);
        }
    for (const char* key : {"critical_path", "series_lanes", "chosen_kernels", "find_arguments", "find"}) {
        CAPTURE(key);
        CHECK(written[key] != of_defaults[key]);
    }
    ui::UiChoices again;
    const core::Result<ui::SavedSession> read = ui::read_session(written, folder.path(), again);
    REQUIRE(read);
    CHECK(ui::write_session(*read, again, folder.path()) == written);
}

TEST_CASE("runs next to a session file are found after the folder has moved") {
    const core::testing::TempFolder before;
    const core::testing::TempFolder after;
    const json written = ui::write_session(sessions_example(before.path() / "run"), {}, before.path());
    ui::UiChoices choices;
    CHECK(ui::read_session(written, after.path(), choices)->sides.baseline.paths.front() == before.path() / "run");
    std::filesystem::create_directory(after.path() / "run");
    CHECK(ui::read_session(written, after.path(), choices)->sides.baseline.paths.front() == after.path() / "run");
}

TEST_CASE("a run on another machine is saved by the path that was given") {
    const core::testing::TempFolder folder;
    const json written = ui::write_session(sessions_example("me@gpu7:/data/run"), {}, folder.path());
    ui::UiChoices choices;
    const core::Result<ui::SavedSession> read = ui::read_session(written, folder.path(), choices);
    REQUIRE(read);
    CHECK(read->sides.baseline.paths.front() == "me@gpu7:/data/run");
}

TEST_CASE("a file that isn't a session is refused with a message, odd members are ignored") {
    ui::UiChoices choices;
    for (const char* text :
         {"{}", "[]", "null", "3", R"({"lockstep_session": 2})", R"({"lockstep_session": 1})",
          R"({"lockstep_session": 1, "baseline": {"paths": [3, {}]}})",
          R"({"lockstep_session": 1, "baseline": {"paths": [{"path": "x"}]}, "filter": "rank:("})"}) {
        CAPTURE(text);
        const auto read = ui::read_session(json::parse(text), {}, choices);
        REQUIRE_FALSE(read);
        CHECK_FALSE(read.error().message.empty());
    }
    const json odd = json::parse(R"({"lockstep_session": 1, "filter": 3, "align": {"by": "nothing"}, "names": [],
        "layout": {"left_tab": "no-such", "drawer_share": 7e300, "tree_width": "wide", "locked": 0},
        "chosen_kernels": [1, "k"], "find": {},
        "baseline": {"paths": [{"path": "x"}], "view": {"begin_ns": 9, "end_ns": 3}, "selected": [],
                     "marks": [7, {"begin_ns": 5, "end_ns": 2}, {"begin_ns": -9223372036854775808, "end_ns": 1.5}],
                     "bookmarks": [{"key": 0}, {"key": 10}, {"key": 2, "begin_ns": 1, "end_ns": 2}]}})");
    const auto read = ui::read_session(odd, {}, choices);
    REQUIRE(read);
    CHECK_FALSE(read->sides.baseline.view);
    CHECK(read->sides.baseline.marks.size() == 1);
    CHECK(read->sides.baseline.bookmarks.size() == 1);
    CHECK(choices.left_tab == ui::UiChoices{}.left_tab);
    CHECK(choices.drawer_share <= 0.85f);
    CHECK(choices.locked);
    CHECK(choices.chosen_kernels == std::vector<std::string>{"k"});
}

TEST_CASE("view, selection and marks are restored to their run") {
    using core::testing::run_of;
    using core::testing::TraceFixture;
    const core::RunPtr run =
        run_of({TraceFixture().cpu(1000, 50, "aten::mm").kernel(2000, 10, "gemm").rank(3).build()});
    core::Session session(1);
    session.set_run(run);
    ui::View view;
    ui::show_whole(*run, {}, view);
    view.time.fit({core::run_time(1900), core::run_time(2100)}, 0);
    view.selected = {0, core::testing::find_named(run->rank(0).trace(), "gemm")};
    core::Marks marks;
    core::keep_mark(marks, core::RunRange{core::run_time(2000), core::run_time(2010)});
    marks.kept.front().note = {"first", "Ann", 1'764'115'200};
    marks.bookmarks[0] = core::Bookmark{{core::run_time(1500), core::run_time(1600)}, "3", {"b"}};
    session.restore_marks(core::Side::Baseline, marks);
    const ui::SavedSession saved = ui::save_session(session, {view, view});
    ui::View again;
    ui::show_whole(*run, {}, again);
    ui::restore_side(saved.sides.baseline, *run, again);
    CHECK(again.selected == view.selected);
    CHECK(ui::restore_marks(saved.sides.baseline, *run) == marks);
    CHECK(again.time.range().begin <= core::run_time(1900));
    CHECK(again.time.range().begin >= core::run_time(1899));
    CHECK(again.time.range().end <= core::run_time(2101));
}
