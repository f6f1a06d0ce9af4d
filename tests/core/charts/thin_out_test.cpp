#include "core/charts/thin_out.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>

TEST_CASE("the greatest of several values in a place is picked, and none is omitted if there is room") {
    std::mt19937_64 random(5);
    for (int round = 0; round < 200; ++round) {
        const std::size_t count = random() % 500, places = 1 + random() % 100;
        std::vector<double> values(count);
        for (double& value : values) value = static_cast<double>(random() % 50);
        const std::vector<std::size_t> picked =
            core::pick_greatest(count, places, [&](std::size_t i) { return values[i]; });
        CHECK(std::ranges::is_sorted(picked));
        CHECK(picked.size() == std::min(count, places));
        if (count == 0) continue;
        const double greatest = *std::ranges::max_element(values);
        CHECK(std::ranges::any_of(picked, [&](std::size_t i) { return values[i] == greatest; }));
        if (count <= places) continue;
        std::size_t at = 0;
        for (std::size_t place = 0; place < places; ++place, ++at)
            for (std::size_t i = 0; i < count; ++i)
                if (i * places / count == place) CHECK(values[i] <= values[picked[at]]);
    }
    CHECK(core::pick_greatest(10, 0, [](std::size_t) { return 0.0; }).empty());
}

TEST_CASE("a sample of many has the first, the last and as many as asked for between them") {
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{10}, std::size_t{100'000}}) {
        std::set<std::size_t> seen;
        core::visit_sample(count, 10, [&](std::size_t i) { seen.insert(i); });
        CHECK(seen.size() == std::min<std::size_t>(count, 10));
        if (count == 0) continue;
        CHECK(seen.contains(0));
        CHECK(seen.contains(count - 1));
    }
}
