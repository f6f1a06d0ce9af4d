#include "ui/widgets/tabs.hpp"

#include "ui/widgets/items.hpp"
#include "ui/widgets/text.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace ui {
namespace {

using PanelTypes = std::vector<const PanelType*>;

// What a side alone asks for is offered, too.
bool is_wanted(const PanelType& panel, const UiState& state, const UiState* other) {
    return !panel.on_demand || panel.on_demand(state) || (other && panel.on_demand(*other));
}

PanelTypes choose_tabs(Drawer drawer, std::string_view shown, const UiState& state, const UiState* other) {
    PanelTypes tabs;
    for (const PanelType& panel : all_panels())
        if (panel.drawer == drawer && (is_wanted(panel, state, other) || panel.id == shown)) tabs.push_back(&panel);
    return tabs;
}

// Room per tab: its words if all fit, else what is left is shared out from the widest down.
float tab_limit(const PanelTypes& tabs, float width) {
    std::vector<float> widths;
    for (const PanelType* panel : tabs) widths.push_back(text_width(ui_style(), panel->title) + px(24));
    std::ranges::sort(widths);
    float left = width;
    for (std::size_t i = 0; i < widths.size(); ++i) {
        const float fair = left / static_cast<float>(widths.size() - i);
        if (widths[i] > fair) return std::floor(fair);
        left -= widths[i];
    }
    return 1e6f;
}

}  // namespace

const PanelType* draw_tabs(Drawer drawer, std::string_view shown, const UiState& state, float width,
                           const UiState* other) {
    const ItemScope scope("tabs");
    const PanelType* clicked = nullptr;
    const PanelTypes tabs = choose_tabs(drawer, shown, state, other);
    const float limit = tab_limit(tabs, width);
    const float height = px(kTabHeight);
    ImDrawList* list = ImGui::GetWindowDrawList();
    ImVec2 at = ImGui::GetCursorScreenPos();
    const float begin = at.x;
    for (const PanelType* tab : tabs) {
        const PanelType& panel = *tab;
        const float words = text_width(ui_style(), panel.title);
        const float wide = std::min(words + px(24), limit);
        const bool on = panel.id == shown;
        ImGui::SetCursorScreenPos(at);
        ImGui::PushID(panel.id.data());
        if (invisible_button("tab", {wide, height})) clicked = &panel;
        record_item("##" + std::string(panel.id));
        const bool hovered = ImGui::IsItemHovered();
        ImGui::PopID();
        const ImU32 ink = on || hovered ? color::kText : color::kMuted;
        draw_text(list, ui_style(), {at.x + px(12), at.y + (height - ui_style().size_px) / 2 - px(1)}, ink, panel.title,
                  wide - px(20));
        if (on)
            list->AddRectFilled({at.x + px(12), at.y + height - px(2)}, {at.x + wide - px(12), at.y + height},
                                color::kAccent);
        at.x += wide;
    }
    ImGui::SetCursorScreenPos({begin, at.y + height});
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
        ImGui::GetForegroundDrawList()->AddRectFilled(a, b, color::kAccent);
    }
    if (!active) return 0;
    return vertical ? ImGui::GetIO().MouseDelta.x : ImGui::GetIO().MouseDelta.y;
}

}  // namespace ui
