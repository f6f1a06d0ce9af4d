#include "core/charts/chart_model.hpp"

#include "core/base/format.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

namespace core {
namespace {

constexpr std::size_t kMostParts = 12;
constexpr std::size_t kMostNamedParts = 8;  // names are long
constexpr std::size_t kMostSeries = 200;

std::string chart_text(const Table& table, std::size_t row, std::size_t column) {
    if (table.absent(row, column)) return "\xE2\x80\x93";
    return table.columns()[column].unit == Unit::Text ? std::string(table.text(row, column))
                                                      : format_cell(table, row, column);
}

double chart_value(const Table& table, std::size_t row, std::size_t column) {
    return table.absent(row, column) ? 0 : table.number(row, column);
}

struct ItemKeys {
    std::size_t category;
    std::size_t label;  // the category itself if there is no label column
};

// The item of a row, created in order of appearance.
ChartModel::Item& chart_item(ChartModel& model, std::map<std::string, std::size_t>& places, const Table& table,
                             const ItemKeys& keys, std::size_t values, std::size_t row) {
    std::string label = chart_text(table, row, keys.label);
    std::string key = keys.label == keys.category ? label : chart_text(table, row, keys.category) + '\n' + label;
    const auto [at, fresh] = places.try_emplace(std::move(key), model.items.size());
    if (fresh) model.items.push_back({std::move(label), std::vector<double>(values, 0.0), row, false});
    return model.items[at->second];
}

bool is_of_names(const Column& column) {
    return column.facet == Facet::Kernel || column.facet == Facet::Operator || column.facet == Facet::Annotation;
}

// Few parts stay in order. Of many, keeps the largest if the rest can be summed, else the first.
void choose_parts(std::span<const Table* const> tables, std::size_t series, std::size_t measure, ChartChoice& choice) {
    std::vector<std::string> seen;
    std::map<std::string, double> weights;
    for (const Table* table : tables)
        for (std::size_t row = 0; row < table->rows(); ++row) {
            const std::string part = chart_text(*table, row, series);
            if (weights.try_emplace(part, 0.0).second) seen.push_back(part);
            weights[part] += chart_value(*table, row, measure);
        }
    const Table& first = *tables.front();
    const std::size_t most = is_of_names(first.columns()[series]) ? kMostNamedParts : kMostParts;
    choice.has_others = seen.size() > most && first.columns()[measure].adds_up;
    if (choice.has_others)
        std::ranges::stable_sort(seen, std::greater(), [&](const std::string& part) { return weights[part]; });
    choice.parts.assign(seen.begin(), seen.begin() + static_cast<std::ptrdiff_t>(std::min(seen.size(), most)));
    if (choice.has_others) choice.parts.back() = "(other)";
}

// Collects the values of each item by rank and reduces them to one value: a sum over ranks would pose
// as the time of one rank.
class ValuesByRank {
public:
    // Does nothing unless the table has a key column of ranks that the chart does not show.
    ValuesByRank(const Table& table, const ItemKeys& keys, std::size_t series) : table_(table) {
        const std::size_t rank = table.find_column("rank");
        if (rank < table.columns().size() && table.columns()[rank].role == Role::Key && rank != keys.category &&
            rank != keys.label && rank != series)
            rank_ = rank;
    }
    void add(std::size_t item, std::size_t part, std::size_t parts, std::size_t row, double value) {
        if (!rank_ || table_.absent(row, *rank_)) return;
        if (by_item_.size() <= item) by_item_.resize(item + 1);
        std::vector<double>& values = by_item_[item][table_.integer(row, *rank_)];
        values.resize(parts);
        values[part] += value;
    }
    void finish(ChartModel& model) const {
        for (std::size_t i = 0; i < by_item_.size(); ++i) {
            const auto& ranks = by_item_[i];
            if (ranks.size() < 2) continue;
            if (ranks.size() > model.ranks.captures) model.ranks = count(ranks);
            std::vector<double>& values = model.items[i].values;
            if (model.over == OverRanks::Mean) {
                for (double& value : values) value /= static_cast<double>(ranks.size());
            } else {
                const auto total = [](const auto& rank) {
                    return std::accumulate(rank.second.begin(), rank.second.end(), 0.0);
                };
                values = std::ranges::max_element(ranks, {}, total)->second;
            }
        }
    }

private:
    static RankCount count(const std::map<std::int64_t, std::vector<double>>& ranks) {
        std::vector<RankKey> keys;
        for (const auto& [rank, values] : ranks) keys.push_back(RankKey::unpacked(rank));
        return count_ranks(std::move(keys));
    }

