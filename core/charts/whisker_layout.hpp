#pragma once
// Layout of vertical bars from 0 to a mean, with a whisker from the least to the greatest value; one
// category (a rank) per bar. Whiskers far beyond the means are cut and marked, which keeps the bars
// readable. With the candidate's bars, each category has two bars on one axis, the candidate's
// hatched.

#include "core/charts/axis_shapes.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace core {

struct ErrorBar {
    std::string label;
    double mean = 0;
    double low = 0;
    double high = 0;
    double count = 0;  // number of values; 0: not known
    bool stands_out = false;
    bool faded = false;    // excluded by the filter
    bool missing = false;  // this run has no such category (two runs)
};

struct Whiskers {
    std::span<const ErrorBar> bars;
    std::span<const ErrorBar> candidates = {};  // parallel to bars, or empty with one run
    Unit unit = Unit::Ns;
    bool paired() const { return !candidates.empty(); }
};

struct WhiskerLayout {
    Axis axis{};
    ChartBox plot{};
    float top = 0;       // of the area
    float axis_end = 0;  // right end of the axis numbers
    float slot = 0;      // width per category
    std::vector<std::size_t> drawn;  // if several categories share a pixel, only one of them; rising
    std::size_t label_stride = 1;    // categories per label

    VerticalAxis on_axis() const { return {.axis = axis, .plot = plot, .right = axis_end}; }
    float middle(std::size_t category) const;
    // The drawn category nearest to x; none beside the plot.
    std::optional<std::size_t> category_at(float x, std::size_t categories) const;
    // The place of a category's bars, over the whole height of the plot.
    ChartBox column(const Whiskers&, std::size_t category, const TextMetrics&) const;
};

// The lowest mean or whisker; 0 if none is below it.
double find_axis_begin(std::span<const ErrorBar>);
// End of the axis: the greatest whisker, or 6 times the greatest mean if a whisker is longer than 10 times that.
double find_axis_end(std::span<const ErrorBar>);

WhiskerLayout lay_out_whiskers(const Whiskers&, const ChartBox& area, const TextMetrics&);
// Axis, bars of the drawn categories, and labels.
void add_whiskers(const Whiskers&, const WhiskerLayout&, const TextMetrics&, ChartShapes&);

}  // namespace core
