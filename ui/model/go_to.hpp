#pragma once
// Parses a place in a run: a time ("1.2345s" from the run's start, "+5ms" from the middle of the
// view), a step, a rank, a stream or thread. No ImGui.

#include "core/base/result.hpp"
#include "core/index/run.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ui {

struct Destination {
    std::string title;                           // "1.2345 s", "step 12", "rank 3 · stream 7"
    std::string note = {};                       // what else is known of it
    std::optional<core::RunRange> range = {};    // to be shown; none: the view stays where it is in time
    core::EventRef reveal = {};                  // an event on the row to be brought into view; invalid: none
    bool operator==(const Destination&) const = default;
};

// All words of the text are in the title; those with a word equal to one of the text first, then steps, ranks and
// tracks in the run's order (of these no more than fifty times as many are looked at). O(tracks of the run). view: what
// is shown now.
std::vector<Destination> find_destinations(const core::Run&, core::RunRange view, std::string_view text,
                                           std::size_t most);

// The step that begins next behind the middle of the view, or ends last before it; over all ranks.
// The newest step that every rank with steps has, over all ranks; its captures count as one rank. Absent without any.
std::optional<core::RunRange> find_newest_step(const core::Run&);
std::optional<core::RunRange> find_step_beside(const core::Run&, core::RunRange view, bool forward);

// A place that is handed on as text: "rank=3,t=1.2345s,span=2ms" or "rank=3,step=12"; each part may be missing, not
// all.
struct Place {
    std::string rank = {};  // as format_rank has it; empty: none
    std::optional<std::int64_t> step = {};
    std::optional<core::Duration> time = {};  // from the run's start, in the middle of what is shown
    std::optional<core::Duration> span = {};  // how much is shown around it
    bool operator==(const Place&) const = default;
};
core::Result<Place> parse_place(std::string_view text);
std::string format_place(const Place&);
// NotFound, in words, if the run has no such rank or step.
core::Result<Destination> find_place(const core::Run&, const Place&);
// What is shown; of the selected event its rank, and its middle if it is in view.
Place place_of_view(const core::Run&, core::RunRange view, core::EventRef selected);

}  // namespace ui
