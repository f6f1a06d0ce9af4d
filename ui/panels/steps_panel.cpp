// Rank by step: what every step cost on every rank, as a heat map. With two runs three of them: both runs on one
// scale, and the change.

#include "ui/ask.hpp"
#include "ui/charts/compared.hpp"
#include "ui/charts/heat_map.hpp"
#include "ui/explain.hpp"
#include "ui/panels/panels.hpp"
#include "ui/row_clicks.hpp"
#include "ui/view_models/derived.hpp"
#include "ui/view_models/filter_clicks.hpp"
#include "ui/view_models/steps_comparison.hpp"
#include "ui/widgets/items.hpp"
#include "ui/widgets/status.hpp"
#include "ui/widgets/text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

struct StepsKey {
    core::RunPtr run;
    core::AnswerPtr steps;
    core::Filter filter;
    StepsView view;
    bool operator==(const StepsKey&) const = default;
};
using BothKeys = core::BySide<StepsKey>;

// One of the maps of two runs; of the change there is no side.
struct SideMap {
    std::string_view id;
    std::string_view title;
    std::optional<core::Side> side;
};
constexpr std::array<SideMap, 3> kMaps{{{"baseline", "Baseline", core::Side::Baseline},
                                        {"candidate", "Candidate", core::Side::Candidate},
                                        {"change", "Change", std::nullopt}}};

StepsModel make_model(const StepsKey& key) { return StepsModel::of(*key.run, key.steps->main(), key.filter, key.view); }

HeatMap map_of(const StepsComparison& both, const SideMap& which) {
    const core::Side side = which.side.value_or(core::Side::Baseline);
    HeatMap map{both.rank_labels[side],
                both.step_labels[side],
                which.side ? both.values[side] : both.change,
                both.faded,
                which.side ? both.scale : both.change_scale,
                core::Unit::Ns,
                "rank",
                "step",
                kStepMeasures[both.view.measure].title};
    map.has_legend = which.side != core::Side::Baseline;  // the candidate's is beside both
    map.sides = {both.values.baseline, both.values.candidate};
    return map;
}

ChartNotes notes_of(const StepsView& view) {
    const auto explain = [view](std::size_t) {
        const std::string line = explain_briefly(*core::find_analysis("steps"), kStepMeasures[view.measure].column);
        return view.from_median ? line + "; less the median of the ranks in the same step" : line;
    };
    return {explain, true};
}

RowMeaning meaning_of_cell(const Frame& frame, core::RankKey rank, std::int64_t step) {
    RowFacets facets;
    facets.rank = rank;
    facets.step = step;
    return meaning_of_facets(frame, facets, "rank " + core::format_rank(rank) + ", step " + std::to_string(step));
}

class StepsPanel final : public Panel {
public:
    void draw(Frame& frame) override;
    bool busy() const override { return clicks_.busy() || (shows_both_ ? !comparison_.fresh() : !model_.fresh()); }
    void describe(nlohmann::json& shown) const override;

private:
    void draw_controls(Frame& frame);
    void draw_model(Frame& frame, const StepsModel& model);
    void draw_both(Frame& frame);
    void draw_comparison(Frame& frame, const StepsComparison& both);
    void follow_hit(Frame& frame, const StepsComparison& both, std::optional<core::Side> side, const HeatHit& hit);

    StepsView view_;
    Derived<StepsKey, StepsModel> model_;
    std::shared_ptr<const StepsModel> shown_;
    Derived<BothKeys, StepsComparison> comparison_;
    std::shared_ptr<const StepsComparison> both_;
    RowClicks clicks_;
    bool shows_both_ = false;  // what the other way of drawing began is not waited for
    bool fresh_ = false;
};

