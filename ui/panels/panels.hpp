#pragma once
// One make function per panel; ui/panels.cpp holds the table.

#include "ui/panel.hpp"

namespace ui {

std::unique_ptr<Panel> make_breakdown_panel();

}  // namespace ui
