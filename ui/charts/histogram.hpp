#pragma once
// Durations on a logarithmic axis: a bar per bin, round ticks, the value of one event marked. Handed finished numbers;
// draws and says which bin is pointed at.

#include "core/query/duration_bins.hpp"

#include <imgui.h>

#include <optional>

namespace ui {

struct Histogram {
    const core::DurationBins& bins;
    std::optional<core::Duration> marked;  // a line at this duration, if it lies on the axis
    ImU32 bar;
};

std::optional<std::size_t> draw_histogram(const char* id, const Histogram&, ImVec2 size);

}  // namespace ui
