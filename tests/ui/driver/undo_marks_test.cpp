// Marks and bookmarks are part of undo, one step for each change.

#include "core/query/filter_text.hpp"
#include "tests/ui/driver/sample_window.hpp"

using nlohmann::json;
using ui::testing::did;
using ui::testing::SampleWindow;

namespace {

std::size_t kept(SampleWindow& window) { return window.at("/marks/kept").size(); }

void keep_a_mark(SampleWindow& window) {
    did(window.driver->click(ui::NamedEvent{"ncclDevKernel_AllReduce", "3"}));
    did(window.driver->key("shift+m"));
    did(window.driver->wait_idle());
}

}  // namespace

TEST_CASE_FIXTURE(SampleWindow, "setting or keeping a mark is undone and redone") {
    did(driver->click(ui::NamedEvent{"ncclDevKernel_AllReduce", "3"}));
    did(driver->key("m"));
    CHECK_FALSE(at("/marks/passing").is_null());
    did(driver->key("ctrl+z"));
    CHECK(at("/marks/passing").is_null());
    did(driver->key("ctrl+shift+z"));
    CHECK_FALSE(at("/marks/passing").is_null());
    did(driver->key("shift+m"));
    const json mark = at("/marks/kept/0");
    did(driver->key("ctrl+z"));
    CHECK(kept(*this) == 0);
    CHECK_FALSE(at("/marks/passing").is_null());
    did(driver->key("ctrl+shift+z"));
    CHECK(at("/marks/kept/0") == mark);
}

TEST_CASE_FIXTURE(SampleWindow, "steps of marks and of the filter go back in their order") {
    keep_a_mark(*this);
    driver->window().post(ui::SetFilter{*core::parse_filter("rank:3")});
    did(driver->wait_idle());
    did(driver->key("ctrl+2"));
    did(driver->wait_idle());
    CHECK(at("/marks/bookmarks").contains("2"));
    did(driver->key("ctrl+z"));
    CHECK_FALSE(at("/marks/bookmarks").contains("2"));
    CHECK(at("/filter") == "rank:3");
    CHECK(kept(*this) == 1);
    did(driver->key("ctrl+z"));
    CHECK(at("/filter") == "");
    CHECK(kept(*this) == 1);
    did(driver->key("ctrl+z"));
    CHECK(kept(*this) == 0);
    did(driver->key("ctrl+shift+z"));
    CHECK(kept(*this) == 1);
    CHECK(at("/filter") == "");
}

TEST_CASE_FIXTURE(SampleWindow, "a note that is typed is one step, a mark that is removed comes back with it") {
    keep_a_mark(*this);
    driver->window().post(ui::ShowPanel{"marks"});
    did(driver->click("mark:1/note"));
    for (const char* letter : {"l", "a", "t", "e"}) driver->type(letter);
    did(driver->key("enter"));
    CHECK(at("/marks/kept/0/note") == "late");
    did(driver->click("mark:1/remove"));
    CHECK(kept(*this) == 0);
    did(driver->key("ctrl+z"));
    CHECK(at("/marks/kept/0/note") == "late");
    did(driver->key("ctrl+z"));
    CHECK(at("/marks/kept/0/note") == "");
    did(driver->key("ctrl+z"));
    CHECK(kept(*this) == 0);
    did(driver->key("ctrl+shift+z"));
    did(driver->key("ctrl+shift+z"));
    CHECK(at("/marks/kept/0/note") == "late");
}

TEST_CASE_FIXTURE(SampleWindow, "opening another run is one step, and its marks are its own") {
    keep_a_mark(*this);
    const core::testing::TempFolder folder;
    core::SampleOptions options;
    options.steps = 1;
    options.layers = 1;
    REQUIRE(core::write_sample_run(folder.path() / "other", options, {}));
    open(folder.path() / "other");
    CHECK(kept(*this) == 0);
    CHECK(driver->window().can_undo());
    did(driver->key("ctrl+z"));
    did(driver->wait_idle());
    CHECK(kept(*this) == 1);
    did(driver->key("ctrl+shift+z"));
    did(driver->wait_idle());
    CHECK(kept(*this) == 0);
}

TEST_CASE_FIXTURE(SampleWindow, "a step between two edits of one note keeps them apart") {
    keep_a_mark(*this);
    driver->window().post(ui::ShowPanel{"marks"});
    did(driver->click("mark:1/note"));
    driver->type("a");
    did(driver->key("enter"));
    driver->window().post(ui::SetFilter{*core::parse_filter("rank:3")});
    did(driver->wait_idle());
    did(driver->click("mark:1/note"));
    did(driver->key("end"));
    driver->type("b");
    did(driver->key("enter"));
    CHECK(at("/marks/kept/0/note") == "ab");
    did(driver->key("ctrl+z"));
    CHECK(at("/marks/kept/0/note") == "a");
    CHECK(at("/filter") == "rank:3");
    did(driver->key("ctrl+z"));
    CHECK(at("/marks/kept/0/note") == "a");
    CHECK(at("/filter") == "");
}
