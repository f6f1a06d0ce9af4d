#pragma once
// How the state of an answer is shown in the same way everywhere: a thin line of progress above what is
// stale, and one line of words for an error.

#include "core/diff/side.hpp"
#include "core/session/result_cache.hpp"

#include <imgui.h>

#include <string_view>

namespace ui {

inline constexpr float kStaleAlpha = 0.55f;   // of what is shown until the new numbers are there

// Draws what the request's state asks for; false when there is nothing to show below it. `derived_fresh`:
// whether what the panel made of the answer is of this answer already.
bool begin_answer(const core::Request&, std::string_view what, bool derived_fresh = true);
// Of both runs: nothing is shown until both answers are there; an error says whose it is.
bool begin_answer(const core::BySide<core::Request>&, std::string_view what, bool derived_fresh = true);
void end_answer();

// A thin bar without text, at the cursor; takes no space.
void progress_line(double share, float width);
// A bar with a height of its own, for the status bar.
void progress_bar(double share, ImVec2 size);

}  // namespace ui
