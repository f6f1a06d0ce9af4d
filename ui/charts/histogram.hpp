#pragma once
// Durations on a logarithmic axis: one bar per bin, round ticks, and a mark at the value of one
// event. Draws finished numbers and returns the bin under the pointer.

#include "core/query/duration_bins.hpp"

#include <imgui.h>

#include <optional>
#include <span>
#include <string_view>

namespace ui {

struct HistogramMark {
    std::string_view label;
    core::Duration at{};
};

struct Histogram {
    const core::DurationBins& bins;
    std::optional<core::Duration> marked;  // draws a line at this duration, if on the axis
    ImU32 bar;
    std::span<const HistogramMark> marks = {};  // thin lines with their labels, where there is room
    std::optional<std::size_t> chosen = {};     // the other bins are dimmed
    std::string_view title = "Durations";       // of the exported chart
    std::string_view click = "Click: filter by these durations";  // effect of a click on a bar
};

std::optional<std::size_t> draw_histogram(const char* id, const Histogram&, ImVec2 size);

}  // namespace ui
