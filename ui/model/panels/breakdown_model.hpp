#pragma once
// What the Breakdown panel shows: per rank, where its window went, and the time per set of kernel
// classes. From the answers of temporal-breakdown and kernel-types, or, for a window that follows the
// timeline, from each rank's class partition (two binary searches per rank). No ImGui.

#include "core/analysis/engine/table.hpp"
#include "core/session/result_cache.hpp"

#include <array>
#include <string>
#include <vector>

namespace ui {

struct RankTimes {
    core::RankKey key;
    bool absent = false;                // no GPU events
    bool left_out = false;              // by the filter's rank terms: shown faded, not counted
    double compute = 0;                 // ns, like all below
    double exposed_communication = 0;
    double exposed_memory = 0;
    double idle = 0;
    double window() const { return compute + exposed_communication + exposed_memory + idle; }
    bool operator==(const RankTimes&) const = default;
};

struct SetTime {
    core::ClassSet set = 0;
    double time = 0;                    // summed over the ranks that are not left out
    double share = 0;                   // of the ranks' windows
    bool operator==(const SetTime&) const = default;
};

// Of kernel-types' names; 0, which is idle, for any other.
core::ClassSet find_set(std::string_view name);

struct BreakdownModel {
    std::vector<RankTimes> ranks;
    std::vector<SetTime> sets;          // those that occur, longest first
    bool complete = true;  // false: the filter's selections are not all built yet, those ranks are absent

    bool operator==(const BreakdownModel&) const = default;
    // From the answers' tables, asked without the filter's rank terms; columns that are not there leave their
    // numbers at 0.
    static BreakdownModel of_answers(const core::Table& breakdown, const core::Table* kernel_types,
                                     const core::Filter&);
    // Of one window of the run, cut to the filter's time range.
    static BreakdownModel of_window(const core::RunPtr&, core::RunRange window, const core::Filter&,
                                    const core::ResultCache&);
};

}  // namespace ui
