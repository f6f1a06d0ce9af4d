#pragma once
// Finds one event of a name among those that pass the filter. O(events) of the ranks that have the
// name: belongs on a job. No ImGui.

#include "core/base/jobs.hpp"
#include "core/query/selection.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ui {

struct NamedEventQuery {
    core::RunPtr run;
    std::vector<std::string> names;                // whole names; empty: any
    core::Filter filter;
    std::vector<core::SelectionPtr> selections{};  // of the filter, by slot; missing ones are built
    // Finds the first event that starts at or after this time, else the first of all. Absent: finds the longest.
    std::optional<core::RunTime> from{};
    std::optional<std::uint32_t> slot{};           // prefer this rank
};

// Prefers GPU events to CPU events. Invalid if none matches or the job was cancelled.
core::EventRef find_named_event(const NamedEventQuery&, const core::JobContext& = {});

}  // namespace ui
