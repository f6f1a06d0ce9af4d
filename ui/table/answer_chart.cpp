#include "ui/table/answer_chart.hpp"

#include "core/base/format.hpp"
#include "core/base/short_name.hpp"
#include "ui/charts/error_bars.hpp"
#include "ui/charts/stacked_bars.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/table/result_table.hpp"
#include "ui/widgets/chart_export.hpp"

#include <algorithm>

namespace ui {
namespace {

constexpr float kMostPartName = 150;  // width at scale 1

bool is_others(const core::ChartModel& model, std::size_t part) {
    return model.has_others && part + 1 == model.parts.size();
}

ImU32 color_of_part(const core::ChartModel& model, std::size_t part) {
    const std::string& name = model.parts[part];
    for (unsigned set = 0; model.parts_are_sets && set < core::kClassSets; ++set)
        if (core::name_of_set(static_cast<core::ClassSet>(set)) == name)
            return color::of_set(static_cast<core::ClassSet>(set));
    if (name == "idle" || is_others(model, part)) return color::palette().idle;
    if (name == "compute") return color::palette().compute;
    if (name.ends_with("communication")) return color::palette().communication;
    if (name.ends_with("memory")) return color::palette().memory;
    return color::of_series(part);
}

const std::string& shown_series(const core::ChartModel& model, const std::string& series) {
    static const std::string kNone;
    if (model.series.empty()) return kNone;
    return std::ranges::find(model.series, series) != model.series.end() ? series : model.series.front();
}

void draw_series(const core::ChartModel& model, std::string& series) {
    if (model.series.empty()) return;
    const std::string& shown = shown_series(model, series);
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
    if (!begin_combo("##series", core::short_name(shown).normal)) return;
    for (const std::string& name : model.series)
        if (selectable((core::short_name(name).normal + "##" + name).c_str(), name == shown)) series = name;
    ImGui::EndCombo();
}

// Explains bars over several ranks, with the switch between mean and sum.
void draw_over_ranks(const core::ChartModel& model, const core::ChartModel* candidate, core::OverRanks& over) {
    const bool of_candidate = candidate && candidate->ranks.captures > model.ranks.captures;
    const core::RankCount ranks = of_candidate ? candidate->ranks : model.ranks;
    if (ranks.captures < 2) return;
    int chosen = over == core::OverRanks::Mean ? 0 : 1;
    const std::string mean = "Mean of " + core::format_rank_count(ranks);
    if (choose("over-ranks", {mean.c_str(), "Slowest rank of each bar"}, chosen))
        over = chosen == 0 ? core::OverRanks::Mean : core::OverRanks::Slowest;
}

// Shortens names of kernels and operators, keeping different names different; our own ids become words.
std::vector<std::string> names_of_parts(const core::ChartModel& model) {
    if (!model.split || model.parts_are_sets || !model.parts_are_names) {
        std::vector<std::string> titles;
        for (const std::string& part : model.parts) titles.push_back(title_of(part));
        return titles;
    }
    const std::size_t count = model.parts.size() - (model.has_others ? 1 : 0);
    const std::vector<std::string_view> full(model.parts.begin(),
                                             model.parts.begin() + static_cast<std::ptrdiff_t>(count));
    std::vector<std::string> names = core::distinct_short_names(full);
    for (std::string& name : names) name = fit_text(small_style(), name, px(kMostPartName));
    if (model.has_others) names.push_back(title_of(model.parts.back()));
    return names;
}

std::vector<std::string> labels_of(const core::ChartModel& model) {
    std::vector<std::string> labels;
    if (model.is_rank) {
        for (const core::ChartModel::Item& item : model.items) labels.push_back("rank " + item.label);
        return labels;
    }
    std::vector<std::string_view> full;
    for (const core::ChartModel::Item& item : model.items) full.emplace_back(item.label);
    return core::distinct_short_names(full);
}

std::vector<ErrorBar> whiskers_of(const core::ChartModel& model, bool of_two) {
    std::vector<ErrorBar> bars;
    for (const core::ChartModel::Item& item : model.items) {
        bars.push_back({item.label, item.values[0], item.values[1], item.values[2]});
        bars.back().missing = of_two && !item.known;
    }
    return bars;
}

ChartHit draw_whiskers(const core::ChartModel& model, const core::ChartModel* candidate, const std::string& series,
                       const ChartNotes& notes) {
    const std::vector<ErrorBar> bars = whiskers_of(model, candidate != nullptr);
    const std::vector<ErrorBar> others = candidate ? whiskers_of(*candidate, true) : std::vector<ErrorBar>{};
    const ErrorBars chart{.bars = bars,
                          .unit = model.unit,
                          .label_prefix = model.is_rank ? "rank " : "",
                          .color = color::palette().compute,
                          .candidates = others,
                          .notes = &notes};
    if (!series.empty()) chart_export().set_topic(core::short_name(series).normal);
    const ErrorBarHit bar = draw_error_bars("##error-bars", chart, ImGui::GetContentRegionAvail());
    ChartHit hit;
    if (bar.clicked) hit.item = bar.bar;
    if (bar.listed) hit.listed = bar.bar;
    return hit;
}

std::vector<BarRow> rows_of(const core::ChartModel& model, bool of_two) {
    std::vector<BarRow> rows;
    std::vector<std::string> labels = labels_of(model);
    for (std::size_t i = 0; i < model.items.size(); ++i) {
        const core::ChartModel::Item& item = model.items[i];
        rows.push_back({std::move(labels[i]), item.values});
        rows.back().absent = !item.known;
        if (!model.is_rank) rows.back().whole = item.label;
        rows.back().missing = of_two && !item.known;
    }
    return rows;
}

ChartHit draw_bars(const core::ChartModel& model, const core::ChartModel* candidate, const ChartNotes& notes,
                   core::ClassSet dimmed) {
    const std::vector<std::string> names = names_of_parts(model);
    std::vector<BarPart> parts;
    for (std::size_t p = 0; p < model.parts.size(); ++p)
        parts.push_back({names[p],
                         color_of_part(model, p),
                         model.parts_are_sets,
                         is_dimmed_part(model, p, dimmed),
                         {},
                         model.split ? model.parts[p] : std::string()});
    const std::vector<BarRow> rows = rows_of(model, candidate != nullptr);
    const std::vector<BarRow> others = candidate ? rows_of(*candidate, true) : std::vector<BarRow>{};
    ChartHit hit;
    hit.part = draw_legend(parts, ImGui::GetContentRegionAvail().x, nullptr, &notes);
    ImGui::Dummy({0, px(2)});
    if (model.split || parts.size() == 1) chart_export().set_topic(title_of(model.measure));
    const StackedBars chart{.parts = parts,
                            .rows = rows,
                            .unit = model.unit,
                            .share = false,
                            .candidates = others,
                            .highlighted = {},
                            .notes = &notes};
    const BarHit bar = draw_stacked_bars("bars", chart, ImGui::GetContentRegionAvail());
    if (bar.clicked) hit.item = bar.row;
    if (bar.listed) {
        hit.listed = bar.row;
        hit.listed_part = bar.part;
    }
    return hit;
}

}  // namespace

bool is_dimmed_part(const core::ChartModel& model, std::size_t part, core::ClassSet dimmed) {
    const std::string& name = model.parts[part];
    if (dimmed == 0) return false;
    if (name == "idle") return true;
    const auto only_dimmed = [&](unsigned set) { return (set & ~unsigned{dimmed}) == 0; };
    if (model.parts_are_sets) {
        for (unsigned set = 1; set < core::kClassSets; ++set)
            if (core::name_of_set(static_cast<core::ClassSet>(set)) == name) return only_dimmed(set);
        return false;
    }
    if (model.split) return false;
    if (name == "compute") return only_dimmed(core::set_of(core::KernelClass::Compute));
    if (name == "exposed_memory") return only_dimmed(core::set_of(core::KernelClass::Memory));
    return (name == "exposed_communication" || name == "exposed_wait" || name == "exposed_transfer") &&
           only_dimmed(core::set_of(core::KernelClass::Communication));
}

ChartHit draw_answer_chart(const core::ChartModel& model, const core::ChartModel* candidate, std::string& series,
                           core::OverRanks& over, ImVec2 size, const ChartNotes& notes, core::ClassSet dimmed) {
    ChartHit hit;
    ImGui::BeginChild("chart", size, false);
    draw_series(model, series);
    draw_over_ranks(model, candidate, over);
    if (candidate) draw_sides_legend();
    if (model.kind == core::ChartKind::ErrorBars)
        hit = draw_whiskers(model, candidate, shown_series(model, series), notes);
    else
        hit = draw_bars(model, candidate, notes, dimmed);
    ImGui::EndChild();
    return hit;
}

}  // namespace ui
