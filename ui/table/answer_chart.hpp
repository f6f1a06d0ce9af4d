#pragma once
// Draws the chart of any analysis as its registry row specifies, for one run or for two on one
// axis. Returns what was clicked.

#include "core/charts/comparison_chart.hpp"
#include "core/index/class_rules.hpp"
#include "ui/widgets/notes.hpp"

#include <imgui.h>

#include <optional>
#include <string>

namespace ui {

struct ChartHit {                        // with two runs, on either
    std::optional<std::size_t> item;
    std::optional<std::size_t> part;     // in the legend
    std::optional<std::size_t> listed;   // item whose bar was right-clicked
    std::optional<std::size_t> listed_part = {};  // part of it under the pointer
};

// `candidate`: null, or the other run's chart with the same items and parts. `series`: chosen series of error bars; the
// user can change it here, and what a bar of several ranks says (`over`). notes: about the parts. dimmed: classes that
// the filter leaves out and whose time the chart shows nevertheless.
ChartHit draw_answer_chart(const core::ChartModel&, const core::ChartModel* candidate, std::string& series,
                           core::OverRanks& over, ImVec2 size, const ChartNotes& notes, core::ClassSet dimmed = 0);
// Whether a part of a chart of all work is of the dimmed classes alone; idle time is of none, so it is dimmed with any.
bool is_dimmed_part(const core::ChartModel&, std::size_t part, core::ClassSet dimmed);

}  // namespace ui
