// Pixels of a critical path, against looking at every stretch of it.

#include "ui/timeline/scene/collect_path.hpp"

#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <random>

using core::testing::run_of;
using core::testing::TraceFixture;

namespace {

constexpr double kArrowsEvery = 9;

// A path that jumps at random between events of three streams; some stretches wait.
struct RandomPath {
    core::RunPtr run;
    ui::CriticalPath path;
    std::vector<std::uint32_t> rows;  // by lane
    std::int64_t end = 0;

    explicit RandomPath(std::mt19937& random) {
        TraceFixture fixture;
        std::vector<std::int64_t> cuts;
        for (int i = 0; i < 600; ++i) {
            const auto length = static_cast<std::int64_t>(random() % 20 == 0 ? random() % 5000 : random() % 30) + 1;
            fixture.kernel(end, length, "k", static_cast<int>(7 + random() % 3));
            cuts.push_back(end);
            end += length;
        }
        run = run_of({fixture.build()});
        const core::RankTrace& trace = run->rank(0).trace();
        path.rank = run->rank(0).index;
        for (std::size_t i = 0; i < cuts.size(); ++i) {
            const std::int64_t until = i + 1 < cuts.size() ? cuts[i + 1] : end;
            const auto event = static_cast<core::EventId>(random() % trace.size());
            path.stretches.push_back({{core::rank_time(cuts[i]), core::rank_time(until)},
                                      event,
                                      static_cast<std::uint32_t>(trace.find_lane(event)),
                                      random() % 4 == 0});
        }
        for (std::uint32_t lane = 0; lane < trace.lanes.size(); ++lane) rows.push_back(lane + 1);
        if (random() % 3 == 0) rows.back() = 0;
    }
};

ui::TimeView random_path_view(std::mt19937& random, std::int64_t end) {
    ui::TimeView view;
    view.width_px = 500;
    view.px_per_ns = std::pow(10.0, std::uniform_real_distribution<>(-2.5, 1)(random));
    view.t0 = core::run_time(static_cast<std::int64_t>(random() % static_cast<unsigned>(end)) - 1000);
    return view;
}

std::vector<bool> columns_of(const RandomPath& made, const ui::TimeView& view, std::uint32_t row, bool waits) {
    std::vector<bool> columns(static_cast<std::size_t>(view.width_px));
    const std::vector<ui::PathStretch>& all = made.path.stretches;
    const auto belongs = [&](std::size_t i) { return made.rows[all[i].lane] == row && all[i].waits == waits; };
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!belongs(i)) continue;
        core::RankRange range = all[i].range;
        for (; i + 1 < all.size() && belongs(i + 1); ++i) range.end = all[i + 1].range.end;  // those that touch are one
        const ui::PixelSpan span = ui::pixel_span(view, made.run->rank(0), range);
        for (std::int32_t x = std::max(span.x0, 0); x < std::max(span.x1, span.x0 + 1); ++x)
            if (x < static_cast<std::int32_t>(columns.size())) columns[static_cast<std::size_t>(x)] = true;
    }
    return columns;
}

std::vector<bool> columns_of(const std::vector<ui::PixelSpan>& spans, const ui::TimeView& view) {
    std::vector<bool> columns(static_cast<std::size_t>(view.width_px));
    std::int32_t last = -1;
    for (const ui::PixelSpan& span : spans) {
        CHECK(span.x0 > last);  // with a pixel between them
        CHECK(span.x0 < span.x1);
        last = span.x1;
        for (std::int32_t x = span.x0; x < span.x1; ++x) columns.at(static_cast<std::size_t>(x)) = true;
    }
    return columns;
}

}  // namespace

TEST_CASE("the columns of a path are those of its stretches, row by row, at any zoom") {
    std::mt19937 random(11);
    for (int round = 0; round < 30; ++round) {
        const RandomPath made(random);
        const ui::TimeView view = random_path_view(random, made.end);
        const ui::PathLayout layout = ui::lay_path(made.path, made.rows);
        const core::RankSlot& rank = made.run->rank(0);
        for (std::uint32_t row = 0; row < layout.rows.size(); ++row) {
            for (const bool waits : {false, true}) {
                std::vector<ui::PixelSpan> spans;
                ui::collect_path_spans(waits ? layout.rows[row].waits : layout.rows[row].work, rank, view, spans);
                CHECK(columns_of(spans, view) == columns_of(made, view, row, waits));
            }
        }
        std::size_t in_view = 0;
        for (const ui::PathStretch& stretch : made.path.stretches) {
            const core::RunRange range = rank.to_run(stretch.range);
            if (range.begin < view.range().end && range.end > view.range().begin) ++in_view;
        }
        CHECK(ui::count_stretches(made.path.stretches, rank, view) == in_view);
    }
}

