// Persistent results: marks, bookmarks, views in the history, session files, pictures, reports.

#include "core/query/filter_text.hpp"
#include "tests/ui/driver/comparing_window.hpp"
#include "ui/style/items.hpp"

using nlohmann::json;
using ui::testing::ComparingWindow;
using ui::testing::did;
using ui::testing::DrivenWindow;
using ui::testing::SampleWindow;

namespace {

json text_of_file(const std::filesystem::path& file) { return json::parse(std::ifstream(file)); }

}  // namespace

TEST_CASE_FIXTURE(SampleWindow, "M marks what is selected, Shift+M keeps it, a note stays with it") {
    did(driver->click(ui::NamedEvent{"ncclDevKernel_AllReduce", "3"}));
    did(driver->key("m"));
    CHECK(at("/marks/passing/begin_ns") == at("/selected/start_ns"));
    CHECK(at("/marks/kept").empty());
    did(driver->key("shift+m"));
    CHECK(at("/marks/passing").is_null());
    REQUIRE(at("/marks/kept").size() == 1);
    CHECK(at("/marks/kept/0/end_ns").get<std::int64_t>() - at("/marks/kept/0/begin_ns").get<std::int64_t>() ==
          at("/selected/duration_ns"));
    driver->window().post(ui::ShowPanel{"marks"});
    did(driver->click("mark:1/note"));
    driver->type("late here");
    CHECK(at("/marks/kept/0/note") == "late here");
    did(driver->key("esc"));
    did(driver->right_click("timeline/flag:1"));
    did(driver->click("mark/Remove the mark"));
    CHECK(at("/marks/kept").empty());
}

TEST_CASE_FIXTURE(SampleWindow, "a flag shows its range, the panel too") {
    did(driver->click(ui::NamedEvent{"ncclDevKernel_AllReduce", "3"}));
    did(driver->key("shift+m"));
    did(driver->key("home"));
    const json whole = at("/view");
    did(driver->click("timeline/flag:1"));
    CHECK(at("/view/begin_ns") > whole["begin_ns"]);
    did(driver->key("home"));
    driver->window().post(ui::ShowPanel{"marks"});
    did(driver->click("mark:1/go"));
    CHECK(at("/view/end_ns") < whole["end_ns"]);
}

TEST_CASE_FIXTURE(SampleWindow, "a bookmark brings back time and rank") {
    did(driver->click(ui::NamedEvent{"ncclDevKernel_AllReduce", "5"}));
    did(driver->key("f", 3));
    did(driver->key("f", 3));
    const json view = at("/view");
    did(driver->key("ctrl+2"));
    CHECK(at("/marks/bookmarks/2/begin_ns") == view["begin_ns"]);
    did(driver->key("home"));
    did(driver->key("3"));  // never set
    CHECK(at("/view/whole_run") == true);
    did(driver->key("2"));
    CHECK(std::abs(at("/view/begin_ns").get<std::int64_t>() - view["begin_ns"].get<std::int64_t>()) <= 1);
    CHECK(std::abs(at("/view/end_ns").get<std::int64_t>() - view["end_ns"].get<std::int64_t>()) <= 1);
}

TEST_CASE_FIXTURE(SampleWindow, "undo takes back where one has gone, a drag as one step, and redo goes there again") {
    CHECK(at("/can_undo") == false);
    did(driver->scroll("timeline/plot", 3, "ctrl"));
    const json zoomed = at("/view");
    CHECK(zoomed["whole_run"] == false);
    did(driver->drag("timeline/plot@0.7,0.5", "timeline/plot@0.3,0.5", {0, 1, "shift"}));
    CHECK(at("/view/begin_ns") != zoomed["begin_ns"]);
    const json panned = at("/view");
    did(driver->key("ctrl+z"));
    CHECK(std::abs(at("/view/begin_ns").get<std::int64_t>() - zoomed["begin_ns"].get<std::int64_t>()) <= 2);
    did(driver->key("ctrl+z"));
    CHECK(at("/view/whole_run") == true);
    CHECK(at("/can_undo") == false);
    did(driver->key("ctrl+shift+z"));
    did(driver->key("ctrl+shift+z"));
    CHECK(std::abs(at("/view/begin_ns").get<std::int64_t>() - panned["begin_ns"].get<std::int64_t>()) <= 2);
    CHECK(at("/can_redo") == false);
}

