#pragma once
// Values along one axis: a tick per value, a band for the middle half, the median, and a mark at
// the greatest. Shows at a glance how much something varies. Draws finished numbers and returns the
// point under the pointer.

#include "core/analysis/engine/table.hpp"
#include "ui/model/charts/spread.hpp"
#include "ui/widgets/notes.hpp"

#include <imgui.h>

#include <optional>
#include <string_view>

namespace ui {

struct StripPlot {
    const Spread& spread;
    double low = 0;              // axis, shared by strips below each other
    double high = 0;
    core::Unit unit = core::Unit::Ns;
    std::string_view name;       // noun for a point: "rank"
    std::string_view value_name; // "Step time"
    const ChartNotes* notes = nullptr;  // about the value, as the only part
};

struct StripHit {
    std::optional<std::size_t> point;   // nearest to the pointer
    bool clicked = false;
};

StripHit draw_strip_plot(const char* id, const StripPlot&, ImVec2 size);

}  // namespace ui
