#include "core/index/counter_pyramid.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

using namespace core;

TEST_CASE("minimum and maximum of any range equal those of its values") {
    std::mt19937 random(3);
    for (const std::size_t size : {0u, 1u, 15u, 16u, 17u, 256u, 257u, 5000u}) {
        std::vector<double> values(size);
        for (double& value : values) value = std::uniform_real_distribution<>(-50, 100)(random);
        const CounterPyramid pyramid(values);
        for (int i = 0; i < 200; ++i) {
            std::size_t first = random() % (size + 1);
            std::size_t last = random() % (size + 1);
            if (first > last) std::swap(first, last);
            ValueRange expected;
            for (std::size_t k = first; k < last; ++k) expected.add(values[k]);
            REQUIRE(pyramid.range(first, last) == expected);
        }
    }
}

TEST_CASE("values that are not numbers are skipped") {
    const std::vector<double> values{1, std::nan(""), 3, INFINITY, -INFINITY};
    const CounterPyramid pyramid(values);
    CHECK(pyramid.whole() == ValueRange{1, 3});
    CHECK(pyramid.range(3, 5).empty());
}
