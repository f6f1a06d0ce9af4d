// Default keys, keys from settings, and keys in the window.

#include "tests/ui/driver/sample_window.hpp"
#include "ui/commands/commands.hpp"

#include <GLFW/glfw3.h>

#include <map>

using nlohmann::json;
using ui::Chord;
using ui::KeyMap;
using ui::testing::did;
using ui::testing::SampleWindow;

namespace {

struct UsualKeys {
    ~UsualKeys() { ui::key_map() = KeyMap(); }
};

}  // namespace

TEST_CASE("no two things have the same key, and every key can be written and read") {
    std::map<std::string, std::string> taken;
    const KeyMap map;
    const auto take = [&](std::string_view id) {
        for (const Chord& chord : map.chords(id)) {
            const std::string text = ui::format_chord(chord);
            INFO(text << " of " << id << " and " << taken[text]);
            CHECK(taken[text].empty());
            taken[text] = id;
        }
    };
    for (const ui::Command& command : ui::all_commands()) take(command.id);
    for (const ui::TimelineKey& key : ui::all_timeline_keys()) take(key.id);
    CHECK(taken.size() > 40);
    CHECK(taken["?"] == "keys");
}

TEST_CASE("chords are read as they are written") {
    CHECK(*ui::read_chord("Ctrl+Shift+F") == Chord{GLFW_KEY_F, true, true});
    CHECK(*ui::read_chord("w") == Chord{GLFW_KEY_W});
    CHECK(*ui::read_chord("?") == Chord{GLFW_KEY_SLASH, false, true});
    CHECK(*ui::read_chord("f11") == Chord{GLFW_KEY_F11});
    for (const char* text : {"", "ctrl", "ctrl+", "alt+x", "a+b", "no-such"}) {
        CAPTURE(text);
        REQUIRE_FALSE(ui::read_chord(text));
        CHECK_FALSE(ui::read_chord(text).error().message.empty());
    }
}

TEST_CASE("a key that settings assign is removed from its previous owner") {
    KeyMap map;
    CHECK(map.rebind(json{{"zoom-in", "q"}, {"undo", {"ctrl+z", "f9"}}, {"pan-left", nullptr}}).empty());
    CHECK(map.format("zoom-in") == "Q");
    CHECK(map.chords("drawer").empty());
    CHECK(map.format("undo") == "Ctrl+Z  F9");
    CHECK(map.chords("pan-left").empty());
    CHECK(map.format("pan-right").starts_with("D"));
}

TEST_CASE("wrong settings are reported, the rest takes effect") {
    KeyMap map;
    const std::vector<std::string> problems =
        map.rebind(json{{"no-such", "q"}, {"undo", 3}, {"redo", "hyper+q"}, {"zoom-out", "x"}});
    CHECK(problems.size() == 3);
    CHECK(map.format("zoom-out") == "X");
    CHECK(map.format("undo") == "Ctrl+Z");
    CHECK(map.rebind(json::array()).size() == 1);

    const core::testing::TempFolder folder;
    const auto settings = [&](std::string_view text) {
        std::ofstream(folder.path() / "settings.json") << text;
        return ui::read_settings(folder.path() / "settings.json", map);
    };
    CHECK(ui::read_settings(folder.path() / "none.json", map).empty());
    CHECK(ui::read_settings({}, map).empty());
    CHECK(settings("{").size() == 1);
    CHECK(settings("[]").front().find("settings.json") != std::string::npos);
    CHECK(settings(R"({"colour": 1, "keys": {"centre": "g"}})").size() == 1);
    CHECK(map.format("centre") == "G");
}

TEST_CASE_FIXTURE(SampleWindow, "keys of settings work in the window, what they replace does not") {
    const UsualKeys restored;
    REQUIRE(ui::key_map().rebind(json{{"zoom-in", "i"}, {"drawer", {"tab", "ctrl+b"}}}).empty());
    const double before = at("/view/px_per_ns");
    did(driver->key("w"));
    CHECK(at("/view/px_per_ns") == before);
    did(driver->key("i"));
    CHECK(at("/view/px_per_ns") > before);
    did(driver->key("q"));
    CHECK(at("/drawer/open") == true);
    did(driver->key("ctrl+b"));
    CHECK(at("/drawer/open") == false);
}

TEST_CASE_FIXTURE(SampleWindow, "a letter that is let go after its Ctrl does not move the view") {
    const double before = at("/view/px_per_ns");
    ui::Input& input = driver->input();
    input.keys = {GLFW_KEY_LEFT_CONTROL};
    driver->frame();
    input.keys = {GLFW_KEY_LEFT_CONTROL, GLFW_KEY_W};
    driver->frames(2);
    input.keys = {GLFW_KEY_W};
    driver->frames(5);
    CHECK(at("/view/px_per_ns") == before);
    input.keys = {};
    driver->frames(2);
    input.keys = {GLFW_KEY_W};
    driver->frames(2);
    input.keys = {};
    CHECK(at("/view/px_per_ns") > before);
}
