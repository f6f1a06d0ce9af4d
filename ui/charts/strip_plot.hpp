#pragma once
// One line of values along an axis: a tick per value, the middle half as a band, the median, and the greatest
// marked. Shows at a glance how much something varies. Handed finished numbers; draws and says what was
// pointed at.

#include "core/analysis/engine/table.hpp"
#include "ui/charts/notes.hpp"
#include "ui/model/charts/spread.hpp"

#include <imgui.h>

#include <optional>
#include <string_view>

namespace ui {

struct StripPlot {
    const Spread& spread;
    double low = 0;              // the axis, so that strips below each other share it
    double high = 0;
    core::Unit unit = core::Unit::Ns;
    std::string_view name;       // of a point: "rank"
    std::string_view value_name; // "Step time"
    const ChartNotes* notes = nullptr;  // of the value, as the one part
};

struct StripHit {
    std::optional<std::size_t> point;   // nearest to the pointer
    bool clicked = false;
};

StripHit draw_strip_plot(const char* id, const StripPlot&, ImVec2 size);

}  // namespace ui
