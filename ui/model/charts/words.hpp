#pragma once
// Words for ids of measures, causes and kinds: the only source for charts, legends and table
// headers. Ids without an entry are shown with spaces for underscores. No ImGui.

#include "core/analysis/engine/table.hpp"

#include <string>
#include <string_view>

namespace ui {

std::string words_of(std::string_view id);  // "host_wait" → "host wait", "HtoD" → "host to device"
std::string title_of(std::string_view id);  // the same in sentence case: "Host wait"
// Words for a cell whose column holds ids (causes, kinds, parts); names from the trace are returned unchanged.
std::string words_of_cell(const core::Column&, std::string_view cell);

}  // namespace ui
