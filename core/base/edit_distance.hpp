#pragma once
// How many letters must be changed, added or left out to turn one word into another; for "did you mean".

#include <cstddef>
#include <string_view>

namespace core {

std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace core