void StepsPanel::draw_controls(Frame& frame) {
    ImGui::SetNextItemWidth(px(200));
    const bool open = ImGui::BeginCombo("##measure", kStepMeasures[view_.measure].title.data());
    record_item("##measure");
    if (!open && ImGui::IsItemHovered())
        Explainer(frame, *core::find_analysis("steps"), {}).draw_column(kStepMeasures[view_.measure].column);
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
    HeatMap map{model.rank_labels, model.step_labels, model.values, model.faded,
                model.scale,       core::Unit::Ns,    "rank",       "step",
                measure.title};
    const ChartNotes notes = notes_of(model.view);
    map.notes = &notes;
    const HeatHit hit = draw_heat_map("##map", map, ImGui::GetContentRegionAvail());
    if (!hit.cell) return;
    const core::RankKey rank = model.ranks[hit.cell->row];
    const std::int64_t step = model.steps[hit.cell->column];
    if (hit.listed) clicks_.offer(meaning_of_cell(frame, rank, step));
    if (hit.clicked) frame.intents.push_back(SetFilter{with_cell(frame.session.filter(), rank, step)});
    const core::RunRange range = model.ranges[model.at(hit.cell->row, hit.cell->column)];
    if ((hit.clicked || hit.activated) && !range.empty()) frame.intents.push_back(ShowRange{range});
}

// The filter by its baseline numbers, the view of the side that was pointed at.
void StepsPanel::follow_hit(Frame& frame, const StepsComparison& both, std::optional<core::Side> side,
                            const HeatHit& hit) {
    const core::RunAlignment* alignment = frame.session.alignment();
    const auto rank = named_rank(alignment, both.ranks[hit.cell->row]);
    const auto step = named_step(alignment, both.steps[hit.cell->column]);
    if (!rank || !step) {
        constexpr std::string_view kNoPartner = "Has no partner in the baseline, whose numbers filters speak of";
        ImGui::BeginTooltip();
        muted_text(std::string(kNoPartner) + ": a click only goes there");
        ImGui::EndTooltip();
        RowMeaning nameless;
        nameless.unlisted = kNoPartner;
        if (hit.listed) clicks_.offer(nameless);
    } else if (hit.listed) {
        clicks_.offer(meaning_of_cell(frame, *rank, *step));
    } else if (hit.clicked) {
        frame.intents.push_back(SetFilter{with_cell(frame.session.filter(), *rank, *step)});
    }
    if (!hit.clicked && !hit.activated) return;
    const std::size_t cell = both.at(hit.cell->row, hit.cell->column);
    core::Side shown = side.value_or(core::Side::Baseline);
    if (both.ranges[shown][cell].empty()) shown = other_side(shown);
    if (!both.ranges[shown][cell].empty()) frame.of(shown).intents.push_back(ShowRange{both.ranges[shown][cell]});
}

void StepsPanel::draw_comparison(Frame& frame, const StepsComparison& both) {
    if (both.ranks.empty())
        return empty_state("No steps", "The traces have no ProfilerStep ranges: the profiler's step() was not called.");
    const auto unknown = [](const std::vector<double>& values) {
        return std::ranges::none_of(values, [](double value) { return std::isfinite(value); });
    };
    if (unknown(both.values.baseline) && unknown(both.values.candidate))
        return empty_state("Nothing is known of the steps' GPU work", "The traces have no GPU events.");
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const float gap = px(20);
    const float title = px(18);
    float margins = 2 * gap;
    for (const SideMap& which : kMaps) margins += find_heat_map_margin(map_of(both, which));
    const ChartNotes notes = notes_of(both.view);
    const float cells = std::max(px(40), std::floor((room.x - margins) / 3));
    for (const SideMap& which : kMaps) {
        if (&which != &kMaps.front()) ImGui::SameLine(0, gap);
        HeatMap map = map_of(both, which);
        map.notes = &notes;
        const float width = cells + find_heat_map_margin(map);
        ImGui::BeginGroup();
        const ItemScope scope(which.id);
        ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
        draw_text(ImGui::GetWindowDrawList(), small_style(), ImGui::GetCursorScreenPos(),
                  which.side ? color::of_side(*which.side) : color::kMuted, which.title, width);
        ImGui::Dummy({width, title});
        const HeatHit hit = draw_heat_map(("##map-" + std::string(which.id)).c_str(), map, {width, room.y - title});
        ImGui::PopStyleVar();
        ImGui::EndGroup();
        if (hit.cell) follow_hit(frame, both, which.side, hit);
    }
}

