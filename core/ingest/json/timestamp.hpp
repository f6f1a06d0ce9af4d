#pragma once
// Microseconds as JSON writes them, to whole nanoseconds, digit by digit: never through a double.

#include <cstdint>
#include <string_view>

namespace core {

struct ParsedTime {
    std::int64_t ns = 0;
    bool valid = false;    // the text is a number
    bool clamped = false;  // beyond what is kept: cut at kLongestTime
};

// Times and durations beyond 73 years either way are cut there, so that base + time + duration always fits.
inline constexpr std::int64_t kLongestTime = 2'300'000'000'000'000'000;

// More than three decimals are rounded half up; exponents are understood.
ParsedTime parse_microseconds(std::string_view text);
// The same for a plain number of nanoseconds.
ParsedTime parse_nanoseconds(std::string_view text);

}  // namespace core
