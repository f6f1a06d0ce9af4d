#include "ui/panels/step_map.hpp"

#include "core/analysis/catalogue/registry.hpp"
#include "core/base/short_name.hpp"
#include "ui/model/charts/compared.hpp"
#include "ui/model/filter_clicks.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/table/explainer.hpp"
#include "ui/widgets/chart_export.hpp"
#include "ui/widgets/status.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr std::string_view kNoSteps = "The traces have no ProfilerStep ranges: the profiler's step() was not called.";
constexpr std::string_view kNoEvents = "The traces have no events for this measure.";
constexpr float kLeastOfThree = 480;  // width at scale 1; narrower panels show only the change
constexpr float kRowHeight = 13;      // of a map that shares its panel
constexpr float kLeastRow = 8;
constexpr float kLeastHeight = 40;
constexpr float kMostHeight = 220;
constexpr float kKernelLines = 9;
constexpr float kSearchWidth = 300;

// Chart title of the view, with a shortened kernel name.
std::string title_of_view(const StepsView& view) {
    return view.kernel.empty() ? std::string(kStepMeasures[view.measure].title) : core::short_name(view.kernel).normal;
}

std::string name_of_values(const StepsView& view) {
    return title_of_view(view) + (view.from_median ? ", from median" : "");
}

std::string explain_view(const StepsView& view) {
    if (!view.kernel.empty()) return "Time this kernel runs on the rank within the step; overlaps count once";
    const StepMeasure& measure = kStepMeasures[view.measure];
    if (measure.columns[1].empty()) return explain_briefly(*core::find_analysis("steps"), measure.columns[0]);
    return std::string(measure.title) + ", ns: some GPU event runs; the parts of the step without idle";
}

ChartNotes notes_of(const StepsView& view) {
    const auto explain = [view](std::size_t) {
        const std::string line = explain_view(view);
        return view.from_median ? line + "; less the median of the ranks in the same step" : line;
    };
    return {explain, true};
}

RowMeaning meaning_of_cell(const Frame& frame, core::RankKey rank, std::int64_t step, const std::string& kernel) {
    RowFacets facets;
    facets.rank = rank;
    facets.step = step;
    if (!kernel.empty()) facets.name = kernel;
    return meaning_of_facets(frame, facets, "rank " + core::format_rank(rank) + ", step " + std::to_string(step));
}

bool is_unknown(const std::vector<double>& values) {
    return std::ranges::none_of(values, [](double value) { return std::isfinite(value); });
}

// From the earliest begin to the latest end of the cells that exist.
core::RunRange range_of(const HeatCells& cells, const std::vector<core::RunRange>& ranges, std::size_t columns) {
    core::RunRange whole;
    for (std::size_t row = cells.first.row; row <= cells.last.row; ++row)
        for (std::size_t column = cells.first.column; column <= cells.last.column; ++column) {
            const core::RunRange& range = ranges[row * columns + column];
            if (range.empty()) continue;
            whole = whole.empty() ? range
                                  : core::RunRange{std::min(whole.begin, range.begin), std::max(whole.end, range.end)};
        }
    return whole;
}

}  // namespace

constexpr std::array<StepMap::SideMap, 3> StepMap::kMaps{
    {{.id = "baseline", .title = "Baseline", .side = core::Side::Baseline},
     {.id = "candidate", .title = "Candidate", .side = core::Side::Candidate},
     {.id = "change", .title = "Change", .side = std::nullopt}}};

// Requests all ranks and steps: those outside the filter are faded, not hidden.
core::Request StepMap::ask_steps(Frame& own) const {
    const core::Filter all = without_rank_and_step(own.filter());
    return ask(own, who_, "steps", view_.kernel.empty() ? all : with_whole_name(all, view_.kernel));
}

HeatMap StepMap::map_of(const StepsModel& model, std::optional<core::Side> which, std::string_view title) {
    const core::Side side = which.value_or(core::Side::Baseline);
    HeatMap map{.rows = model.rank_labels[side],
                .columns = model.step_labels[side],
                .values = which ? model.values[side] : model.change,
                .faded = model.faded,
                .scale = which ? model.scale : model.change_scale,
                .unit = core::Unit::Ns,
                .row_name = "rank",
                .column_name = "step",
                .value_name = title};
    if (!model.compared) return map;
    map.has_legend = which != core::Side::Baseline;  // the candidate's legend serves both maps
    map.sides = {model.values.baseline, model.values.candidate};
    return map;
}

