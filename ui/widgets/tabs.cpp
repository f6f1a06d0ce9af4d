#include "ui/widgets/tabs.hpp"

#include "ui/style/compat.hpp"
#include "ui/style/items.hpp"
#include "ui/style/key_focus.hpp"
#include "ui/style/text.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace ui {
namespace {

using PanelTypes = std::vector<const PanelType*>;

constexpr float kSideBySide = 1'200;  // least width of a drawer for two panels, at scale 1

// True if either run needs the panel.
bool is_wanted(const PanelType& panel, const Frame& frame, const Frame* other) {
    if (panel.appears && !panel.appears(frame.session)) return false;
    return !panel.on_demand || panel.on_demand(frame) || (other && panel.on_demand(*other));
}

struct ChosenTabs {
    PanelTypes tabs;
    const PanelType* on = nullptr;  // the chosen one, or the tab that it is drawn under
};

ChosenTabs choose_tabs(Drawer drawer, const PanelType* chosen, const Frame& frame, float width, const Frame* other) {
    ChosenTabs row{.tabs = {}, .on = chosen};
    const PanelTypes together = chosen ? drawn_together(*chosen, width) : PanelTypes{};
    if (together.size() > 1) row.on = together.front();
    for (const PanelType& panel : all_panels()) {
        if (panel.drawer != drawer) continue;
        const bool is_of_chosen = chosen && &tab_of(panel) == &tab_of(*chosen);
        if (!panel.part_of.empty()) {
            const bool is_drawn = together.size() > 1 && std::ranges::find(together, &panel) != together.end();
            if (is_of_chosen && !is_drawn) row.tabs.push_back(&panel);
        } else if (is_of_chosen || is_wanted(panel, frame, other)) {
            row.tabs.push_back(&panel);
        }
    }
    return row;
}

constexpr float kPadding = 12;      // left and right of a tab's text, at scale 1
constexpr float kBriefPadding = 7;  // the same where titles are brief
constexpr float kBadgePadding = 5;
constexpr std::size_t kMostOnBadge = 99;

// Titles of tabs: in full, or brief and closer together if that does not fit.
struct TabStyle {
    bool brief = false;
    float padding = kPadding;
};

std::string_view title_of(const PanelType& panel, const TabStyle& style) {
    return style.brief && !panel.brief.empty() ? panel.brief : panel.title;
}

float width_of(std::string_view words, const TabStyle& style) {
    return std::ceil(text_width(ui_style(), words)) + px(2 * style.padding);
}

std::string name_of_list(std::size_t listed) { return std::to_string(listed) + " more"; }

// Badge of the tab, in red: "3".
std::string badge_of(const PanelType& panel, const Frame& frame) {
    const std::size_t count = panel.badge ? panel.badge(frame) : 0;
    return count == 0             ? std::string()
           : count > kMostOnBadge ? std::to_string(kMostOnBadge) + "+"
                                  : std::to_string(count);
}

float badge_width(std::string_view badge) {
    return badge.empty() ? 0 : std::ceil(text_width(small_style(), badge)) + px(2 * kBadgePadding) + px(6);
}

// Draws the badge right of a text that ends at x.
void draw_badge(std::string_view badge, float x, float middle) {
    const float high = small_style().size_px + px(2);
    const ImVec2 min{x + px(6), std::floor(middle - high / 2)};
    const ImVec2 max{x + badge_width(badge), min.y + high};
    ImDrawList* const list = ImGui::GetWindowDrawList();
    list->AddRectFilled(min, max, color::palette().error, high / 2);
    draw_text(list, small_style(), {min.x + px(kBadgePadding), min.y}, color::text_on(color::palette().error), badge);
}

float width_of(const PanelType& panel, const Frame& frame, const TabStyle& style) {
    return width_of(title_of(panel, style), style) + badge_width(badge_of(panel, frame));
}

// Returns the badge of the first panel that has one.
std::string badge_of_list(const PanelTypes& tabs, const Frame& frame) {
    for (const PanelType* panel : tabs)
        if (std::string badge = badge_of(*panel, frame); !badge.empty()) return badge;
    return {};
}

struct TabRow {
    PanelTypes beside, listed;
    TabStyle style;
};

bool all_fit(const PanelTypes& tabs, const Frame& frame, float width, const TabStyle& style) {
    for (const PanelType* panel : tabs) width -= width_of(*panel, frame, style);
    return width >= 0;
}

// Chooses as many tabs as fit, including the shown one; the others go to a list.
TabRow arrange_tabs(const PanelTypes& tabs, std::string_view shown, const Frame& frame, float width) {
    constexpr TabStyle kBrief{.brief = true, .padding = kBriefPadding};
    for (const TabStyle& style : {TabStyle{}, kBrief})
        if (all_fit(tabs, frame, width, style)) return {.beside = tabs, .listed = {}, .style = style};
    const float room = width - width_of(name_of_list(tabs.size()), kBrief) - badge_width(badge_of_list(tabs, frame));
    TabRow row{.beside = {}, .listed = {}, .style = kBrief};
    const auto on = std::ranges::find(tabs, shown, &PanelType::id);
    float left = on == tabs.end() ? room : room - width_of(**on, frame, kBrief);
    for (const PanelType* tab : tabs) {
        const bool is_shown = tab->id == shown;
        const float wide = is_shown ? 0 : width_of(*tab, frame, kBrief);
        const bool fits = is_shown || (row.listed.empty() && wide <= left);
        (fits ? row.beside : row.listed).push_back(tab);
        if (fits) left -= wide;
    }
    return row;
}

struct TabBox {
    ImVec2 at;
    float wide;
    float padding;
};

// Draws one tab; returns whether it was clicked.
bool draw_tab(const char* id, std::string_view words, std::string_view badge, const TabBox& box, bool on) {
    const auto [at, wide, padding] = box;
    const float height = px(kTabHeight);
    ImGui::SetCursorScreenPos(at);
    ImGui::PushID(id);
    const bool clicked = invisible_button("tab", {wide, height});
    record_item("##" + std::string(id));
    const ImU32 ink = on || ImGui::IsItemHovered() ? color::palette().text : color::palette().muted;
    ImGui::PopID();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float room = wide - px(2 * padding) - badge_width(badge);
    draw_text(list, ui_style(), {at.x + px(padding), at.y + (height - ui_style().size_px) / 2 - px(1)}, ink, words,
              room);
    if (!badge.empty())
        draw_badge(badge, at.x + px(padding) + std::min(room, text_width(ui_style(), words)), at.y + height / 2);
    if (on)
        list->AddRectFilled({at.x + px(padding), at.y + height - px(2)}, {at.x + wide - px(padding), at.y + height},
                            color::palette().accent);
    return clicked;
}

const PanelType* draw_list(const TabRow& row, const Frame& frame, ImVec2 at, Drawer drawer) {
    const PanelTypes& listed = row.listed;
    const char* id = drawer == Drawer::Left ? "more-left" : "more-right";
    const std::string listed_badge = badge_of_list(listed, frame);
    const std::string name = name_of_list(listed.size());
    const float wide = width_of(name, row.style) + badge_width(listed_badge);
    if (draw_tab("more", name, listed_badge, {at, wide, row.style.padding}, false)) ImGui::OpenPopup(id);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(8), px(8)});
    ImGui::PushStyleColor(ImGuiCol_PopupBg, color::palette().raised);
    const bool open = ImGui::BeginPopup(id);
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
    if (!open) return nullptr;
    close_on_escape();
    const PanelType* clicked = nullptr;
    for (const PanelType* panel : listed) {
        const std::string badge = badge_of(*panel, frame);
        const std::string title = std::string(panel->title) + (badge.empty() ? "" : "  (" + badge + ")");
        if (selectable((title + "##" + std::string(panel->id)).c_str(), false)) clicked = panel;
    }
    ImGui::EndPopup();
    return clicked;
}

