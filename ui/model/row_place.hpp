#pragma once
// The place on the timeline that a table row is about, such as a gap or a stretch of time, from the
// columns `begin` (from the run's earliest event) and `length`. No ImGui.

#include "core/analysis/engine/table.hpp"
#include "ui/model/intent.hpp"

#include <optional>
#include <vector>

namespace ui {

struct RowPlace {
    core::RunRange range;
    core::EventRef event;                // mentioned by the row; invalid: none
    std::vector<core::TrackRows> rows;   // streams of its rank, or the stream in the row; empty: all rows
    bool operator==(const RowPlace&) const = default;
};

// Rows of all streams of a rank.
std::vector<core::TrackRows> rows_of_streams(const core::RankSlot&);
// Absent for tables without these columns and rows without values in them.
std::optional<RowPlace> place_of(const core::Run&, const core::Table&, std::size_t row);

// True if each row is a place of its own, numbered by a key; false if it is an example for the row's keys.
bool is_one_place(const core::Table&);

// Marks the place as the area and selects its event; doesn't move the view.
void mark_place(const RowPlace&, std::vector<Intent>&);
// Shows the place with a margin, marks it as the area and selects its event.
void show_place(const RowPlace&, std::vector<Intent>&);

}  // namespace ui
