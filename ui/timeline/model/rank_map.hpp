#pragma once
// Values of all ranks for the scrollbar, including those out of view: for each pixel the greatest
// measure of the ranks whose rows are there. Computed once per layout: O(rows + ranks). Pure.

#include "core/charts/heat_scale.hpp"
#include "ui/timeline/model/lane_layout.hpp"

#include <memory>
#include <vector>

namespace ui {

// By slot; NaN if unknown.
using RankValues = std::vector<double>;
// Share of a rank's GPU window without compute.
RankValues collect_not_computing(const core::Run&);
// The measure that sorts the ranks.
RankValues collect_measures(const core::Run&, const RankMeasures&);

struct RankMap {
    std::vector<double> pixels;  // from the top of the layout to its end; NaN: no rank
    core::HeatScale scale;
    static RankMap of(const LaneLayout&, const RankValues&, std::size_t pixels);
};

}  // namespace ui
