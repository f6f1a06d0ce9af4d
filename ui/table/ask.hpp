#pragma once
// Requests answers for panels: by analysis id, with the current run and filter. Requesting in every
// frame is free; the previous filter's answer is returned, marked as not fresh, until the new one
// arrives.

#include "ui/model/panel.hpp"

#include <span>
#include <string>

namespace ui {

// who: panel and purpose, unique among panels ("breakdown/types").
core::Request ask(Frame&, std::string_view who, std::string_view analysis_id);
core::Request ask(Frame&, std::string_view who, const core::Analysis&, const core::Params&);
// Both sides of Frame::candidate, each with its own filter and slot.
core::BySide<core::Request> ask_both(Frame&, std::string_view who, const core::Analysis&, const core::Params&);
core::BySide<core::Request> ask_both(Frame&, std::string_view who, std::string_view analysis_id);
// Uses another filter than the current one, for charts that fade excluded items.
core::Request ask(Frame&, std::string_view who, std::string_view analysis_id, const core::Filter&);

// The sides that a panel for both sides draws: the baseline alone, or both. A side without a run is absent.
std::span<const core::Side> sides_of(const Frame&);
// Empty unless both sides are drawn.
const core::RunAlignment& alignment_of(const Frame&);

// Why only the other side has data under the filter: "rank 9 is only in the candidate"; else empty.
std::string note_missing_ranks(const Frame&);

// Explains that no GPU event passes the filter, or that the run has none.
void empty_gpu_state(const Frame&);

core::Params standard_params(const core::Analysis&);

}  // namespace ui
