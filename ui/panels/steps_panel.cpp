// Rank by step: what every step cost on every rank, as a heat map.

#include "ui/ask.hpp"
#include "ui/charts/heat_map.hpp"
#include "ui/panels/panels.hpp"
#include "ui/view_models/derived.hpp"
#include "ui/view_models/filter_clicks.hpp"
#include "ui/view_models/steps_model.hpp"
#include "ui/widgets/items.hpp"
#include "ui/widgets/status.hpp"
#include "ui/widgets/text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

struct Key {
    core::RunPtr run;
    core::AnswerPtr steps;
    core::Filter filter;
    StepsView view;
    bool operator==(const Key&) const = default;
};

class StepsPanel final : public Panel {
public:
    void draw(Frame& frame) override;
    bool busy() const override { return !model_.fresh(); }
    void describe(nlohmann::json& shown) const override;

private:
    void draw_controls();
    void draw_model(Frame& frame, const StepsModel& model);

    StepsView view_;
    Derived<Key, StepsModel> model_;
    std::shared_ptr<const StepsModel> shown_;
    bool fresh_ = false;
};

void StepsPanel::draw_controls() {
    ImGui::SetNextItemWidth(px(200));
    const bool open = ImGui::BeginCombo("##measure", kStepMeasures[view_.measure].title.data());
    record_item("##measure");
    if (open) {
        for (std::size_t i = 0; i < kStepMeasures.size(); ++i)
            if (selectable(kStepMeasures[i].title.data(), i == view_.measure)) view_.measure = i;
        ImGui::EndCombo();
    }
    ImGui::SameLine(0, px(16));
    int relative = view_.from_median ? 1 : 0;
    if (choose("as", {"Value", "From median"}, relative)) view_.from_median = relative == 1;
    tooltip("The difference from the median rank in the same step: which rank is unlike the others");
    const std::string_view hint = "click filters, double-click goes there";
    ImGui::SameLine(0, px(16));
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float room = ImGui::GetContentRegionAvail().x;
    if (text_width(small_style(), hint) < room)
        draw_text_right(ImGui::GetWindowDrawList(), small_style(), {at.x + room, at.y + px(5)}, color::kFaint, hint);
    ImGui::NewLine();
}

void StepsPanel::draw_model(Frame& frame, const StepsModel& model) {
    if (model.ranks.empty())
        return empty_state("No steps", "The traces have no ProfilerStep ranges: the profiler's step() was not called.");
    const StepMeasure& measure = kStepMeasures[model.view.measure];
    if (std::ranges::none_of(model.values, [](double value) { return std::isfinite(value); }))
        return empty_state("Nothing is known of the steps' GPU work", "The traces have no GPU events.");
    const HeatMap map{model.rank_labels, model.step_labels, model.values, model.faded,
                      model.scale,       core::Unit::Ns,    "rank",       "step",
                      measure.title};
    const HeatHit hit = draw_heat_map("##map", map, ImGui::GetContentRegionAvail());
    if (!hit.cell) return;
    const core::RankKey rank = model.ranks[hit.cell->row];
    const std::int64_t step = model.steps[hit.cell->column];
    if (hit.clicked) frame.intents.push_back(SetFilter{with_cell(frame.session.filter(), rank, step)});
    const core::RunRange range = model.ranges[model.at(hit.cell->row, hit.cell->column)];
    if ((hit.clicked || hit.activated) && !range.empty()) frame.intents.push_back(ShowRange{range});
}

void StepsPanel::draw(Frame& frame) {
    shown_ = nullptr;
    if (!frame.run()) return empty_state("No run", "Open a folder of traces.");
    draw_controls();
    const core::Filter& filter = frame.filter();
    const core::Request steps = ask(frame, "steps", "steps", without_rank_and_step(filter));
    if (steps.answer)
        shown_ = model_.ask(frame.session.pool(), {frame.run(), steps.answer, filter, view_},
                            [run = frame.run(), answer = steps.answer, filter, view = view_] {
                                return StepsModel::of(*run, answer->main(), filter, view);
                            });
    fresh_ = steps.fresh && model_.fresh();
    if (!begin_answer(steps, "steps", model_.fresh())) return;
    if (shown_) draw_model(frame, *shown_);
    end_answer();
}

void StepsPanel::describe(nlohmann::json& shown) const {
    if (!shown_) return;
    shown["fresh"] = fresh_;
    shown["measure"] = kStepMeasures[shown_->view.measure].column;
    shown["from_median"] = shown_->view.from_median;
    shown["steps"] = shown_->steps;
    shown["ranks"] = shown_->rank_labels;
    shown["scale"] = {{"low_ns", shown_->scale.low}, {"high_ns", shown_->scale.high}, {"cut", shown_->scale.cut}};
    for (std::size_t row = 0; row < shown_->ranks.size(); ++row) {
        nlohmann::json& cells = shown["cells"][shown_->rank_labels[row]];
        for (std::size_t column = 0; column < shown_->steps.size(); ++column) {
            const std::size_t at = shown_->at(row, column);
            nlohmann::json& cell = cells[shown_->step_labels[column]];
            cell["in_filter"] = shown_->faded[at] == 0;
            if (std::isfinite(shown_->values[at])) cell["value_ns"] = shown_->values[at];
        }
    }
}

}  // namespace

std::unique_ptr<Panel> make_steps_panel() { return std::make_unique<StepsPanel>(); }

}  // namespace ui
