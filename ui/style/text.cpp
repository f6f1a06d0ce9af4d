#include "ui/style/text.hpp"

#include "core/base/utf8.hpp"
#include "ui/style/compat.hpp"
#include "ui/style/drawing.hpp"
#include "ui/style/items.hpp"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr std::size_t kLongestTooltip = 1200;

const char* end_of(std::string_view text) { return text.data() + text.size(); }
float floor_px(float v) { return std::floor(v); }

}  // namespace

TextStyle ui_style() { return {fonts().ui, fonts().ui_px}; }
TextStyle heading_style() { return {fonts().heading, fonts().ui_px}; }
TextStyle small_style() { return {fonts().small, fonts().small_px}; }
TextStyle mono_style() { return {fonts().mono, fonts().mono_px}; }

float text_width(const TextStyle& style, std::string_view text) {
    return text.empty() ? 0 : compat::text_width(style.font, style.size_px, text.data(), end_of(text));
}

std::string fit_text(const TextStyle& style, std::string_view text, float width) {
    if (text_width(style, text) <= width) return std::string(text);
    const float room = width - text_width(style, core::kEllipsis);
    std::size_t low = 0;
    std::size_t high = text.size();
    while (low < high) {
        const std::size_t middle = (low + high + 1) / 2;
        if (text_width(style, text.substr(0, middle)) <= room)
            low = middle;
        else
            high = middle - 1;
    }
    low = core::cut_utf8(text, low).size();
    while (low > 0 && text[low - 1] == ' ') --low;
    return std::string(text.substr(0, low)).append(core::kEllipsis);
}

std::string cut_text(std::string_view text, std::size_t most) { return core::shorten_utf8(text, most); }

bool draw_text(ImDrawList* list, const TextStyle& style, ImVec2 at, ImU32 color, std::string_view text, float width) {
    const ImVec2 corner{floor_px(at.x), floor_px(at.y)};
    if (text.empty()) return false;
    color = ImGui::GetColorU32(color);  // applies the style's alpha
    if (width > 1e8f || text_width(style, text) <= width) {
        list->AddText(style.font, style.size_px, corner, color, text.data(), end_of(text));
        if (Drawing* drawing = drawing_in_progress()) drawing->add_text(list, style, corner, color, text, {});
        return false;
    }
    const std::string fitted = fit_text(style, text, width);
    if (fitted.size() <= core::kEllipsis.size()) return true;
    list->AddText(style.font, style.size_px, corner, color, fitted.c_str());
    if (Drawing* drawing = drawing_in_progress()) drawing->add_text(list, style, corner, color, fitted, text);
    return true;
}

void draw_text_right(ImDrawList* list, const TextStyle& style, ImVec2 at, ImU32 color, std::string_view text) {
    draw_text(list, style, {at.x - text_width(style, text), at.y}, color, text);
}

void draw_rect(ImDrawList* list, ImVec2 min, ImVec2 max, ImU32 color, float rounding) {
    color = ImGui::GetColorU32(color);
    list->AddRectFilled(min, max, color, rounding);
    if (Drawing* drawing = drawing_in_progress()) drawing->add_rect(list, min, max, color, rounding);
}

void draw_line(ImDrawList* list, ImVec2 from, ImVec2 to, ImU32 color, float thickness) {
    color = ImGui::GetColorU32(color);
    list->AddLine(from, to, color, thickness);
    if (Drawing* drawing = drawing_in_progress()) drawing->add_line(list, from, to, color, thickness);
}

void draw_triangle(ImDrawList* list, ImVec2 a, ImVec2 b, ImVec2 c, ImU32 color) {
    color = ImGui::GetColorU32(color);
    list->AddTriangleFilled(a, b, c, color);
    if (Drawing* drawing = drawing_in_progress()) drawing->add_triangle(list, a, b, c, color);
}

void text(std::string_view what, ImU32 color) {
    ImGui::PushStyleColor(ImGuiCol_Text, color);
    ImGui::TextUnformatted(what.data(), end_of(what));
    ImGui::PopStyleColor();
}

void muted_text(std::string_view what) { text(what, color::palette().muted); }

void mono_text(std::string_view what, ImU32 color) {
    const FontScope font(mono_style());
    text(what, color);
}

void heading(std::string_view what) {
    const FontScope font(heading_style());
    text(what);
}

void fitted_text(std::string_view what, ImU32 color) {
    const TextStyle style{ImGui::GetFont(), ImGui::GetFontSize()};
    const std::string fitted = fit_text(style, what, ImGui::GetContentRegionAvail().x);
    text(fitted, color);
    if (fitted != what) tooltip(what);
}

void tooltip(std::string_view what) {
    if (ImGui::IsItemHovered()) show_tooltip(what);
}

void show_tooltip(std::string_view what) {
    const std::string shown = cut_text(what, kLongestTooltip);
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(px(480));
    ImGui::TextUnformatted(shown.data(), end_of(shown));
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
    record_tooltip(shown);
}

std::string padded(std::string_view text, std::size_t characters) {
    return std::string(characters - std::min(characters, core::count_characters(text)), ' ').append(text);
}

void tooltip_line(std::string_view name, std::string_view value, ImU32 swatch, std::string_view share) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float side = px(9);
    const float top = std::floor((ImGui::GetTextLineHeight() - side) / 2);
    float indent = 0;
    if (swatch != 0) {
        ImGui::GetWindowDrawList()->AddRectFilled({at.x, at.y + top}, {at.x + side, at.y + top + side}, swatch, px(2));
        indent = side + px(6);
    }
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + indent);
    muted_text(name);
    ImGui::SameLine(std::max(px(170), indent + text_width(ui_style(), name) + px(24)));
    mono_text(share.empty() ? padded(value, 9) : padded(value, 9) + padded(share, 9));
}

void empty_state(std::string_view title, std::string_view hint) {
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float line = px(20);
    float y = at.y + std::max(0.0f, (room.y - 2 * line) / 2);
    for (const auto& [words, color] :
         {std::pair{title, color::palette().text}, std::pair{hint, color::palette().muted}}) {
        const float width = std::min(text_width(ui_style(), words), room.x);
        draw_text(list, ui_style(), {at.x + (room.x - width) / 2, y}, color, words, room.x);
        y += line;
    }
    ImGui::Dummy({room.x, std::min(room.y, 2 * line)});
    record_item("##empty:" + std::string(title));
}

}  // namespace ui
