#include "core/ingest/json/json_value.hpp"

#include "core/base/ascii.hpp"
#include "core/base/utf8.hpp"
#include "core/ingest/json/json_scan.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

namespace core {
namespace {

// The four hex digits after \u; nullopt if invalid.
std::optional<std::uint32_t> hex4(std::string_view digits) {
    if (digits.size() < 4) return std::nullopt;
    std::uint32_t code = 0;
    const auto parsed = std::from_chars(digits.data(), digits.data() + 4, code, 16);
    if (parsed.ptr != digits.data() + 4) return std::nullopt;
    return code;
}

// `raw` starts with \u; returns the number of bytes consumed. An unpaired surrogate becomes U+FFFD.
std::size_t append_code_point(std::string& to, std::string_view raw) {
    const std::optional<std::uint32_t> high = hex4(raw.substr(2));
    if (!high) {
        to += "\\u";
        return 2;
    }
    if (*high < 0xD800 || *high > 0xDFFF) {
        append_utf8(to, *high);
        return 6;
    }
    const bool pair = *high < 0xDC00 && raw.substr(6).starts_with("\\u");
    const std::optional<std::uint32_t> low = pair ? hex4(raw.substr(8)) : std::nullopt;
    const bool whole = low && *low >= 0xDC00 && *low <= 0xDFFF;
    append_utf8(to, whole ? 0x10000 + ((*high - 0xD800) << 10) + (*low - 0xDC00) : 0xFFFD);
    return whole ? 12 : 6;
}

// A backslash that begins no escape of JSON: the writer left paths and the like as they were.
bool has_broken_escape(std::string_view raw) {
    for (std::size_t i = raw.find('\\'); i < raw.size(); i = raw.find('\\', i + 2)) {
        if (i + 1 == raw.size()) return true;
        const char letter = raw[i + 1];
        if (letter == 'u' ? !hex4(raw.substr(i + 2)) : std::string_view("\"\\/bfnrt").find(letter) == kNotFound)
            return true;
    }
    return false;
}

// With a broken escape, letters after a backslash are letters: C:\new\count has no line break.
std::string_view unescape(std::string_view raw, bool broken, std::string& scratch) {
    constexpr std::string_view kLetters = "bfnrt";
    constexpr std::string_view kControls = "\b\f\n\r\t";
    scratch.clear();
    for (std::size_t i = 0; i < raw.size();) {
        if (raw[i] != '\\' || i + 1 == raw.size()) {
            scratch += raw[i++];
            continue;
        }
        const char letter = raw[i + 1];
        if (letter == 'u') {
            i += append_code_point(scratch, raw.substr(i));
            continue;
        }
        const std::size_t control = kLetters.find(letter);
        const bool is_kept = broken && std::string_view("\"\\/").find(letter) == kNotFound;
        if (is_kept) scratch += '\\';
        scratch += is_kept || control == kNotFound ? letter : kControls[control];
        i += 2;
    }
    return scratch;
}

std::optional<double> parse_number(std::string_view text) {
    double number = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() && !text.empty();
    return whole && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

// `wide`: decimal numbers of 2^63 and more keep their 64 bits; hexadecimal ones always do.
std::optional<std::int64_t> parse_integer(std::string_view text, double scale, bool wide) {
    if (scale == 1) {
        std::int64_t integer = 0;
        const bool hex = text.starts_with("0x") || text.starts_with("0X");
        const char* const begin = text.data() + (hex ? 2 : 0);
        const char* const end = text.data() + text.size();
        if (!hex) {
            const auto parsed = std::from_chars(begin, end, integer);
            if (parsed.ec == std::errc() && parsed.ptr == end) return integer;
        }
        if (hex || wide) {
            std::uint64_t bits = 0;
            const auto parsed = std::from_chars(begin, end, bits, hex ? 16 : 10);
            if (parsed.ec == std::errc() && parsed.ptr == end) return static_cast<std::int64_t>(bits);
        }
    }
    const std::optional<double> number = parse_number(text);
    if (!number || std::abs(*number * scale) > 9.2e18) return std::nullopt;
    return std::llround(*number * scale);
}

std::optional<std::int64_t> read_integer(const char* value, const char* limit, double scale, bool wide) {
    // Fast path: a few digits.
    std::int64_t small = 0;
    const char* end = value;
    while (end < limit && end < value + 18 && is_digit(*end)) small = small * 10 + (*end++ - '0');
    if (scale == 1 && end > value && end < limit && (*end == ',' || *end == '}' || is_json_space(*end))) return small;

    std::string scratch;
    if (*value == '{' || *value == '[') return std::nullopt;
    const std::string_view text = json_text(value, limit, scratch);
    if (*value != '"' && text == "true") return 1;
    if (*value != '"' && text == "false") return 0;
    return parse_integer(text, scale, wide);
}

}  // namespace

std::string_view raw_text(const char* text, const char* limit) {
    for (const char* p = text;;) {
        const void* const found = p < limit ? std::memchr(p, '"', static_cast<std::size_t>(limit - p)) : nullptr;
        if (found == nullptr) return {text, static_cast<std::size_t>(std::max(p, limit) - text)};
        const char* const quote = static_cast<const char*>(found);
        const char* before = quote;
        while (before > text && before[-1] == '\\') --before;
        if ((quote - before) % 2 == 0) return {text, static_cast<std::size_t>(quote - text)};
        p = quote + 1;
    }
}

std::string_view json_token(const char* value, const char* limit) {
    const std::string_view rest{value, static_cast<std::size_t>(limit - value)};
    if (rest.empty()) return rest;
    if (*value == '"') {
        const std::size_t size = raw_text(value + 1, limit).size();
        return rest.substr(0, size + 2);
    }
    if (*value == '{' || *value == '[') return rest.substr(0, find_container_end(rest));
    const char* end = value;
    while (end < limit && *end != ',' && *end != '}' && *end != ']' && !is_json_space(*end)) ++end;
    return rest.substr(0, static_cast<std::size_t>(end - value));
}

std::string_view json_text(const char* value, const char* limit, std::string& scratch, bool* is_broken) {
    if (value >= limit || *value != '"') return json_token(value, limit);
    const std::string_view raw = raw_text(value + 1, limit);
    const bool plain = raw.empty() || std::memchr(raw.data(), '\\', raw.size()) == nullptr;
    if (plain) return raw;
    const bool broken = has_broken_escape(raw);
    if (is_broken) *is_broken = *is_broken || broken;
    return unescape(raw, broken, scratch);
}

bool is_json_null(const char* value, const char* limit) { return json_token(value, limit) == "null"; }

std::optional<std::int64_t> json_integer(const char* value, const char* limit, double scale) {
    return read_integer(value, limit, scale, false);
}

std::optional<std::int64_t> json_bits(const char* value, const char* limit) {
    return read_integer(value, limit, 1, true);
}

std::optional<double> json_number(const char* value, const char* limit) {
    std::string scratch;
    if (*value == '{' || *value == '[') return std::nullopt;
    return parse_number(json_text(value, limit, scratch));
}

std::string_view json_id(const char* value, const char* limit, std::string& scratch, bool hex) {
    if (value == nullptr || value >= limit || *value == '{' || *value == '[') return {};
    const std::string_view text = json_text(value, limit, scratch);
    if (*value == '"') {
        if (!hex || !text.starts_with("0x")) return text;
        const std::optional<std::int64_t> number = parse_integer(text, 1, true);
        if (!number) return text;
        scratch = std::to_string(static_cast<std::uint64_t>(*number));
        return scratch;
    }
    if (text == "null") return {};
    if (std::ranges::all_of(text, is_digit)) return text;
    const std::optional<double> number = parse_number(text);
    if (!number || *number != std::floor(*number) || std::abs(*number) > 9e15) return text;
    scratch = std::to_string(static_cast<std::int64_t>(*number));
    return scratch;
}

std::string_view compact_json(std::string_view json, std::string& scratch) {
    scratch.resize(json.size());
    char* to = scratch.data();
    bool in_text = false;
    bool escaped = false;
    for (const char c : json) {
        *to = c;
        to += in_text || !is_json_space(c) ? 1 : 0;
        in_text = in_text != (c == '"' && !escaped);
        escaped = c == '\\' && !escaped && in_text;
    }
    scratch.resize(static_cast<std::size_t>(to - scratch.data()));
    return scratch;
}

}  // namespace core
