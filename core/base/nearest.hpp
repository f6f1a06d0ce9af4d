#pragma once
// Suggestions for a word that names nothing.

#include <span>
#include <string>
#include <string_view>

namespace core {

// The candidate most similar to the text; empty if none is close.
std::string_view find_nearest(std::string_view text, std::span<const std::string_view> candidates);
// "; did you mean NEAREST?"; empty if none is close.
std::string nearest_hint(std::string_view text, std::span<const std::string_view> candidates);

}  // namespace core
