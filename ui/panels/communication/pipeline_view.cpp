#include "ui/panels/communication/communication_views.hpp"

#include "core/base/format.hpp"
#include "ui/style/hatch.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/table/ask.hpp"
#include "ui/widgets/legend.hpp"
#include "ui/widgets/status.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr float kStageRow = 22, kStageLabel = 96, kStageNumber = 118;
constexpr std::size_t kMostStages = 64;  // lanes drawn

ImU32 color_of_stretch(StretchKind kind) {
    if (kind == StretchKind::After) return color::palette().unclassed;
    return kind == StretchKind::Backward ? color::palette().series[1] : color::palette().compute;
}

std::string_view name_of_stretch(StretchKind kind) {
    if (kind == StretchKind::After) return "After the backward pass";
    return kind == StretchKind::Backward ? "Backward" : "Forward";
}

std::string describe_lane(const PipelineLane& lane) {
    std::string words;
    if (lane.bubble_share) words = "bubble " + core::format_ratio(*lane.bubble_share);
    return words;
}

}  // namespace

void PipelineView::draw_lane(Frame& frame, const PipelineStep& step, const PipelineLane& lane, float width) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float height = px(kStageRow);
    ImGui::Dummy({width, height});
    ImDrawList* const list = ImGui::GetWindowDrawList();
    const std::string label = "stage " + std::to_string(lane.stage) + ", rank " + core::format_rank(lane.rank);
    draw_text(list, small_style(), {at.x, at.y + px(4)}, color::palette().muted, label, px(kStageLabel - 4));
    const float left = at.x + px(kStageLabel);
    const float plot = std::max(px(40), width - px(kStageLabel + kStageNumber));
    const auto x = [&](double ns) { return left + plot * static_cast<float>(ns / step.length); };
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const bool over = ImGui::IsItemHovered();
    draw_rect(list, {left, at.y + px(2)}, {left + plot, at.y + height - px(2)}, color::palette().background);
    for (const PipelineReceive& one : lane.receives) {
        const ImVec2 min{x(one.begin), at.y + px(6)}, max{x(one.begin + one.duration), at.y + height - px(6)};
        draw_rect(list, min, max, color::palette().waiting);
        if (max.x - min.x > px(3)) draw_hatch(list, min, max);
        if (!over || mouse.x < min.x || mouse.x > max.x) continue;
        show_tooltip("Receive" + (one.peer ? " from rank " + std::to_string(*one.peer) : std::string()) + ", " +
                     core::format_duration(core::Duration{std::llround(one.duration)}) + "\nClick: show it");
        if (ImGui::IsMouseClicked(ImGuiMouseButton_Left) && one.event.valid())
            frame.intents.push_back(SelectEvent{one.event, true});
    }
    for (const PipelineStretch& one : lane.work) {
        const ImVec2 min{x(one.begin), at.y + px(3)},
            max{std::max(x(one.begin) + 1, x(one.begin + one.duration)), at.y + height - px(3)};
        draw_rect(list, min, max, color_of_stretch(one.kind));
        if (one.number > 0 && max.x - min.x > px(12))
            draw_text(list, small_style(), {min.x + px(3), at.y + px(4)}, color::text_on(color_of_stretch(one.kind)),
                      std::to_string(one.number), max.x - min.x);
        if (over && mouse.x >= min.x && mouse.x <= max.x)
            show_tooltip(std::string(name_of_stretch(one.kind)) +
                         (one.number > 0 ? ", microbatch " + std::to_string(one.number) : std::string()) + ", " +
                         core::format_duration(core::Duration{std::llround(one.duration)}));
    }
    draw_text(list, small_style(), {left + plot + px(10), at.y + px(4)}, color::palette().muted, describe_lane(lane));
}

void PipelineView::draw_side(Frame& frame, const PipelineModel& model) {
    if (model.steps.empty()) {
        muted_text(frame.run()->ranks().empty() ? "No ranks." : "No sends and receives of a pipeline inside steps.");
        return;
    }
    place_ = std::min(place_, model.steps.size() - 1);
    const PipelineStep& step = model.steps[place_];
    if (quiet_button("<##before") && place_ > 0) --place_;
    ImGui::SameLine(0, px(4));
    text("Step " + std::to_string(step.number));
    ImGui::SameLine(0, px(4));
    if (quiet_button(">##after") && place_ + 1 < model.steps.size()) ++place_;
    std::string words;
    if (const std::optional<double> mean = step.mean_bubble()) words = "mean bubble " + core::format_ratio(*mean);
    const PipelineLane& first = step.lanes.front();
    if (first.theory)
        words += "; by theory " + core::format_ratio(*first.theory) + ", if stages are even, with " +
                 core::format_plural(static_cast<std::uint64_t>(first.microbatches.value_or(0)), "microbatch",
                                     "microbatches");
    ImGui::SameLine(0, px(12));
    muted_text(words);
    const float width = ImGui::GetContentRegionAvail().x;
    std::vector<BarPart> parts;
    for (const StretchKind kind : {StretchKind::Forward, StretchKind::Backward, StretchKind::After})
        parts.push_back({.name = std::string(name_of_stretch(kind)), .color = color_of_stretch(kind)});
    parts.push_back({.name = "Receive", .color = color::palette().waiting});
    draw_legend(parts, width);
    for (std::size_t i = 0; i < std::min(kMostStages, step.lanes.size()) && step.length > 0; ++i)
        draw_lane(frame, step, step.lanes[i], width);
    if (step.lanes.size() > kMostStages)
        muted_text(core::format_count(step.lanes.size() - kMostStages) + " more ranks; filter to see them");
}

void PipelineView::draw(Frame& frame) {
    pending_ = false;
    for (const core::Side side : sides_of(frame)) {
        Frame& own = frame.of(side);
        const core::Request request = ask(own, "communication/pipeline", "pipeline");
        pending_ |= request.pending();
        if (!begin_answer(request, "pipeline", models_[side].fresh())) continue;
        const core::RunPtr run = own.run();
        shown_[side] = models_[side].ask(frame.session.pool(), request.answer,
                                         [run, answer = request.answer] { return PipelineModel::of(*run, *answer); });
        const ItemScope scope(name_of(side));
        ImGui::PushID(static_cast<int>(side));
        if (frame.candidate) text(name_of(side), color::of_side(side));
        if (shown_[side]) draw_side(own, *shown_[side]);
        ImGui::PopID();
        end_answer();
    }
}

bool PipelineView::busy() const { return pending_ || models_.baseline.busy(); }

void PipelineView::describe(nlohmann::json& shown) const {
    if (!shown_.baseline) return;
    shown["steps"] = shown_.baseline->steps.size();
    if (shown_.baseline->steps.empty()) return;
    const PipelineStep& step = shown_.baseline->steps[std::min(place_, shown_.baseline->steps.size() - 1)];
    shown["step"] = step.number;
    for (const PipelineLane& lane : step.lanes)
        shown["lanes"].push_back({{"rank", core::format_rank(lane.rank)},
                                  {"stage", lane.stage},
                                  {"stretches", lane.work.size()},
                                  {"receives", lane.receives.size()}});
}

}  // namespace ui
