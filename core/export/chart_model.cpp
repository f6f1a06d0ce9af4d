#include "core/export/chart_model.hpp"

#include <algorithm>
#include <map>

namespace core {
namespace {

constexpr std::size_t kMostParts = 12;
constexpr std::size_t kMostSeries = 200;

std::string chart_text(const Table& table, std::size_t row, std::size_t column) {
    if (table.absent(row, column)) return "\xE2\x80\x93";
    return table.columns()[column].unit == Unit::Text ? std::string(table.text(row, column))
                                                      : format_cell(table, row, column);
}

double chart_value(const Table& table, std::size_t row, std::size_t column) {
    return table.absent(row, column) ? 0 : table.number(row, column);
}

// The item of a label, made when it is new, in order of appearance.
ChartModel::Item& chart_item(ChartModel& model, std::map<std::string, std::size_t>& places, const std::string& label,
                             std::size_t values, std::size_t row) {
    const auto [at, fresh] = places.try_emplace(label, model.items.size());
    if (fresh) model.items.push_back({label, std::vector<double>(values, 0.0), row, false});
    model.items[at->second].values.resize(std::max(values, model.items[at->second].values.size()), 0.0);
    return model.items[at->second];
}

void add_pivoted(const Table& table, std::size_t category, std::size_t measure, std::size_t series, ChartModel& model) {
    std::map<std::string, std::size_t> places;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const std::string part = chart_text(table, row, series);
        auto at = std::ranges::find(model.parts, part);
        if (at == model.parts.end()) {
            if (model.parts.size() == kMostParts) continue;
            at = model.parts.insert(model.parts.end(), part);
            model.part_rows.push_back(row);
        }
        const auto index = static_cast<std::size_t>(at - model.parts.begin());
        ChartModel::Item& item = chart_item(model, places, chart_text(table, row, category), model.parts.size(), row);
        item.values[index] += chart_value(table, row, measure);
        item.known |= !table.absent(row, measure);
        item.rows_of_parts.resize(model.parts.size());
        if (!item.rows_of_parts[index]) item.rows_of_parts[index] = row;
    }
    for (ChartModel::Item& item : model.items) {
        item.values.resize(model.parts.size(), 0.0);
        item.rows_of_parts.resize(model.parts.size());
    }
}

void add_measures(const Table& table, std::size_t category, std::span<const std::size_t> measures, ChartModel& model) {
    std::map<std::string, std::size_t> places;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        ChartModel::Item& item = chart_item(model, places, chart_text(table, row, category), measures.size(), row);
        for (std::size_t m = 0; m < measures.size(); ++m) {
            item.values[m] += chart_value(table, row, measures[m]);
            item.known |= !table.absent(row, measures[m]);
        }
    }
}

// Names by the sum of the first measure times the count where there is one.
std::vector<std::string> rank_series(const Table& table, std::size_t series, std::size_t measure) {
    const std::size_t total = table.find_column("total");
    std::map<std::string, double> weights;
    for (std::size_t row = 0; row < table.rows(); ++row)
        weights[chart_text(table, row, series)] +=
            chart_value(table, row, total < table.columns().size() ? total : measure);
    std::vector<std::pair<double, std::string>> sorted;
    for (const auto& [name, weight] : weights) sorted.emplace_back(weight, name);
    std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<std::string> names;
    for (auto& [weight, name] : sorted) names.push_back(std::move(name));
    names.resize(std::min(names.size(), kMostSeries));
    return names;
}

void add_error_bars(const Table& table, std::size_t category, std::span<const std::size_t> measures, std::size_t series,
                    std::string_view chosen, ChartModel& model) {
    std::string name;
    if (series < table.columns().size()) {
        model.series = rank_series(table, series, measures.front());
        if (model.series.empty()) return;
        name =
            std::ranges::find(model.series, chosen) != model.series.end() ? std::string(chosen) : model.series.front();
    }
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (!model.series.empty() && chart_text(table, row, series) != name) continue;
        ChartModel::Item item{chart_text(table, row, category), {}, row, false};
        for (const std::size_t measure : measures) {
            item.values.push_back(chart_value(table, row, measure));
            item.known |= !table.absent(row, measure);
        }
        model.items.push_back(std::move(item));
    }
}

}  // namespace

ChartModel ChartModel::of(const Analysis& analysis, const Table& table, std::string_view chosen_series) {
    ChartModel model;
    const Chart& chart = analysis.chart;
    const std::size_t none = table.columns().size();
    const std::size_t category = table.find_column(chart.category);
    const std::size_t series = chart.series.empty() ? none : table.find_column(chart.series);
    std::vector<std::size_t> measures;
    for (const std::string_view name : chart.measures)
        if (const std::size_t column = table.find_column(name); column != none) measures.push_back(column);
    if (category == none || measures.empty()) return model;
    model.unit = table.columns()[measures.front()].unit;
    model.is_rank = table.columns()[category].unit == Unit::Rank;
    model.category = category;
    switch (chart.kind) {
        case ChartKind::StackedBars:
        case ChartKind::Bars:
            if (series != none) {
                model.parts_are_sets = table.columns()[series].facet == Facet::Class || chart.series == "classes";
                model.split = series;
                add_pivoted(table, category, measures.front(), series, model);
            } else {
                for (const std::size_t measure : measures) model.parts.push_back(table.columns()[measure].name);
                add_measures(table, category, measures, model);
            }
            break;
        case ChartKind::ErrorBars:
            if (measures.size() < 3) return model;
            add_error_bars(table, category, measures, series, chosen_series, model);
            break;
        default:
            return model;
    }
    if (!model.items.empty()) model.kind = chart.kind;
    return model;
}

}  // namespace core
