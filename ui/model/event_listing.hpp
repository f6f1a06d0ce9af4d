#pragma once
// The list of events behind a row of a table: uses the current filter, narrowed to the row's keys.
// No ImGui.

#include "core/session/session.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ui {

struct EventListing {
    core::Side side = core::Side::Baseline;  // side that the events belong to
    std::string title;                       // the row in words
    core::Filter narrowing;                  // terms that replace the filter's; in the baseline's numbers
    std::vector<std::string> names;          // event names as that side has them; empty: GPU events of any name
    bool threads_first = false;              // prefer CPU events: names of operators, not kernels
    std::string unsaid;                      // keys that filters cannot express: the list may hold other events
    bool operator==(const EventListing&) const = default;
};

// The filter for its side's run.
core::Filter filter_of(const EventListing&, const core::Session&);
// Carries the list over after runs were closed, swapped or reopened: it stays with its run and is renumbered for the
// new baseline. Absent if that run isn't open any more or has no counterpart. alignment: before the change, or null.
std::optional<EventListing> carry_over_listing(EventListing, const core::BySide<core::RunPtr>& before,
                                               const core::RunAlignment* alignment,
                                               const core::BySide<core::RunPtr>& after);
// True if the row's name is that of an event on CPU threads.
bool is_named_on_threads(const core::Table&, std::size_t row);
// The keys of the row that are not in its facets, as "cause host_wait"; empty if all are.
std::string find_unsaid_keys(const core::Table&, std::size_t row);

}  // namespace ui
