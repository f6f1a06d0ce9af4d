#pragma once
// Draws vertical bars with whiskers (core/charts/whisker_layout). Draws finished numbers and returns
// the bar under the pointer.

#include "core/charts/whisker_layout.hpp"
#include "ui/widgets/notes.hpp"

#include <imgui.h>

#include <optional>
#include <span>
#include <string>

namespace ui {

using core::ErrorBar;

struct ErrorBars {
    std::span<const ErrorBar> bars;
    core::Unit unit = core::Unit::Ns;
    std::string_view label_prefix = {};  // "rank ": prefix in tooltips and item names
    ImU32 color = 0;
    std::span<const ErrorBar> candidates = {};  // parallel to bars, or empty with one run
    const ChartNotes* notes = nullptr;  // about the mean, as the only part
    bool paired() const { return !candidates.empty(); }
};

struct ErrorBarHit {
    std::optional<std::size_t> bar;
    bool clicked = false;
    bool listed = false;  // right button released
};
ErrorBarHit draw_error_bars(const char* id, const ErrorBars&, ImVec2 size);

}  // namespace ui
