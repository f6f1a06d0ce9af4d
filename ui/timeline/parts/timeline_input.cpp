#include "ui/timeline/parts/timeline_parts.hpp"

#include "ui/commands/key_map.hpp"
#include "ui/model/panels/communication/arrivals_model.hpp"
#include "ui/style/items.hpp"
#include "ui/style/theme.hpp"
#include "ui/timeline/model/area_rows.hpp"
#include "ui/timeline/model/event_links.hpp"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr double kWheelZoom = 1.25;         // per notch
constexpr double kWheelPan = 90;            // px at scale 1, per notch
constexpr float kWheelRows = 54;            // px at scale 1, per notch
constexpr double kZoomPerSecond = 12;       // while a key is held
constexpr double kPanPerSecond = 0.9;       // of the plot's width
constexpr float kLeastRowDrag = 6;          // px at scale 1; lower drags select time only
constexpr double kFirstStepSeconds = 0.06;  // a tap of a key moves at least this much

bool is_on_pinned(const TimelineFrame& f) {
    const float y = ImGui::GetIO().MousePos.y;
    return f.pinned && y >= f.pinned_plot.min.y && y < f.pinned_plot.max.y;
}

core::EventRef find_pinned_event(const TimelineFrame& f) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const auto index = f.pinned->find_row_at(mouse.y - f.pinned_plot.min.y + f.pinned_scroll);
    if (!index) return {};
    const LayoutRow& row = f.pinned->rows()[*index];
    return row.kind->find_event(*f.run, row, f.view.time, static_cast<double>(mouse.x - f.plot.min.x));
}

core::EventRef find_event_under_mouse(const TimelineFrame& f) {
    if (is_on_pinned(f)) return find_pinned_event(f);
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    if (mouse.y < f.plot.min.y + sticky_height(f.layout, collect_sticky(f.layout, f.scroll_y))) return {};
    const auto index = f.layout.find_row_at(mouse.y - f.plot.min.y + f.scroll_y);
    if (!index) return {};
    const LayoutRow& row = f.layout.rows()[*index];
    return row.kind->find_event(*f.run, row, f.view.time, static_cast<double>(mouse.x - f.plot.min.x));
}

// True if the pointer is on an event inside the area. A click on such an event keeps the area.
bool is_hovered_in_area(const TimelineFrame& f) {
    if (!f.view.area || !f.ephemeral.hovered.valid()) return false;
    const core::RunRange range = f.run->range_of(f.ephemeral.hovered);
    if (range.begin >= f.view.area->end || range.end <= f.view.area->begin) return false;
    if (is_on_pinned(f)) return f.view.area_rows.empty();
    const auto index = f.layout.find_row_at(ImGui::GetIO().MousePos.y - f.plot.min.y + f.scroll_y);
    return f.view.area_rows.empty() || (index && is_in_area(*f.run, f.layout.rows()[*index], f.view.area_rows));
}

}  // namespace

bool keys_are_ours() {
    const ImGuiIO& io = ImGui::GetIO();
    return !io.WantTextInput && !io.KeyCtrl && !io.KeyAlt && !ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup);
}

void TimelineInput::handle(TimelineFrame& f, float& scroll_y) {
    ImGui::SetCursorScreenPos(f.pinned_plot.min);
    invisible_button("##plot", {f.plot.width(), f.plot.max.y - f.pinned_plot.min.y},
                     ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonMiddle);
    record_item("##plot");
    const bool hovered = ImGui::IsItemHovered();
    const bool over_ruler = ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(f.ruler.min, f.ruler.max);
    if (hovered || over_ruler)
        handle_wheel(f, scroll_y);
    else if (ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(f.tree.min, f.tree.max))
        scroll_y -= ImGui::GetIO().MouseWheel * px(kWheelRows);
    handle_drag(f, scroll_y);
    drag_ruler(f);
    f.view.time.clamp(f.bounds());
    f.ephemeral.hovered = hovered && drag_ != Drag::Pan ? find_event_under_mouse(f) : core::EventRef{};
    handle_click(f);
    f.ephemeral.pointer.reset();
    if (hovered)
        f.ephemeral.pointer = f.view.time.to_time(static_cast<double>(ImGui::GetIO().MousePos.x - f.plot.min.x));
    handle_keys(f);
    f.view.time.clamp(f.bounds());
}

