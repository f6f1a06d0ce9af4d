#pragma once
// Parts of a breakdown as the panels Breakdown and Overview draw them: colours, notes, the meaning
// of a bar, and the list of times next to the bars.

#include "ui/model/panel.hpp"
#include "ui/model/panels/breakdown_model.hpp"
#include "ui/table/row_clicks.hpp"
#include "ui/widgets/legend.hpp"

#include <optional>

namespace ui {

// Parts of a bar; a click filters by their class.
std::span<const BarPart> breakdown_parts();
// Explains each part. lists: a right click offers the part's events.
ChartNotes breakdown_notes(bool lists);
// Meaning of a rank's bar (with two runs: the baseline's rank) or of one of its parts, within the windows if given.
RowMeaning meaning_of_breakdown(const Frame&, core::RankKey, std::optional<std::size_t> part,
                                const core::BySide<std::optional<core::RunRange>>& windows);

// Draws times over the ranks of the filter, as a child window: sets of classes; with two runs also the parts, and the
// changes. A click on a set filters by it. With several ranks, a switch chooses between means and the slowest rank's
// times.
void draw_breakdown_times(Frame&, const BreakdownModel&, BreakdownOf&, float width);

}  // namespace ui
