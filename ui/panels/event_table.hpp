#pragma once
// A table of events: rank, track, start, duration, name. A click goes to the event.

#include "ui/model/panel.hpp"
#include "ui/table/result_table.hpp"

#include "core/analysis/engine/list_events.hpp"

namespace ui {

// own: frame of the events' side. Fills the rest of the window.
void draw_event_table(Frame& own, ResultTable&, const core::EventListPtr&, std::string_view search);

}  // namespace ui
