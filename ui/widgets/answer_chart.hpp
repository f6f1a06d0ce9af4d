#pragma once
// The chart of any analysis as its row in the registry says, of one run or of two on one axis. Draws and says what
// was clicked.

#include "ui/charts/notes.hpp"
#include "ui/model/charts/chart_model.hpp"

#include <imgui.h>

#include <optional>
#include <string>

namespace ui {

struct ChartHit {                        // what was clicked; of two runs, of either
    std::optional<std::size_t> item;
    std::optional<std::size_t> part;     // in the legend
    std::optional<std::size_t> listed;   // the item whose bar was clicked with the right button
    std::optional<std::size_t> listed_part = {};  // what of it was under the pointer
};

// `candidate`: null, or the same items and parts of the other run. `series` is the chosen name of error bars; the
// reader may choose another. notes: of the parts.
ChartHit draw_answer_chart(const ChartModel&, const ChartModel* candidate, std::string& series, ImVec2 size,
                           const ChartNotes& notes);

}  // namespace ui