TEST_CASE("arrows stand where a path changes tracks, one for each few columns, and stay while the view is panned") {
    std::mt19937 random(12);
    for (int round = 0; round < 30; ++round) {
        const RandomPath made(random);
        ui::TimeView view = random_path_view(random, made.end);
        const ui::PathLayout layout = ui::lay_path(made.path, made.rows);
        const core::RankSlot& rank = made.run->rank(0);
        CHECK(layout.stairs.empty());  // each stream is one row
        const auto size = std::max<std::int64_t>(1, std::llround(kArrowsEvery / view.px_per_ns));
        for (int pan = 0; pan < 3; ++pan) {
            std::map<std::int64_t, ui::PathTurn> first;  // by stretch of columns
            for (std::size_t i = 1; i < made.path.stretches.size(); ++i) {
                const ui::PathStretch& a = made.path.stretches[i - 1];
                const ui::PathStretch& b = made.path.stretches[i];
                if (made.rows[a.lane] == made.rows[b.lane]) continue;
                const std::int64_t at = core::ns_of(rank.to_run(b.range.begin));
                const auto stretch =
                    static_cast<std::int64_t>(std::floor(static_cast<double>(at) / static_cast<double>(size)));
                first.try_emplace(stretch, ui::PathTurn{b.range.begin, made.rows[a.lane], made.rows[b.lane]});
            }
            std::vector<ui::PathArrow> expected;
            for (const auto& [stretch, turn] : first) {
                const std::int32_t x = ui::pixel_span(view, rank, {turn.at, turn.at}).x0;
                if (x >= 0 && x < 500) expected.push_back({x, turn.from, turn.to});
            }
            std::vector<ui::PathArrow> arrows;
            ui::collect_path_arrows(layout.arrows, rank, view, kArrowsEvery, arrows);
            REQUIRE(arrows.size() == expected.size());
            for (std::size_t i = 0; i < arrows.size(); ++i) {
                CHECK(arrows[i].x == expected[i].x);
                CHECK(arrows[i].from == expected[i].from);
                CHECK(arrows[i].to == expected[i].to);
            }
            CHECK(arrows.size() <= 500);  // never more than columns
            view.pan(37);
        }
    }
}

TEST_CASE("rows of one track are joined by stairs, not by arrows; rows that are closed are one") {
    const core::RunPtr run =
        run_of({TraceFixture().cpu(0, 100, "outer").cpu(20, 30, "inner").kernel(100, 50, "k").build()});
    const core::RankTrace& trace = run->rank(0).trace();
    ui::CriticalPath path;
    path.rank = run->rank(0).index;
    const auto add = [&](std::int64_t begin, std::int64_t end, std::string_view name) {
        for (std::uint32_t e = 0; e < trace.size(); ++e)
            if (trace.name_text(core::EventId{e}) == name)
                path.stretches.push_back({{core::rank_time(begin), core::rank_time(end)},
                                          core::EventId{e},
                                          static_cast<std::uint32_t>(trace.find_lane(core::EventId{e})),
                                          false});
    };
    add(0, 20, "outer");
    add(20, 50, "inner");
    add(50, 100, "outer");
    add(100, 150, "k");
    std::vector<std::uint32_t> rows;
    for (std::uint32_t lane = 0; lane < trace.lanes.size(); ++lane) rows.push_back(lane);
    const ui::PathLayout open = ui::lay_path(path, rows);
    CHECK(open.stairs.size() == 2);
    REQUIRE(open.arrows.size() == 1);
    CHECK(open.arrows[0].at == core::rank_time(100));
    const ui::PathLayout closed = ui::lay_path(path, std::vector<std::uint32_t>(rows.size(), 0));
    CHECK(closed.stairs.empty());
    CHECK(closed.arrows.empty());
    REQUIRE(closed.rows.size() == 1);
    REQUIRE(closed.rows[0].work.size() == 1);
    CHECK(closed.rows[0].work[0] == core::RankRange{core::rank_time(0), core::rank_time(150)});
}
