#include "ui/panels/efficiency/health_lights.hpp"

#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/table/ask.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr float kLight = 8;      // diameter, at scale 1
constexpr float kBeforeTitle = 5;
constexpr float kBetween = 10;
constexpr float kLineOfLights = 17;

// Draws a different shape for each status, so that colour is not the only cue.
void draw_light(ImDrawList* list, ImVec2 middle, core::Health status) {
    const float r = px(kLight) / 2;
    const color::Palette& palette = color::palette();
    switch (status) {
        case core::Health::Ok:
            return list->AddCircleFilled(middle, r, ImGui::GetColorU32(palette.better));
        case core::Health::Warn:
            return draw_triangle(list, {middle.x, middle.y - r}, {middle.x + r, middle.y + r},
                                 {middle.x - r, middle.y + r}, palette.warning);
        case core::Health::Bad:
            return draw_rect(list, {middle.x - r, middle.y - r}, {middle.x + r, middle.y + r}, palette.error);
        default:
            return list->AddCircle(middle, r - px(1), ImGui::GetColorU32(palette.muted));
    }
}

void go_to(Frame& frame, core::EventRef event, const std::string& analysis) {
    if (event.valid() && !ImGui::GetIO().KeyShift)
        frame.intents.push_back(SelectEvent{event, true});
    else
        frame.intents.push_back(ShowAnalysis{analysis});
}

// Draws a light with its title; true if clicked.
bool draw_titled_light(const HealthLight& light, const std::string& id, float width) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const bool clicked = invisible_button(id.c_str(), {width, px(kLineOfLights)});
    record_item(id);
    const bool hovered = ImGui::IsItemHovered();
    if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    tooltip(light.tooltip());
    ImDrawList* const list = ImGui::GetWindowDrawList();
    draw_light(list, {at.x + px(kLight) / 2, at.y + px(kLineOfLights) / 2}, light.status);
    const bool speaks = light.status == core::Health::Warn || light.status == core::Health::Bad;
    draw_text(list, small_style(), {at.x + px(kLight + kBeforeTitle), at.y + px(2)},
              hovered || speaks ? color::palette().text : color::palette().muted, light.title);
    return clicked;
}

}  // namespace

void HealthLights::ask(Frame& frame, const core::Filter& filter) {
    const core::Request health = ui::ask(frame, "overview/health", "health", filter);
    const core::Request verdict = ui::ask(frame, "overview/verdict", "verdict", filter);
    pending_ = health.pending() || verdict.pending();
    const core::RunPtr run = frame.run();
    const Key key{run, health.answer, verdict.answer};
    shown_ = model_.ask(frame.session.pool(), key, [run, key] {
        return run ? HealthModel::of(*run, key.health.get(), key.verdict.get()) : HealthModel{};
    });
}

void HealthLights::draw_lights(Frame& frame, core::Side side) const {
    if (!shown_) return;
    const float left = ImGui::GetCursorPosX();
    const float room = ImGui::GetContentRegionAvail().x;
    float used = 0;
    for (const HealthLight& light : shown_->lights) {
        const float width = std::ceil(px(kLight + kBeforeTitle) + text_width(small_style(), light.title));
        const std::string id = std::string(side == core::Side::Baseline ? "##light:" : "##candidate-light:") + light.id;
        if (used > 0 && used + px(kBetween) + width <= room) {
            used += px(kBetween);
            ImGui::SameLine(left + used, 0);
        } else {
            used = 0;
            ImGui::SetCursorPosX(left);
        }
        if (draw_titled_light(light, id, width)) go_to(frame, light.event, light.analysis);
        used += width;
    }
}

void HealthLights::go_to_verdict(Frame& frame) const {
    if (shown_ && shown_->verdict) go_to(frame, shown_->verdict->event, "verdict");
}

void HealthLights::describe(nlohmann::json& shown) const {
    if (!shown_) return;
    for (const HealthLight& light : shown_->lights) {
        nlohmann::json& one = shown["health"][light.id];
        one = {{"status", core::name_of(light.status)}, {"value", light.value}, {"evidence", light.evidence}};
    }
    if (shown_->verdict)
        shown["bound"] = {{"verdict", shown_->verdict->verdict},
                          {"second", shown_->verdict->second},
                          {"evidence", shown_->verdict->evidence}};
}

}  // namespace ui
