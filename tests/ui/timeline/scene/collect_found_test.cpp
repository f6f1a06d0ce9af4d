#include "ui/timeline/scene/collect_found.hpp"

#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

#include <random>

using core::testing::run_of;
using core::testing::TraceFixture;

namespace {

// The same columns, found by looking at every event.
std::vector<bool> examine_all(const core::RankSlot& rank, const core::EventSet& found, const ui::TimeView& view) {
    const auto width = static_cast<std::int32_t>(view.width_px);
    std::vector<bool> columns(static_cast<std::size_t>(width));
    for (std::uint32_t e = 0; e < rank.trace().size(); ++e) {
        if (!found.contains(core::EventId{e})) continue;
        const ui::PixelSpan span = ui::pixel_span(view, rank, rank.trace().range(core::EventId{e}));
        for (std::int32_t x = std::max(span.x0, 0); x < std::min(std::max(span.x1 - 1, span.x0 + 1), width); ++x)
            columns[static_cast<std::size_t>(x)] = true;
    }
    return columns;
}

}  // namespace

TEST_CASE("found events of all streams of a rank are one row of marks, those of threads are none of them") {
    const core::RunPtr run = run_of({TraceFixture()
                                         .kernel(0, 10, "old", 7)
                                         .kernel(100, 50, "new", 7)
                                         .kernel(120, 80, "new", 20)
                                         .kernel(400, 20, "new", 20)
                                         .cpu(600, 50, "new")
                                         .build()});
    const core::RankSlot& rank = run->rank(0);
    core::EventSet found(rank.trace().size());
    for (std::uint32_t e = 0; e < rank.trace().size(); ++e)
        if (rank.trace().name_text(core::EventId{e}) == "new") found.add(core::EventId{e});
    found.seal();
    ui::TimeView view;
    view.width_px = 1000;
    view.px_per_ns = 1;
    view.t0 = run->origin();
    std::vector<ui::PixelSpan> spans;
    ui::collect_found_on_gpu(rank, found, view, spans);
    REQUIRE(spans.size() == 2);
    CHECK(spans[0].x0 == 100);
    CHECK(spans[0].x1 == 199);
    CHECK(spans[1].x0 == 400);
    CHECK(spans[1].x1 == 419);
}

TEST_CASE("every pixel of a found event is marked, and nothing that is not near one") {
    std::mt19937 random(7);
    for (int round = 0; round < 40; ++round) {
        TraceFixture fixture;
        std::int64_t at = 0;
        for (int i = 0; i < 400; ++i) {
            const auto length = static_cast<std::int64_t>(random() % 20 == 0 ? random() % 3000 : random() % 40);
            fixture.kernel(at, length, "k");
            at += length + static_cast<std::int64_t>(random() % 60);
        }
        const core::RunPtr run = run_of({fixture.build()});
        const core::RankSlot& rank = run->rank(0);
        core::EventSet found(rank.trace().size());
        for (std::uint32_t e = 0; e < rank.trace().size(); ++e) {
            if (random() % static_cast<unsigned>(round % 5 + 1) == 0) found.add(core::EventId{e});
        }
        found.seal();
        ui::TimeView view;
        view.width_px = 500;
        view.px_per_ns = std::pow(10.0, std::uniform_real_distribution<>(-2.5, 0)(random));
        view.t0 = core::run_time(static_cast<std::int64_t>(random() % static_cast<unsigned>(at)));
        std::vector<ui::PixelSpan> spans;
        ui::collect_found(rank, 0, found, view, spans);
        const std::vector<bool> expected = examine_all(rank, found, view);
        std::vector<bool> marked(expected.size());
        for (std::size_t i = 0; i < spans.size(); ++i) {
            REQUIRE(spans[i].x0 >= (i == 0 ? 0 : spans[i - 1].x1 + 1));
            REQUIRE(spans[i].x1 <= 500);
            for (std::int32_t x = spans[i].x0; x < spans[i].x1; ++x) marked[static_cast<std::size_t>(x)] = true;
        }
        for (std::size_t x = 0; x < expected.size(); ++x) {
            if (expected[x]) CHECK(marked[x]);
            bool near = false;
            for (std::size_t d = 0; d <= static_cast<std::size_t>(ui::kFoundPx) && d <= x; ++d)
                near = near || expected[x - d];
            if (x >= static_cast<std::size_t>(ui::kFoundPx) && !near) CHECK_FALSE(marked[x]);
        }
    }
}
