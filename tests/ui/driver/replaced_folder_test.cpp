// The folder of an open run is renamed, replaced or emptied: the session continues with its data and reports it.

#include "tests/ui/driver/sample_window.hpp"

using ui::testing::did;
using ui::testing::DrivenWindow;
namespace fs = std::filesystem;

namespace {

void write_run(const fs::path& folder, int ranks) {
    core::SampleOptions options;
    options.ranks = ranks;
    options.steps = 2;
    options.layers = 1;
    REQUIRE(core::write_sample_run(folder, options, {}));
}

struct OpenFolder : DrivenWindow {
    OpenFolder(core::IndexFiles index_files, bool again) {
        write_run(folder, 4);
        driver->session().set_index_files(index_files);
        open(folder);
        if (again) {  // from index files, which are mapped
            driver->window().post(ui::CloseRun{});
            open(folder);
        }
        events = driver->session().run()->event_count();
    }
    // Moves the mouse until the window checks the files.
    void work() {
        for (int i = 0; i < 200; ++i) {
            driver->input().mouse_x = static_cast<float>(100 + i % 50);
            driver->input().mouse_y = 90;
            driver->frame();
        }
        did(driver->wait_idle());
    }
    // Opens every panel, which together read all data.
    void check_session_goes_on() {
        for (const ui::PanelType& panel : ui::all_panels()) {
            driver->window().post(ui::ShowPanel{std::string(panel.id)});
            did(driver->wait_idle());
        }
        did(driver->double_click(ui::Target(ui::NamedEvent{.name = "ncclDevKernel_AllReduce", .rank = "1"})));
        REQUIRE(driver->session().run());
        CHECK(driver->session().run()->event_count() == events);
        CHECK(at("/selected") != nullptr);
    }
    core::testing::TempFolder parent;
    fs::path folder = parent.path() / "traces";
    std::size_t events = 0;
};

}  // namespace

TEST_CASE("a folder that is renamed and replaced while it is open is named, and the session goes on") {
    for (const bool again : {false, true}) {
        OpenFolder window(core::IndexFiles::Use, again);
        window.work();
        CHECK(window.at("/sources") == "");
        fs::rename(window.folder, window.parent.path() / "before");
        window.work();
        CHECK(window.at("/sources") == "traces: is gone");
        write_run(window.folder, 2);
        window.work();
        CHECK(window.at("/sources") == "traces: was replaced");
        CHECK(ui::items().find("status/sources:baseline"));
        window.check_session_goes_on();
        window.driver->window().post(ui::OpenPaths{{window.folder}});  // the new contents
        did(window.driver->wait_idle());
        window.work();
        CHECK(window.driver->session().run()->ranks().size() == 2);
        CHECK(window.at("/sources") == "");
    }
}

TEST_CASE("files that are removed or overwritten while they are open are counted, and the session goes on") {
    for (const bool again : {false, true}) {
        OpenFolder window(core::IndexFiles::Use, again);
        const fs::path first = window.driver->session().run()->rank(0).trace().info.path;
        const fs::path last = window.driver->session().run()->rank(2).trace().info.path;
        fs::remove(last);
        std::ofstream(first) << "something else";
        window.work();
        CHECK(window.at("/sources") == "2 of 4 files are gone or changed, first " + first.filename().string());
        window.check_session_goes_on();
        for (const auto& entry : fs::directory_iterator(window.folder)) fs::remove(entry.path());
        window.work();
        CHECK(window.at("/sources") == "4 of 4 files are gone or changed, first " + first.filename().string());
        window.check_session_goes_on();
    }
}
