#pragma once
// A flame graph seen from one function, wherever it is called: its callers, or what it calls, merged over all places.
// The function is the only frame below the root. Recursive calls count once, as the outermost. No ImGui.

#include "ui/model/panels/flame_graph_model.hpp"

namespace ui {

enum class FlameLens : std::uint8_t { None, Callers, Callees };

// The function with most time of its own; empty for an empty graph. O(frames).
std::string_view find_busiest(const FlameGraph&, FlameMeasure);
// center: empty or unknown: the busiest function. O(frames * depth), for the pool. Only root and no width for an empty
// graph.
FlameGraph build_flame_lens(const FlameGraph&, std::string_view center, FlameLens, FlameMeasure);

}  // namespace ui
