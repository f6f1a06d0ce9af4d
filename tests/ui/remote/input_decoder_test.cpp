#include "ui/remote/input_decoder.hpp"

#include "tests/ui/remote/page_input.hpp"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace {

using namespace ui;
using ui::testing::PageMessage;

std::optional<remote::PageInput> decode(const PageMessage& message, bool mac = false) {
    return remote::decode_input(message.bytes(), mac);
}

InputEvent only_event(const PageMessage& message, bool mac = false) {
    const auto page = decode(message, mac);
    REQUIRE(page.has_value());
    REQUIRE(page->events.size() == 1);
    return page->events.front();
}

}  // namespace

TEST_CASE("events of a page come in their order, with its number") {
    const auto page = remote::decode_input(
        PageMessage().pointer(5, 6).button(0, true).key("KeyF", 1, remote::kWireControl).text("x").blur().bytes(77),
        false);
    REQUIRE(page.has_value());
    CHECK(page->number == 77);
    REQUIRE(page->events.size() == 5);
    CHECK(page->events[0] == InputEvent{.kind = InputKind::Pointer, .x = 5, .y = 6});
    CHECK(page->events[1] == InputEvent{.kind = InputKind::Button, .action = KeyAction::Press});
    CHECK(page->events[2] ==
          InputEvent{
              .kind = InputKind::Key, .action = KeyAction::Press, .code = GLFW_KEY_F, .modifiers = GLFW_MOD_CONTROL});
    CHECK(page->events[3] == InputEvent{.kind = InputKind::Text, .character = 'x'});
    CHECK(page->events[4].kind == InputKind::Blur);
}

TEST_CASE("keys of a page have GLFW's numbers") {
    CHECK(remote::find_key("KeyA", false) == GLFW_KEY_A);
    CHECK(remote::find_key("Digit0", false) == GLFW_KEY_0);
    CHECK(remote::find_key("Numpad9", false) == GLFW_KEY_KP_9);
    CHECK(remote::find_key("F1", false) == GLFW_KEY_F1);
    CHECK(remote::find_key("F12", false) == GLFW_KEY_F12);
    CHECK(remote::find_key("ArrowLeft", false) == GLFW_KEY_LEFT);
    CHECK(remote::find_key("MetaLeft", false) == GLFW_KEY_LEFT_SUPER);
    for (const char* const other : {"", "F", "F0", "F01", "F26", "F1x", "Keya", "KeyAB", "Digit", "Fn"})
        CHECK(remote::find_key(other, false) == 0);
}

TEST_CASE("Command acts as Control on a Mac") {
    CHECK(remote::find_key("MetaLeft", true) == GLFW_KEY_LEFT_CONTROL);
    CHECK(only_event(PageMessage().key("KeyC", 1, remote::kWireMeta), true).modifiers == GLFW_MOD_CONTROL);
    CHECK(only_event(PageMessage().key("KeyC", 1, remote::kWireMeta)).modifiers == GLFW_MOD_SUPER);
}

TEST_CASE("the wheel of a page counts pixels, lines or pages, and up is positive") {
    CHECK(only_event(PageMessage().wheel(0, 0, -100)).y == 1);
    CHECK(only_event(PageMessage().wheel(1, 0, 3)).y == -1);
    CHECK(only_event(PageMessage().wheel(2, 0, 1)).y == -8);
    CHECK(only_event(PageMessage().wheel(0, 50, 0)).x == -0.5f);
    CHECK(only_event(PageMessage().wheel(0, 0, -1e30f)).y == 100);
}

TEST_CASE("a key without a number and control characters in a text change nothing") {
    CHECK(decode(PageMessage().key("LaunchMail", 1))->events.empty());
    CHECK(decode(PageMessage().text("\n\x7F"))->events.empty());
    CHECK(only_event(PageMessage().text("\n\xE2\x82\xAC")).character == 0x20AC);
}

TEST_CASE("the last size of a message counts") {
    const auto page = decode(PageMessage().size(800, 600, 1).size(1'600, 1'200, 2));
    REQUIRE(page.has_value());
    CHECK(page->size == remote::PageSize{.width = 1'600, .height = 1'200, .ratio = 2});
}

TEST_CASE("input that is damaged, out of range or too long is refused whole") {
    const float infinity = std::numeric_limits<float>::infinity();
    CHECK_FALSE(decode(PageMessage().pointer(1, 1).button(3, true)));
    CHECK_FALSE(decode(PageMessage().wheel(3, 0, 0)));
    CHECK_FALSE(decode(PageMessage().wheel(0, infinity, 0)));
    CHECK_FALSE(decode(PageMessage().wheel(0, 0, std::nanf(""))));
    CHECK_FALSE(decode(PageMessage().key("KeyA", 3)));
    CHECK_FALSE(decode(PageMessage().key(std::string(33, 'A'), 1)));
    CHECK_FALSE(decode(PageMessage().text("\xFF")));
    CHECK_FALSE(decode(PageMessage().size(63, 600, 1)));
    CHECK_FALSE(decode(PageMessage().size(16'385, 600, 1)));
    CHECK_FALSE(decode(PageMessage().size(800, 600, std::nanf(""))));
    CHECK_FALSE(decode(PageMessage().size(800, 600, 9)));
    CHECK_FALSE(remote::decode_input("", false));
    CHECK_FALSE(remote::decode_input(PageMessage().blur().bytes() + "x", false));
    const std::string whole = PageMessage().text("abc").key("KeyA", 1).bytes();
    for (std::size_t bytes = 0; bytes < whole.size(); ++bytes)
        CHECK_FALSE(remote::decode_input(whole.substr(0, bytes), false));
    PageMessage many;
    for (std::size_t i = 0; i < remote::kMostInputEvents; ++i) many.blur();
    CHECK(decode(many));
    CHECK_FALSE(decode(many.blur()));
    CHECK_FALSE(decode(PageMessage().text(std::string(remote::kMostInputBytes, 'a'))));
}
