#pragma once
// One event of a name to go to, among those that the filter lets through. O(events) of the ranks that have the
// name: belongs on a job. No ImGui.

#include "core/base/jobs.hpp"
#include "core/query/selection.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ui {

struct NamedEventQuery {
    core::RunPtr run;
    std::vector<std::string> names;                // any of these, whole; none: any name
    core::Filter filter;
    std::vector<core::SelectionPtr> selections{};  // by slot, of the filter; those that are missing are built
    // The first that starts there or later, else the first of all; without it the longest.
    std::optional<core::RunTime> from{};
    std::optional<std::uint32_t> slot{};           // of this rank, if it has any
};

// GPU events come before those on the CPU. Invalid if there is none, or it was cancelled.
core::EventRef find_named_event(const NamedEventQuery&, const core::JobContext& = {});

}  // namespace ui
