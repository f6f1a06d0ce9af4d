#pragma once
// Times of iterations over a job as its log states them. Draws finished numbers.

#include "ui/model/charts/logged_series.hpp"

#include <imgui.h>

namespace ui {

// At most one bar per pixel, the longest of the lines in it; those above the series' top are marked. A tooltip has the
// line under the pointer.
void draw_logged_plot(const char* id, const LoggedSeries&, ImVec2 size);

}  // namespace ui
