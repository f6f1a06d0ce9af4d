#pragma once
// Times as logs write them, in nanoseconds since 1970: of UTC where the text names a zone, else of an unknown one.

#include <cstdint>
#include <optional>
#include <string_view>

namespace core {

struct LogTime {
    std::int64_t ns = 0;
    bool has_zone = false;
    bool has_year = true;  // false: ns is of the year 1970
};

struct FoundTime {
    LogTime time;
    std::size_t end = 0;  // behind its text
};

// At the begin of the text: "2026/09/02 21:14:03.117", "2026-09-02T21:14:03.117+02:00", "20260902 21:14:03",
// "Sep  2 21:14:03"; also in brackets or quotes.
std::optional<FoundTime> find_time(std::string_view text);

// A number since 1970: seconds, milliseconds, microseconds or nanoseconds by its size.
std::optional<LogTime> parse_epoch(std::string_view text);

// "+02:00", "-0530", "Z": seconds east of UTC.
std::optional<std::int64_t> parse_utc_offset(std::string_view text);

// A time without a year, in the year in which it is nearest to `near`.
std::int64_t with_year_near(std::int64_t of_1970, std::int64_t near);

}  // namespace core
