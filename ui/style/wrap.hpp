#pragma once
// Wraps text between words only: never inside a number ("56.0"), nor between a number and its unit ("56.0 %"), where
// Dear ImGui's own wrapping breaks after any full stop or comma.

#include "ui/style/text.hpp"

#include <vector>

namespace ui {

// Splits the text into lines at most `width` wide; a longer word is cut. At least one line.
std::vector<std::string_view> wrap_words(const TextStyle&, std::string_view, float width);
// Draws the lines in the current font, to the right edge of the window, as one item.
void wrapped_text(std::string_view, ImU32 color = color::palette().text);

}  // namespace ui
