#pragma once
// Points and lines on two logarithmic axes: sizes against rates. Draws finished numbers and returns the point under the
// pointer.

#include "core/analysis/engine/table.hpp"
#include "ui/widgets/legend.hpp"

#include <imgui.h>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ui {

struct LogPoint {
    double x = 0;  // above 0
    double y = 0;
};

struct LogSeries {
    std::string name;
    ImU32 color = 0;
    std::vector<LogPoint> points;
    std::function<double(double x)> line = {};  // drawn between the outermost points; empty: none
    bool faint_line = false;  // a poor fit
};

struct LogPlot {
    std::span<const LogSeries> series;
    core::Unit x_unit = core::Unit::Bytes;
    core::Unit y_unit = core::Unit::BytesPerSecond;
    std::string_view x_name;
    std::string_view y_name;
    // Further lines of a point's tooltip.
    std::function<void(std::size_t series, std::size_t point)> explain = {};
};

struct LogHit {
    std::optional<std::size_t> series;
    std::size_t point = 0;
    bool clicked = false;
    bool listed = false;  // right button released
};

LogHit draw_log_plot(const char* id, const LogPlot&, ImVec2 size);

// Powers of `base` that cover [least, most], at most `count` of them.
std::vector<double> find_log_ticks(double least, double most, double base, std::size_t count);

}  // namespace ui
