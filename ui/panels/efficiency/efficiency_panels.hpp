#pragma once
// The panels of this folder, for the table of panels.

#include "ui/model/panel.hpp"

#include <memory>

namespace ui {

std::unique_ptr<Panel> make_roofline_panel();
std::unique_ptr<Panel> make_modules_panel();

}  // namespace ui
