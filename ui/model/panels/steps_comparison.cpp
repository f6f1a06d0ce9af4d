#include "ui/model/panels/steps_comparison.hpp"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

// The place of every pair in one side's model; its size where that side has none.
template <class Pair, class Key>
std::vector<std::size_t> places_of(const std::vector<Pair>& pairs, core::Side side, const std::vector<Key>& keys) {
    std::vector<std::size_t> places;
    for (const Pair& pair : pairs) {
        const auto& key = pair[side];
        places.push_back(key ? static_cast<std::size_t>(std::ranges::lower_bound(keys, *key) - keys.begin())
                             : keys.size());
    }
    return places;
}

void add_side(const StepsModel& model, core::Side side, StepsComparison& both) {
    const std::vector<std::size_t> rows = places_of(both.ranks, side, model.ranks);
    const std::vector<std::size_t> columns = places_of(both.steps, side, model.steps);
    both.values[side].assign(both.ranks.size() * both.steps.size(), std::nan(""));
    both.ranges[side].assign(both.values[side].size(), {});
    for (std::size_t row = 0; row < rows.size(); ++row) {
        for (std::size_t column = 0; column < columns.size(); ++column) {
            if (rows[row] == model.ranks.size() || columns[column] == model.steps.size()) continue;
            const std::size_t from = model.at(rows[row], columns[column]);
            const std::size_t to = both.at(row, column);
            both.values[side][to] = model.values[from];
            both.ranges[side][to] = model.ranges[from];
            both.faded[to] |= model.faded[from];
        }
    }
}

void add_labels(StepsComparison& both) {
    for (const core::Side side : core::kSides) {
        const auto own = [side](const auto& pair) {
            return pair[side] ? *pair[side] : pair.baseline ? *pair.baseline : *pair.candidate;
        };
        for (const RankPair& rank : both.ranks) both.rank_labels[side].push_back(core::format_rank(own(rank)));
        for (const StepPair& step : both.steps) both.step_labels[side].push_back(std::to_string(own(step)));
    }
}

}  // namespace

StepsComparison StepsComparison::of(const core::BySide<const StepsModel*>& models,
                                    const core::RunAlignment& alignment) {
    StepsComparison both;
    both.view = models.baseline->view;
    both.ranks = pair_ranks(alignment, {models.baseline->ranks, models.candidate->ranks});
    both.steps = pair_steps(alignment, {models.baseline->steps, models.candidate->steps});
    both.faded.assign(both.ranks.size() * both.steps.size(), 0);
    for (const core::Side side : core::kSides) add_side(*models[side], side, both);
    add_labels(both);
    std::vector<double> all;
    for (std::size_t cell = 0; cell < both.faded.size(); ++cell) {
        both.change.push_back(both.values.candidate[cell] - both.values.baseline[cell]);  // NaN if either is
        for (const core::Side side : core::kSides) all.push_back(both.values[side][cell]);
    }
    both.scale = find_heat_scale(all);
    both.change_scale = find_centred_heat_scale(both.change);
    return both;
}

}  // namespace ui