TEST_CASE_FIXTURE(SampleWindow, "filter and view are undone in the order of changes") {
    driver->window().post(ui::SetFilter{*core::parse_filter("rank:0")});
    did(driver->wait_idle());
    did(driver->scroll("timeline/plot", 3, "ctrl"));
    did(driver->key("ctrl+z"));
    CHECK(at("/view/whole_run") == true);
    CHECK(at("/filter") == "rank:0");
    did(driver->key("ctrl+z"));
    CHECK(at("/filter") == "");
    CHECK(at("/can_undo") == false);
}

TEST_CASE("a session is saved from the window and opens again with all that was shown") {
    const core::testing::TempFolder folder;
    const std::filesystem::path file = folder.path() / "found.lockstep";
    json before;
    {
        ComparingWindow window(ui::testing::pair().baseline, ui::testing::pair().candidate);
        window.post(ui::SetFilter{*core::parse_filter("rank:0-1")});
        did(window.driver->click(ui::NamedEvent{"ncclDevKernel_AllReduce", "1"}));
        did(window.driver->key("shift+m"));
        did(window.driver->key("f", 2));
        did(window.driver->key("f", 2));
        did(window.driver->key("ctrl+1"));
        window.post(ui::ShowPanel{"kernels"});
        did(window.driver->key("ctrl+s"));
        did(window.driver->click("save/path"));
        did(window.driver->key("ctrl+a"));
        window.driver->type(file.string());
        did(window.driver->click("save/save"));
        CHECK(window.at("/notice").get<std::string>().find("found.lockstep") != std::string::npos);
        before = window.at("");
    }
    CHECK(text_of_file(file)["lockstep_session"] == 1);
    DrivenWindow window;
    window.open(file);
    const json after = window.at("");
    CHECK(after["run"]["name"] == before["run"]["name"]);
    CHECK(after["candidate"]["run"]["name"] == before["candidate"]["run"]["name"]);
    for (const char* key : {"filter", "selected", "marks", "tabs"}) {
        CAPTURE(key);
        CHECK(after[key] == before[key]);
    }
    CHECK(std::abs(after["view"]["begin_ns"].get<std::int64_t>() - before["view"]["begin_ns"].get<std::int64_t>()) <=
          1);
}

TEST_CASE("a run whose path is not UTF-8 comes back with its session, byte for byte") {
    const core::testing::TempFolder folder;
    const std::filesystem::path run = folder.path() / "r\xFF\xC3(", kept = folder.path() / "kept",
                                file = kept / "s.lockstep";
    std::filesystem::copy(ui::testing::sample_folder(), run);
    std::filesystem::create_directory(kept);
    {
        DrivenWindow window;
        window.open(run);
        std::ofstream(file) << window.driver->window().session_text();
    }
    CHECK(text_of_file(file).is_object());
    DrivenWindow window;
    window.open(file);
    REQUIRE(window.driver->session().run());
    CHECK(window.driver->session().load()->paths() == std::vector{run});
    CHECK(window.at("/notice") == "");
}

TEST_CASE_FIXTURE(SampleWindow, "an invalid session is reported and changes nothing") {
    const core::testing::TempFolder folder;
    const std::filesystem::path file = folder.path() / "odd.lockstep";
    std::ofstream(file) << "{\"lockstep_session\": 1";
    driver->window().post(ui::DropPaths{{file}});
    CHECK(at("/notice").get<std::string>().find("odd.lockstep: not a session") != std::string::npos);
    CHECK(at("/run/name") == "sample");
    did(driver->click("status/close-notice"));
    CHECK(at("/notice") == "");
    driver->window().post(ui::OpenPaths{{folder.path() / "missing.lockstep"}});
    CHECK(at("/notice").get<std::string>().find("missing.lockstep") != std::string::npos);
    CHECK(at("/run/name") == "sample");
}

TEST_CASE_FIXTURE(SampleWindow, "a picture and a report are written from the window") {
    const core::testing::TempFolder folder;
    driver->window().post(ui::SaveFile{ui::SaveKind::Picture, folder.path() / "view.png"});
    did(driver->wait_idle());
    const auto picture = ui::read_png(folder.path() / "view.png");
    REQUIRE(picture);
    CHECK(picture->width == 1280);
    driver->window().post(ui::SaveFile{ui::SaveKind::Report, folder.path() / "report.html"});
    did(driver->wait_idle());
    CHECK(at("/notice").get<std::string>().find("report.html") != std::string::npos);
    std::ifstream in(folder.path() / "report.html");
    const std::string html((std::istreambuf_iterator<char>(in)), {});
    CHECK(html.find("data:image/png;base64,") != std::string::npos);
    CHECK(html.find("temporal-breakdown") != std::string::npos);
    driver->window().post(ui::SaveFile{ui::SaveKind::Session, folder.path() / "no" / "such.lockstep"});
    did(driver->wait_idle());
    CHECK(at("/notice").get<std::string>().find("such.lockstep") != std::string::npos);
}

