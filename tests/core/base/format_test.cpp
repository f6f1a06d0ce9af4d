#include "core/base/format.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <limits>
#include <random>
#include <string_view>

using namespace core;

namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::string duration(std::int64_t ns) { return format_duration(Duration{ns}); }
std::string offset(std::int64_t ns, std::int64_t step) { return format_time_offset(Duration{ns}, Duration{step}); }

}  // namespace

TEST_CASE("a duration has three significant digits and a unit chosen by its size") {
    CHECK(duration(0) == "0 ns");
    CHECK(duration(1) == "1 ns");
    CHECK(duration(999) == "999 ns");
    CHECK(duration(1'000) == "1.00 \xc2\xb5s");
    CHECK(duration(1'234) == "1.23 \xc2\xb5s");
    CHECK(duration(12'345) == "12.3 \xc2\xb5s");
    CHECK(duration(123'456) == "123 \xc2\xb5s");
    CHECK(duration(1'234'567) == "1.23 ms");
    CHECK(duration(45'600'000'000) == "45.6 s");
    CHECK(duration(150'000'000'000) == "2.50 min");
    CHECK(duration(86'400'000'000'000) == "1,440 min");
}

TEST_CASE("a duration rounds half away from zero and moves to the next unit when rounding fills this one") {
    CHECK(duration(9'994) == "9.99 \xc2\xb5s");
    CHECK(duration(9'995) == "10.0 \xc2\xb5s");
    CHECK(duration(99'949) == "99.9 \xc2\xb5s");
    CHECK(duration(99'950) == "100 \xc2\xb5s");
    CHECK(duration(999'499) == "999 \xc2\xb5s");
    CHECK(duration(999'950) == "1.00 ms");
    CHECK(duration(999'500) == "1.00 ms");
    CHECK(duration(59'949'999'999) == "59.9 s");
    CHECK(duration(59'950'000'000) == "1.00 min");
    CHECK(duration(60'000'000'000) == "1.00 min");
}

TEST_CASE("negative durations mirror positive ones") {
    CHECK(duration(-1) == "-1 ns");
    CHECK(duration(-1'500) == "-1.50 \xc2\xb5s");
    CHECK(duration(-999'950) == "-1.00 ms");
}

TEST_CASE("the ends of the 64-bit range print") {
    CHECK(duration(kMost) == "153,722,867 min");
    CHECK(duration(kLeast) == "-153,722,867 min");
    CHECK(format_duration_exact(Duration{kLeast}) == "-9,223,372,036,854,775,808 ns");
    CHECK(format_count(kMost) == "9,223,372,036,854,775,807");
    CHECK(format_bytes(kMost) == "8,388,608 TiB");
    CHECK(format_bytes(kLeast) == "-8,388,608 TiB");
    CHECK(offset(kLeast, 1) == "-9,223,372,036.854775808 s");
}

TEST_CASE("exact forms keep every digit, grouped by thousands") {
    CHECK(format_duration_exact(Duration{1'234'567}) == "1,234,567 ns");
    CHECK(format_duration_exact(Duration{-999}) == "-999 ns");
    CHECK(format_bytes_exact(1'048'576) == "1,048,576 B");
    CHECK(format_count(0) == "0");
    CHECK(format_count(1'000) == "1,000");
    CHECK(format_count(-123'456) == "-123,456");
}

TEST_CASE("bytes use binary units") {
    CHECK(format_bytes(0) == "0 B");
    CHECK(format_bytes(1'023) == "1,023 B");
    CHECK(format_bytes(1'024) == "1.00 KiB");
    CHECK(format_bytes(1'536) == "1.50 KiB");
    CHECK(format_bytes(1'048'575) == "1.00 MiB");
    CHECK(format_bytes(1'010 * 1'024) == "1,010 KiB");
    CHECK(format_bytes(std::int64_t{5} << 30) == "5.00 GiB");
}

TEST_CASE("rates use decimal units") {
    CHECK(format_bytes_per_second(0) == "0 B/s");
    CHECK(format_bytes_per_second(1.234e9) == "1.23 GB/s");
    CHECK(format_bytes_per_second(999.7) == "1.00 kB/s");
    CHECK(format_bytes_per_second(12.34e6) == "12.3 MB/s");
    CHECK(format_bytes_per_second(123.4e9) == "123 GB/s");
    CHECK(format_bytes_per_second(kNan) == "-");
    CHECK(format_bytes_per_second(-kInfinity) == "-");
}

TEST_CASE("a ratio prints as percent and a small one never looks like none") {
    CHECK(format_ratio(0) == "0 %");
    CHECK(format_ratio(0.123) == "12.3 %");
    CHECK(format_ratio(1) == "100.0 %");
    CHECK(format_ratio(0.0123) == "1.23 %");
    CHECK(format_ratio(0.00001) == "<0.01 %");
    CHECK(format_ratio(-0.00001) == ">-0.01 %");
    CHECK(format_ratio(-0.5) == "-50.0 %");
    CHECK(format_ratio(25) == "2,500.0 %");
    CHECK(format_ratio(kNan) == "-");
}

TEST_CASE("a plain number keeps at least four significant digits and no trailing zeros") {
    CHECK(format_number(0) == "0");
    CHECK(format_number(12) == "12");
    CHECK(format_number(12.5) == "12.5");
    CHECK(format_number(0.123456) == "0.1235");
    CHECK(format_number(-1234.56) == "-1,235");
    CHECK(format_number(1234567) == "1,234,567");
    CHECK(format_number(1.2345e20) == "1.234e+20");
    CHECK(format_number(kInfinity) == "-");
}

TEST_CASE("ruler labels have as many decimals as their step needs") {
    CHECK(offset(0, 1'000'000) == "0 ms");
    CHECK(offset(3'000'000, 1'000'000) == "3 ms");
    CHECK(offset(1'234'000'000, 1'000'000) == "1.234 s");
    CHECK(offset(1'234'500'000, 100'000) == "1.2345 s");
    CHECK(offset(1'000'000, 500'000) == "1.0 ms");
    CHECK(offset(-250, 50) == "-250 ns");
    CHECK(offset(7'000'000'000, 1) == "7.000000000 s");
}

TEST_CASE("neighbouring ticks never share a label") {
    std::mt19937_64 random(7);
    const std::int64_t factors[] = {1, 2, 5, 25};
    for (int i = 0; i < 2'000; ++i) {
        std::int64_t step = factors[random() % 4];
        for (auto power = random() % 11; power > 0; --power) step *= 10;
        const std::int64_t tick = (static_cast<std::int64_t>(random() % 2'000'000) - 1'000'000) * step;
        CHECK(offset(tick, step) != offset(tick + step, step));
    }
}
