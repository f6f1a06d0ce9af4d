#pragma once
// Number formatting for tables, tooltips, rulers and the command line.
//
// Short forms have three significant digits, rounded half away from zero, with a unit chosen by size
// (999.95 us is "1.00 ms"); exact forms lose nothing. Independent of the locale; commas group
// thousands; non-finite values print as "-". CSV and JSON write plain numbers instead.

#include "core/base/units.hpp"

#include <string>
#include <string_view>

namespace core {

std::string format_duration(Duration);                 // "0 ns", "123 ns", "1.23 ms", "-45.6 s", "2.50 min"
std::string format_duration_exact(Duration);           // "1,234,567 ns"
std::string format_bytes(std::int64_t bytes);          // "17 B", "1.50 KiB", "12.3 GiB"
std::string format_bytes_exact(std::int64_t bytes);    // "1,234,567 B"
std::string format_bytes_per_second(double rate);      // "1.23 GB/s", decimal
std::string format_count(std::int64_t count);          // "1,234,567"
std::string format_count(std::uint64_t count);
inline std::string format_count(int count) { return format_count(std::int64_t{count}); }
// "1 rank", "1,234 ranks".
std::string format_plural(std::uint64_t count, std::string_view one, std::string_view many);
std::string format_ratio(double ratio);                // of 1: "12.3 %", "1.23 %", "<0.01 %"
std::string format_number(double number);              // "12", "0.1235", "1,235", "1.235e+20": four digits or more
// A time on a ruler with ticks `step` apart, with enough decimals to tell neighbouring ticks apart.
std::string format_time_offset(Duration offset, Duration step);  // "1.2345 s" for a step of 100 us

}  // namespace core