void StepMap::draw_kernels(Frame& frame) {
    core::BySide<core::AnswerPtr> answers;
    std::string error;
    bool pending = false;
    for (const core::Side side : sides_of(frame)) {
        Frame& own = frame.of(side);
        const core::Request kernels = ask(own, who_ + "/kernels", "kernels", without_rank_and_step(own.filter()));
        answers[side] = kernels.answer;
        pending |= kernels.pending();
        error += kernels.error;
    }
    muted_text("Time one kernel runs");
    input_text("##kernel", "Search kernels", kernel_search_, px(kSearchWidth));
    const std::vector<std::string>& names = kernels_.ask(frame.session.pool(), answers, kernel_search_);
    // Fixed height, so that the list does not move under the pointer.
    ImGui::BeginChild("kernels", {px(kSearchWidth), kKernelLines * ImGui::GetTextLineHeightWithSpacing()});
    for (const std::string& name : names) {
        const std::string label =
            fit_text(ui_style(), core::short_name(name).normal, px(kSearchWidth - 16)) + "##kernel:" + name;
        if (selectable(label.c_str(), name == view_.kernel)) {
            view_ = {.measure = kBusyMeasure, .from_median = view_.from_median, .kernel = name};
            ImGui::CloseCurrentPopup();
        }
        tooltip(name);
    }
    if (!error.empty())
        text(error, color::palette().error);
    else if (names.empty())
        muted_text(pending || kernels_.busy() ? "\xE2\x80\xA6" : "No kernel of this name under the filter");
    ImGui::EndChild();
}

void StepMap::draw_measures(Frame& frame) {
    const std::string title = title_of_view(view_);
    ImGui::SetNextItemWidth(std::min(px(200), ImGui::GetContentRegionAvail().x));
    const bool open = ImGui::BeginCombo("##measure", title.c_str(), ImGuiComboFlags_HeightLarge);
    record_item("##measure");
    choosing_ = open;
    if (open) close_on_escape();
    if (!open) {
        const StepMeasure& measure = kStepMeasures[view_.measure];
        if (!view_.kernel.empty())
            tooltip(view_.kernel + "\n" + explain_view(view_));
        else if (!measure.columns[1].empty())
            tooltip(explain_view(view_));
        else if (ImGui::IsItemHovered())
            Explainer(frame, *core::find_analysis("steps"), {}).draw_column(measure.columns[0]);
        return;
    }
    for (std::size_t i = 0; i < kStepMeasures.size(); ++i)
        if (selectable(kStepMeasures[i].title.data(), view_.kernel.empty() && i == view_.measure))
            view_ = {.measure = i, .from_median = view_.from_median, .kernel = {}};
    ImGui::Separator();
    draw_kernels(frame);
    ImGui::EndCombo();
}

void StepMap::draw_controls(Frame& frame, float width) {
    const float left = ImGui::GetCursorPosX();
    draw_measures(frame);
    same_line_for(px(150), px(16));
    int relative = view_.from_median ? 1 : 0;
    if (choose("as", {"Value", "From median"}, relative)) view_.from_median = relative == 1;
    tooltip("The difference from the median rank in the same step: which rank differs from the others");
    const std::string_view hint = "click or drag filters, double-click goes there";
    ImGui::SameLine(0, px(16));
    const float room = left + width - ImGui::GetCursorPosX();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    if (text_width(small_style(), hint) < room)
        draw_text_right(ImGui::GetWindowDrawList(), small_style(), {at.x + room, at.y + px(5)}, color::palette().faint,
                        hint);
    ImGui::NewLine();
}

