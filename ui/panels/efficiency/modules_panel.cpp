// GPU time by nn.Module as an icicle chart, split into forward, backward and recomputed, and the layers of a model next
// to each other; with two runs, both on one scale.

#include "core/charts/axis.hpp"
#include "ui/model/deferred.hpp"
#include "ui/model/panel.hpp"
#include "ui/model/panels/modules_model.hpp"
#include "ui/model/panels/scope_text.hpp"
#include "ui/panels/efficiency/efficiency_panels.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/table/ask.hpp"
#include "ui/widgets/legend.hpp"
#include "ui/widgets/status.hpp"

#include "core/base/format.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace ui {
namespace {

constexpr float kLevelHeight = 19, kLayersHeight = 74, kLeastCell = 2, kLeastNamed = 28;
constexpr std::size_t kMostLevels = 24;

struct PassPart {
    std::string_view name;
    double ModuleNode::*time;
};
constexpr std::array<PassPart, 3> kPasses{
    {{"Forward", &ModuleNode::forward}, {"Backward", &ModuleNode::backward}, {"Recomputed", &ModuleNode::recomputed}}};

ImU32 color_of_pass(std::size_t pass) {
    const color::Palette& palette = color::palette();
    return pass == 0 ? palette.compute : pass == 1 ? palette.series[1] : palette.warning;
}

std::string text_of_ns(double ns) { return core::format_duration(core::Duration{std::llround(ns)}); }

class ModulesPanel final : public Panel {
public:
    void draw(Frame& frame) override;
    bool busy() const override { return pending_ || models_.baseline.busy() || models_.candidate.busy(); }
    void describe(nlohmann::json& shown) const override;

private:
    void ask_models(Frame& frame);
    void draw_icicle(core::Side side, ImVec2 size, double scale);
    void draw_cell(core::Side side, std::size_t node, ImVec2 min, ImVec2 max, bool hovered);
    void draw_layers(float width);
    void show_node(core::Side side, const ModuleNode& node) const;
    const ModulesModel* shown(core::Side side) const { return shown_[side].get(); }
    const ModuleNode& focus_of(core::Side side) const;
    bool compares() const { return shown_.baseline && shown_.candidate && !shown_.candidate->empty(); }

