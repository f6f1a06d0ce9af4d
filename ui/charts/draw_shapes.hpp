#pragma once
// Draws laid out charts with ImGui: the window's text metrics, and shapes in colours of the chart's
// choice.

#include "core/charts/chart_shapes.hpp"
#include "ui/style/text.hpp"

#include <imgui.h>

#include <functional>
#include <span>

namespace ui {

const core::TextMetrics& window_metrics();

inline ImVec2 to_imgui(core::ChartPoint at) { return {at.x, at.y}; }
inline core::ChartPoint to_chart(ImVec2 at) { return {at.x, at.y}; }

// Colour 0 leaves a shape out. Hatching has its own colour.
using ColorOfShape = std::function<ImU32(const core::ChartShape&)>;
void draw_shapes(ImDrawList*, std::span<const core::ChartShape>, const ColorOfShape&);

}  // namespace ui