// Filters in the baseline's numbers; moves the view of the side under the pointer.
void StepMap::apply_hit(Frame& frame, const StepsModel& model, std::optional<core::Side> side, const HeatHit& hit) {
    const core::RunAlignment* alignment = frame.session.alignment();
    const auto show = [&](const HeatCells& cells) {
        core::Side shown = side.value_or(core::Side::Baseline);
        core::RunRange range = range_of(cells, model.ranges[shown], model.steps.size());
        if (range.empty() && model.compared) {
            shown = other_side(shown);
            range = range_of(cells, model.ranges[shown], model.steps.size());
        }
        if (!range.empty()) frame.of(shown).intents.push_back(ShowRange{range});
    };
    if (hit.escaped) frame.intents.push_back(TakeEscape{});
    if (hit.brushed) {
        std::vector<core::RankKey> ranks;
        std::vector<std::int64_t> steps;
        for (std::size_t row = hit.brushed->first.row; row <= hit.brushed->last.row; ++row)
            if (const auto rank = named_rank(alignment, model.ranks[row])) ranks.push_back(*rank);
        for (std::size_t column = hit.brushed->first.column; column <= hit.brushed->last.column; ++column)
            if (const auto step = named_step(alignment, model.steps[column])) steps.push_back(*step);
        if (!ranks.empty() && !steps.empty())
            frame.intents.push_back(SetFilter{with_cells(frame.session.filter(), ranks, steps)});
        return show(*hit.brushed);
    }
    if (!hit.cell) return;
    const auto rank = named_rank(alignment, model.ranks[hit.cell->row]);
    const auto step = named_step(alignment, model.steps[hit.cell->column]);
    if (!rank || !step) {
        constexpr std::string_view kNoPartner =
            "Has no partner in the baseline, and filters use the baseline's numbers";
        ImGui::BeginTooltip();
        muted_text(std::string(kNoPartner) + ": a click only goes there");
        ImGui::EndTooltip();
        RowMeaning nameless;
        nameless.unlisted = kNoPartner;
        if (hit.listed) clicks_.open_menu(nameless);
    } else if (hit.listed) {
        clicks_.open_menu(meaning_of_cell(frame, *rank, *step, model.view.kernel));
    } else if (hit.clicked) {
        frame.intents.push_back(SetFilter{with_cell(frame.session.filter(), *rank, *step)});
    }
    if (hit.clicked || hit.activated) show({*hit.cell, *hit.cell});
}

void StepMap::draw_maps(Frame& frame, const StepsModel& model, ImVec2 size) {
    if (model.ranks.empty()) return empty_state("No steps", kNoSteps);
    if (is_unknown(model.values.baseline) && is_unknown(model.values.candidate))
        return empty_state(title_of_view(model.view) + ": not known", kNoEvents);
    const std::string values = name_of_values(model.view);
    const ChartNotes notes = notes_of(model.view);
    if (model.compared) return draw_three_maps(frame, model, size, values, notes);
    HeatMap map = map_of(model, core::Side::Baseline, values);
    map.notes = &notes;
    map.owner = shown_;
    apply_hit(frame, model, core::Side::Baseline, draw_heat_map("##map", map, size));
}

void StepMap::draw_three_maps(Frame& frame, const StepsModel& model, ImVec2 size, std::string_view values,
                              const ChartNotes& notes) {
    const bool all = size.x >= px(kLeastOfThree);
    const std::span<const SideMap> maps(kMaps.begin() + (all ? 0 : 2), kMaps.end());
    const float gap = px(20);
    const float title = px(18);
    float margins = static_cast<float>(maps.size() - 1) * gap;
    for (const SideMap& which : maps) margins += find_heat_map_margin(map_of(model, which.side, values));
    const float cells = std::max(px(40), std::floor((size.x - margins) / static_cast<float>(maps.size())));
    for (const SideMap& which : maps) {
        if (&which != &maps.front()) ImGui::SameLine(0, gap);
        HeatMap map = map_of(model, which.side, values);
        map.notes = &notes;
        map.owner = shown_;
        const float width = cells + find_heat_map_margin(map);
        ImGui::BeginGroup();
        const ItemScope scope(which.id);
        ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
        draw_text(ImGui::GetWindowDrawList(), small_style(), ImGui::GetCursorScreenPos(),
                  which.side ? color::of_side(*which.side) : color::palette().muted, which.title, width);
        ImGui::Dummy({width, title});
        chart_export().set_topic(which.title);
        const HeatHit hit = draw_heat_map(("##map-" + std::string(which.id)).c_str(), map, {width, size.y - title});
        ImGui::PopStyleVar();
        ImGui::EndGroup();
        apply_hit(frame, model, which.side, hit);
    }
}

