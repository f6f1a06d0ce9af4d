#pragma once
// Writes pieces of Chrome's trace event JSON: appends times, ids and texts to a string, and repairs
// JSON that came from a file. Internal to core/export.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace core {

// Nanoseconds as microseconds with three decimals, exactly: -1500 is "-1.500".
void append_microseconds(std::string& out, std::int64_t ns);

// A quoted JSON string; escapes control characters, invalid UTF-8 becomes U+FFFD.
void append_json_text(std::string& out, std::string_view text);

// A process, thread or stream id: a number if the text is a canonical number, else a string.
void append_json_id(std::string& out, std::string_view id);

// Appends the JSON value at the start of `json` without whitespace between tokens. Invalid tokens
// (NaN, 0x1f, raw control characters) become strings or escapes, so the output is always valid.
// Returns the length of the value in `json`; 0, appending nothing, if brackets or quotes don't
// match.
std::size_t append_mended_json(std::string& out, std::string_view json);

// Visits the members of an object written by append_mended_json: raw key without quotes, raw value.
void for_each_member(std::string_view object, const std::function<void(std::string_view, std::string_view)>& visit);

}  // namespace core
