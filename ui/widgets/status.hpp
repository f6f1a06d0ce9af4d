#pragma once
// How the state of an answer is shown in the same way everywhere: a thin line of progress above what is
// stale, and one line of words for an error.

#include "core/session/result_cache.hpp"

#include <imgui.h>

#include <string_view>

namespace ui {

// Draws what the request's state asks for; false when there is nothing to show below it.
bool begin_answer(const core::Request&, std::string_view what);
void end_answer();

// A thin bar without text, at the cursor; takes no space.
void progress_line(double share, float width);
// A bar with a height of its own, for the status bar.
void progress_bar(double share, ImVec2 size);

}  // namespace ui
