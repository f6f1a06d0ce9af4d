#include "tests/core/added_row.hpp"
#include "tests/ui/driver/sample_window.hpp"
#include "ui/commands/commands.hpp"
#include "ui/style/compat.hpp"

using namespace ui::testing;

namespace {

// The example of HACKING.md.
constexpr ui::Command kShowMarks{"show-marks",
                                 ui::CommandGroup::Help,
                                 "Show the marks",
                                 {GLFW_KEY_F9, false, false},
                                 [](const ui::UiChoices&) -> ui::Intent { return ui::ShowPanel{"marks"}; }};

// Current keys of the command table.
struct KeysOfTable {
    KeysOfTable() { ui::key_map() = ui::KeyMap(); }
    ~KeysOfTable() { ui::key_map() = ui::KeyMap(); }
    KeysOfTable(const KeysOfTable&) = delete;
    KeysOfTable& operator=(const KeysOfTable&) = delete;
};

}  // namespace

TEST_CASE("a command in the table answers its key and the palette, and is gone with its row") {
    CHECK(ui::find_command("show-marks") == nullptr);
    {
        const core::testing::AddedRow<ui::Command> added(ui::commands(), kShowMarks);
        const KeysOfTable keys;
        REQUIRE(ui::find_command("show-marks") != nullptr);
        CHECK(ui::key_map().format("show-marks") == "F9");
        DrivenWindow window;
        window.open(sample_folder());
        REQUIRE(window.at("/tabs/left") != "marks");
        did(window.driver->key("f9"));
        CHECK(window.at("/tabs/left") == "marks");
        window.driver->window().post(ui::ShowPanel{"steps"});
        did(window.driver->wait_idle());
        did(window.driver->key("ctrl+shift+p"));
        did(window.driver->wait_idle());
        window.driver->type("show the marks");
        did(window.driver->wait_idle());
        did(window.driver->key("enter"));
        CHECK(window.at("/tabs/left") == "marks");
    }
    ui::key_map() = ui::KeyMap();
    CHECK(ui::find_command("show-marks") == nullptr);
    CHECK(ui::key_map().chords("show-marks").empty());
}
