#pragma once
// The place on the timeline that a row of a table is about: a gap, a stretch of time. Tables say it in columns `begin`
// (from the run's earliest event) and `length`. No ImGui.

#include "core/analysis/engine/table.hpp"
#include "ui/model/intent.hpp"

#include <optional>
#include <vector>

namespace ui {

struct RowPlace {
    core::RunRange range;
    core::EventRef event;                // that the row mentions beside it; invalid: none
    std::vector<core::TrackRows> rows;   // streams of its rank, or the one it names; empty: all rows
    bool operator==(const RowPlace&) const = default;
};

// Absent for tables without these columns, and for rows without a value in them.
std::optional<RowPlace> place_of(const core::Run&, const core::Table&, std::size_t row);

// True if each row is a place by itself, numbered by a key, rather than an example of what the keys say.
bool is_one_place(const core::Table&);

// Marks the place as the area and selects its event; the time shown stays.
void mark_place(const RowPlace&, std::vector<Intent>&);
// Shows the place with room around it, marked as the area, with its event selected.
void show_place(const RowPlace&, std::vector<Intent>&);

}  // namespace ui
