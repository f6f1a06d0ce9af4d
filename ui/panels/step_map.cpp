#include "ui/panels/step_map.hpp"

#include "ui/model/charts/compared.hpp"
#include "ui/model/filter_clicks.hpp"
#include "ui/style/items.hpp"
#include "ui/style/short_name.hpp"
#include "ui/style/text.hpp"
#include "ui/table/explain.hpp"
#include "ui/widgets/status.hpp"
#include "ui/widgets/take_out.hpp"

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
    return view.kernel.empty() ? std::string(kStepMeasures[view.measure].title) : short_name(view.kernel).normal;
}

std::string name_of_values(const StepsView& view) {
    return title_of_view(view) + (view.from_median ? ", from median" : "");
}

std::string explain_view(const StepsView& view) {
    if (!view.kernel.empty())
        return "Time in which this kernel runs on the rank, inside the step; what overlaps counts once";
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

template <class T>
std::vector<T> between(const std::vector<T>& all, std::size_t first, std::size_t last) {
    return {all.begin() + static_cast<std::ptrdiff_t>(first), all.begin() + static_cast<std::ptrdiff_t>(last) + 1};
}

}  // namespace

constexpr std::array<StepMap::SideMap, 3> StepMap::kMaps{{{"baseline", "Baseline", core::Side::Baseline},
                                                          {"candidate", "Candidate", core::Side::Candidate},
                                                          {"change", "Change", std::nullopt}}};

StepsModel StepMap::make_model(const core::Run& run, const Key& key) {
    return StepsModel::of(run, key.steps->main(), key.filter, key.view);
}

// Asks for all ranks and steps: those outside the filter are faded, not hidden.
core::Request StepMap::ask_steps(Frame& own) const {
    const core::Filter all = without_rank_and_step(own.filter());
    return ask(own, who_, "steps", view_.kernel.empty() ? all : with_whole_name(all, view_.kernel));
}

HeatMap StepMap::map_of(const StepsComparison& both, const SideMap& which, std::string_view title) {
    const core::Side side = which.side.value_or(core::Side::Baseline);
    HeatMap map{both.rank_labels[side],
                both.step_labels[side],
                which.side ? both.values[side] : both.change,
                both.faded,
                which.side ? both.scale : both.change_scale,
                core::Unit::Ns,
                "rank",
                "step",
                title};
    map.has_legend = which.side != core::Side::Baseline;  // the candidate's legend serves both maps
    map.sides = {both.values.baseline, both.values.candidate};
    return map;
}

