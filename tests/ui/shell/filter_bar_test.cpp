// The filter bar operated by hand: typing, completion, checkboxes and undo.

#include "tests/ui/driver/sample_window.hpp"

#include "core/query/filter_text.hpp"

#include <doctest/doctest.h>

using ui::testing::did;
using ui::testing::SampleWindow;

namespace {

struct FilterWindow : SampleWindow {
    std::string filter() {
        did(driver->wait_idle());
        return core::format_filter(driver->session().filter());
    }
    void type_filter(std::string_view text) {
        did(driver->click("top/filter"));
        driver->type(text);
        driver->frames(3);
    }
    bool shows(std::string_view item) {
        driver->frames(2);
        return ui::items().find(item) != nullptr;
    }
};

}  // namespace

TEST_CASE_FIXTURE(FilterWindow, "completion offers what the run has; Tab and the arrows take it, Enter commits") {
    type_filter("cl");
    CHECK(shows("completion:class:"));
    did(driver->key("tab"));
    CHECK(shows("completion:class:communication"));
    did(driver->key("down"));
    did(driver->key("down"));
    did(driver->key("enter"));
    CHECK(filter() == "");
    driver->frames(3);
    did(driver->key("enter"));
    CHECK(filter() == "class:communication");
    CHECK_FALSE(shows("completion:rank:"));
}

TEST_CASE_FIXTURE(FilterWindow, "a click inserts a completion") {
    type_filter("rank:");
    did(driver->click("completion:rank:3"));
    driver->frames(3);
    did(driver->key("enter"));
    CHECK(filter() == "rank:3");
    did(driver->click("top/clear-filter"));
    CHECK(filter() == "");
}

TEST_CASE_FIXTURE(FilterWindow, "what cannot be read is said and changes nothing; Escape takes the edit back") {
    type_filter("rank:x");
    did(driver->key("enter"));
    CHECK(filter() == "");
    did(driver->key("esc"));
    driver->frames(3);
    type_filter("rank:1");
    did(driver->key("esc"));
    CHECK(filter() == "");
}

TEST_CASE_FIXTURE(FilterWindow, "chips tick and untick; a word leaves only itself; all ticked removes the term") {
    did(driver->click("top/chip-Ranks"));
    did(driver->click("Ranks/tick:Rank 2"));
    CHECK(filter() == "rank:0-1,3-7");
    did(driver->click("Ranks/Rank 5"));
    CHECK(filter() == "rank:5");
    did(driver->click("Ranks/tick:Rank 5"));
    CHECK(filter() == "rank:5");
    did(driver->click("Ranks/all"));
    CHECK(filter() == "");
    did(driver->key("esc"));
    CHECK_FALSE(shows("Ranks/all"));
    did(driver->click("top/chip-Classes"));
    did(driver->click("Classes/tick:memory"));
    CHECK(filter() == "class:compute,communication");
    did(driver->key("esc"));
    did(driver->click("top/chip-Steps"));
    did(driver->click("Steps/complete"));
    CHECK(filter() == "class:compute,communication step:complete");
    did(driver->key("esc"));
    did(driver->key("ctrl+z"));
    did(driver->key("ctrl+z"));
    CHECK(filter() == "");
}

TEST_CASE_FIXTURE(FilterWindow, "the time chip takes what is visible and gives it back") {
    did(driver->click("top/chip-Time"));
    did(driver->click("Time/visible"));
    CHECK(filter().starts_with("time:"));
    did(driver->click("top/chip-Time"));
    did(driver->click("Time/all"));
    CHECK(filter() == "");
}

TEST_CASE_FIXTURE(FilterWindow, "a narrow window has the filter on a line of its own, nothing is cut off") {
    did(driver->resize(640, 480));
    did(driver->wait_idle());
    for (const char* name : {"top/filter", "top/chip-Time", "top/undo", "top/redo", "top/menu"}) {
        CAPTURE(name);
        const ui::Item* item = ui::items().find(name);
        REQUIRE(item);
        CHECK(item->visible);
        CHECK(item->max.x <= 640);
    }
    const ui::Item* filter = ui::items().find("top/filter");
    CHECK(filter->max.x - filter->min.x >= 120);
}
