#pragma once
// Reads single JSON values from text of valid structure. A value is given by its start; `limit` is
// the end of the text. Never fails: unreadable values are absent.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace core {

bool is_json_null(const char* value, const char* limit);

// The value as written, including brackets and quotes.
std::string_view json_token(const char* value, const char* limit);

// `text` points after the opening quote; the view ends before the closing one. Escapes stay.
std::string_view raw_text(const char* text, const char* limit);

// Unescaped content of a text value, or the token of any other value. The view refers to the
// source, or to `scratch` if escapes were resolved.
std::string_view json_text(const char* value, const char* limit, std::string& scratch, bool* is_broken = nullptr);

// Converts numbers, booleans and texts of numbers, times `scale`, rounded. nullopt for anything else and out-of-range
// values.
std::optional<std::int64_t> json_integer(const char* value, const char* limit, double scale = 1);
// For ids and addresses: like json_integer, but unsigned numbers of 2^63 and more keep their 64 bits.
std::optional<std::int64_t> json_bits(const char* value, const char* limit);
std::optional<double> json_number(const char* value, const char* limit);

// Normalises process, thread and flow ids: 7, 7.0, "7" and (with `hex`) "0x7" give the same text.
std::string_view json_id(const char* value, const char* limit, std::string& scratch, bool hex);

// Removes white space between tokens.
std::string_view compact_json(std::string_view json, std::string& scratch);

}  // namespace core
