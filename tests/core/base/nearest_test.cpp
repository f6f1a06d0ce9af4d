#include "core/base/nearest.hpp"

#include <doctest/doctest.h>

#include <array>

using namespace core;

TEST_CASE("the nearest word is the one with the fewest letters changed, none when all are far") {
    constexpr std::array<std::string_view, 4> kWords = {"total", "count", "mean", "share"};
    CHECK(find_nearest("totl", kWords) == "total");
    CHECK(find_nearest("mena", kWords) == "mean");
    CHECK(find_nearest("count", kWords) == "count");
    CHECK(find_nearest("qqqqqqq", kWords).empty());
    CHECK(nearest_hint("shar", kWords) == "; did you mean share?");
    CHECK(nearest_hint("qqqqqqq", kWords).empty());
    CHECK(nearest_hint("x", {}).empty());
}

TEST_CASE("of two that are as near, the one of the same length is meant") {
    constexpr std::array<std::string_view, 2> kWords = {"ranksx", "rank1"};
    CHECK(find_nearest("ranks", kWords) == "rank1");
}

TEST_CASE("a text far longer or shorter than every word is near none") {
    constexpr std::array<std::string_view, 2> kWords = {"ranks", "a-name-of-forty-letters-and-some-more-here"};
    CHECK(find_nearest(std::string(1'000'000, 'r'), kWords).empty());
    CHECK(find_nearest("", kWords).empty());
}
