#include "core/ingest/json/timestamp.hpp"

#include "core/base/ascii.hpp"

#include <algorithm>

namespace core {
namespace {

__extension__ using Wide = unsigned __int128;

// digits * 10^exponent; digits beyond the 30th only move the exponent.
struct Decimal {
    bool negative = false;
    bool valid = false;
    Wide digits = 0;
    int count = 0;
    int exponent = 0;

    void push(char c, bool fraction) {
        if (count >= 30) {
            exponent += fraction ? 0 : 1;
            return;
        }
        digits = digits * 10 + static_cast<unsigned>(c - '0');
        if (digits != 0) ++count;
        exponent -= fraction ? 1 : 0;
    }
};

Decimal parse_decimal(std::string_view text) {
    Decimal number;
    std::size_t i = 0;
    const auto at = [&](std::size_t k) { return k < text.size() ? text[k] : '\0'; };
    number.negative = at(0) == '-';
    if (at(0) == '-' || at(0) == '+') ++i;
    const std::size_t first = i;
    for (; is_digit(at(i)); ++i) number.push(text[i], false);
    std::size_t digits = i - first;
    if (at(i) == '.') {
        for (++i; is_digit(at(i)); ++i, ++digits) number.push(text[i], true);
    }
    if (digits == 0) return number;
    if (at(i) == 'e' || at(i) == 'E') {
        ++i;
        const bool down = at(i) == '-';
        if (at(i) == '-' || at(i) == '+') ++i;
        if (!is_digit(at(i))) return number;
        int exponent = 0;
        for (; is_digit(at(i)); ++i) exponent = std::min(exponent * 10 + (text[i] - '0'), 100000);
        number.exponent += down ? -exponent : exponent;
    }
    number.valid = i == text.size();
    return number;
}

ParsedTime scale(Decimal number, int exponent) {
    if (!number.valid) return {};
    constexpr auto kLongest = static_cast<Wide>(kLongestTime);
    ParsedTime time{.ns = 0, .valid = true, .clamped = false};
    exponent += number.exponent;
    for (; exponent > 0 && number.digits != 0 && number.digits <= kLongest; --exponent) number.digits *= 10;
    if (exponent < -40) number.digits = 0;
    for (; exponent < -1 && number.digits != 0; ++exponent) number.digits /= 10;
    if (exponent == -1) number.digits = number.digits / 10 + (number.digits % 10 >= 5 ? 1 : 0);
    time.clamped = number.digits > kLongest;
    const auto magnitude = static_cast<std::int64_t>(std::min(number.digits, kLongest));
    time.ns = number.negative ? -magnitude : magnitude;
    return time;
}

}  // namespace

ParsedTime parse_microseconds(std::string_view text) {
    // Fast path: up to 16 digits and three decimals.
    constexpr std::int64_t kLargest = kLongestTime / 1000 - 1;
    std::int64_t us = 0;
    std::size_t i = 0;
    for (; i < text.size() && i < 17 && is_digit(text[i]); ++i) us = us * 10 + (text[i] - '0');
    const bool few = i > 0 && us <= kLargest;
    if (few && i == text.size()) return {.ns = us * 1000, .valid = true, .clamped = false};
    if (few && text[i] == '.' && text.size() - i - 1 <= 3 && text.size() > i + 1) {
        std::int64_t ns = us;
        std::size_t decimals = 0;
        for (++i; i < text.size() && is_digit(text[i]); ++i, ++decimals) ns = ns * 10 + (text[i] - '0');
        for (; decimals < 3; ++decimals) ns *= 10;
        if (i == text.size()) return {.ns = ns, .valid = true, .clamped = false};
    }
    return scale(parse_decimal(text), 3);
}

ParsedTime parse_nanoseconds(std::string_view text) { return scale(parse_decimal(text), 0); }

}  // namespace core
