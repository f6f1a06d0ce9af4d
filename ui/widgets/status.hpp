#pragma once
// Shows the state of an answer the same way everywhere: a thin progress line above stale numbers,
// and one line of text for an error.

#include "core/diff/align/side.hpp"
#include "core/session/result_cache.hpp"

#include <imgui.h>

#include <span>
#include <string>
#include <string_view>

namespace ui {

inline constexpr float kStaleAlpha = 0.55f;   // opacity of stale numbers

// Draws the state of a request; false if there is nothing to show below it. `derived_fresh`: true if the
// panel's own numbers belong to the current answer.
bool begin_answer(const core::Request&, std::string_view what, bool derived_fresh = true);
// The same for both runs: false until both answers have arrived; an error names its side.
bool begin_answer(const core::BySide<core::Request>&, std::string_view what, bool derived_fresh = true);
// The same for the sides that were asked, one or both.
bool begin_answer(const core::BySide<core::Request>&, std::span<const core::Side> asked, std::string_view what,
                  bool derived_fresh = true);
void end_answer();
// Heading of a chart or table: the scope of its numbers (core::describe_scope). begin_answer() draws it; empty: none.
void draw_scope(const std::string& scope);

// Draws a thin bar without text at the cursor; takes no space.
void progress_line(double share, float width);
// Draws a bar of the given height, for the status bar.
void progress_bar(double share, ImVec2 size);

}  // namespace ui
