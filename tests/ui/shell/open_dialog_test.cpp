// The Open dialog and recent runs, operated by hand.

#include "tests/core/temp_folder.hpp"
#include "tests/ui/driver/sample_window.hpp"

#include <doctest/doctest.h>

#include <fstream>

namespace fs = std::filesystem;
using ui::testing::did;
using ui::testing::DrivenWindow;
using ui::testing::sample_folder;

namespace {

struct OpeningWindow : DrivenWindow {
    bool has(std::string_view item) {
        did(driver->wait_idle());
        return ui::items().find(item) != nullptr;
    }
    std::size_t ranks() {
        did(driver->wait_idle());
        return driver->session().run() ? driver->session().run()->ranks().size() : 0;
    }
    void type_path(const fs::path& path) {
        did(driver->key("ctrl+o"));
        driver->frames(3);
        did(driver->key("ctrl+a"));
        driver->type(path.string());
        did(driver->wait_idle());
    }
};

}  // namespace

TEST_CASE_FIXTURE(OpeningWindow, "a path is typed and opened") {
    type_path(sample_folder());
    did(driver->key("enter"));
    CHECK(ranks() == 8);
    CHECK_FALSE(has("dialog/path"));
}

TEST_CASE_FIXTURE(OpeningWindow, "the browser goes into folders, chooses files and opens them as one run") {
    type_path(sample_folder().parent_path() / "");
    REQUIRE(has("dialog/entry:sample"));
    did(driver->click("dialog/entry:sample"));
    did(driver->wait_idle());
    std::vector<std::string> files;
    for (const ui::Item& item : ui::items().items()) {
        if (const std::size_t at = item.path.find("entry:"); at != std::string::npos) files.push_back(item.path);
    }
    REQUIRE(files.size() >= 3);
    did(driver->click(files[0]));
    did(driver->click(files[2], {0, 1, "ctrl"}));
    did(driver->click("dialog/ok"));
    CHECK(ranks() == 2);
}

TEST_CASE_FIXTURE(OpeningWindow, "Tab completes the path, arrows walk the list, Enter opens what they are on") {
    type_path(sample_folder().parent_path() / "sam");
    did(driver->key("tab"));
    did(driver->wait_idle());
    REQUIRE(has("dialog/path"));
    CHECK_FALSE(has("dialog/entry:sample"));  // in it
    did(driver->key("down"));
    did(driver->key("down"));
    did(driver->key("up"));
    did(driver->key("enter"));
    CHECK(ranks() == 1);
    type_path(sample_folder().parent_path() / "");
    did(driver->key("down"));
    did(driver->key("enter"));
    did(driver->wait_idle());
    REQUIRE(has("dialog/path"));
    CHECK_FALSE(has("dialog/entry:sample"));
    did(driver->key("enter"));
    CHECK(ranks() == 8);
}

TEST_CASE_FIXTURE(OpeningWindow, "a folder is opened as it is; Cancel and Escape open nothing") {
    type_path(sample_folder() / "");
    did(driver->click("dialog/cancel"));
    CHECK(ranks() == 0);
    did(driver->key("ctrl+o"));
    did(driver->wait_idle());
    did(driver->key("esc"));
    CHECK_FALSE(has("dialog/path"));
    type_path(sample_folder() / "");
    did(driver->click("dialog/ok"));
    CHECK(ranks() == 8);
}

TEST_CASE_FIXTURE(OpeningWindow, "a part of a name narrows the list; what cannot be listed says so") {
    const core::testing::TempFolder folder;
    for (const char* name : {"alpha.json", "beta.json"}) std::ofstream(folder.path() / name) << "[]";
    type_path(folder.path() / "bet");
    CHECK(has("dialog/entry:beta.json"));
    CHECK_FALSE(has("dialog/entry:alpha.json"));
    did(driver->key("esc"));
    type_path(folder.path() / "nowhere" / "");
    CHECK_FALSE(has("dialog/entry:beta.json"));
    did(driver->key("enter"));
    did(driver->wait_idle());
    CHECK(driver->session().load()->error().find("nowhere") != std::string::npos);
}

TEST_CASE_FIXTURE(OpeningWindow, "what was opened is offered in the dialog and in an empty window, and kept") {
    const core::testing::TempFolder folder;
    const fs::path file = folder.path() / "recent.json";
    driver->window().set_recent(core::RecentRuns(file));
    open(sample_folder());
    CHECK(ranks() == 8);
    CHECK(core::RecentRuns(file).runs().front().front() == sample_folder());
    open("/nowhere/at/all");
    CHECK(core::RecentRuns(file).runs().size() == 1);
    REQUIRE(has("welcome/recent:0"));
    did(driver->click("welcome/recent:0"));
    CHECK(ranks() == 8);
    did(driver->key("ctrl+o"));
    did(driver->wait_idle());
    CHECK(has("dialog/recent:0"));
}
