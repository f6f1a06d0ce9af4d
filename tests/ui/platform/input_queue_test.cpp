#include "ui/platform/input_queue.hpp"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <doctest/doctest.h>

#include <vector>

namespace {

using namespace ui;

InputEvent key(int code, KeyAction action, int modifiers = 0) {
    return {.kind = InputKind::Key, .action = action, .code = code, .modifiers = modifiers};
}
InputEvent button(int number, KeyAction action) {
    return {.kind = InputKind::Button, .action = action, .code = number};
}
InputEvent pointer(float x, float y) { return {.kind = InputKind::Pointer, .x = x, .y = y}; }
InputEvent wheel(float y) { return {.kind = InputKind::Wheel, .y = y}; }
InputEvent text(char32_t character) { return {.kind = InputKind::Text, .character = character}; }

// How many events each frame takes, until none waits.
std::vector<std::size_t> frames_of(const std::vector<InputEvent>& events) {
    InputQueue queue;
    for (const InputEvent& event : events) queue.push(event);
    std::vector<std::size_t> sizes;
    std::vector<InputEvent> all;
    while (!queue.empty()) {
        const std::vector<InputEvent> frame = queue.take_frame();
        REQUIRE_FALSE(frame.empty());
        sizes.push_back(frame.size());
        all.insert(all.end(), frame.begin(), frame.end());
    }
    CHECK(all == events);
    return sizes;
}

using Sizes = std::vector<std::size_t>;
constexpr auto kPress = KeyAction::Press;
constexpr auto kRelease = KeyAction::Release;

}  // namespace

TEST_CASE("the press and the release of a key or a button are in two frames") {
    CHECK(frames_of({key(GLFW_KEY_A, kPress), key(GLFW_KEY_A, kRelease)}) == Sizes{1, 1});
    CHECK(frames_of({button(0, kPress), button(0, kRelease)}) == Sizes{1, 1});
    CHECK(frames_of({key(GLFW_KEY_A, kPress), key(GLFW_KEY_B, kPress), button(0, kPress)}) == Sizes{3});
}

TEST_CASE("a text is read before the chord that follows it") {
    CHECK(frames_of({text('a'), text('b'), key(GLFW_KEY_ENTER, kPress)}) == Sizes{2, 1});
    CHECK(frames_of({text('a'), key(GLFW_KEY_Z, kPress, GLFW_MOD_CONTROL)}) == Sizes{1, 1});
    CHECK(frames_of({text('a'), key(GLFW_KEY_B, kPress), text('b')}) == Sizes{3});
}

TEST_CASE("a modifier is released after the frame of what it modified") {
    const InputEvent released = key(GLFW_KEY_LEFT_CONTROL, kRelease);
    CHECK(frames_of({key(GLFW_KEY_LEFT_CONTROL, kPress), key(GLFW_KEY_F, kPress), released}) == Sizes{2, 1});
    CHECK(frames_of({wheel(1), released}) == Sizes{1, 1});
    CHECK(frames_of({button(0, kPress), released}) == Sizes{1, 1});
}

TEST_CASE("moves of the pointer share a frame until it is used") {
    CHECK(frames_of({pointer(1, 1), pointer(2, 2), button(0, kPress), pointer(3, 3)}) == Sizes{3, 1});
    CHECK(frames_of({pointer(1, 1), wheel(1), wheel(1), pointer(3, 3)}) == Sizes{3, 1});
}

TEST_CASE("the state of a frame has the newest pointer, all notches and what is held") {
    Input input;
    apply_events({pointer(1, 2), pointer(3, 4), wheel(1), wheel(0.5f), key(GLFW_KEY_A, kPress), text('a'), text(0x20AC),
                  button(1, kPress), button(7, kPress)},
                 input);
    CHECK(input.mouse_x == 3);
    CHECK(input.mouse_y == 4);
    CHECK(input.wheel == 1.5f);
    CHECK(input.keys == std::vector<int>{GLFW_KEY_A});
    CHECK(input.text == "a\xE2\x82\xAC");
    CHECK(input.buttons == std::array<bool, 3>{false, true, false});
    apply_events({key(GLFW_KEY_A, KeyAction::Repeat)}, input);
    CHECK(input.wheel == 0);
    CHECK(input.text.empty());
    CHECK(input.keys.size() == 1);
    CHECK(input.buttons[1]);
}

TEST_CASE("a window that loses the keyboard releases everything, after what came before") {
    CHECK(frames_of({key(GLFW_KEY_A, kPress), {.kind = InputKind::Blur}}) == Sizes{1, 1});
    Input input;
    apply_events({key(GLFW_KEY_A, kPress), button(0, kPress)}, input);
    apply_events({{.kind = InputKind::Blur}}, input);
    CHECK(input.keys.empty());
    CHECK_FALSE(input.buttons[0]);
}
