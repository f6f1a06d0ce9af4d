#pragma once
// Words for ids of measures, causes and kinds: the one place from which charts, legends and heads of
// tables take them. An id without an entry is shown with spaces for underscores. No ImGui.

#include "core/analysis/engine/table.hpp"

#include <string>
#include <string_view>

namespace ui {

std::string words_of(std::string_view id);  // "host_wait" → "host wait", "HtoD" → "host to device"
std::string title_of(std::string_view id);  // the same in sentence case: "Host wait"
// The words of a cell whose column holds ids (causes, kinds, parts); a name of the trace comes back as it is.
std::string words_of_cell(const core::Column&, std::string_view cell);

}  // namespace ui