    const Table& table_;
    std::optional<std::size_t> rank_;
    std::vector<std::map<std::int64_t, std::vector<double>>> by_item_;
};

void add_pivoted(const Table& table, const ItemKeys& keys, const ChartChoice& choice, std::size_t series,
                 ChartModel& model) {
    model.parts = choice.parts;
    model.has_others = choice.has_others;
    model.part_rows.resize(model.parts.size());
    const std::size_t own = model.parts.size() - (model.has_others ? 1 : 0);
    std::map<std::string, std::size_t> places, places_of_parts;
    for (std::size_t part = 0; part < own; ++part) places_of_parts[model.parts[part]] = part;
    const std::size_t measure = choice.measures.front();
    ValuesByRank by_rank(table, keys, series);
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const auto part = places_of_parts.find(chart_text(table, row, series));
        if (part == places_of_parts.end() && !model.has_others) continue;
        const std::size_t index = part == places_of_parts.end() ? own : part->second;
        ChartModel::Item& item = chart_item(model, places, table, keys, model.parts.size(), row);
        item.values[index] += chart_value(table, row, measure);
        by_rank.add(static_cast<std::size_t>(&item - model.items.data()), index, model.parts.size(), row,
                    chart_value(table, row, measure));
        item.known |= !table.absent(row, measure);
        item.rows_of_parts.resize(model.parts.size());
        if (index == own) continue;
        if (!item.rows_of_parts[index]) item.rows_of_parts[index] = row;
        if (!model.part_rows[index]) model.part_rows[index] = row;
    }
    by_rank.finish(model);
}

void add_measures(const Table& table, const ItemKeys& keys, std::span<const std::size_t> measures, ChartModel& model) {
    std::map<std::string, std::size_t> places;
    ValuesByRank by_rank(table, keys, table.columns().size());
    for (std::size_t row = 0; row < table.rows(); ++row) {
        ChartModel::Item& item = chart_item(model, places, table, keys, measures.size(), row);
        for (std::size_t m = 0; m < measures.size(); ++m) {
            item.values[m] += chart_value(table, row, measures[m]);
            item.known |= !table.absent(row, measures[m]);
            if (!table.absent(row, measures[m]))
                by_rank.add(static_cast<std::size_t>(&item - model.items.data()), m, measures.size(), row,
                            chart_value(table, row, measures[m]));
        }
    }
    by_rank.finish(model);
}

// Names ranked by the first measure, multiplied by the count if there is one.
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

void add_error_bars(const Table& table, std::size_t category, const ChartChoice& choice, std::size_t series,
                    std::string_view chosen, ChartModel& model) {
    const std::vector<std::size_t>& measures = choice.measures;
    std::string name;
    if (series < table.columns().size()) {
        model.series = rank_series(table, series, measures.front());
        if (model.series.empty()) return;
        name =
            std::ranges::find(model.series, chosen) != model.series.end() ? std::string(chosen) : model.series.front();
        if (!choice.series.empty()) name = choice.series;
    }
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (!model.series.empty() && chart_text(table, row, series) != name) continue;
        ChartModel::Item item{.label = chart_text(table, row, category), .values = {}, .row = row, .known = false};
        for (const std::size_t measure : measures) {
            item.values.push_back(chart_value(table, row, measure));
            item.known |= !table.absent(row, measure);
        }
        model.items.push_back(std::move(item));
    }
}

bool is_all_zero(std::span<const Table* const> tables, std::size_t column) {
    return std::ranges::all_of(tables, [column](const Table* table) {
        for (std::size_t row = 0; row < table->rows(); ++row)
            if (chart_value(*table, row, column) != 0) return false;
        return true;
    });
}

}  // namespace

ChartChoice choose_chart(const Analysis& analysis, std::span<const Table* const> tables) {
    ChartChoice choice;
    const Chart& chart = analysis.chart;
    const Table& first = *tables.front();
    const std::size_t none = first.columns().size();
    for (const std::string_view name : chart.measures)
        if (const std::size_t column = first.find_column(name); column != none) choice.measures.push_back(column);
    if (choice.measures.empty()) return choice;
    const std::size_t series = chart.series.empty() ? none : first.find_column(chart.series);
    if (chart.kind == ChartKind::Bars) {  // one measure
        const auto is_there = [&](std::size_t column) { return !is_all_zero(tables, column); };
        const auto shown = std::ranges::find_if(choice.measures, is_there);
        choice.measures = {shown == choice.measures.end() ? choice.measures.front() : *shown};
    }
    if (series != none && chart.kind != ChartKind::ErrorBars)
        choose_parts(tables, series, choice.measures.front(), choice);
    return choice;
}

std::string ChartModel::words_of_ranks() const {
    if (ranks.captures < 2) return {};
    return over == OverRanks::Mean ? "mean of " + format_rank_count(ranks)
                                   : "the slowest of " + format_rank_count(ranks) + ", bar by bar";
}

ChartModel ChartModel::of(const Analysis& analysis, const Table& table, std::string_view chosen_series,
                          const ChartChoice* given, OverRanks over) {
    ChartModel model;
    model.over = over;
    model.has_numbers = !has_no_numbers(table);
    const Chart& chart = analysis.chart;
    const std::size_t none = table.columns().size();
    const std::size_t category = table.find_column(chart.category);
    const std::size_t series = chart.series.empty() ? none : table.find_column(chart.series);
    const Table* const only = &table;
    const ChartChoice choice = given ? *given : choose_chart(analysis, {&only, 1});
    if (category == none || choice.measures.empty()) return model;
    const std::size_t label = chart.label.empty() ? none : table.find_column(chart.label);
    const ItemKeys keys{category, label == none ? category : label};
    model.unit = table.columns()[choice.measures.front()].unit;
    model.measure = table.columns()[choice.measures.front()].name;
    model.is_rank = table.columns()[category].unit == Unit::Rank;
    model.category = category;
    switch (chart.kind) {
        case ChartKind::StackedBars:
        case ChartKind::Bars:
            if (series != none) {
                model.parts_are_names = !holds_ids(table.columns()[series]);
                model.parts_are_sets = table.columns()[series].facet == Facet::Class || chart.series == "classes";
                model.split = series;
                add_pivoted(table, keys, choice, series, model);
            } else {
                for (const std::size_t measure : choice.measures) model.parts.push_back(table.columns()[measure].name);
                add_measures(table, keys, choice.measures, model);
            }
            break;
        case ChartKind::ErrorBars:
            if (choice.measures.size() < 3) return model;
            add_error_bars(table, category, choice, series, chosen_series, model);
            break;
        default:
            return model;
    }
    if (!model.items.empty()) model.kind = chart.kind;
    return model;
}

}  // namespace core
