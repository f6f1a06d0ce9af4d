#pragma once
// UTF-8: decode, encode, and cut texts without splitting a character.

#include <cstddef>
#include <string>
#include <string_view>

namespace core {

inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";  // U+FFFD
inline constexpr std::string_view kEllipsis = "\xE2\x80\xA6";     // U+2026

// Whether the byte is a second or later byte of a character.
constexpr bool continues_utf8(char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u; }

struct CodePoint {
    char32_t value = U'\uFFFD';
    std::size_t bytes = 1;
    bool valid = false;
};
// The character at the front of a text that is not empty. A byte that begins none (overlong, surrogate, cut short,
// beyond U+10FFFF) is U+FFFD, one byte long and not valid.
CodePoint decode_utf8(std::string_view text);
void append_utf8(std::string& to, char32_t code_point);  // a valid one

// The longest beginning of at most `most_bytes` bytes that ends between characters.
std::string_view cut_utf8(std::string_view text, std::size_t most_bytes);
// The text itself, or its beginning of at most `most_bytes` bytes and the ellipsis.
std::string shorten_utf8(std::string_view text, std::size_t most_bytes, std::string_view ellipsis = kEllipsis);
std::size_t count_characters(std::string_view text);
bool is_utf8(std::string_view text);

}  // namespace core
