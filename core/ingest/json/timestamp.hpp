#pragma once
// Parses JSON microseconds to whole nanoseconds digit by digit, never through a double.

#include <cstdint>
#include <string_view>

namespace core {

struct ParsedTime {
    std::int64_t ns = 0;
    bool valid = false;    // the text is a number
    bool clamped = false;  // out of range, set to kLongestTime
};

// Times and durations clamp to 73 years either way, so base + time + duration always fits.
inline constexpr std::int64_t kLongestTime = 2'300'000'000'000'000'000;

// Rounds more than three decimals half up; accepts exponents.
ParsedTime parse_microseconds(std::string_view text);
// The same for a plain number of nanoseconds.
ParsedTime parse_nanoseconds(std::string_view text);

}  // namespace core