// Returns the tab that an arrow key selects, or nullptr.
const PanelType* walk_tabs(const PanelTypes& tabs, std::string_view shown, ImGuiID id) {
    const auto on = std::ranges::find(tabs, shown, &PanelType::id);
    if (tabs.empty() || on == tabs.end()) return nullptr;
    KeyFocus& keys = key_focus();
    if (keys.pressed(id, GLFW_KEY_RIGHT)) return on + 1 == tabs.end() ? tabs.front() : *(on + 1);
    if (keys.pressed(id, GLFW_KEY_LEFT)) return on == tabs.begin() ? tabs.back() : *(on - 1);
    if (keys.pressed(id, GLFW_KEY_HOME)) return tabs.front();
    if (keys.pressed(id, GLFW_KEY_END)) return tabs.back();
    if (keys.pressed(id, GLFW_KEY_ESCAPE)) keys.release();
    return nullptr;
}

}  // namespace

PanelTypes drawn_together(const PanelType& chosen, float width) {
    if (width >= px(kSideBySide)) {
        const PanelTypes parts = parts_of_tab(chosen);
        const auto next = std::ranges::find_if(parts, &PanelType::side_by_side);
        const bool is_one_of_both = next != parts.end() && (&chosen == parts.front() || &chosen == *next);
        if (is_one_of_both) return {parts.front(), *next};
    }
    return {&chosen};
}

const PanelType* draw_tabs(Drawer drawer, std::string_view chosen, const Frame& frame, float width,
                           const Frame* other) {
    const ItemScope scope("tabs");
    const auto [tabs, on] = choose_tabs(drawer, find_panel(chosen), frame, width, other);
    const std::string_view shown = on ? on->id : std::string_view{};
    const TabRow row = arrange_tabs(tabs, shown, frame, width);
    const ImGuiID id = ImGui::GetID(drawer == Drawer::Left ? "left-tabs" : "right-tabs");
    const PanelType* clicked = key_focus().offer(id, drawer == Drawer::Left ? "left/tabs" : "right/tabs")
                                   ? walk_tabs(tabs, shown, id)
                                   : nullptr;
    const ImVec2 begin = ImGui::GetCursorScreenPos();
    ImVec2 at = begin;
    for (const PanelType* panel : row.beside) {
        const std::string_view title = title_of(*panel, row.style);
        const float wide = std::min(width_of(*panel, frame, row.style), std::max(1.0f, begin.x + width - at.x));
        if (draw_tab(panel->id.data(), title, badge_of(*panel, frame), {at, wide, row.style.padding},
                     panel->id == shown))
            clicked = panel;
        if (title != panel->title) tooltip(panel->title);
        if (panel->id == shown && key_focus().is_visible(id))
            draw_key_focus({at.x + px(4), at.y + px(4)}, {at.x + wide - px(4), at.y + px(kTabHeight - 4)});
        at.x += wide;
    }
    if (!row.listed.empty())
        if (const PanelType* from_list = draw_list(row, frame, at, drawer)) clicked = from_list;
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
