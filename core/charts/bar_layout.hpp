#pragma once
// Layout of horizontal bars, one row per item, each stacked from parts (one part: plain bars). With
// the candidate's rows, each row has two bars on one axis, the candidate's hatched. Rows are laid
// out one by one because a window shows only some of a long list.

#include "core/charts/axis_shapes.hpp"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace core {

struct BarRow {
    std::string label;
    std::vector<double> values;   // one per part; negative ones go left of 0; not finite counts as 0
    bool absent = false;          // not known: drawn as a dash
    bool faded = false;           // excluded by the filter
    bool missing = false;         // this run has no such row (two runs)
    std::string whole = {};       // full label if `label` is shortened, else empty
    double above() const;         // sum of the positive values
    double below() const;         // sum of the negative values
    double total() const { return above() + below(); }
    bool known() const { return !absent && !missing; }
};

struct Bars {
    std::size_t parts = 1;
    std::span<const BarRow> rows;
    std::span<const BarRow> candidates = {};  // parallel to rows, or empty with one run
    Unit unit = Unit::Ns;
    bool share = false;                       // every bar fills the plot; parts are shares of the sum, none negative
    std::function<std::string(std::size_t row)> number = {};  // shown at the right of a row
    bool paired() const { return !candidates.empty(); }
};

struct BarLayout {
    float width = 0;         // of a row
    float label_width = 0;
    float value_width = 0;
    float plot_width = 0;
    float bar = 0;           // height of one bar
    float pitch = 0;
    Axis axis{};
    HorizontalAxis on_axis(float left) const;  // for rows from `left` on
    ChartBox bars(const Bars&, ChartPoint row) const;  // the place of a row's bars
};

inline constexpr float kBarAxisHeight = 20;  // below the rows, at scale 1

// Height of a row if all rows share `height`: rows shrink a little before a list has to scroll.
float find_bar_pitch(const Bars&, float height, const TextMetrics&);
// An axis of values or shares: as many round ticks as fit in the width, at least both ends.
Axis find_bar_axis(const Bars&, float plot_width, const TextMetrics&);
// `margin`: blank space at the right, for a scroll bar.
BarLayout lay_out_bars(const Bars&, float width, float pitch, float margin, const TextMetrics&);

// Shapes of the row whose upper left corner is `at`: label, bars and number.
void add_bar_row(const Bars&, const BarLayout&, std::size_t row, ChartPoint at, const TextMetrics&, ChartShapes&);

}  // namespace core
