#pragma once
// How panels ask for an answer: by the analysis's id, with the current run and filter. Asking every
// frame is free; the answer of the last filter comes back, marked as not fresh, until the new one is there.

#include "ui/model/panel.hpp"

#include <string>

namespace ui {

// who: the panel and what it asks for, unique among panels ("breakdown/types").
core::Request ask(Frame&, std::string_view who, std::string_view analysis_id);
core::Request ask(Frame&, std::string_view who, const core::Analysis&, const core::Params&);
// Both sides of Frame::candidate at once, each through its own filter and in a slot of its own.
core::BySide<core::Request> ask_both(Frame&, std::string_view who, const core::Analysis&, const core::Params&);
core::BySide<core::Request> ask_both(Frame&, std::string_view who, std::string_view analysis_id);
// Through another filter than the current one: a chart that shows what the filter leaves out, faded.
core::Request ask(Frame&, std::string_view who, std::string_view analysis_id, const core::Filter&);

// Why the frame's side has nothing under the filter while the other has: "rank 9 is only in the candidate"; else empty.
std::string note_missing_ranks(const Frame&);

// In a panel that the filter leaves no GPU event, or whose run has none.
void empty_gpu_state(const Frame&);

core::Params standard_params(const core::Analysis&);

}  // namespace ui
