#pragma once
// Explanations that a chart shows with its numbers, as finished text from its owner: charts know no
// analyses. Shown below the numbers of a bar or cell, on axes and in the legend.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace ui {

struct ChartNotes {
    std::function<std::string(std::size_t part)> explain = {};  // one line; called only for the hovered part
    bool lists = false;  // a right click on a bar or cell lists its events; the owner does that
};

// Appends to an open tooltip whose first line is `head`. part: the one under the pointer, or the only one.
void draw_notes(const ChartNotes*, std::optional<std::size_t> part, std::string_view head);
// A separate tooltip for an axis or a name: the lines of these parts without duplicates, then `below` unless empty.
void draw_notes_tooltip(const ChartNotes*, std::size_t first_part, std::size_t parts, std::string_view below = {});

}  // namespace ui
