#pragma once
// The events behind a row of a table, as they are asked for: whatever the filter is, and narrowed to what the row
// stands for. No ImGui.

#include "core/session/session.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ui {

struct EventListing {
    core::Side side = core::Side::Baseline;  // whose events
    std::string title;                       // the row in words
    core::Filter narrowing;                  // terms that take the place of the filter's: in the baseline's numbers
    std::vector<std::string> names;          // of the events, as that side has them; none: GPU events of any name
    bool threads_first = false;              // of the names: an operator's, not a kernel's
    std::string unsaid;  // keys of the row that no filter can say; the events may be more than its own
    bool operator==(const EventListing&) const = default;
};

// The filter that its side's run is asked with.
core::Filter filter_of(const EventListing&, const core::Session&);
// After runs were closed, swapped or brought back: the list goes with its run, in the numbers of what is the baseline
// by now. Nothing if that run is not open any more, or when it cannot be said in those. alignment: of before; null:
// none.
std::optional<EventListing> carry_over_listing(EventListing, const core::BySide<core::RunPtr>& before,
                                               const core::RunAlignment* alignment,
                                               const core::BySide<core::RunPtr>& after);
// Whether the name a row has is that of something on threads.
bool is_named_on_threads(const core::Table&, std::size_t row);
// "cause host_wait": of the row's keys those that are not in its facets; empty if all are.
std::string find_unsaid_keys(const core::Table&, std::size_t row);

}  // namespace ui