void TimelineInput::handle_wheel(TimelineFrame& f, float& scroll_y) {
    const ImGuiIO& io = ImGui::GetIO();
    if (io.MouseWheelH != 0 && !io.KeyCtrl)  // while zooming, slight sideways motion is ignored
        f.view.time.pan(static_cast<double>(-io.MouseWheelH * px(1)) * kWheelPan);
    if (io.MouseWheel == 0) return;
    const double notches = static_cast<double>(io.MouseWheel);
    const bool zooms = f.choices().wheel_zooms;
    if (io.KeyCtrl ? !zooms || io.KeyShift : zooms && !io.KeyShift)
        f.view.time.zoom(std::pow(kWheelZoom, notches), static_cast<double>(io.MousePos.x - f.plot.min.x));
    else if (io.KeyShift)
        f.view.time.pan(-notches * kWheelPan * static_cast<double>(px(1)));
    else if (is_on_pinned(f) && f.pinned->height() > f.pinned_plot.height())
        f.pinned_scroll -= io.MouseWheel * px(kWheelRows);
    else
        scroll_y -= io.MouseWheel * px(kWheelRows);
}

void TimelineInput::handle_drag(TimelineFrame& f, float& scroll_y) {
    const ImGuiIO& io = ImGui::GetIO();
    const double mouse_px = static_cast<double>(io.MousePos.x - f.plot.min.x);
    if (ImGui::IsItemActivated()) {
        drag_ = io.MouseClicked[2] || io.KeyShift ? Drag::Pan : is_on_pinned(f) ? Drag::Ruler : Drag::Area;
        drag_from_ = f.view.time.to_time(mouse_px);
        drag_from_y_ = io.MousePos.y - f.plot.min.y + scroll_y;
    }
    if (!ImGui::IsItemActive()) {
        if (drag_ != Drag::Ruler) drag_ = Drag::None;
        return;
    }
    const int button = io.MouseDown[2] ? 2 : 0;
    // Motion before the press isn't part of the drag.
    if (ImGui::IsItemActivated() || !ImGui::IsMouseDragging(button, drag_ == Drag::Pan ? 0 : px(4))) return;
    if (drag_ == Drag::Pan) {  // from the first pixel, so that the grabbed point stays under the pointer
        f.view.time.pan(static_cast<double>(-io.MouseDelta.x));
        scroll_y -= io.MouseDelta.y;
        ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeAll);
    } else if (drag_ == Drag::Area) {
        choose_area(f, scroll_y);
    }
}

void TimelineInput::choose_area(TimelineFrame& f, float scroll_y) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const double px_of_plot = static_cast<double>(std::clamp(mouse.x, f.plot.min.x, f.plot.max.x) - f.plot.min.x);
    const core::RunTime to = f.view.time.to_time(px_of_plot);
    f.view.area = core::RunRange{std::min(drag_from_, to), std::max(drag_from_, to)};
    f.view.area_rows.clear();
    const float y = mouse.y - f.plot.min.y + scroll_y;
    if (drag_ == Drag::Ruler || std::fabs(y - drag_from_y_) < px(kLeastRowDrag)) return;
    f.view.area_rows = collect_area_rows(*f.run, f.layout, std::min(y, drag_from_y_), std::max(y, drag_from_y_));
}

// A drag on the ruler selects all rows. The ruler's menu needs the ruler's item, so this area is not an item.
void TimelineInput::drag_ruler(TimelineFrame& f) {
    const ImGuiIO& io = ImGui::GetIO();
    const bool over = ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(f.ruler.min, f.ruler.max);
    if (ImGui::IsMouseClicked(0) && over && !ImGui::IsAnyItemActive()) {
        drag_ = Drag::Ruler;
        drag_from_ = f.view.time.to_time(static_cast<double>(io.MousePos.x - f.plot.min.x));
    }
    if (drag_ != Drag::Ruler) return;
    if (ImGui::IsMouseDragging(0, px(4))) choose_area(f, 0);
    if (!ImGui::IsMouseDown(0)) drag_ = Drag::None;
}

