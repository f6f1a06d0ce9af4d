// Against every choice of ranks, one after another.

#include "core/stats/rank_sum.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

using namespace core::stats;

namespace {

std::vector<double> random_values(std::mt19937& engine, std::size_t count, int most) {
    std::vector<double> values(count);
    for (double& value : values) value = std::uniform_int_distribution(0, most)(engine);
    return values;
}

double u_of(const std::vector<double>& b, const std::vector<double>& c) {
    double u = 0;
    for (const double x : b)
        for (const double y : c) u += y > x ? 1 : y == x ? 0.5 : 0;
    return u;
}

double p_of_all_choices(const std::vector<double>& b, const std::vector<double>& c) {
    std::vector<double> pooled = b;
    pooled.insert(pooled.end(), c.begin(), c.end());
    std::vector<bool> chosen(pooled.size(), false);
    std::fill(chosen.begin() + static_cast<std::ptrdiff_t>(b.size()), chosen.end(), true);
    const double middle = static_cast<double>(b.size() * c.size()) / 2;
    const double observed = std::abs(u_of(b, c) - middle);
    double far = 0, all = 0;
    do {
        std::vector<double> left, right;
        for (std::size_t i = 0; i < pooled.size(); ++i) (chosen[i] ? right : left).push_back(pooled[i]);
        far += std::abs(u_of(left, right) - middle) >= observed ? 1 : 0;
        ++all;
    } while (std::next_permutation(chosen.begin(), chosen.end()));
    return far / all;
}

}  // namespace

TEST_CASE("the exact rank sum is the share of all choices, with and without ties") {
    std::mt19937 engine(7);
    for (int round = 0; round < 60; ++round) {
        const auto size = [&] { return static_cast<std::size_t>(std::uniform_int_distribution(1, 6)(engine)); };
        const int most = round % 3 == 0 ? 1 : round % 3 == 1 ? 5 : 1000;
        const std::vector<double> b = random_values(engine, size(), most), c = random_values(engine, size(), most);
        CAPTURE(round);
        const RankSum sum = compare_ranks(b, c);
        CHECK(sum.exact);
        CHECK(sum.u == u_of(b, c));
        CHECK(sum.p == doctest::Approx(p_of_all_choices(b, c)).epsilon(1e-12));
        CHECK(sum.cliff == doctest::Approx(2 * sum.u / static_cast<double>(b.size() * c.size()) - 1));
    }
}

TEST_CASE("large samples use the normal distribution with ties and continuity") {
    std::vector<double> b, c;  // scipy 1.10: mannwhitneyu(c, b, method="asymptotic")
    for (int i = 0; i < 30; ++i) {
        b.push_back(i);
        c.push_back(i + 5);
    }
    const RankSum sum = compare_ranks(b, c);
    CHECK_FALSE(sum.exact);
    CHECK(sum.u == 587.5);
    // z = (587.5 - 450 - 0.5) / sqrt(75 * (61 - 150 / 3540)): 25 values occur twice.
    CHECK(sum.p ==
          doctest::Approx(std::erfc(137 / std::sqrt(75 * (61 - 150.0 / 3540)) / std::sqrt(2.0))).epsilon(1e-12));
    const std::vector<double> equal(40, 3.0);
    CHECK(compare_ranks(equal, equal).p == 1);
}

TEST_CASE("signed ranks are the share of all choices of signs") {
    std::mt19937 engine(11);
    for (int round = 0; round < 40; ++round) {
        std::vector<double> d = random_values(engine, 1 + static_cast<std::size_t>(round) % 9, 12);
        for (double& value : d) value -= 6;
        std::vector<double> sizes;
        for (const double value : d)
            if (value != 0) sizes.push_back(std::abs(value));
        if (sizes.empty()) {
            CHECK(signed_ranks_p(d) == 1);
            continue;
        }
        const auto rank_of = [&](double size) {
            double rank = 0.5;
            for (const double other : sizes) rank += other < size ? 1 : other == size ? 0.5 : 0;
            return rank;
        };
        double observed = 0, far = 0;
        for (const double value : d) observed += value == 0 ? 0 : (value > 0 ? 1 : -1) * rank_of(std::abs(value));
        const std::size_t all = std::size_t{1} << sizes.size();
        for (std::size_t signs = 0; signs < all; ++signs) {
            double sum = 0;
            for (std::size_t i = 0; i < sizes.size(); ++i) sum += ((signs >> i) & 1 ? 1 : -1) * rank_of(sizes[i]);
            far += std::abs(sum) >= std::abs(observed) ? 1 : 0;
        }
        CHECK(signed_ranks_p(d) == doctest::Approx(far / static_cast<double>(all)).epsilon(1e-12));
    }
}
