#pragma once
// The panel SQL, for the table of panels.

#include "ui/model/panel.hpp"

#include <memory>

namespace ui {

std::unique_ptr<Panel> make_sql_panel();

}  // namespace ui
