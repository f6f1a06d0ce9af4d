#pragma once
// ASCII character and text functions, independent of the locale.

#include <algorithm>
#include <string_view>

namespace core {

constexpr char lower_ascii(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

inline bool contains_any_case(std::string_view text, std::string_view part) {
    return part.empty() || !std::ranges::search(text, part, {}, lower_ascii, lower_ascii).empty();
}

}  // namespace core