float StepMap::height_for(std::size_t ranks) {
    const auto with_rows = [ranks](float row) {
        return px(64) + std::clamp(static_cast<float>(ranks) * px(row), px(kLeastHeight), px(kMostHeight));
    };
    const float room = ImGui::GetContentRegionAvail().y;
    return room < with_rows(kLeastRow) ? with_rows(kRowHeight) : std::min(with_rows(kRowHeight), room);
}

void StepMap::draw(Frame& frame, ImVec2 size) {
    clicks_.poll_search(frame);
    clicks_.draw_menu(frame);
    const float top = ImGui::GetCursorPosY();
    draw_controls(frame, size.x);
    size.y = std::max(px(48), size.y - (ImGui::GetCursorPosY() - top));

    core::BySide<core::Request> requests;
    core::BySide<Key> keys;
    core::BySide<core::RunPtr> runs;
    bool fresh = true;
    for (const core::Side side : sides_of(frame)) {
        Frame& own = frame.of(side);
        requests[side] = ask_steps(own);
        runs[side] = own.run();
        keys[side] = {.run = runs[side], .steps = requests[side].answer, .filter = own.filter(), .view = view_};
        fresh &= requests[side].fresh;
    }
    // Keeps the last map while the answer belongs to another kernel, filter or run.
    shown_ =
        !fresh ? model_.last() : model_.ask(frame.session.pool(), keys, [keys, runs, alignment = alignment_of(frame)] {
            core::BySide<StepsSource> sources;
            for (const core::Side side : core::kSides)
                if (runs[side])
                    sources[side] = {
                        .run = runs[side].get(), .steps = &keys[side].steps->main(), .filter = keys[side].filter};
            return StepsModel::of(sources, alignment, keys.baseline.view);
        });
    if (shown_ && shown_->compared != (frame.candidate != nullptr)) shown_ = nullptr;
    fresh_ = fresh && model_.fresh();
    if (!begin_answer(requests, sides_of(frame), "steps", model_.fresh())) return;
    if (shown_) draw_maps(frame, *shown_, size);
    end_answer();
}

namespace {

nlohmann::json describe_scale(const core::HeatScale& scale) {
    return {{"low_ns", scale.low}, {"high_ns", scale.high}, {"cut", scale.cut}};
}

std::optional<double> if_known(double value) { return std::isfinite(value) ? std::optional(value) : std::nullopt; }

// The ranks and steps of one side.
void describe_axes(const StepsModel& model, core::Side side, nlohmann::json& shown) {
    for (const RankPair& rank : model.ranks)
        if (rank[side]) shown["ranks"].push_back(core::format_rank(*rank[side]));
    for (const StepPair& step : model.steps)
        if (step[side]) shown["steps"].push_back(*step[side]);
}

void describe_cell(const StepsModel& model, std::size_t at, nlohmann::json& cell) {
    cell["in_filter"] = model.faded[at] == 0;
    if (model.compared)
        cell["value_ns"] = describe_compared({.baseline = if_known(model.values.baseline[at]),
                                              .candidate = if_known(model.values.candidate[at]),
                                              .change = if_known(model.change[at]),
                                              .ratio = std::nullopt});
    else if (std::isfinite(model.values.baseline[at]))
        cell["value_ns"] = model.values.baseline[at];
}

}  // namespace

void StepMap::describe(nlohmann::json& shown) const {
    shown["fresh"] = fresh_;
    if (!shown_) return;
    const StepsModel& model = *shown_;
    shown["measure"] = kStepMeasures[model.view.measure].id;
    shown["from_median"] = model.view.from_median;
    if (!model.view.kernel.empty()) shown["kernel"] = model.view.kernel;
    shown["scale"] = describe_scale(model.scale);
    if (model.compared) {
        shown["change_scale"] = describe_scale(model.change_scale);
        for (const core::Side side : core::kSides) describe_axes(model, side, shown[std::string(name_of(side))]);
    } else {
        shown["steps"] = nlohmann::json::array();
        shown["ranks"] = nlohmann::json::array();
        describe_axes(model, core::Side::Baseline, shown);
    }
    for (std::size_t row = 0; row < model.ranks.size(); ++row) {
        nlohmann::json& cells = shown["cells"][model.rank_labels.baseline[row]];
        for (std::size_t column = 0; column < model.steps.size(); ++column)
            describe_cell(model, model.at(row, column), cells[model.step_labels.baseline[column]]);
    }
}

}  // namespace ui
