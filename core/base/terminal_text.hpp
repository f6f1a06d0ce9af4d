#pragma once
// Text for a terminal. Every text that comes from a trace or a path passes through here before it is printed, so that
// it cannot move the cursor, set the title, reverse the direction of writing or fake a line of ours.

#include <string>
#include <string_view>

namespace core {

// Whether a terminal would act on the character instead of showing it: C0 and C1 controls, DEL, line separators,
// marks that change the direction of writing, invisible tags.
bool steers_terminal(char32_t);

// One line: '?' for each character that steers a terminal (line ends and tabs too), U+FFFD for bytes that are not
// UTF-8.
std::string terminal_text(std::string_view text);
// The same for a text of several lines: '\n' stays.
std::string terminal_lines(std::string_view text);

// A JSON document with such characters written as \uXXXX: the values are the same. Line ends between values stay.
std::string escape_json_for_terminal(std::string_view json);

}  // namespace core
