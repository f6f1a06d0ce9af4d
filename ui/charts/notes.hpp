#pragma once
// What a chart says of its numbers besides them, in finished words of its owner: charts know no analysis. Shown below
// the numbers of a bar or cell, on axes, and with the names in a legend.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace ui {

struct ChartNotes {
    std::function<std::string(std::size_t part)> explain = {};  // one line; called for what is hovered only
    bool lists = false;  // a right click on a bar or cell leads to its events: its owner sees to that
};

// At the end of an open tooltip whose first line is `head`; part: the one pointed at or the only one.
void draw_notes(const ChartNotes*, std::optional<std::size_t> part, std::string_view head);
// A tooltip of its own, for an axis or a name: the lines of these parts, each said once, and `below` if it is not empty.
void draw_notes_tooltip(const ChartNotes*, std::size_t first_part, std::size_t parts, std::string_view below = {});

}  // namespace ui
