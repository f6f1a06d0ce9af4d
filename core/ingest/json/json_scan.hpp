#pragma once
// Finds the ends of JSON values without parsing: knows strings, escapes and nesting only. Used to
// split a stream into whole events, and to visit events one by one when a parser refuses them
// together. Scans 64 bytes at a time. Also repairs writers' mistakes inside one event.

#include <cstddef>
#include <string>
#include <string_view>

namespace core {

inline constexpr std::size_t kNotFound = std::string_view::npos;

inline bool is_json_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// text[0] is { or [. Returns one past its closing bracket, or kNotFound. Doesn't distinguish kinds
// of brackets.
std::size_t find_container_end(std::string_view text);

// text[0] is the opening quote. Returns one past the closing one, or kNotFound.
std::size_t find_string_end(std::string_view text);

// The first ] at or after `from` that may close a list of objects (first byte, or after }, comma or
// white space); or kNotFound.
std::size_t find_outer_bracket(std::string_view text, std::size_t from);

// An element of a list, or its end.
struct ListElement {
    enum class Kind { Object, Other, ListEnd, Incomplete, Nothing };
    Kind kind = Kind::Nothing;
    std::size_t begin = 0;  // for ListEnd: position of the ]
    std::size_t end = 0;
    std::size_t commas = 0;  // commas skipped before it
};
// The first element at or after `from`. Nothing: only white space and commas remain.
ListElement find_element(std::string_view text, std::size_t from);

enum class Repair { Characters, Quotes };
// Escapes raw control characters and replaces invalid UTF-8 by U+FFFD; with Quotes, also escapes
// quotes inside a text (not followed by , : } ]).
std::string repair_json(std::string_view text, Repair repair);

}  // namespace core
