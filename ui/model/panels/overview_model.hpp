#pragma once
// The first questions about a run: is it whole, how long is a step and how much does that vary over ranks
// and steps, where did the time go, which rank and which step are worst. From the run and the answers of
// temporal-breakdown, steps and stragglers (null: its numbers are left out). Durations in ns. No ImGui.

#include "core/analysis/engine/table.hpp"
#include "core/index/run.hpp"
#include "ui/model/charts/spread.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ui {

// One of the steps on one of the ranks.
struct StepTime {
    core::RankKey rank;
    std::int64_t step = 0;
    double duration = 0;
    core::RunRange range;
};

struct StepTimes {
    Spread all;                          // every step of every rank, ids are positions in `steps`
    Spread over_ranks;                   // of each rank the median of its steps; ids are RankKey::packed()
    Spread over_steps;                   // of each step the longest over the ranks; ids are step numbers
    std::vector<StepTime> slowest;       // per point of over_steps, where it took longest
    std::size_t least_per_rank = 0;      // how many steps the ranks have
    std::size_t most_per_rank = 0;
};

// A part of the ranks' windows, and the rank at its bad end: least compute, most of the others.
struct TimePart {
    std::string_view id;                 // "compute": the column of temporal-breakdown
    std::string_view title;
    double time = 0;                     // over all ranks
    double share = 0;                    // of the sum of their windows
    bool least_is_worst = false;
    core::RankKey worst;
    double worst_share = 0;              // of that rank's window
};

// The rank that the others wait for most, if it is a straggler. Else the one whose median step time is longest, if that
// is 1 % over the median rank's. Else the one that idles most: collectives make the steps of all ranks equally long.
struct WorstRank {
    core::RankKey rank;
    bool by_step_time = false;
    double over = 0;  // step time: over the median rank's, 0.1 is 10 %
    double idle_share = 0;  // else: of its window
    std::int64_t waited_ns = 0;  // others for it; 0: not chosen by that
};

struct EnvironmentLine {
    std::string label;
    std::string value;
    std::size_t others = 0;  // values that differ between ranks are not listed
};

struct OverviewModel {
    std::size_t ranks = 0;
    std::optional<int> world_size;  // as the files say
    core::RunRange window;
    StepTimes steps;  // empty spreads: no steps
    std::vector<TimePart> parts;  // none without GPU events
    std::size_t ranks_with_parts = 0;
    std::optional<WorstRank> worst_rank;  // of two or more
    std::vector<EnvironmentLine> environment;  // devices first
    std::size_t losses = 0;  // kinds of diagnostics that changed or lost something

    static OverviewModel of(const core::Run&, const core::Table* breakdown, const core::Table* steps,
                            const core::Table* stragglers = nullptr);
    // How much longer than the median, as a ratio: 0.1 is 10 %; 0 without a median.
    static double over_median(const Spread&, double value);
};

}  // namespace ui
