#pragma once
// A value per run in the order of their starts, with the levels between change points and the range in which the latest
// one is expected. Draws finished numbers and returns the run under the pointer.

#include "core/diff/series/run_series.hpp"
#include "ui/model/panels/trend_model.hpp"

#include <imgui.h>

#include <optional>
#include <span>

namespace ui {

struct TrendPlot {
    const core::RunSeries& series;
    std::span<const TrendLevel> levels;
    std::span<const std::size_t> open = {};  // places of runs with values that are open
};

struct TrendHit {  // places of series.with_values
    std::optional<std::size_t> hovered;
    std::optional<std::size_t> clicked;
};
TrendHit draw_trend_plot(const char* id, const TrendPlot&, ImVec2 size);

}  // namespace ui
