#include "ui/widgets/tabs.hpp"

#include "ui/style/items.hpp"
#include "ui/style/text.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace ui {
namespace {

using PanelTypes = std::vector<const PanelType*>;

// A panel that either side wants is offered.
bool is_wanted(const PanelType& panel, const Frame& frame, const Frame* other) {
    return !panel.on_demand || panel.on_demand(frame) || (other && panel.on_demand(*other));
}

PanelTypes choose_tabs(Drawer drawer, std::string_view shown, const Frame& frame, const Frame* other) {
    PanelTypes tabs;
    for (const PanelType& panel : all_panels())
        if (panel.drawer == drawer && (is_wanted(panel, frame, other) || panel.id == shown)) tabs.push_back(&panel);
    return tabs;
}

constexpr float kPadding = 12;      // left and right of a tab's text, at scale 1
constexpr float kLeastTab = 84;     // narrower tabs are moved to a list
constexpr std::string_view kMore = "More";

float width_of(std::string_view words) { return text_width(ui_style(), words) + px(2 * kPadding); }

// Width limit per tab: full text if all fit; else the widest shrink first.
float tab_limit(const PanelTypes& tabs, float width) {
    std::vector<float> widths;
    for (const PanelType* panel : tabs) widths.push_back(width_of(panel->title));
    std::ranges::sort(widths);
    float left = width;
    for (std::size_t i = 0; i < widths.size(); ++i) {
        const float fair = left / static_cast<float>(widths.size() - i);
        if (widths[i] > fair) return std::floor(fair);
        left -= widths[i];
    }
    return 1e6f;
}

struct TabRow {
    PanelTypes beside, listed;
    float limit;   // of a tab's width
};

// Keeps as many tabs as stay readable, including the shown one; the others go to a list.
TabRow arrange_tabs(const PanelTypes& tabs, std::string_view shown, float width) {
    if (const float limit = tab_limit(tabs, width); limit >= px(kLeastTab)) return {tabs, {}, limit};
    const float room = width - width_of(kMore);
    TabRow row{{}, {}, std::max(1.0f, room)};
    const auto on = std::ranges::find(tabs, shown, &PanelType::id);
    float left = on == tabs.end() ? room : room - width_of((*on)->title);
    for (const PanelType* tab : tabs) {
        const bool is_shown = tab->id == shown;
        const float wide = is_shown ? 0 : width_of(tab->title);
        const bool fits = is_shown || (row.listed.empty() && wide <= left);
        (fits ? row.beside : row.listed).push_back(tab);
        if (fits) left -= wide;
    }
    return row;
}

// Draws one tab; returns whether it was clicked.
bool draw_tab(const char* id, std::string_view words, ImVec2 at, float wide, bool on) {
    const float height = px(kTabHeight);
    ImGui::SetCursorScreenPos(at);
    ImGui::PushID(id);
    const bool clicked = invisible_button("tab", {wide, height});
    record_item("##" + std::string(id));
    const ImU32 ink = on || ImGui::IsItemHovered() ? color::palette().text : color::palette().muted;
    ImGui::PopID();
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_text(list, ui_style(), {at.x + px(kPadding), at.y + (height - ui_style().size_px) / 2 - px(1)}, ink, words,
              wide - px(20));
    if (on)
        list->AddRectFilled({at.x + px(kPadding), at.y + height - px(2)}, {at.x + wide - px(kPadding), at.y + height},
                            color::palette().accent);
    return clicked;
}

const PanelType* draw_list(const PanelTypes& listed, ImVec2 at, Drawer drawer) {
    const char* id = drawer == Drawer::Left ? "more-left" : "more-right";
    if (draw_tab("more", kMore, at, width_of(kMore), false)) ImGui::OpenPopup(id);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(8), px(8)});
    ImGui::PushStyleColor(ImGuiCol_PopupBg, color::palette().raised);
    const bool open = ImGui::BeginPopup(id);
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
    if (!open) return nullptr;
    close_on_escape();
    const PanelType* clicked = nullptr;
    for (const PanelType* panel : listed)
        if (selectable((std::string(panel->title) + "##" + std::string(panel->id)).c_str(), false)) clicked = panel;
    ImGui::EndPopup();
    return clicked;
}

}  // namespace

const PanelType* draw_tabs(Drawer drawer, std::string_view shown, const Frame& frame, float width, const Frame* other) {
    const ItemScope scope("tabs");
    const TabRow row = arrange_tabs(choose_tabs(drawer, shown, frame, other), shown, width);
    const PanelType* clicked = nullptr;
    const ImVec2 begin = ImGui::GetCursorScreenPos();
    ImVec2 at = begin;
    for (const PanelType* panel : row.beside) {
        const float wide = std::min(width_of(panel->title), row.limit);
        if (draw_tab(panel->id.data(), panel->title, at, wide, panel->id == shown)) clicked = panel;
        at.x += wide;
    }
    if (!row.listed.empty())
        if (const PanelType* chosen = draw_list(row.listed, at, drawer)) clicked = chosen;
    ImGui::SetCursorScreenPos({begin.x, begin.y + px(kTabHeight)});
    return clicked;
}

float drag_splitter(const char* id, ImVec2 min, ImVec2 max) {
    const bool vertical = max.y - min.y > max.x - min.x;
    ImGui::SetCursorScreenPos(min);
    invisible_button(id, {std::max(1.0f, max.x - min.x), std::max(1.0f, max.y - min.y)});
    record_item(id);
    const bool active = ImGui::IsItemActive();
    if (active || ImGui::IsItemHovered()) {
        ImGui::SetMouseCursor(vertical ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
        const float thick = px(2);
        const ImVec2 middle{std::floor((min.x + max.x - thick) / 2), std::floor((min.y + max.y - thick) / 2)};
        const ImVec2 a = vertical ? ImVec2{middle.x, min.y} : ImVec2{min.x, middle.y};
        const ImVec2 b = vertical ? ImVec2{middle.x + thick, max.y} : ImVec2{max.x, middle.y + thick};
        ImGui::GetForegroundDrawList()->AddRectFilled(a, b, color::palette().accent);
    }
    if (!active) return 0;
    return vertical ? ImGui::GetIO().MouseDelta.x : ImGui::GetIO().MouseDelta.y;
}

}  // namespace ui
