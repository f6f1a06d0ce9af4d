#include "ui/model/panels/steps_model.hpp"

#include "core/analysis/engine/rounding.hpp"

#include "ui/model/filter_clicks.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace ui {
namespace {

struct Columns {
    std::size_t rank, step, start, duration;
    std::vector<std::size_t> measure;  // added up
    bool complete;
};

Columns find_columns(const core::Table& table, const StepMeasure& measure) {
    Columns at{table.find_column("rank"),
               table.find_column("step"),
               table.find_column("start"),
               table.find_column("duration"),
               {},
               false};
    std::size_t last = std::max({at.rank, at.step, at.start, at.duration});
    for (const std::string_view column : measure.columns)
        if (!column.empty()) at.measure.push_back(table.find_column(column));
    for (const std::size_t column : at.measure) last = std::max(last, column);
    at.complete = last < table.columns().size();
    return at;
}

// Not a number if any part is absent.
double sum_of(const core::Table& table, std::size_t row, const std::vector<std::size_t>& columns) {
    double sum = 0;
    for (const std::size_t column : columns)
        sum += table.absent(row, column) ? std::nan("") : table.number(row, column);
    return sum;
}

template <class T>
std::size_t place_of(const std::vector<T>& sorted, const T& value) {
    return static_cast<std::size_t>(std::ranges::lower_bound(sorted, value) - sorted.begin());
}

void add_axes(const core::Table& table, const Columns& at, StepsModel& model) {
    std::set<core::RankKey> ranks;
    std::set<std::int64_t> steps;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (table.absent(row, at.step)) continue;
        ranks.insert(core::RankKey::unpacked(table.integer(row, at.rank)));
        steps.insert(table.integer(row, at.step));
    }
    model.ranks.assign(ranks.begin(), ranks.end());
    model.steps.assign(steps.begin(), steps.end());
    for (const core::RankKey rank : model.ranks) model.rank_labels.push_back(core::format_rank(rank));
    for (const std::int64_t step : model.steps) model.step_labels.push_back(std::to_string(step));
}

void add_cells(const core::Run& run, const core::Table& table, const Columns& at, StepsModel& model) {
    const std::size_t cells = model.ranks.size() * model.steps.size();
    model.values.assign(cells, std::nan(""));
    model.ranges.assign(cells, {});
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (table.absent(row, at.step)) continue;
        const std::size_t cell = model.at(place_of(model.ranks, core::RankKey::unpacked(table.integer(row, at.rank))),
                                          place_of(model.steps, table.integer(row, at.step)));
        const core::RunTime begin = run.origin() + core::Duration{table.integer(row, at.start)};
        model.ranges[cell] = {begin, begin + core::Duration{table.integer(row, at.duration)}};
        model.values[cell] = sum_of(table, row, at.measure);
    }
}

void subtract_medians(StepsModel& model) {
    for (std::size_t column = 0; column < model.steps.size(); ++column) {
        std::vector<double> known;
        for (std::size_t row = 0; row < model.ranks.size(); ++row)
            if (const double value = model.values[model.at(row, column)]; std::isfinite(value)) known.push_back(value);
        if (known.empty()) continue;
        const double median = core::take_median(known);
        for (std::size_t row = 0; row < model.ranks.size(); ++row) model.values[model.at(row, column)] -= median;
    }
}

void fade(const core::Filter& filter, StepsModel& model) {
    model.faded.assign(model.values.size(), 0);
    for (std::size_t row = 0; row < model.ranks.size(); ++row) {
        std::optional<std::int64_t> last;
        for (std::size_t column = 0; column < model.steps.size(); ++column)
            if (!model.ranges[model.at(row, column)].empty() && model.steps[column] != model.steps.front())
                last = model.steps[column];
        for (std::size_t column = 0; column < model.steps.size(); ++column)
            model.faded[model.at(row, column)] =
                !filter.accepts_rank(model.ranks[row]) || !accepts_step(filter, model.steps[column], last);
    }
}

}  // namespace

StepsModel StepsModel::of(const core::Run& run, const core::Table& steps, const core::Filter& filter, StepsView view) {
    StepsModel model;
    const std::size_t measure = view.measure;
    model.view = std::move(view);
    const Columns at = find_columns(steps, kStepMeasures[measure]);
    if (!at.complete) return model;
    add_axes(steps, at, model);
    add_cells(run, steps, at, model);
    if (model.view.from_median) subtract_medians(model);
    fade(filter, model);
    model.scale = find_heat_scale(model.values);
    return model;
}

}  // namespace ui
