#pragma once
// Names of memory events, whichever file they came from.

#include <string_view>

namespace core {

inline constexpr std::string_view kMemoryEvent = "[memory]";  // instant: one allocation or free
inline constexpr std::string_view kMemoryByCategory =
    "memory by category (bytes)";  // counter with one series per category

}  // namespace core
