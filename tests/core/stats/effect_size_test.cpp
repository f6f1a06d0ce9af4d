// Against a sorted list of all differences, and Fieller's interval against its definition.

#include "core/stats/effect_size.hpp"

#include "core/stats/distributions.hpp"
#include "core/stats/rank_sum.hpp"
#include "core/stats/two_samples.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using namespace core::stats;

TEST_CASE("the shift is the median of all differences, its interval two of them") {
    std::mt19937 engine(3);
    for (int round = 0; round < 80; ++round) {
        const auto draw = [&] {
            std::vector<double> values(static_cast<std::size_t>(std::uniform_int_distribution(1, 40)(engine)));
            const int most = round % 2 ? 9 : 1'000'000;
            for (double& value : values) value = std::uniform_int_distribution(-most, most)(engine) / 8.0;
            return values;
        };
        const std::vector<double> b = draw(), c = draw();
        std::vector<double> all;
        for (const double x : b)
            for (const double y : c) all.push_back(y - x);
        std::ranges::sort(all);
        const Shift shift = estimate_shift(b, c);
        const std::size_t half = all.size() / 2;
        CHECK(shift.median == (all.size() % 2 ? all[half] : (all[half - 1] + all[half]) / 2));
        if (b.size() + c.size() > kMostExact || !shift.interval) continue;
        const std::size_t k = lower_tail_of_u(b.size(), c.size(), 0.025).size();
        CHECK(shift.interval->low == all[k - 1]);
        CHECK(shift.interval->high == all[all.size() - k]);
    }
}

TEST_CASE("thousands of values cost no list of their differences") {
    std::vector<double> b, c;
    for (int i = 0; i < 100'000; ++i) {
        b.push_back(i);
        c.push_back(i + 7);
    }
    const Shift shift = estimate_shift(b, c);
    CHECK(shift.median == 7);
    REQUIRE(shift.interval);
    CHECK(shift.interval->low < 7);
    CHECK(shift.interval->high > 7);
}

TEST_CASE("the ends of the ratio's interval solve Fieller's equation") {
    const std::vector<double> b{10, 11, 12, 9.5, 10.5}, c{13, 12.5, 14, 13.7};
    const TwoSamples both = compare_samples(b, c);
    REQUIRE(both.welch->ratio);
    const double t = student_quantile(0.975, *both.welch->df);
    for (const double theta : {both.welch->ratio->low, both.welch->ratio->high}) {
        const double off = both.candidate.mean - theta * both.baseline.mean;
        const double right = t * t * (both.candidate.mean_variance() + theta * theta * both.baseline.mean_variance());
        CHECK(off * off == doctest::Approx(right).epsilon(1e-9));
    }
    CHECK(both.welch->ratio->low < both.candidate.mean / both.baseline.mean);
    CHECK(both.welch->ratio->high > both.candidate.mean / both.baseline.mean);
}

TEST_CASE("a ratio to a mean that may be zero has no interval") {
    const std::vector<double> around_zero{-2, 1, 2, -1, 0.5}, c{13, 12, 14};
    CHECK_FALSE(compare_samples(around_zero, c).welch->ratio);
}
