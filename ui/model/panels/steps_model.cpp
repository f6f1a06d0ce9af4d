#include "ui/model/panels/steps_model.hpp"

#include "core/analysis/engine/rounding.hpp"
#include "core/index/rank_count.hpp"
#include "ui/model/filter_clicks.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace ui {
namespace {

// The measure of one run as a grid.
struct StepGrid {
    std::vector<core::RankKey> ranks;  // rows, rising
    std::vector<std::int64_t> steps;   // columns, rising
    std::vector<double> values;
    std::vector<core::RunRange> ranges;
    std::vector<core::RankKey> captures;  // capture that has the step
    std::vector<std::uint8_t> faded;

    std::size_t at(std::size_t row, std::size_t column) const { return row * steps.size() + column; }
};

struct Columns {
    std::size_t rank, step, start, duration;
    std::vector<std::size_t> measure;  // columns to add up
    bool complete;
};

Columns find_columns(const core::Table& table, const StepMeasure& measure) {
    Columns at{.rank = table.find_column("rank"),
               .step = table.find_column("step"),
               .start = table.find_column("start"),
               .duration = table.find_column("duration"),
               .measure = {},
               .complete = false};
    std::size_t last = std::max({at.rank, at.step, at.start, at.duration});
    for (const std::string_view column : measure.columns)
        if (!column.empty()) at.measure.push_back(table.find_column(column));
    for (const std::size_t column : at.measure) last = std::max(last, column);
    at.complete = last < table.columns().size();
    return at;
}

// NaN if any part is absent.
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

// Row of a step: its capture with two runs, because their ranks are paired by capture; else its rank, which merges
// windows of one job.
core::RankKey row_of(const StepsSource& source, std::size_t row, const Columns& at, bool by_capture) {
    const core::RankKey capture = core::RankKey::unpacked(source.steps->integer(row, at.rank));
    return by_capture ? capture : core::counted_as(*source.run, capture);
}

void add_axes(const StepsSource& source, const Columns& at, bool by_capture, StepGrid& grid) {
    const core::Table& table = *source.steps;
    std::set<core::RankKey> ranks;
    std::set<std::int64_t> steps;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (table.absent(row, at.step)) continue;
        ranks.insert(row_of(source, row, at, by_capture));
        steps.insert(table.integer(row, at.step));
    }
    grid.ranks.assign(ranks.begin(), ranks.end());
    grid.steps.assign(steps.begin(), steps.end());
}

void add_cells(const StepsSource& source, const Columns& at, bool by_capture, StepGrid& grid) {
    const core::Table& table = *source.steps;
    const std::size_t cells = grid.ranks.size() * grid.steps.size();
    grid.values.assign(cells, std::nan(""));
    grid.ranges.assign(cells, {});
    grid.captures.assign(cells, {});
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (table.absent(row, at.step)) continue;
        const std::size_t cell = grid.at(place_of(grid.ranks, row_of(source, row, at, by_capture)),
                                         place_of(grid.steps, table.integer(row, at.step)));
        grid.captures[cell] = core::RankKey::unpacked(table.integer(row, at.rank));
        const core::RunTime begin = source.run->origin() + core::Duration{table.integer(row, at.start)};
        grid.ranges[cell] = {begin, begin + core::Duration{table.integer(row, at.duration)}};
        grid.values[cell] = sum_of(table, row, at.measure);
    }
}

void subtract_medians(StepGrid& grid) {
    for (std::size_t column = 0; column < grid.steps.size(); ++column) {
        std::vector<double> known;
        for (std::size_t row = 0; row < grid.ranks.size(); ++row)
            if (const double value = grid.values[grid.at(row, column)]; std::isfinite(value)) known.push_back(value);
        if (known.empty()) continue;
        const double median = core::take_median(known);
        for (std::size_t row = 0; row < grid.ranks.size(); ++row) grid.values[grid.at(row, column)] -= median;
    }
}

