#pragma once
// One chip for each kind of choice: ranks, steps, streams, classes, time. A chip says what is chosen; a click opens
// the list of what the run has. Ticks add and take away, a click on a word leaves only that one.

#include "core/query/filter_vocabulary.hpp"
#include "ui/model/panel.hpp"

namespace ui {

void draw_filter_chips(Frame&, const core::FilterVocabulary&);  // at the cursor, in one line
float chips_width();                                            // of that line, whatever is chosen

}  // namespace ui
