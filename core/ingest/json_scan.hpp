#pragma once
// Finds where JSON values end, without parsing them: knows strings, escapes and nesting, nothing else. Used to cut
// a stream into whole events, and to go through events one by one where a parser refuses them together.
// Runs over 64 bytes at a time. Also mends what writers get wrong inside one event.

#include <cstddef>
#include <string>
#include <string_view>

namespace core {

inline constexpr std::size_t kNotFound = std::string_view::npos;

inline bool is_json_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// text[0] is { or [: one past the bracket that closes it, or kNotFound. Kinds of brackets are not told apart.
std::size_t find_container_end(std::string_view text);

// text[0] is the opening quote: one past the closing one, or kNotFound.
std::size_t find_string_end(std::string_view text);

// The first ] at or after `from` that stands first or behind a }, a comma or white space, as one does that closes a
// list of objects; or kNotFound.
std::size_t find_outer_bracket(std::string_view text, std::size_t from);

// One element of a list, or what follows the last.
struct ListElement {
    enum class Kind { Object, Other, ListEnd, Incomplete, Nothing };
    Kind kind = Kind::Nothing;
    std::size_t begin = 0;  // of ListEnd: where the ] is
    std::size_t end = 0;
    std::size_t commas = 0;  // passed before it
};
// The first element at or after `from`. Nothing: only space and commas are left.
ListElement find_element(std::string_view text, std::size_t from);

enum class Repair { Characters, Quotes };
// Raw control characters become escapes and bytes that are no UTF-8 become U+FFFD; with Quotes, a quote inside a
// text (not followed by , : } ]) is escaped as well.
std::string repair_json(std::string_view text, Repair repair);

}  // namespace core
