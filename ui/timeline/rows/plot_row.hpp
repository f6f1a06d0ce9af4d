#pragma once
// Rows that draw values over time: a single series fills the area below its line, several are
// overlaid lines.

#include "ui/timeline/rows/rows.hpp"

namespace ui {

class PlotRow : public RowKind {
public:
    bool is_plot() const final { return true; }
    RowInset inset(const LayoutRow& row) const final;
    void collect(const RowCollect&) const final;
    void draw_in_tree(TreeRow&) const final;
    void draw_tooltip(const TimelineFrame&, const LayoutRow&) const final;

private:
    // The lines as they are drawn in a view; collect_lines() has their full detail.
    virtual std::vector<CounterView> lines_in(const core::Run& run, const LayoutRow& row, const TimeView&) const {
        return collect_lines(run, row);
    }
    virtual std::size_t tint(const LayoutRow&) const { return 0; }  // colour of the first series, for color::of_series
};

}  // namespace ui
