#pragma once
// One measure as a grid, rank by step: of one run, or of two with the change for paired ranks and
// steps. Computed from answers of steps requested without rank and step terms: cells that those
// exclude are faded. No ImGui.

#include "core/analysis/engine/table.hpp"
#include "core/charts/heat_scale.hpp"
#include "core/query/filter.hpp"
#include "ui/model/rank_pairs.hpp"

#include <array>
#include <string>
#include <vector>

namespace ui {

struct StepMeasure {
    std::string_view id;
    std::string_view title;
    std::array<std::string_view, 3> columns;  // columns of the answer to add up; empty ones are ignored
};
inline constexpr std::array<StepMeasure, 8> kStepMeasures{
    {{"duration", "Step time", {"duration"}},
     {"compute", "Compute", {"compute"}},
     {"exposed_communication", "Exposed communication", {"exposed_communication"}},
     {"exposed_memory", "Exposed memory", {"exposed_memory"}},
     {"idle", "Idle", {"idle"}},
     {"busy", "GPU busy", {"compute", "exposed_communication", "exposed_memory"}},
     {"data_loading", "Data loading", {"data_loading"}},
     {"gap", "Gap before the step", {"gap"}}}};
inline constexpr std::size_t kBusyMeasure = 5;
inline constexpr StepMeasure kKernelMeasure{"busy", "GPU busy", {"chosen"}};  // of one kernel, chosen by the filter

struct StepsView {  // what to show
    std::size_t measure = 0;  // index into kStepMeasures
    bool from_median = false;  // shows the difference from the median rank in the same step
    std::string kernel = {};  // full name of the only kernel, with kBusyMeasure; empty: all
    bool operator==(const StepsView&) const = default;
};

// One run and its answer of steps.
struct StepsSource {
    const core::Run* run = nullptr;  // null: no run on that side
    const core::Table* steps = nullptr;
    core::Filter filter = {};
};

struct StepsModel {
    StepsView view;
    std::vector<RankPair> ranks;  // rows, ascending
    std::vector<StepPair> steps;  // columns, ascending
    core::BySide<std::vector<std::string>> rank_labels;  // in the side's own numbers, else the other side's
    core::BySide<std::vector<std::string>> step_labels;
    // Row after row; ns, NaN if the rank lacks that step or a GPU. Empty for an absent side.
    core::BySide<std::vector<double>> values;
    core::BySide<std::vector<core::RunRange>> ranges;  // of the step on that rank; empty if missing
    std::vector<double> change;  // candidate - baseline, NaN unless both are known; empty unless compared
    std::vector<std::uint8_t> faded;  // 1 where the filter's rank and step terms leave it out
    core::HeatScale scale;  // of all values
    core::HeatScale change_scale;  // 0 in its middle
    bool compared = false;  // neither side is absent

    std::size_t at(std::size_t row, std::size_t column) const { return row * steps.size() + column; }
    static StepsModel of(const core::BySide<StepsSource>&, const core::RunAlignment&, StepsView);
    static StepsModel of(const core::Run&, const core::Table& steps, const core::Filter&, StepsView);  // one run
};

}  // namespace ui
