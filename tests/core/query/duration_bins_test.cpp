#include "core/query/duration_bins.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

using namespace core;

TEST_CASE("every duration is in one bin, edges are sorted, counts equal a naive count") {
    std::mt19937 random(5);
    for (int round = 0; round < 200; ++round) {
        std::vector<Duration> durations;
        const double decades = static_cast<double>(random() % 100) / 12;
        const double low = static_cast<double>(random() % 1'000'000);
        const std::size_t count = 1 + random() % 300;
        for (std::size_t i = 0; i < count; ++i)
            durations.emplace_back(
                static_cast<std::int64_t>(low * std::pow(10, decades * static_cast<double>(random() % 1000) / 1000) *
                                          (random() % 50 == 0 ? 0 : 1)));
        const DurationBins bins = count_durations(durations);
        REQUIRE(bins.edges.size() == bins.counts.size() + 1);
        CHECK(std::ranges::is_sorted(bins.edges, std::less<>()));
        CHECK(bins.counts.size() <= 220);
        CHECK(std::accumulate(bins.counts.begin(), bins.counts.end(), std::size_t{0}) == count);
        for (std::size_t i = 0; i < bins.counts.size(); ++i)
            CHECK(bins.counts[i] == static_cast<std::size_t>(std::ranges::count_if(durations, [&](Duration d) {
                      return d >= bins.edges[i] && d < bins.edges[i + 1];
                  })));
        for (const Duration tick : bins.ticks(5)) CHECK((bins.place(tick) >= -1e-9 && bins.place(tick) <= 1 + 1e-9));
    }
}

TEST_CASE("ticks are round: decades for a wide range, equal steps for a narrow one") {
    const std::vector<Duration> far = {Duration{1'500}, Duration{40'000'000}};
    const DurationBins wide = count_durations(far);
    const std::vector<Duration> ticks = wide.ticks(5);
    CHECK(std::ranges::count(ticks, Duration{10'000}) == 1);
    CHECK(ticks.size() <= 10);
    const std::vector<Duration> near = {Duration{4'000'100}, Duration{4'050'000}};
    const DurationBins narrow = count_durations(near);
    CHECK(narrow.counts.size() >= 6);
    CHECK(narrow.ticks(4).size() >= 2);
    CHECK(narrow.ticks(4).size() <= 8);
}

TEST_CASE("bins exist for one duration, for zeros and for no duration") {
    CHECK(count_durations({}).counts.empty());
    const std::vector<Duration> zeros = {Duration{0}, Duration{0}};
    CHECK(count_durations(zeros).counts.front() == 2);
    const std::vector<Duration> one = {Duration{123'456}};
    const DurationBins bins = count_durations(one);
    CHECK(bins.counts[bins.find(one.front())] == 1);
    CHECK(bins.find(Duration{1}) == bins.counts.size());
    CHECK(bins.find(Duration::max()) == bins.counts.size());
}
