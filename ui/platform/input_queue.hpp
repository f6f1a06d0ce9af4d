#pragma once
// Changes of pointer and keys that wait for their frame. A frame that sampled only the newest state
// would lose a press and release within it, or put a click where the pointer went afterwards.
// Knows GLFW's numbers of keys, but none of its types. Main thread only.

#include "ui/platform/input.hpp"

#include <cstdint>
#include <deque>
#include <vector>

namespace ui {

enum class InputKind : std::uint8_t { Pointer, Button, Wheel, Key, Text, Blur };
enum class KeyAction : std::uint8_t { Release, Press, Repeat };  // as GLFW numbers them

struct InputEvent {
    InputKind kind = InputKind::Pointer;
    KeyAction action = KeyAction::Release;  // Button, Key
    int code = 0;                           // Button: 0 left, 1 right, 2 middle; Key: GLFW's code
    int scancode = 0;                       // Key
    int modifiers = 0;                      // Key: GLFW's bits
    char32_t character = 0;                 // Text
    float x = 0;                            // Pointer: px; Wheel: notches, to the left and up are positive
    float y = 0;
    bool operator==(const InputEvent&) const = default;
};

class InputQueue {
public:
    void push(const InputEvent& event) { events_.push_back(event); }
    bool empty() const { return events_.empty(); }
    void clear() { events_.clear(); }
    // Those of the next frame, in order: at most one change per key and button, text before a chord, never the release
    // of a modifier together with what it modified, and no move of the pointer after a click or a turn of the wheel.
    std::vector<InputEvent> take_frame();

private:
    std::deque<InputEvent> events_;
};

// The state after the events of a frame; text and wheel are those of this frame only. Blur releases everything.
void apply_events(const std::vector<InputEvent>&, Input&);

}  // namespace ui
