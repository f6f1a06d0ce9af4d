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

struct ChartHit {                        // in a chart of one or two runs
    std::optional<std::size_t> item;
    std::optional<std::size_t> part;     // in the legend
    std::optional<std::size_t> listed;   // item with the right-clicked bar
    std::optional<std::size_t> listed_part = {};  // part of it under the pointer
};

// `candidate`: null, or the other run's chart with the same items and parts. `series`: chosen series of error bars;
// `over`: statistic over several ranks; the user can change both here. notes: about the parts. dimmed: classes that the
// filter excludes but whose time the chart shows.
ChartHit draw_answer_chart(const core::ChartModel&, const core::ChartModel* candidate, std::string& series,
                           core::OverRanks& over, ImVec2 size, const ChartNotes& notes, core::ClassSet dimmed = 0);
// True if a part of a chart of all work only has dimmed classes. Idle time has no class and is dimmed with any of them.
bool is_dimmed_part(const core::ChartModel&, std::size_t part, core::ClassSet dimmed);

}  // namespace ui
