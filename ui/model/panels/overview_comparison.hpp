#pragma once
// The first questions about two runs: are both whole, is the candidate slower, by how much, and where. No ImGui.

#include "ui/model/charts/compared.hpp"
#include "ui/model/panels/breakdown_model.hpp"
#include "ui/model/panels/overview_model.hpp"

#include "core/diff/run_statistics.hpp"

#include <array>

namespace ui {

struct ComparedRankStep {
    RankPair rank;
    Compared median_step;
};

struct ComparedEnvironment {
    std::string label;
    core::BySide<std::string> values;                  // empty: that side does not say
};

struct OverviewComparison {
    core::BySide<OverviewModel> sides;
    Compared window;                                   // of the runs
    Compared median_step;                              // of all steps of all ranks
    core::StepStatistics step;                         // what the steps say
    bool per_step = false;                             // parts are of the average step, else of the ranks' windows
    Compared whole;                                    // what the parts add up to
    std::array<Compared, kBreakdownParts.size()> parts;
    std::optional<std::size_t> part_changed_most;      // in the direction of the whole's change
    std::optional<ComparedRankStep> rank_changed_most; // by 10 % more than all
    std::vector<ComparedEnvironment> environment;      // what differs
    std::size_t same_environment = 0;                  // lines that do not
    std::vector<std::string> notes;

    struct Input {
        core::BySide<core::RunPtr> runs;
        core::BySide<core::Filter> filters;            // as each side was asked
        core::RunAlignment alignment;
        core::BySide<const core::Table*> breakdowns;   // null: those numbers are left out
        core::BySide<const core::Table*> steps;
        core::BySide<const core::Table*> stragglers{};
    };
    static OverviewComparison of(const Input&);
    bool has_steps() const { return !step.step.values.baseline.empty() && !step.step.values.candidate.empty(); }
    // Of the median step, else of what the parts add up to.
    const Compared& headline() const { return median_step.known() ? median_step : whole; }
};

}  // namespace ui
