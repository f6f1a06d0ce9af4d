#pragma once
// Names by which events of memory are known, whichever file they came from.

#include <string_view>

namespace core {

inline constexpr std::string_view kMemoryEvent = "[memory]";  // a moment: one allocation or free
inline constexpr std::string_view kMemoryByCategory = "memory by category (bytes)";  // a counter, a series for each

}  // namespace core
