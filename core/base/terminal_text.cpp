#include "core/base/terminal_text.hpp"

#include "core/base/utf8.hpp"

#include <algorithm>
#include <array>
#include <ranges>

namespace core {
namespace {

struct CharacterRange {
    char32_t first;
    char32_t last;
};

constexpr std::array<CharacterRange, 9> kSteering = {{
    {0x00, 0x1F},        // C0
    {0x7F, 0x9F},        // DEL and C1
    {0x61C, 0x61C},      // Arabic letter mark
    {0x200E, 0x200F},    // left-to-right and right-to-left marks
    {0x2028, 0x202E},    // line and paragraph separators, embeddings and overrides
    {0x2066, 0x2069},    // isolates
    {0x206A, 0x206F},    // deprecated format controls
    {0xFFF9, 0xFFFB},    // interlinear annotation
    {0xE0000, 0xE007F},  // tags
}};

bool is_plain_ascii(char c) { return c >= 0x20 && c < 0x7F; }

std::string replace_steering(std::string_view text, bool keep_line_ends) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const std::size_t plain =
            static_cast<std::size_t>(std::ranges::find_if_not(text, is_plain_ascii) - text.begin());
        out += text.substr(0, plain);
        text.remove_prefix(plain);
        if (text.empty()) break;
        const CodePoint point = decode_utf8(text);
        if (steers_terminal(point.value))
            out += keep_line_ends && point.value == '\n' ? '\n' : '?';
        else if (!point.valid)
            out += kReplacementCharacter;
        else
            out += text.substr(0, point.bytes);
        text.remove_prefix(point.bytes);
    }
    return out;
}

void add_json_escape(std::string& out, char32_t value) {
    const auto add = [&](unsigned unit) {
        constexpr std::string_view kDigits = "0123456789abcdef";
        out += "\\u";
        for (const unsigned shift : {12u, 8u, 4u, 0u}) out += kDigits[unit >> shift & 0xFu];
    };
    if (value <= 0xFFFF) return add(static_cast<unsigned>(value));
    const unsigned rest = static_cast<unsigned>(value) - 0x10000;
    add(0xD800u + (rest >> 10));
    add(0xDC00u + (rest & 0x3FFu));
}

}  // namespace

bool steers_terminal(char32_t c) {
    return std::ranges::any_of(kSteering,
                               [&](const CharacterRange& range) { return c >= range.first && c <= range.last; });
}

std::string terminal_text(std::string_view text) { return replace_steering(text, false); }
std::string terminal_lines(std::string_view text) { return replace_steering(text, true); }

std::string escape_json_for_terminal(std::string_view json) {
    std::string out;
    out.reserve(json.size());
    while (!json.empty()) {
        const std::size_t plain =
            static_cast<std::size_t>(std::ranges::find_if_not(json, is_plain_ascii) - json.begin());
        out += json.substr(0, plain);
        json.remove_prefix(plain);
        if (json.empty()) break;
        const CodePoint point = decode_utf8(json);
        const bool is_space = point.value == '\n' || point.value == '\t' || point.value == '\r';
        if (!is_space && steers_terminal(point.value))
            add_json_escape(out, point.value);
        else
            out += json.substr(0, point.bytes);
        json.remove_prefix(point.bytes);
    }
    return out;
}

}  // namespace core
