#pragma once
// Text, rectangles and lines of panels and charts: fitted, right-aligned and muted text, numbers in
// the fixed-width face. A Drawing in progress records what the draw_ functions draw.

#include "ui/style/theme.hpp"

#include <string>
#include <string_view>

namespace ui {

inline constexpr std::string_view kAbsentText = "\xE2\x80\x93";  // shown for an absent value

struct TextStyle {
    ImFont* font;
    float size_px;
};
TextStyle ui_style();
TextStyle heading_style();
TextStyle small_style();
TextStyle mono_style();

float text_width(const TextStyle&, std::string_view);
// Returns the text, or its beginning with an ellipsis, at most `width` wide.
std::string fit_text(const TextStyle&, std::string_view, float width);
// Returns the text, or at most `most` bytes and an ellipsis: a wrapped name of kilobytes would fill the screen.
std::string cut_text(std::string_view, std::size_t most);
// Draws fitted text; returns true if it was shortened.
bool draw_text(ImDrawList*, const TextStyle&, ImVec2 position, ImU32 color, std::string_view, float width = 1e9f);
void draw_text_right(ImDrawList*, const TextStyle&, ImVec2 top_right, ImU32 color, std::string_view);

// Fills a rectangle of a chart. Fades with the style's alpha, like text and ImGui's own items.
void draw_rect(ImDrawList*, ImVec2 min, ImVec2 max, ImU32 color, float rounding = 0);
// Fades like draw_rect.
void draw_line(ImDrawList*, ImVec2 from, ImVec2 to, ImU32 color, float thickness = 1);
void draw_triangle(ImDrawList*, ImVec2 a, ImVec2 b, ImVec2 c, ImU32 color);

class FontScope {
public:
    explicit FontScope(const TextStyle& style) { push_font(style.font, style.size_px); }
    ~FontScope() { ImGui::PopFont(); }
    FontScope(const FontScope&) = delete;
    FontScope& operator=(const FontScope&) = delete;
};

void text(std::string_view, ImU32 color = color::palette().text);  // ImGui item, unformatted
void muted_text(std::string_view);
void mono_text(std::string_view, ImU32 color = color::palette().text);
void heading(std::string_view);
void fitted_text(std::string_view,
                 ImU32 color = color::palette().text);  // fitted to the remaining width; full text on hover
void tooltip(std::string_view);  // for the last item, if hovered
void show_tooltip(std::string_view);  // immediately, wrapped; very long text is cut
// Pads on the left to this many characters, for a fixed-width face.
std::string padded(std::string_view text, std::size_t characters);
// One line of a tooltip: muted name, then numbers in columns.
void tooltip_line(std::string_view name, std::string_view value, ImU32 swatch = 0, std::string_view share = {});
// Two centred lines in the rest of the window: the state, and what to do next.
void empty_state(std::string_view title, std::string_view hint);

}  // namespace ui
