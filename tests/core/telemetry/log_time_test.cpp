#include "core/telemetry/log_time.hpp"

#include <doctest/doctest.h>

using namespace core;

TEST_CASE("an epoch is in seconds to nanoseconds by its size") {
    for (const char* const text : {"1788383643", "1788383643000", "1788383643000000", "1788383643000000000"}) {
        CAPTURE(text);
        const std::optional<LogTime> time = parse_epoch(text);
        REQUIRE(time);
        CHECK(time->ns == 1'788'383'643'000'000'000);
        CHECK(time->has_zone);
    }
    CHECK_FALSE(parse_epoch("18296"));
}

TEST_CASE("an epoch beyond any date is none, whatever its unit") {
    CHECK_FALSE(parse_epoch("99999990305332"));  // as milliseconds it is more than 64 bits of nanoseconds
    CHECK_FALSE(parse_epoch("99999999999"));
    CHECK_FALSE(parse_epoch("99999999999999999"));
    CHECK_FALSE(parse_epoch("9223372036854775807"));
    CHECK_FALSE(parse_epoch("99999990305332.5"));
}
