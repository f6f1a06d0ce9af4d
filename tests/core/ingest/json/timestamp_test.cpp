#include "core/ingest/json/timestamp.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <random>
#include <string>

using namespace core;

TEST_CASE("microseconds with up to three decimals are exact nanoseconds") {
    CHECK(parse_microseconds("0").ns == 0);
    CHECK(parse_microseconds("1").ns == 1000);
    CHECK(parse_microseconds("1.5").ns == 1500);
    CHECK(parse_microseconds("1.05").ns == 1050);
    CHECK(parse_microseconds("1.005").ns == 1005);
    CHECK(parse_microseconds("1365627949865.643").ns == 1365627949865643);
    CHECK(parse_microseconds("1736405443863674.400").ns == 1736405443863674400);
    CHECK(parse_microseconds("-3.25").ns == -3250);
}

TEST_CASE("more decimals are rounded half up and exponents are understood") {
    CHECK(parse_microseconds("1.0004").ns == 1000);
    CHECK(parse_microseconds("1.0005").ns == 1001);
    CHECK(parse_microseconds("1.00049999999999999999999999999999999999").ns == 1000);
    CHECK(parse_microseconds("1.6981e15").ns == 1698100000000000000);
    CHECK(parse_microseconds("1698080323775554.5e0").ns == 1698080323775554500);
    CHECK(parse_microseconds("12e-4").ns == 1);
    CHECK(parse_microseconds("1e-400").ns == 0);
    CHECK(parse_microseconds("0e99999999").ns == 0);
}

TEST_CASE("absurd values are cut and say so") {
    for (const char* text :
         {"1e30", "99999999999999999999999999999999999999999999", "2300000000000001", "1e999999999"}) {
        const ParsedTime time = parse_microseconds(text);
        CHECK(time.valid);
        CHECK(time.clamped);
        CHECK(time.ns == kLongestTime);
    }
    CHECK(parse_microseconds("-1e30").ns == -kLongestTime);
    CHECK_FALSE(parse_microseconds("2300000000000000").clamped);
}

TEST_CASE("a value that isn't a number isn't a time") {
    for (const char* text :
         {"", "-", "+", ".", "NaN", "Infinity", "1e", "1e+", "12abc", "1.2.3", "0x10", "null", " 1"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_microseconds(text).valid);
    }
}

TEST_CASE("every number of nanoseconds comes back from its text") {
    std::mt19937_64 random(1);
    for (int i = 0; i < 20000; ++i) {
        const auto ns = static_cast<std::int64_t>(random() >> (2 + random() % 60));
        if (ns > kLongestTime) continue;
        char text[64];
        std::snprintf(text, sizeof text, "%lld.%03lld", static_cast<long long>(ns / 1000),
                      static_cast<long long>(ns % 1000));
        REQUIRE(parse_microseconds(text).ns == ns);
        REQUIRE(parse_nanoseconds(std::to_string(ns)).ns == ns);
        std::snprintf(text, sizeof text, "%llde-3", static_cast<long long>(ns));
        REQUIRE(parse_microseconds(text).ns == ns);
    }
}