void TimelineInput::handle_click(TimelineFrame& f) {
    if (!ImGui::IsItemHovered()) return;
    if (ImGui::IsMouseDoubleClicked(0) && f.ephemeral.hovered.valid()) {
        f.view.time.fit(f.run->range_of(f.ephemeral.hovered), 0.5);
        return;
    }
    // Ignores the second release of a double click: the zoom has moved another event under the pointer.
    const bool released = ImGui::IsMouseReleased(0) && ImGui::GetIO().MouseClickedLastCount[0] < 2;
    if (!released || ImGui::GetIO().MouseDragMaxDistanceSqr[0] > px(4) * px(4) || ImGui::GetIO().KeyShift) return;
    if (!is_hovered_in_area(f)) f.view.area.reset();
    f.frame.intents.push_back(SelectEvent{f.ephemeral.hovered, false});
}

void TimelineInput::show_selected(TimelineFrame& f) {
    if (!f.view.selected.valid()) return;
    const core::RunRange range = f.run->range_of(f.view.selected);
    TimeView& view = f.view.time;
    const double middle = (view.to_px(range.begin) + view.to_px(range.end)) / 2;
    const double off_centre = middle - static_cast<double>(view.width_px) / 2;
    if (std::fabs(off_centre) < 1.5)
        view.fit(range, 0.5);
    else
        view.pan(off_centre);
}

// Handles keys that go from the selected event to another one.
void TimelineInput::walk(TimelineFrame& f) {
    const core::EventRef selected = f.view.selected;
    if (!selected.valid()) return;
    const auto go = [&](std::string_view key, auto find, Along along) {
        if (!key_map().pressed(key, true)) return;
        const core::EventRef to = find(along);
        if (to.valid()) f.frame.intents.push_back(SelectEvent{to, true});
    };
    const auto neighbour = [&](Along along) { return find_neighbour(*f.run, selected, along); };
    const auto linked = [&](Along along) { return find_linked(*f.run, selected, along, f.links); };
    // Does nothing without waits: not measured yet, or nothing is matched.
    const auto waits = f.waits ? f.waits->source.lock() : nullptr;
    const auto of_group = [&](Along along) {
        return waits ? find_neighbour_in_group(*waits, selected, along == Along::Forward) : core::EventRef{};
    };
    const auto awaited = [&](Along) { return waits ? find_awaited(*f.run, *waits, selected) : core::EventRef{}; };
    go("previous-collective", of_group, Along::Back);
    go("next-collective", of_group, Along::Forward);
    go("awaited-rank", awaited, Along::Forward);
    go("previous-event", neighbour, Along::Back);
    go("next-event", neighbour, Along::Forward);
    go("previous-link", linked, Along::Back);
    go("next-link", linked, Along::Forward);
    if (key_map().pressed("area-of-event")) {
        f.view.area = f.run->range_of(selected);
        f.view.area_rows.clear();
    }
}

void TimelineInput::handle_keys(TimelineFrame& f) {
    moving_ = false;
    if (!f.ephemeral.has_keys || !keys_are_ours()) return held_.clear();
    const ImGuiIO& io = ImGui::GetIO();
    TimeView& view = f.view.time;
    const auto seconds_held = [&](std::string_view key) {
        const bool pressed = key_map().pressed(key);
        if (!key_map().down(key)) std::erase(held_, key);
        if (pressed) held_.push_back(key);
        if (std::ranges::find(held_, key) == held_.end()) return 0.0;  // Ctrl of a chord was released first
        moving_ = true;
        const double frame = std::min(static_cast<double>(io.DeltaTime), 0.1);
        return pressed ? std::max(frame, kFirstStepSeconds) : frame;
    };
    const double zoom = seconds_held("zoom-in") - seconds_held("zoom-out");
    const double right = seconds_held("pan-right");
    const double left = seconds_held("pan-left");
    const bool over_plot = ImGui::IsMouseHoveringRect(f.plot.min, f.plot.max);
    const double anchor = static_cast<double>(over_plot ? io.MousePos.x - f.plot.min.x : f.plot.width() / 2);
    if (zoom != 0) view.zoom(std::pow(kZoomPerSecond, zoom), anchor);
    if (right != left) view.pan((right - left) * kPanPerSecond * static_cast<double>(view.width_px));
    if (key_map().pressed("centre")) show_selected(f);
    walk(f);
}

}  // namespace ui
