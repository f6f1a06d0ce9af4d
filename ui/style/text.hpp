#pragma once
// Small pieces of drawing that panels and charts share: fitted, right-aligned, muted, and numbers
// in the fixed-width face.

#include "ui/theme.hpp"

#include <string>
#include <string_view>

namespace ui {

inline constexpr std::string_view kAbsentText = "\xE2\x80\x93";  // of a value there is not

struct TextStyle {
    ImFont* font;
    float size_px;
};
TextStyle ui_style();
TextStyle heading_style();
TextStyle small_style();
TextStyle mono_style();

float text_width(const TextStyle&, std::string_view);
// The text, or its beginning and an ellipsis, not wider than width.
std::string fit_text(const TextStyle&, std::string_view, float width);
// The text, or its first bytes and an ellipsis: for names of several kilobytes where text is wrapped.
std::string cut_text(std::string_view, std::size_t most);
// Draws fitted text; returns whether it was shortened.
bool draw_text(ImDrawList*, const TextStyle&, ImVec2 position, ImU32 color, std::string_view, float width = 1e9f);
void draw_text_right(ImDrawList*, const TextStyle&, ImVec2 top_right, ImU32 color, std::string_view);

// A filled rectangle of a chart. Like drawn text, it fades with the style's alpha, as ImGui's own items do.
void draw_rect(ImDrawList*, ImVec2 min, ImVec2 max, ImU32 color, float rounding = 0);
// Likewise.
void draw_line(ImDrawList*, ImVec2 from, ImVec2 to, ImU32 color, float thickness = 1);
void draw_triangle(ImDrawList*, ImVec2 a, ImVec2 b, ImVec2 c, ImU32 color);

class FontScope {
public:
    explicit FontScope(const TextStyle& style) { push_font(style.font, style.size_px); }
    ~FontScope() { ImGui::PopFont(); }
    FontScope(const FontScope&) = delete;
    FontScope& operator=(const FontScope&) = delete;
};

void text(std::string_view, ImU32 color = color::kText);      // an ImGui item, unformatted
void muted_text(std::string_view);
void mono_text(std::string_view, ImU32 color = color::kText);
void heading(std::string_view);
void fitted_text(std::string_view, ImU32 color = color::kText);  // to the space left; the whole on hover
void tooltip(std::string_view);                               // of the last item, when it is hovered
void show_tooltip(std::string_view);                          // now, wrapped; of what fills a window its beginning
// To the right of a column of this many characters, in a fixed-width face.
std::string padded(std::string_view text, std::size_t characters);
// One line of a tooltip: a muted name and numbers to its right, in columns.
void tooltip_line(std::string_view name, std::string_view value, ImU32 swatch = 0, std::string_view share = {});
// In the middle of what is left of the window: what this is and what to do next.
void empty_state(std::string_view title, std::string_view hint);

}  // namespace ui
