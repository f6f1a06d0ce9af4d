#pragma once
// Everything a script can look at, as JSON. Times are nanoseconds from the run's earliest event, sizes pixels,
// absent things null. The keys are what scripts are written against: add to them, do not rename them.

#include "ui/shell/main_window.hpp"
#include "ui/style/items.hpp"

#include <nlohmann/json_fwd.hpp>

#include <span>

namespace ui {

nlohmann::json describe_state(const MainWindow&, const core::Session&);
// Path, place, visible, hovered of each.
nlohmann::json describe_items(std::span<const Item>);

}  // namespace ui
