#pragma once
// The state that scripts can inspect, as JSON. Times are nanoseconds from the run's earliest event,
// sizes pixels, absent values null. Scripts depend on the keys: add new ones, never rename them.

#include "ui/shell/main_window.hpp"
#include "ui/style/items.hpp"

#include <nlohmann/json_fwd.hpp>

#include <span>

namespace ui {

nlohmann::json describe_state(const MainWindow&, const core::Session&);
// Path, place, visible and hovered of each item.
nlohmann::json describe_items(std::span<const Item>);

}  // namespace ui
