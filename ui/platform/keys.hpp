#pragma once
// Converts key names ("enter", "ctrl+shift+z", "f5", "/") to GLFW codes, modifiers first.

#include "core/base/result.hpp"

#include <string_view>
#include <vector>

namespace ui {

core::Result<std::vector<int>> parse_chord(std::string_view text);

}  // namespace ui
