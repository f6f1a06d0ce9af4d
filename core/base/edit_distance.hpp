#pragma once
// Edit distance between two words (substitutions, insertions, deletions); for "did you mean".

#include <cstddef>
#include <string_view>

namespace core {

std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace core
