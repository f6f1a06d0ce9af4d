// Statistics of the events of one name, against brute force.

#include "ui/model/panels/communication/siblings_model.hpp"
#include "core/query/filter_text.hpp"
#include "tests/core/trace_fixture.hpp"
#include "tests/ui/model/panels/gemm_and_relu.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace {

using core::testing::run_of;
using core::testing::TraceFixture;
using ui::testing::duration_of;
using ui::testing::gemm_and_relu;
using ui::testing::kernels_named;

}  // namespace

TEST_CASE("the siblings of an event are those of its name and category, on its rank and on all") {
    const core::RunPtr run = gemm_and_relu();
    const std::vector<core::EventRef> all = kernels_named(*run, "gemm");
    for (const core::EventRef event : {all.front(), all[all.size() / 2], all.back()}) {
        std::vector<std::int64_t> here;
        std::vector<std::int64_t> everywhere;
        for (const core::EventRef other : all) {
            everywhere.push_back(duration_of(*run, other));
            if (other.slot == event.slot) here.push_back(everywhere.back());
        }
        const ui::SiblingStats stats = ui::collect_siblings(*run, event);
        for (const auto& [found, expected] : {std::pair{stats.rank, here}, {stats.run, everywhere}}) {
            CHECK(found.count == expected.size());
            CHECK(found.least == static_cast<double>(std::ranges::min(expected)));
            CHECK(found.most == static_cast<double>(std::ranges::max(expected)));
            double total = 0;
            for (const std::int64_t duration : expected) total += static_cast<double>(duration);
            CHECK(found.total == total);
            CHECK(found.mean() == doctest::Approx(total / static_cast<double>(expected.size())));
            const auto shorter = std::ranges::count_if(
                expected, [&](std::int64_t duration) { return duration < duration_of(*run, event); });
            CHECK(found.shorter == static_cast<std::uint64_t>(shorter));
            CHECK(duration_of(*run, found.longest) == std::ranges::max(expected));
            CHECK(duration_of(*run, found.shortest) == std::ranges::min(expected));
        }
    }
}

TEST_CASE("the other ranks' median leaves the event's own rank out, and all durations are in bins") {
    const auto rank = [](int number, std::int64_t duration) {
        return TraceFixture().rank(number).kernel(0, duration, "gemm").kernel(10'000, duration, "gemm").build();
    };
    const core::RunPtr run = run_of({rank(0, 100), rank(1, 300), rank(2, 200), rank(3, 9'000)});
    const ui::SiblingStats stats = ui::collect_siblings(*run, kernels_named(*run, "gemm").back());
    CHECK(stats.rank.mean() == 9'000);
    CHECK(stats.others.ranks == 3);
    CHECK(stats.others.count == 2);
    CHECK(stats.others.mean == 200);
    CHECK(stats.others.most == 200);
    std::size_t counted = 0;
    for (const std::size_t count : stats.bins.counts) counted += count;
    CHECK(counted == 8);
    CHECK(stats.bins.counts[stats.bins.find(core::Duration{9'000})] == 2);
}

TEST_CASE("an event without siblings is its own shortest and longest") {
    const core::RunPtr run = run_of({TraceFixture().kernel(0, 10, "gemm").build()});
    const ui::SiblingStats stats = ui::collect_siblings(*run, {0, core::EventId{0}});
    CHECK(stats.run.count == 1);
    CHECK(stats.run.percentile() == 0);
    CHECK(stats.run.longest == core::EventRef{0, core::EventId{0}});
}
