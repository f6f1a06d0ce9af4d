#include "core/stats/change_points.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

using namespace core::stats;

namespace {

double mean_distance(std::span<const double> x) {
    double sum = 0;
    for (const double a : x)
        for (const double b : x) sum += std::abs(a - b);
    return sum / static_cast<double>(x.size() * (x.size() - 1));
}

// The largest energy distance of all splits, by its definition.
std::pair<std::size_t, double> naive_split(std::span<const double> x) {
    std::pair<std::size_t, double> best{0, -1e300};
    for (std::size_t k = kLeastLevel; k + kLeastLevel <= x.size(); ++k) {
        const auto left = x.first(k), right = x.subspan(k);
        double between = 0;
        for (const double a : left)
            for (const double b : right) between += std::abs(a - b);
        const auto m = static_cast<double>(left.size()), n = static_cast<double>(right.size());
        const double q = m * n / (m + n) * (2 / (m * n) * between - mean_distance(left) - mean_distance(right));
        if (q > best.second + 1e-9 * std::abs(q)) best = {k, q};
    }
    return best;
}

}  // namespace

TEST_CASE("the first change point is the split with the largest energy distance") {
    std::mt19937 engine(5);
    for (int round = 0; round < 50; ++round) {
        std::vector<double> series;
        const int length = std::uniform_int_distribution(6, 30)(engine);
        const int step_at = std::uniform_int_distribution(3, length - 3)(engine);
        for (int i = 0; i < length; ++i)
            series.push_back((i < step_at ? 1000 : 1200) + std::uniform_int_distribution(0, 20)(engine));
        const std::vector<ChangePoint> points = find_change_points(series);
        REQUIRE_FALSE(points.empty());
        const auto [at, q] = naive_split(series);
        CHECK(at == static_cast<std::size_t>(step_at));
        const auto it = std::ranges::find(points, at, &ChangePoint::index);
        REQUIRE(it != points.end());
        CHECK(it->q == doctest::Approx(q).epsilon(1e-9));
        CHECK(it->change == doctest::Approx(200).epsilon(0.2));
    }
}

TEST_CASE("several levels are found in order, noise has none") {
    std::mt19937 engine(2);
    std::vector<double> series, noise;
    for (int i = 0; i < 60; ++i) {
        const double jitter = std::uniform_int_distribution(0, 10)(engine);
        series.push_back((i < 20 ? 500 : i < 40 ? 700 : 600) + jitter);
        noise.push_back(500 + jitter);
    }
    const std::vector<ChangePoint> points = find_change_points(series);
    REQUIRE(points.size() == 2);
    CHECK(points[0].index == 20);
    CHECK(points[1].index == 40);
    CHECK(points[0].after == points[1].before);
    CHECK(points[1].after < points[1].before);
    CHECK(find_change_points(noise).empty());
    CHECK(find_change_points(std::vector<double>(20, 3.0)).empty());
}

TEST_CASE("the last value is judged by the level before it") {
    std::vector<double> series{900, 905, 899, 902, 500, 502, 499, 501, 503, 500};
    REQUIRE(find_change_points(series).size() == 1);
    series.push_back(502);
    CHECK_FALSE(judge_latest(series)->is_outside);
    CHECK(judge_latest(series)->level == doctest::Approx(3005.0 / 6));
    series.back() = 900;
    CHECK(judge_latest(series)->is_outside);
    CHECK_FALSE(judge_latest(std::vector<double>{1, 2, 3}));
}
