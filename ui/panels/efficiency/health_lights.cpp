#include "ui/panels/efficiency/health_lights.hpp"

#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/table/ask.hpp"

#include "core/base/format.hpp"

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

bool warns(const HealthLight& light) { return light.status == core::Health::Warn || light.status == core::Health::Bad; }

// Lays items out from left to right in as many lines as they need.
class Wrapped {
public:
    Wrapped() : left_(ImGui::GetCursorPosX()), room_(ImGui::GetContentRegionAvail().x) {}
    void place(float width) {
        if (used_ > 0 && used_ + px(kBetween) + width <= room_) {
            used_ += px(kBetween);
            ImGui::SameLine(left_ + used_, 0);
        } else {
            used_ = 0;
            ImGui::SetCursorPosX(left_);
        }
        used_ += width;
    }

private:
    float left_;
    float room_;
    float used_ = 0;
};

float width_of(const HealthLight& light) {
    return std::ceil(px(kLight + kBeforeTitle) + text_width(small_style(), light.title));
}

// "8 ok, 2 unknown"
std::string describe_folded(const std::vector<HealthLight>& lights) {
    std::size_t ok = 0, unknown = 0;
    for (const HealthLight& light : lights) {
        ok += light.status == core::Health::Ok ? 1 : 0;
        unknown += light.status != core::Health::Ok && !warns(light) ? 1 : 0;
    }
    std::string words;
    if (ok > 0) words = core::format_count(std::uint64_t{ok}) + " ok";
    if (unknown > 0) words += (ok > 0 ? ", " : "") + core::format_count(std::uint64_t{unknown}) + " unknown";
    return words;
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
    const bool speaks = warns(light);
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

void HealthLights::draw_lights(Frame& frame, core::Side side) {
    if (!shown_) return;
    const std::string before = side == core::Side::Baseline ? "##" : "##candidate-";
    Wrapped wrapped;
    for (const bool warning : {true, false}) {
        for (const HealthLight& light : shown_->lights) {
            if (warns(light) != warning || !(warning || unfolded_)) continue;
            const float width = width_of(light);
            wrapped.place(width);
            if (draw_titled_light(light, before + "light:" + light.id, width))
                go_to(frame, light.event, light.analysis);
        }
    }
    const std::string folded = describe_folded(shown_->lights);
    if (folded.empty()) return;
    const std::string words = unfolded_ ? "fewer" : folded;
    const float width = std::ceil(text_width(small_style(), words));
    wrapped.place(width);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const std::string id = before + "lights";
    if (invisible_button(id.c_str(), {width, px(kLineOfLights)})) unfolded_ = !unfolded_;
    record_item(id);
    const bool hovered = ImGui::IsItemHovered();
    if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    tooltip(unfolded_ ? "Shows warnings alone" : "Shows every check");
    draw_text(ImGui::GetWindowDrawList(), small_style(), {at.x, at.y + px(2)},
              hovered ? color::palette().text : color::palette().accent, words);
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
