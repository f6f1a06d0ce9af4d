#pragma once
// The small change of Chrome's trace event JSON: times, ids and texts appended to a string, and JSON that came from
// a file made valid whatever was in it. Internal to core/export.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace core {

// Nanoseconds as microseconds with three decimals, exactly: -1500 is "-1.500".
void append_microseconds(std::string& out, std::int64_t ns);

// A JSON string with its quotes; control characters are escaped, bytes that are not UTF-8 become U+FFFD.
void append_json_text(std::string& out, std::string_view text);

// A process, thread or stream: a number where the text is one in its shortest form, else a string.
void append_json_id(std::string& out, std::string_view id);

// The one JSON value at the beginning of `json`, without space between tokens. What JSON does not know (NaN, 0x1f,
// raw control characters) becomes a string or an escape, so that what is appended is always valid. Returns how much
// of `json` the value takes; 0, and nothing is appended, if brackets and quotes do not match.
std::size_t append_mended_json(std::string& out, std::string_view json);

// The members of an object that append_mended_json wrote: the key without its quotes as written, the value as written.
void for_each_member(std::string_view object, const std::function<void(std::string_view, std::string_view)>& visit);

}  // namespace core
