#pragma once
// The first questions about a run: is it whole, how long is a step and how much does that vary, where did
// the time go on the whole, which step and which rank are worst. From the run and the answers of
// temporal-breakdown and steps (either may be null: its lines are left out). No ImGui.

#include "core/analysis/table.hpp"
#include "core/index/run.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ui {

struct OverviewLine {
    std::string label;
    std::string value;
    std::string note;                      // beside it, muted
    std::optional<core::RunRange> range;   // a click shows it
    std::optional<core::RankKey> rank;     // a click filters by it
};

struct OverviewModel {
    std::vector<OverviewLine> size;        // ranks, events, window, steps
    std::vector<OverviewLine> steps;       // duration, spread, worst
    std::vector<OverviewLine> time;        // shares and the worst rank
    std::vector<OverviewLine> environment; // devices, versions
    std::size_t losses = 0;                // kinds of diagnostics that changed or lost something

    static OverviewModel of(const core::Run&, const core::Table* breakdown, const core::Table* steps);
};

}  // namespace ui
