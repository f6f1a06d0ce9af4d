#pragma once
// What may have been meant by a word that names nothing.

#include <span>
#include <string>
#include <string_view>

namespace core {

// The candidate that is most like the text, or an empty view when none comes near.
std::string_view find_nearest(std::string_view text, std::span<const std::string_view> candidates);
// "; did you mean NEAREST?", empty when none comes near.
std::string nearest_hint(std::string_view text, std::span<const std::string_view> candidates);

}  // namespace core
