#pragma once
// What the numbers of an analysis's table are, on hover: of a column its unit, meaning and definition, the filter, and
// how many events that takes and leaves out; of a value its exact form, whose it is and what it is. Events are counted
// on the pool, once per filter, when first asked for. Main thread.

#include "core/analysis/engine/analysis.hpp"
#include "ui/charts/notes.hpp"
#include "ui/model/panel.hpp"

#include <string>
#include <string_view>

namespace ui {

// "Total, ns: sum of their durations": a column of the analysis in one line, for a chart.
std::string explain_briefly(const core::Analysis&, std::string_view column);

// Of a chart whose one part is that column.
ChartNotes notes_of_column(const core::Analysis&, std::string_view column);

class Explainer {
public:
    // For the time of a draw. frame: of a table of both runs the one with the candidate. answers: what is shown, null
    // where there is none.
    Explainer(Frame& frame, const core::Analysis& analysis, const core::BySide<core::AnswerPtr>& answers)
        : frame_(frame), analysis_(analysis), answers_(answers) {}

    // Tooltips, for what is under the pointer.
    void draw_column(const core::Column&) const;
    void draw_column(std::string_view name) const;  // of the analysis's own
    void draw_value(const core::Table&, std::size_t row, std::size_t column, std::string_view shown,
                    std::string_view exact) const;

private:
    Frame& frame_;
    const core::Analysis& analysis_;
    core::BySide<core::AnswerPtr> answers_;
};

}  // namespace ui
