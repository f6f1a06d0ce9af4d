#pragma once
// Reads single JSON values out of text whose structure is already known to be sound. A value is where it begins;
// `limit` is the end of the text it lies in. Nothing here fails: what cannot be read is absent.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace core {

// The whole value as written, brackets and quotes included.
std::string_view json_token(const char* value, const char* limit);

// `text` points behind the opening quote; the view ends before the closing one. Escapes are not resolved.
std::string_view raw_text(const char* text, const char* limit);

// Content of a text value with escapes resolved, or the token of any other value. The view is into the source, or
// into `scratch` where something had to be resolved.
std::string_view json_text(const char* value, const char* limit, std::string& scratch);

// Integers, numbers, booleans and texts of numbers, times `scale`, rounded. Unsigned numbers beyond 2^63 keep their
// bits. Absent for anything else and for what does not fit.
std::optional<std::int64_t> json_integer(const char* value, const char* limit, double scale = 1);
std::optional<double> json_number(const char* value, const char* limit);

// Process, thread and flow ids: 7, 7.0, "7" and (with `hex`) "0x7" are the same text.
std::string_view json_id(const char* value, const char* limit, std::string& scratch, bool hex);

// Without the space between tokens.
std::string_view compact_json(std::string_view json, std::string& scratch);

}  // namespace core
