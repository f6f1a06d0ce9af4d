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
    std::string note = {};                       // further description
    std::optional<core::RunRange> range = {};    // range to show; absent: the shown time stays
    core::EventRef reveal = {};                  // an event on the row to scroll to; invalid: none
    bool operator==(const Destination&) const = default;
};

// Destinations whose titles contain all words of the text. Titles with a word equal to one of the text come first, then
// steps, ranks and tracks in the run's order (of which at most fifty times as many are examined). O(tracks of the run).
// view: the shown range.
std::vector<Destination> find_destinations(const core::Run&, core::RunRange view, std::string_view text,
                                           std::size_t most);

// The newest step that every rank with steps has, as its range over all ranks; captures of a rank count as one. Absent
// without any.
std::optional<core::RunRange> find_newest_step(const core::Run&);
// The next step that begins after the middle of the view, or the last one that ends before it; over all ranks.
std::optional<core::RunRange> find_step_beside(const core::Run&, core::RunRange view, bool forward);

// A place as text: "rank=3,t=1.2345s,span=2ms" or "rank=3,step=12". At least one part is present.
struct Place {
    std::string rank = {};  // as format_rank writes it; empty: none
    std::optional<std::int64_t> step = {};
    std::optional<core::Duration> time = {};  // from the run's start, the middle of the shown range
    std::optional<core::Duration> span = {};  // length of the shown range
    bool operator==(const Place&) const = default;
};
core::Result<Place> parse_place(std::string_view text);
std::string format_place(const Place&);
// Finds the place. NotFound, with a message, if the run lacks that rank or step.
core::Result<Destination> find_place(const core::Run&, const Place&);
// The place of the current view: rank of the selected event, and its middle if it is in view.
Place place_of_view(const core::Run&, core::RunRange view, core::EventRef selected);

}  // namespace ui
