#pragma once
// Tooltips for the numbers of an analysis's table. Columns: unit, meaning, definition, filter, and
// how many events pass it. Values: exact form, row and meaning. Events are counted on the pool,
// once per filter, on first use. Main thread.

#include "core/analysis/engine/analysis.hpp"
#include "ui/model/panel.hpp"
#include "ui/widgets/notes.hpp"

#include <string>
#include <string_view>

namespace ui {

// A column in one line, for a chart: "Total, ns: sum of their durations".
std::string explain_briefly(const core::Analysis&, std::string_view column);

// Notes for a chart whose only part is that column.
ChartNotes notes_of_column(const core::Analysis&, std::string_view column);

class Explainer {
public:
    // Lives for one draw. frame: for a table of both runs, the one with the candidate. answers: the shown ones, or
    // null.
    Explainer(Frame& frame, const core::Analysis& analysis, const core::BySide<core::AnswerPtr>& answers)
        : frame_(frame), analysis_(analysis), answers_(answers) {}

    // Draws the tooltip for the item under the pointer.
    void draw_column(const core::Column&) const;
    void draw_column(std::string_view name) const;  // finds the column among the analysis's own
    void draw_value(const core::Table&, std::size_t row, std::size_t column, std::string_view shown,
                    std::string_view exact) const;

private:
    Frame& frame_;
    const core::Analysis& analysis_;
    core::BySide<core::AnswerPtr> answers_;
};

}  // namespace ui
