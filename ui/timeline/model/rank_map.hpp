#pragma once
// What the scrollbar shows of all ranks, also those out of view: for each of its pixels the greatest measure of the
// ranks whose rows are there. Made once per layout: O(rows + ranks). Pure.

#include "ui/model/charts/heat_scale.hpp"
#include "ui/timeline/model/lane_layout.hpp"

#include <memory>
#include <vector>

namespace ui {

// By slot; NaN where it is not known.
using RankValues = std::vector<double>;
// The share of its GPU window in which a rank does not compute.
RankValues collect_not_computing(const core::Run&);
// Out of what sorts the ranks.
RankValues collect_measures(const core::Run&, const RankMeasures&);

struct RankMap {
    std::vector<double> pixels;  // from the top of the layout to its end; NaN: no rank
    HeatScale scale;
    static RankMap of(const LaneLayout&, const RankValues&, std::size_t pixels);
};

}  // namespace ui