void StepMap::draw_kernels(Frame& frame) {
    core::BySide<core::AnswerPtr> answers;
    std::string error;
    bool pending = false;
    for (const core::Side side : core::kSides) {
        if (side == core::Side::Candidate && !frame.candidate) continue;
        Frame& own = frame.of(side);
        const core::Request kernels = ask(own, who_ + "/kernels", "kernels", without_rank_and_step(own.filter()));
        answers[side] = kernels.answer;
        pending |= kernels.pending();
        error += kernels.error;
    }
    muted_text("Time in which one kernel runs");
    input_text("##kernel", "Search kernels", kernel_search_, px(kSearchWidth));
    const std::vector<std::string>& names = kernels_.ask(frame.session.pool(), answers, kernel_search_);
    // Fixed height, so that the list does not move under the pointer.
    ImGui::BeginChild("kernels", {px(kSearchWidth), kKernelLines * ImGui::GetTextLineHeightWithSpacing()});
    for (const std::string& name : names) {
        const std::string label =
            fit_text(ui_style(), short_name(name).normal, px(kSearchWidth - 16)) + "##kernel:" + name;
        if (selectable(label.c_str(), name == view_.kernel)) {
            view_ = {kBusyMeasure, view_.from_median, name};
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
            view_ = {i, view_.from_median, {}};
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
    tooltip("The difference from the median rank in the same step: which rank is unlike the others");
    const std::string_view hint = "click or drag filters, double-click goes there";
    ImGui::SameLine(0, px(16));
    const float room = left + width - ImGui::GetCursorPosX();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    if (text_width(small_style(), hint) < room)
        draw_text_right(ImGui::GetWindowDrawList(), small_style(), {at.x + room, at.y + px(5)}, color::palette().faint,
                        hint);
    ImGui::NewLine();
}

void StepMap::apply_hit(Frame& frame, const StepsModel& model, const HeatHit& hit) {
    if (hit.escaped) frame.intents.push_back(TakeEscape{});
    if (hit.brushed) {
        const HeatCells& cells = *hit.brushed;
        frame.intents.push_back(
            SetFilter{with_cells(frame.session.filter(), between(model.ranks, cells.first.row, cells.last.row),
                                 between(model.steps, cells.first.column, cells.last.column))});
        if (const core::RunRange range = range_of(cells, model.ranges, model.steps.size()); !range.empty())
            frame.intents.push_back(ShowRange{range});
    }
    if (!hit.cell) return;
    const core::RankKey rank = model.ranks[hit.cell->row];
    const std::int64_t step = model.steps[hit.cell->column];
    if (hit.listed) clicks_.open_menu(meaning_of_cell(frame, rank, step, model.view.kernel));
    if (hit.clicked) frame.intents.push_back(SetFilter{with_cell(frame.session.filter(), rank, step)});
    const core::RunRange range = model.ranges[model.at(hit.cell->row, hit.cell->column)];
    if ((hit.clicked || hit.activated) && !range.empty()) frame.intents.push_back(ShowRange{range});
}

void StepMap::draw_model(Frame& frame, const StepsModel& model, ImVec2 size) {
    if (model.ranks.empty()) return empty_state("No steps", kNoSteps);
    if (is_unknown(model.values)) return empty_state(title_of_view(model.view) + ": not known", kNoEvents);
    const std::string title = name_of_values(model.view);
    HeatMap map{model.rank_labels,
                model.step_labels,
                model.values,
                model.faded,
                model.scale,
                core::Unit::Ns,
                "rank",
                "step",
                title};
    const ChartNotes notes = notes_of(model.view);
    map.notes = &notes;
    apply_hit(frame, model, draw_heat_map("##map", map, size));
}

// Filters in the baseline's numbers; moves the view of the side under the pointer.
void StepMap::apply_hit(Frame& frame, const StepsComparison& both, std::optional<core::Side> side, const HeatHit& hit) {
    const core::RunAlignment* alignment = frame.session.alignment();
    const auto show = [&](const HeatCells& cells) {
        core::Side shown = side.value_or(core::Side::Baseline);
        if (range_of(cells, both.ranges[shown], both.steps.size()).empty()) shown = other_side(shown);
        const core::RunRange range = range_of(cells, both.ranges[shown], both.steps.size());
        if (!range.empty()) frame.of(shown).intents.push_back(ShowRange{range});
    };
    if (hit.escaped) frame.intents.push_back(TakeEscape{});
    if (hit.brushed) {
        std::vector<core::RankKey> ranks;
        std::vector<std::int64_t> steps;
        for (std::size_t row = hit.brushed->first.row; row <= hit.brushed->last.row; ++row)
            if (const auto rank = named_rank(alignment, both.ranks[row])) ranks.push_back(*rank);
        for (std::size_t column = hit.brushed->first.column; column <= hit.brushed->last.column; ++column)
            if (const auto step = named_step(alignment, both.steps[column])) steps.push_back(*step);
        if (!ranks.empty() && !steps.empty())
            frame.intents.push_back(SetFilter{with_cells(frame.session.filter(), ranks, steps)});
        return show(*hit.brushed);
    }
    if (!hit.cell) return;
    const auto rank = named_rank(alignment, both.ranks[hit.cell->row]);
    const auto step = named_step(alignment, both.steps[hit.cell->column]);
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
        clicks_.open_menu(meaning_of_cell(frame, *rank, *step, both.view.kernel));
    } else if (hit.clicked) {
        frame.intents.push_back(SetFilter{with_cell(frame.session.filter(), *rank, *step)});
    }
    if (hit.clicked || hit.activated) show({*hit.cell, *hit.cell});
}

void StepMap::draw_comparison(Frame& frame, const StepsComparison& both, ImVec2 size) {
    if (both.ranks.empty()) return empty_state("No steps", kNoSteps);
    const std::string value = title_of_view(both.view);
    if (is_unknown(both.values.baseline) && is_unknown(both.values.candidate))
        return empty_state(value + ": not known", kNoEvents);
    const bool all = size.x >= px(kLeastOfThree);
    const std::span<const SideMap> maps(kMaps.begin() + (all ? 0 : 2), kMaps.end());
    const float gap = px(20);
    const float title = px(18);
    float margins = static_cast<float>(maps.size() - 1) * gap;
    const std::string values = name_of_values(both.view);
    for (const SideMap& which : maps) margins += find_heat_map_margin(map_of(both, which, values));
    const ChartNotes notes = notes_of(both.view);
    const float cells = std::max(px(40), std::floor((size.x - margins) / static_cast<float>(maps.size())));
    for (const SideMap& which : maps) {
        if (&which != &maps.front()) ImGui::SameLine(0, gap);
        HeatMap map = map_of(both, which, values);
        map.notes = &notes;
        const float width = cells + find_heat_map_margin(map);
        ImGui::BeginGroup();
        const ItemScope scope(which.id);
        ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
        draw_text(ImGui::GetWindowDrawList(), small_style(), ImGui::GetCursorScreenPos(),
                  which.side ? color::of_side(*which.side) : color::palette().muted, which.title, width);
        ImGui::Dummy({width, title});
        take_out().set_topic(which.title);
        const HeatHit hit = draw_heat_map(("##map-" + std::string(which.id)).c_str(), map, {width, size.y - title});
        ImGui::PopStyleVar();
        ImGui::EndGroup();
        apply_hit(frame, both, which.side, hit);
    }
}

void StepMap::draw_both(Frame& frame, ImVec2 size) {
    core::BySide<core::Request> requests;
    BothKeys keys;
    core::BySide<core::RunPtr> runs;
    for (const core::Side side : core::kSides) {
        Frame& own = frame.of(side);
        requests[side] = ask_steps(own);
        runs[side] = own.run();
        keys[side] = {runs[side], requests[side].answer, own.filter(), view_};
    }
    // Keeps the last map while the answer is of another kernel, filter or run.
    both_ =
        requests.baseline.fresh && requests.candidate.fresh
            ? comparison_.ask(frame.session.pool(), keys,
                              [keys, runs, alignment = *frame.session.alignment()] {
                                  const core::BySide<StepsModel> models{make_model(*runs.baseline, keys.baseline),
                                                                        make_model(*runs.candidate, keys.candidate)};
                                  return StepsComparison::of({&models.baseline, &models.candidate}, alignment);
                              })
            : comparison_.last();
    fresh_ = requests.baseline.fresh && requests.candidate.fresh && comparison_.fresh();
    if (!begin_answer(requests, "steps", comparison_.fresh())) return;
    if (both_) draw_comparison(frame, *both_, size);
    end_answer();
}

void StepMap::draw_run(Frame& frame, ImVec2 size) {
    const core::Request steps = ask_steps(frame);
    const Key key{frame.run(), steps.answer, frame.filter(), view_};
    shown_ = steps.fresh
                 ? model_.ask(frame.session.pool(), key, [run = frame.run(), key] { return make_model(*run, key); })
                 : model_.last();
    fresh_ = steps.fresh && model_.fresh();
    if (!begin_answer(steps, "steps", model_.fresh())) return;
    if (shown_) draw_model(frame, *shown_, size);
    end_answer();
}

float StepMap::height_for(std::size_t ranks) {
    const auto with_rows = [ranks](float row) {
        return px(64) + std::clamp(static_cast<float>(ranks) * px(row), px(kLeastHeight), px(kMostHeight));
    };
    const float room = ImGui::GetContentRegionAvail().y;
    return room < with_rows(kLeastRow) ? with_rows(kRowHeight) : std::min(with_rows(kRowHeight), room);
}

void StepMap::draw(Frame& frame, ImVec2 size) {
    shown_ = nullptr;
    both_ = nullptr;
    shows_both_ = frame.candidate != nullptr;
    clicks_.poll_search(frame);
    clicks_.draw_menu(frame);
    const float top = ImGui::GetCursorPosY();
    draw_controls(frame, size.x);
    size.y = std::max(px(48), size.y - (ImGui::GetCursorPosY() - top));
    if (frame.candidate) return draw_both(frame, size);
    draw_run(frame, size);
}

namespace {

nlohmann::json describe_scale(const HeatScale& scale) {
    return {{"low_ns", scale.low}, {"high_ns", scale.high}, {"cut", scale.cut}};
}

void describe_view(const StepsView& view, nlohmann::json& shown) {
    shown["measure"] = kStepMeasures[view.measure].id;
    shown["from_median"] = view.from_median;
    if (!view.kernel.empty()) shown["kernel"] = view.kernel;
}

void describe_both(const StepsComparison& both, nlohmann::json& shown) {
    describe_view(both.view, shown);
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

}  // namespace

void StepMap::describe(nlohmann::json& shown) const {
    shown["fresh"] = fresh_;
    if (both_) return describe_both(*both_, shown);
    if (!shown_) return;
    describe_view(shown_->view, shown);
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

}  // namespace ui
