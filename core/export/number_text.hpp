#pragma once
// The shortest text of a double that reads back exactly, independent of the locale; "null" for NaN
// and infinities, which JSON cannot hold.

#include <string>

namespace core {

std::string shortest_text(double value);

}  // namespace core
