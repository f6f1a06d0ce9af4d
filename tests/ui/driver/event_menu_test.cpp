// The context menu of an event, and open menus and lists under the keyboard.

#include "tests/ui/driver/sample_window.hpp"

using nlohmann::json;
using ui::NamedEvent;
using ui::testing::did;
using ui::testing::SampleWindow;

namespace {

struct MenuWindow : SampleWindow {
    void open_menu() {
        did(driver->right_click(NamedEvent{"ncclDevKernel_AllReduce", "3"}));
        did(driver->wait_idle());
        REQUIRE(ui::items().find("event-menu/filter-name"));
    }
    void choose(const char* entry) {
        open_menu();
        did(driver->click(std::string("event-menu/") + entry));
        did(driver->wait_idle());
    }
};

}  // namespace

TEST_CASE_FIXTURE(MenuWindow, "a right click on an event selects it and filters by its name, stream, rank or step") {
    choose("filter-name");
    CHECK(at("/selected/rank") == "3");
    CHECK(at("/filter").get<std::string>().find("name:") != std::string::npos);
    did(driver->key("ctrl+z"));
    CHECK(at("/filter") == "");
    choose("filter-stream");
    CHECK(at("/filter").get<std::string>().starts_with("stream:"));
    did(driver->key("ctrl+z"));
    choose("filter-rank");
    CHECK(at("/filter") == "rank:3");
    CHECK_FALSE(ui::items().find("event-menu/filter-name"));
}

TEST_CASE_FIXTURE(MenuWindow, "the event's menu goes to others of its name, lists them and hides its rank") {
    choose("list");
    CHECK(at("/tabs/left") == "events");
    choose("path");
    choose("copy");
    CHECK(std::string(ImGui::GetClipboardText()).starts_with("ncclDevKernel_AllReduce"));
    open_menu();
    did(driver->key("esc"));
    did(driver->wait_idle());
    CHECK_FALSE(ui::items().find("event-menu/filter-name"));
    choose("hide-rank");
    const json hidden = at("/timeline/ranks/hidden");
    CHECK(hidden == json::array({"3"}));
}

TEST_CASE_FIXTURE(MenuWindow, "typing in a list goes to the entry that begins so, Enter takes it; Esc closes it") {
    did(driver->key("alt+6"));
    did(driver->wait_idle());
    REQUIRE(at("/tabs/left") == "analysis");
    did(driver->click("analysis/analysis"));
    did(driver->wait_idle());
    driver->type("idle g");
    did(driver->wait_idle());
    did(driver->key("enter"));
    did(driver->wait_idle());
    CHECK(at("/panels/analysis/analysis") == "idle-gaps");
    did(driver->click("analysis/analysis"));
    did(driver->wait_idle());
    CHECK(ui::items().find("analysis/overlap"));
    did(driver->key("esc"));
    did(driver->wait_idle());
    CHECK_FALSE(ui::items().find("analysis/overlap"));
}

TEST_CASE_FIXTURE(MenuWindow,
                  "arrows walk an open list and Enter takes the entry; a command's key closes it and is done") {
    did(driver->key("alt+6"));
    did(driver->click("analysis/analysis"));
    did(driver->wait_idle());
    did(driver->key("down"));
    did(driver->wait_idle());
    did(driver->key("down"));
    did(driver->wait_idle());
    const std::string before = at("/panels/analysis/analysis");
    did(driver->key("enter"));
    did(driver->wait_idle());
    CHECK(at("/panels/analysis/analysis") != before);
    CHECK_FALSE(ui::items().find("analysis/overlap"));
    did(driver->click("analysis/analysis"));
    did(driver->wait_idle());
    did(driver->key("alt+2"));
    did(driver->wait_idle());
    CHECK(at("/tabs/left") == "breakdown");
    did(driver->key("alt+6"));
    did(driver->wait_idle());
    CHECK_FALSE(ui::items().find("analysis/kernels"));
}
