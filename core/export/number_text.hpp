#pragma once
// A finite double in the fewest digits that read back as the same number, whatever the locale.

#include <string>

namespace core {

std::string shortest_text(double value);

}  // namespace core