    core::BySide<Deferred<core::AnswerPtr, ModulesModel>> models_;
    core::BySide<std::shared_ptr<const ModulesModel>> shown_;
    ScopeText scope_;
    std::string focus_;  // module path at full width; empty: all GPU time
    std::string scope_words_, error_;
    double progress_ = 0;
    bool pending_ = false;
};

void ModulesPanel::ask_models(Frame& frame) {
    pending_ = false;
    progress_ = 0;
    error_.clear();
    shown_ = {};
    for (const core::Side side : sides_of(frame)) {
        const core::Request request = ask(frame.of(side), "modules-panel", "modules");
        pending_ |= request.pending();
        progress_ += request.progress / static_cast<double>(sides_of(frame).size());
        if (!request.error.empty()) error_ = request.error;
        if (!request.answer) continue;
        shown_[side] = models_[side].ask(frame.session.pool(), request.answer,
                                         [answer = request.answer] { return ModulesModel::of(answer->main()); });
    }
}

// The module in focus; the root if the run lacks it.
const ModuleNode& ModulesPanel::focus_of(core::Side side) const {
    const ModuleNode* const found = shown_[side]->find(focus_);
    return found ? *found : shown_[side]->nodes.front();
}

void ModulesPanel::show_node(core::Side side, const ModuleNode& node) const {
    ImGui::BeginTooltip();
    heading(node.name);
    if (!node.path.empty()) muted_text(cut_text(node.path, 300));
    const double all = shown_[side]->nodes.front().time;
    tooltip_line("GPU time", text_of_ns(node.time), 0, core::format_ratio(all > 0 ? node.time / all : 0));
    for (std::size_t pass = 0; pass < kPasses.size(); ++pass)
        if (node.*kPasses[pass].time > 0)
            tooltip_line(kPasses[pass].name, text_of_ns(node.*kPasses[pass].time), color_of_pass(pass));
    if (node.communication > 0) tooltip_line("Communication", text_of_ns(node.communication));
    if (node.flop > 0) {
        tooltip_line("FLOP", core::format_value(node.flop, core::Unit::Flop));
        tooltip_line("Rate", core::format_value(node.flop / node.time * 1e9, core::Unit::FlopPerSecond));
    }
    if (node.calls > 0) tooltip_line("Calls", core::format_count(static_cast<std::int64_t>(node.calls)));
    if (compares()) {
        const core::Side other = core::other_side(side);
        const ModuleNode* const same = shown_[other]->find(node.path);
        tooltip_line(name_of(other), same ? text_of_ns(same->time) : std::string("has no such module"));
    }
    if (shown_[side]->ranks > 1) muted_text("Sums over " + core::format_plural(shown_[side]->ranks, "rank", "ranks"));
    muted_text(node.path == focus_ ? "Click: back to its parent module" : "Click: zoom to it");
    ImGui::EndTooltip();
    record_tooltip(node.path.empty() ? node.name : node.path);
}

void ModulesPanel::draw_cell(core::Side side, std::size_t index, ImVec2 min, ImVec2 max, bool hovered) {
    const ModuleNode& node = shown_[side]->nodes[index];
    ImDrawList* const list = ImGui::GetWindowDrawList();
    const float width = max.x - min.x;
    float from = min.x;
    double known = 0;
    for (std::size_t pass = 0; pass < kPasses.size(); ++pass) {
        known += node.*kPasses[pass].time;
        const float to = min.x + width * static_cast<float>(node.time > 0 ? std::min(1.0, known / node.time) : 0);
        if (to > from)
            draw_rect(list, {from, min.y}, {to, max.y},
                      color::mix(color::palette().panel, color_of_pass(pass), hovered ? 0.75f : 0.5f));
        from = to;
    }
    if (from < max.x) draw_rect(list, {from, min.y}, max, color::palette().idle);
    if (width >= px(kLeastNamed))
        draw_text(list, small_style(), {min.x + px(4), min.y + px(2)}, color::palette().text,
                  node.name + "  " + text_of_ns(node.time), width - px(6));
    record_rect("##" + std::string(side == core::Side::Baseline ? "module:" : "candidate-module:") + node.path, min,
                max, hovered);
}

// Draws the levels below the focus; a cell's width is its time on the scale of both runs.
void ModulesPanel::draw_icicle(core::Side side, ImVec2 size, double scale) {
    const ModulesModel& model = *shown_[side];
    const ModuleNode& focus = focus_of(side);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const std::string id = side == core::Side::Baseline ? "##icicle" : "##candidate-icicle";
    const bool pressed = invisible_button(id.c_str(), size);
    record_item(id);
    const bool over = ImGui::IsItemHovered();
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const auto x = [&](double ns) { return at.x + std::floor(static_cast<float>((ns - focus.begin) * scale)); };
    const ModuleNode* hit = nullptr;
    std::vector<std::size_t> open = {static_cast<std::size_t>(&focus - model.nodes.data())};
    while (!open.empty()) {
        const std::size_t index = open.back();
        const ModuleNode& node = model.nodes[index];
        open.pop_back();
        const float top = at.y + static_cast<float>(node.depth - focus.depth) * px(kLevelHeight);
        const ImVec2 min{x(node.begin), top}, max{x(node.begin + node.time) - 1, top + px(kLevelHeight) - 1};
        if (max.y > at.y + size.y || max.x - min.x < px(kLeastCell)) continue;
        const bool hovered = over && mouse.x >= min.x && mouse.x <= max.x && mouse.y >= min.y && mouse.y <= max.y;
        draw_cell(side, index, min, max, hovered);
        if (hovered) hit = &node;
        open.insert(open.end(), node.children.begin(), node.children.end());
    }
    if (hit == nullptr) return;
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    show_node(side, *hit);
    if (pressed) focus_ = hit->path == focus_ ? model.nodes[hit->parent].path : hit->path;
}

// A bar per layer, both runs' next to each other: equal layers form a straight line.
void ModulesPanel::draw_layers(float width) {
    core::BySide<std::optional<ModuleLayers>> layers;
    double most = 0;
    std::size_t count = 0;
    for (const core::Side side : core::kSides) {
        if (!shown_[side] || shown_[side]->empty()) continue;
        layers[side] =
            shown_[side]->find_layers(static_cast<std::size_t>(&focus_of(side) - shown_[side]->nodes.data()));
        if (!layers[side]) continue;
        count = std::max(count, layers[side]->nodes.size());
        for (const std::size_t layer : layers[side]->nodes) most = std::max(most, shown_[side]->nodes[layer].time);
    }
    if (count == 0 || most <= 0) return;
    const ModuleLayers& named = layers.baseline ? *layers.baseline : *layers.candidate;
    muted_text("Layers side by side: " + core::format_count(count) + " \xC3\x97 " + named.class_name + ", GPU time");
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float height = px(kLayersHeight),
                each = std::floor(std::max(3.0f, std::min(px(34), width / static_cast<float>(count))));
    ImGui::Dummy({each * static_cast<float>(count), height});
    ImDrawList* const list = ImGui::GetWindowDrawList();
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const bool over = ImGui::IsItemHovered();
    for (const core::Side side : core::kSides) {
        if (!layers[side]) continue;
        for (std::size_t i = 0; i < layers[side]->nodes.size(); ++i) {
            const ModuleNode& node = shown_[side]->nodes[layers[side]->nodes[i]];
            const float bar = compares() ? (each - 1) / 2 : each - 1;
            const float left = at.x + each * static_cast<float>(i) + (side == core::Side::Candidate ? bar : 0);
            const float top = at.y + height * (1 - static_cast<float>(node.time / most));
            draw_rect(list, {left, top}, {left + bar - 1, at.y + height},
                      compares() ? color::of_side(side) : color_of_pass(0));
            if (over && mouse.x >= left && mouse.x < left + bar) show_node(side, node);
        }
    }
}

void ModulesPanel::draw(Frame& frame) {
    shown_ = {};
    if (!frame.run()) return empty_state("No run", "Open a folder of traces.");
    ask_models(frame);
    scope_words_ = scope_.ask(frame.run(), frame.filter(), {});
    if (!error_.empty()) text(error_, color::palette().error);
    if (!shown_.baseline) return progress_line(progress_, ImGui::GetContentRegionAvail().x);
    if (busy()) progress_line(progress_, ImGui::GetContentRegionAvail().x);
    if (shown_.baseline->empty() && !compares())
        return empty_state("No modules in the traces",
                           "Record with with_stack=True, or wrap layers in torch.profiler.record_function.");
    draw_scope(scope_words_);
    const float width = ImGui::GetContentRegionAvail().x;
    std::vector<BarPart> parts;
    for (std::size_t pass = 0; pass < kPasses.size(); ++pass)
        parts.push_back({.name = std::string(kPasses[pass].name), .color = color_of_pass(pass)});
    draw_legend(parts, width);
    double longest = 0;
    for (const core::Side side : core::kSides)
        if (shown_[side] && !shown_[side]->empty()) longest = std::max(longest, focus_of(side).time);
    const double scale = longest > 0 ? static_cast<double>(width) / longest : 0;
    for (const core::Side side : core::kSides) {
        if (!shown_[side] || shown_[side]->empty()) continue;
        if (compares()) text(name_of(side), color::of_side(side));
        const std::size_t levels = std::min(kMostLevels, shown_[side]->depth - focus_of(side).depth + 1);
        draw_icicle(side, {width, px(kLevelHeight) * static_cast<float>(levels)}, scale);
        const double share =
            shown_[side]->nodes.front().time > 0 ? shown_[side]->unattributed / shown_[side]->nodes.front().time : 0;
        if (share > 0.005 && focus_.empty())
            muted_text(core::format_ratio(share) +
                       " of GPU time belongs to no module: launched before the trace, or "
                       "outside of every module");
    }
    draw_layers(width);
}

void ModulesPanel::describe(nlohmann::json& json) const {
    json["focus"] = focus_;
    for (const core::Side side : core::kSides) {
        if (!shown_[side]) continue;
        nlohmann::json& one = json[std::string(name_of(side))];
        one["modules"] = shown_[side]->nodes.size() - 1;
        one["gpu_time_ns"] = shown_[side]->nodes.front().time;
        one["unattributed_ns"] = shown_[side]->unattributed;
        if (const std::optional<ModuleLayers> layers = shown_[side]->find_layers(0))
            one["layers"] = {{"class", layers->class_name}, {"count", layers->nodes.size()}};
    }
}

}  // namespace

std::unique_ptr<Panel> make_modules_panel() { return std::make_unique<ModulesPanel>(); }

}  // namespace ui
