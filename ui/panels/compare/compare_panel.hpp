#pragma once
// The panel Compare, for the table of panels.

#include "ui/model/panel.hpp"

#include <memory>

namespace ui {

std::unique_ptr<Panel> make_compare_panel();

}  // namespace ui
