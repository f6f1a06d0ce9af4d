#pragma once
// A list of events as a table: rank, track, start, duration, name. A click goes to one.

#include "ui/model/panel.hpp"
#include "ui/widgets/result_table.hpp"

#include "core/analysis/list_events.hpp"

namespace ui {

// own: the frame of the side whose events they are, in what is left of the window.
void draw_event_table(Frame& own, ResultTable&, const core::EventListPtr&, std::string_view search);

}  // namespace ui
