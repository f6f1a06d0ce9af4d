#pragma once
// One measure of every step on every rank of two runs, on one grid of paired ranks and steps: both runs' values on
// one scale, and the change. No ImGui.

#include "ui/model/panels/steps_model.hpp"
#include "ui/model/rank_pairs.hpp"

namespace ui {

struct StepsComparison {
    StepsView view;
    std::vector<RankPair> ranks;                         // rows
    std::vector<StepPair> steps;                         // columns
    core::BySide<std::vector<std::string>> rank_labels;  // as the side numbers them, else as the other one does
    core::BySide<std::vector<std::string>> step_labels;
    core::BySide<std::vector<double>> values;            // ns, row after row; NaN where nothing is known
    core::BySide<std::vector<core::RunRange>> ranges;    // empty where the side has no such step
    std::vector<double> change;                          // candidate - baseline; NaN unless both are known
    std::vector<std::uint8_t> faded;                     // 1 where the filter leaves it out
    HeatScale scale;                                     // of the values of both
    HeatScale change_scale;                              // 0 in its middle

    std::size_t at(std::size_t row, std::size_t column) const { return row * steps.size() + column; }
    static StepsComparison of(const core::BySide<const StepsModel*>&, const core::RunAlignment&);
};

}  // namespace ui