void fade(const core::Filter& filter, StepGrid& grid) {
    grid.faded.assign(grid.values.size(), 0);
    for (std::size_t row = 0; row < grid.ranks.size(); ++row) {
        std::map<core::RankKey, std::optional<std::int64_t>> last;  // last step of each capture, unless it has only one
        for (std::size_t column = 0; column < grid.steps.size(); ++column) {
            const std::size_t cell = grid.at(row, column);
            if (grid.ranges[cell].empty()) continue;
            const auto [place, is_first] = last.try_emplace(grid.captures[cell]);
            if (!is_first) place->second = grid.steps[column];
        }
        for (std::size_t column = 0; column < grid.steps.size(); ++column) {
            const std::size_t cell = grid.at(row, column);
            const bool is_there = !grid.ranges[cell].empty();
            const core::RankKey capture = is_there ? grid.captures[cell] : grid.ranks[row];
            grid.faded[cell] =
                !filter.accepts_rank(capture) || !accepts_step(filter, grid.steps[column], last[capture]);
        }
    }
}

StepGrid make_grid(const StepsSource& source, const StepsView& view, bool by_capture) {
    StepGrid grid;
    const Columns at = find_columns(*source.steps, view.kernel.empty() ? kStepMeasures[view.measure] : kKernelMeasure);
    if (!at.complete) return grid;
    add_axes(source, at, by_capture, grid);
    add_cells(source, at, by_capture, grid);
    if (view.from_median) subtract_medians(grid);
    fade(source.filter, grid);
    return grid;
}

// Index of every pair among one side's keys; their number if that side lacks it.
template <class Pair, class Key>
std::vector<std::size_t> places_of(const std::vector<Pair>& pairs, core::Side side, const std::vector<Key>& keys) {
    std::vector<std::size_t> places;
    for (const Pair& pair : pairs) places.push_back(pair[side] ? place_of(keys, *pair[side]) : keys.size());
    return places;
}

void add_side(const StepGrid& grid, core::Side side, StepsModel& model) {
    const std::vector<std::size_t> rows = places_of(model.ranks, side, grid.ranks);
    const std::vector<std::size_t> columns = places_of(model.steps, side, grid.steps);
    model.values[side].assign(model.faded.size(), std::nan(""));
    model.ranges[side].assign(model.faded.size(), {});
    for (std::size_t row = 0; row < rows.size(); ++row) {
        for (std::size_t column = 0; column < columns.size(); ++column) {
            if (rows[row] == grid.ranks.size() || columns[column] == grid.steps.size()) continue;
            const std::size_t from = grid.at(rows[row], columns[column]);
            const std::size_t to = model.at(row, column);
            model.values[side][to] = grid.values[from];
            model.ranges[side][to] = grid.ranges[from];
            model.faded[to] |= grid.faded[from];
        }
    }
}

void add_labels(StepsModel& model) {
    for (const core::Side side : core::kSides) {
        const auto own = [side](const auto& pair) {
            return pair[side] ? *pair[side] : pair.baseline ? *pair.baseline : *pair.candidate;
        };
        for (const RankPair& rank : model.ranks) model.rank_labels[side].push_back(core::format_rank(own(rank)));
        for (const StepPair& step : model.steps) model.step_labels[side].push_back(std::to_string(own(step)));
    }
}

void add_change(StepsModel& model) {
    for (std::size_t cell = 0; cell < model.faded.size(); ++cell)
        model.change.push_back(model.values.candidate[cell] - model.values.baseline[cell]);  // NaN if either is
    model.change_scale = core::find_centred_heat_scale(model.change);
}

}  // namespace

StepsModel StepsModel::of(const core::BySide<StepsSource>& sources, const core::RunAlignment& alignment,
                          StepsView view) {
    const bool compared = sources.baseline.run && sources.candidate.run;
    core::BySide<StepGrid> grids;
    for (const core::Side side : core::kSides)
        if (sources[side].run) grids[side] = make_grid(sources[side], view, compared);
    StepsModel model;
    model.view = std::move(view);
    model.compared = compared;
    model.ranks = pair_ranks(alignment, {grids.baseline.ranks, grids.candidate.ranks});
    model.steps = pair_steps(alignment, {grids.baseline.steps, grids.candidate.steps});
    model.faded.assign(model.ranks.size() * model.steps.size(), 0);
    std::vector<double> all;
    for (const core::Side side : core::kSides) {
        if (!sources[side].run) continue;
        add_side(grids[side], side, model);
        all.insert(all.end(), model.values[side].begin(), model.values[side].end());
    }
    add_labels(model);
    model.scale = core::find_heat_scale(all);
    if (model.compared) add_change(model);
    return model;
}

StepsModel StepsModel::of(const core::Run& run, const core::Table& steps, const core::Filter& filter, StepsView view) {
    return of({{.run = &run, .steps = &steps, .filter = filter}, {}}, {}, std::move(view));
}

}  // namespace ui
