#pragma once
// Text without regard to the case of ASCII letters, whatever the locale.

#include <algorithm>
#include <string_view>

namespace core {

constexpr char lower_ascii(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

inline bool contains_any_case(std::string_view text, std::string_view part) {
    return part.empty() || !std::ranges::search(text, part, {}, lower_ascii, lower_ascii).empty();
}

}  // namespace core
