#include "core/base/utf8.hpp"

#include <algorithm>

namespace core {

CodePoint decode_utf8(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text[0]);
    if (lead < 0x80) return {.value = lead, .bytes = 1, .valid = true};
    const std::size_t bytes = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
    if (bytes == 0 || text.size() < bytes) return {};
    char32_t value = lead & (0x7Fu >> bytes);
    for (std::size_t i = 1; i < bytes; ++i) {
        if (!continues_utf8(text[i])) return {};
        value = (value << 6) | (static_cast<unsigned char>(text[i]) & 0x3Fu);
    }
    const char32_t least = bytes == 2 ? 0x80 : bytes == 3 ? 0x800 : 0x10000;
    const bool is_surrogate = value >= 0xD800 && value <= 0xDFFF;
    if (value < least || value > 0x10FFFF || is_surrogate) return {};
    return {.value = value, .bytes = bytes, .valid = true};
}

void append_utf8(std::string& to, char32_t code_point) {
    const auto put = [&](char32_t byte) { to += static_cast<char>(static_cast<unsigned char>(byte)); };
    const auto put_last = [&](unsigned shift) { put(0x80 | (code_point >> shift & 0x3F)); };
    if (code_point < 0x80) {
        put(code_point);
        return;
    }
    if (code_point < 0x800) {
        put(0xC0 | code_point >> 6);
    } else if (code_point < 0x10000) {
        put(0xE0 | code_point >> 12);
        put_last(6);
    } else {
        put(0xF0 | code_point >> 18);
        put_last(12);
        put_last(6);
    }
    put_last(0);
}

std::string_view cut_utf8(std::string_view text, std::size_t most_bytes) {
    if (text.size() <= most_bytes) return text;
    while (most_bytes > 0 && continues_utf8(text[most_bytes])) --most_bytes;
    return text.substr(0, most_bytes);
}

std::string shorten_utf8(std::string_view text, std::size_t most_bytes, std::string_view ellipsis) {
    if (text.size() <= most_bytes) return std::string(text);
    return std::string(cut_utf8(text, most_bytes)).append(ellipsis);
}

std::size_t count_characters(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return !continues_utf8(c); }));
}

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const CodePoint point = decode_utf8(text);
        if (!point.valid) return false;
        text.remove_prefix(point.bytes);
    }
    return true;
}

}  // namespace core