TEST_CASE_FIXTURE(DrivenWindow, "what an earlier start left behind is offered") {
    const core::testing::TempFolder folder;
    const std::filesystem::path file = folder.path() / "left.lockstep";
    {
        std::ofstream(file) << json{{"lockstep_session", 1},
                                    {"filter", "rank:2"},
                                    {"baseline", {{"paths", {{{"path", ui::testing::sample_folder().string()}}}}}}};
    }
    driver->window().set_left_behind(file);
    driver->frames(2);
    did(driver->click("welcome/left-behind"));
    CHECK(at("/filter") == "rank:2");
    CHECK(at("/run/ranks") == 8);
    CHECK(driver->window().left_behind().empty());
}

TEST_CASE("a run whose path is not UTF-8 comes back after a crash, byte for byte") {
    const core::testing::TempFolder folder;
    const std::filesystem::path run = folder.path() / "r\xFF\xC3(", left = folder.path() / "left.lockstep";
    std::filesystem::copy(ui::testing::sample_folder(), run);
    {
        DrivenWindow window;
        window.open(run);
        std::ofstream(left) << window.driver->window().session_text();
    }
    DrivenWindow window;
    window.driver->window().set_left_behind(left);
    window.driver->frames(2);
    did(window.driver->click("welcome/left-behind"));
    did(window.driver->wait_idle());
    REQUIRE(window.driver->session().run());
    CHECK(window.driver->session().load()->paths() == std::vector{run});
}

TEST_CASE("right after the runs were swapped nothing is written that is half of one and half of the other") {
    ComparingWindow window(ui::testing::sample_folder(), ui::testing::pair().candidate);  // 8 ranks, 4 ranks
    did(window.driver->click(ui::NamedEvent{"ncclDevKernel_AllReduce", "7"}));
    window.driver->window().post(ui::ShowPanel{"kernels"});
    did(window.driver->wait_idle());
    CHECK_FALSE(window.driver->window().session_text().empty());
    window.post(ui::SwapRuns{});
    const json saved = json::parse(window.driver->window().session_text());
    CHECK(saved["candidate"]["selected"]["rank"] == "7");
    CHECK_FALSE(saved["baseline"].contains("selected"));
    window.driver->session().swap_runs();  // as after a frame's intents
    CHECK(window.driver->window().session_text().empty());
}

TEST_CASE_FIXTURE(SampleWindow, "marks stay with their run and are there when it is opened again") {
    did(driver->click(ui::NamedEvent{"ncclDevKernel_AllReduce", "3"}));
    did(driver->key("shift+m"));
    did(driver->key("ctrl+4"));
    const json marks = at("/marks");
    open(ui::testing::pair().baseline);
    CHECK(at("/marks/kept").empty());
    CHECK(at("/marks/bookmarks").empty());
    open(ui::testing::sample_folder());
    CHECK(at("/marks") == marks);
}

TEST_CASE("a bookmark of a panel is its own side's, wherever the mouse came by") {
    ComparingWindow window(ui::testing::pair().baseline, ui::testing::pair().candidate);
    window.post(ui::LockViews{false});
    did(window.driver->hover("candidate-timeline/plot"));
    did(window.driver->scroll("candidate-timeline/plot", 3, "ctrl"));
    did(window.driver->hover("timeline/plot"));
    did(window.driver->scroll("timeline/plot", 2, "ctrl"));
    did(window.driver->key("ctrl+1"));
    const json view = window.at("/view");
    did(window.driver->key("home"));
    window.post(ui::ShowPanel{"marks"});
    const json other = window.at("/candidate/view");
    did(window.driver->hover("candidate-timeline/plot"));
    did(window.driver->click("left/marks/bookmark:1/go"));
    CHECK(std::abs(window.at("/view/begin_ns").get<std::int64_t>() - view["begin_ns"].get<std::int64_t>()) <= 1);
    CHECK(window.at("/candidate/view") == other);
}
