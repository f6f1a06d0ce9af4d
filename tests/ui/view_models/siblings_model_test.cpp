// Statistics of the events of one name, against brute force.

#include "ui/view_models/siblings_model.hpp"
#include "core/query/filter_text.hpp"
#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace {

using core::testing::run_of;
using core::testing::TraceFixture;

core::RunPtr random_run() {
    std::mt19937 random(11);
    std::vector<core::RankTracePtr> traces;
    for (int rank = 0; rank < 3; ++rank) {
        TraceFixture fixture;
        for (int k = 0; k < 50; ++k) {
            const auto duration = 1 + static_cast<std::int64_t>(random() % 90);
            fixture.kernel(1'000 * k, duration, random() % 2 ? "gemm" : "relu", 7);
            fixture.cpu(1'000 * k, duration, "gemm");  // the same name, but no kernel
        }
        traces.push_back(fixture.rank(rank).build());
    }
    return run_of(traces);
}

std::vector<core::EventRef> kernels_named(const core::Run& run, std::string_view name) {
    std::vector<core::EventRef> events;
    for (std::uint32_t slot = 0; slot < run.ranks().size(); ++slot)
        for (const core::EventId event : run.rank(slot).trace().gpu_events)
            if (run.rank(slot).trace().name_text(event) == name) events.push_back({slot, event});
    return events;
}

std::int64_t duration_of(const core::Run& run, core::EventRef event) {
    return run.rank(event.slot).trace().duration[core::index_of(event.event)].count();
}

}  // namespace

TEST_CASE("the siblings of an event are those of its name and category, on its rank and on all") {
    const core::RunPtr run = random_run();
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

TEST_CASE("an event without siblings is its own shortest and longest") {
    const core::RunPtr run = run_of({TraceFixture().kernel(0, 10, "gemm").build()});
    const ui::SiblingStats stats = ui::collect_siblings(*run, {0, core::EventId{0}});
    CHECK(stats.run.count == 1);
    CHECK(stats.run.percentile() == 0);
    CHECK(stats.run.longest == core::EventRef{0, core::EventId{0}});
}
