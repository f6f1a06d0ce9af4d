#pragma once
// Draws the iteration times of a training log over a job. Draws finished numbers.

#include "ui/model/charts/logged_series.hpp"

#include <imgui.h>

namespace ui {

// Draws at most one bar per pixel, the longest iteration in it. Bars above the series' top are cut and coloured. The
// tooltip describes the iteration under the pointer.
void draw_logged_plot(const char* id, const LoggedSeries&, ImVec2 size);

}  // namespace ui
