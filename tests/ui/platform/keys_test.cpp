#include "ui/platform/keys.hpp"

#include <doctest/doctest.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

using Keys = std::vector<int>;

TEST_CASE("a chord is a key name preceded by modifiers") {
    CHECK(ui::parse_chord("enter").value() == Keys{GLFW_KEY_ENTER});
    CHECK(ui::parse_chord("ctrl+shift+z").value() == Keys{GLFW_KEY_LEFT_CONTROL, GLFW_KEY_LEFT_SHIFT, GLFW_KEY_Z});
    CHECK(ui::parse_chord("f12").value() == Keys{GLFW_KEY_F12});
    CHECK(ui::parse_chord("/").value() == Keys{GLFW_KEY_SLASH});
    CHECK(ui::parse_chord("7").value() == Keys{GLFW_KEY_7});
}

TEST_CASE("an unknown key is refused by name") {
    for (const char* const text : {"entr", "", "ctrl+", "f13", "A"}) {
        INFO(text);
        const auto keys = ui::parse_chord(text);
        REQUIRE_FALSE(keys);
        CHECK(keys.error().message.find("known are ctrl") != std::string::npos);
    }
}
