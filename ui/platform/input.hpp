#pragma once
// The state of pointer and keys in one frame, for windows that have no GLFW window.

#include <array>
#include <string>
#include <vector>

namespace ui {

struct Input {
    float mouse_x = -3.4e38f;            // outside the window
    float mouse_y = -3.4e38f;
    std::array<bool, 3> buttons{};       // left, right, middle
    float wheel = 0;
    float wheel_x = 0;
    std::vector<int> keys;               // GLFW codes of pressed keys, including modifiers
    std::string text;                    // typed in this frame, UTF-8
    float seconds = 1.0f / 60;           // since the last frame
};

}  // namespace ui