void StepsPanel::draw_both(Frame& frame) {
    core::BySide<core::Request> requests;
    BothKeys keys;
    for (const core::Side side : core::kSides) {
        Frame& own = frame.of(side);
        requests[side] = ask(own, "steps", "steps", without_rank_and_step(own.filter()));
        keys[side] = {own.run(), requests[side].answer, own.filter(), view_};
    }
    if (keys.baseline.steps && keys.candidate.steps)
        both_ = comparison_.ask(frame.session.pool(), keys, [keys, alignment = *frame.session.alignment()] {
            const core::BySide<StepsModel> models{make_model(keys.baseline), make_model(keys.candidate)};
            return StepsComparison::of({&models.baseline, &models.candidate}, alignment);
        });
    fresh_ = requests.baseline.fresh && requests.candidate.fresh && comparison_.fresh();
    if (!begin_answer(requests, "steps", comparison_.fresh())) return;
    if (both_) draw_comparison(frame, *both_);
    end_answer();
}

void StepsPanel::draw(Frame& frame) {
    shown_ = nullptr;
    both_ = nullptr;
    shows_both_ = frame.candidate != nullptr;
    if (!frame.run()) return empty_state("No run", "Open a folder of traces.");
    clicks_.follow(frame);
    clicks_.draw_menu(frame);
    draw_controls(frame);
    if (frame.candidate) return draw_both(frame);
    const core::Filter& filter = frame.filter();
    const core::Request steps = ask(frame, "steps", "steps", without_rank_and_step(filter));
    if (steps.answer)
        shown_ = model_.ask(frame.session.pool(), {frame.run(), steps.answer, filter, view_},
                            [key = StepsKey{frame.run(), steps.answer, filter, view_}] { return make_model(key); });
    fresh_ = steps.fresh && model_.fresh();
    if (!begin_answer(steps, "steps", model_.fresh())) return;
    if (shown_) draw_model(frame, *shown_);
    end_answer();
}

nlohmann::json describe_scale(const HeatScale& scale) {
    return {{"low_ns", scale.low}, {"high_ns", scale.high}, {"cut", scale.cut}};
}

void describe_both(const StepsComparison& both, nlohmann::json& shown) {
    shown["measure"] = kStepMeasures[both.view.measure].column;
    shown["from_median"] = both.view.from_median;
    shown["scale"] = describe_scale(both.scale);
    shown["change_scale"] = describe_scale(both.change_scale);
    for (const core::Side side : core::kSides) {
        nlohmann::json& own = shown[std::string(name_of(side))];
        for (const RankPair& rank : both.ranks)
            if (rank[side]) own["ranks"].push_back(core::format_rank(*rank[side]));
        for (const StepPair& step : both.steps)
            if (step[side]) own["steps"].push_back(*step[side]);
    }
    const auto known = [](double value) { return std::isfinite(value) ? std::optional(value) : std::nullopt; };
    for (std::size_t row = 0; row < both.ranks.size(); ++row) {
        nlohmann::json& cells = shown["cells"][both.rank_labels.baseline[row]];
        for (std::size_t column = 0; column < both.steps.size(); ++column) {
            const std::size_t at = both.at(row, column);
            nlohmann::json& cell = cells[both.step_labels.baseline[column]];
            cell = {{"in_filter", both.faded[at] == 0},
                    {"value_ns", describe_compared({known(both.values.baseline[at]), known(both.values.candidate[at]),
                                                    known(both.change[at]), std::nullopt})}};
        }
    }
}

void StepsPanel::describe(nlohmann::json& shown) const {
    shown["fresh"] = fresh_;
    if (both_) return describe_both(*both_, shown);
    if (!shown_) return;
    shown["measure"] = kStepMeasures[shown_->view.measure].column;
    shown["from_median"] = shown_->view.from_median;
    shown["steps"] = shown_->steps;
    shown["ranks"] = shown_->rank_labels;
    shown["scale"] = describe_scale(shown_->scale);
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
