#include "ui/timeline/scene/collect_visible.hpp"

#include "core/query/filter_text.hpp"
#include "tests/core/captures.hpp"
#include "ui/style/theme.hpp"
#include "ui/timeline/scene/scene.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

using core::testing::run_of;
using core::testing::TraceFixture;

namespace {

constexpr int kWidth = 300;

struct Collected {
    std::vector<std::uint32_t> strip = std::vector<std::uint32_t>(kWidth);
    std::vector<ui::VisibleRect> rects;
};

struct Scenario {
    core::RunPtr run;
    std::vector<std::uint8_t> shades;
    ui::TimeView view;

    explicit Scenario(const core::RankTracePtr& trace) : run(run_of({trace})), shades(trace->names.size()) {
        for (std::size_t i = 0; i < shades.size(); ++i)
            shades[i] = ui::color::shade_of_name(trace->text(core::NameId(i)));
        view.width_px = kWidth;
    }
    const core::RankTrace& trace() const { return run->rank(0).trace(); }
    std::uint32_t color_of(core::EventId event) const {
        return ui::color::of_name(trace().name_text(event), run->rank(0).index->classes().of(event));
    }
    Collected collect(std::size_t lane = 0) const {
        Collected out;
        ui::CollectScratch scratch;
        ui::LaneQuery query;
        query.rank = &run->rank(0);
        query.lane = lane;
        query.color_by = shades.empty() ? ui::ColorBy::Class : ui::ColorBy::Name;
        query.name_shades = shades;
        query.background = ui::color::palette().background;
        ui::collect_lane(query, view, scratch, out.strip, out.rects);
        return out;
    }
};

// Edges from whole nanoseconds in extended precision.
std::int32_t reference_edge(const ui::TimeView& view, core::RankTime t) {
    const auto ns =
        static_cast<long double>(core::ns_of(t) - core::ns_of(view.t0)) - static_cast<long double>(view.fraction_ns);
    const long double px = ns * static_cast<long double>(view.px_per_ns);
    const long double cut = std::min(std::max(px, -8.0L), kWidth + 8.0L);
    return static_cast<std::int32_t>(std::floor(cut + 0.5L));
}

bool is_near_half(const ui::TimeView& view, core::RankTime t) {
    const long double px =
        (static_cast<long double>(core::ns_of(t) - core::ns_of(view.t0)) - static_cast<long double>(view.fraction_ns)) *
        static_cast<long double>(view.px_per_ns);
    return std::fabs(px - std::floor(px) - 0.5L) < 1e-6L;
}

core::RankTracePtr random_stream(std::mt19937_64& random, std::int64_t origin) {
    TraceFixture fixture;
    std::int64_t t = origin;
    for (int i = 0; i < 400; ++i) {
        t += random() % 3 == 0 ? 0 : static_cast<std::int64_t>(random() % 2000);
        const auto length = static_cast<std::int64_t>(std::pow(10.0, std::uniform_real_distribution<>(0, 4)(random)));
        fixture.kernel(t, length, "kernel" + std::string(1, static_cast<char>('a' + random() % 26)));
        t += length;
    }
    return fixture.build();
}

}  // namespace

TEST_CASE("the waiting part of a wide event ends where waiting does; a strip says how much of a column waits") {
    TraceFixture fixture;
    fixture.kernel(0, 1'000, "ncclDevKernel_AllReduce").kernel(2'000, 1'000, "ncclDevKernel_AllReduce");
    const Scenario scenario(fixture.rank(0).build());
    const core::WaitSpans waits({{core::rank_time(0), core::rank_time(600)}});
    ui::LaneQuery query;
    query.rank = &scenario.run->rank(0);
    query.lane = scenario.trace().find_lane(scenario.trace().gpu_events.front());
    query.background = ui::color::palette().background;
    query.waits = &waits;
    ui::TimeView view = scenario.view;
    view.fit({core::run_time(0), core::run_time(3'000)}, 0);
    Collected near;
    ui::CollectScratch scratch;
    ui::collect_lane(query, view, scratch, near.strip, near.rects);
    REQUIRE(near.rects.size() == 2);
    CHECK(near.rects[0].wait_end - near.rects[0].x0 == doctest::Approx(60).epsilon(0.05));
    CHECK(near.rects[0].wait_color == ui::color::palette().waiting);
    CHECK(near.rects[1].wait_end <= near.rects[1].x0);

    view.fit({core::run_time(-300'000), core::run_time(300'000)}, 0);
    Collected far;
    ui::collect_lane(query, view, scratch, far.strip, far.rects);
    CHECK(far.rects.empty());
    const auto alpha = [](std::uint32_t pixel) { return pixel >> 24; };
    const auto column = static_cast<std::size_t>(std::floor(view.to_px(core::run_time(100))));
    CHECK(alpha(far.strip[column]) < 255);
    CHECK(alpha(far.strip[column]) > 0);
    CHECK(alpha(far.strip[column + 2]) % 255 == 0);

    std::vector<std::uint32_t> shares(kWidth);
    ui::collect_utilisation(scenario.run->rank(0), scenario.run->rank(0).index->partition(), &waits, view, scratch,
                            shares);
    CHECK(alpha(shares[column]) < 255);
    CHECK((ui::pack_shares(0.2f, 0.5f, 0, 0) >> 24) == 255);
    CHECK((ui::pack_shares(0, 1, 0, 1) >> 24) == 1);
}

TEST_CASE("wide events become rectangles exactly where their times are; all others stay visible in the strip") {
    std::mt19937_64 random(12);
    for (int round = 0; round < 60; ++round) {
        Scenario scenario(random_stream(random, 1'700'000'000'000'000'000));
        const core::RankTrace& trace = scenario.trace();
        for (int zoom = 0; zoom < 20; ++zoom) {
            ui::TimeView& view = scenario.view;
            view.px_per_ns = std::pow(10.0, std::uniform_real_distribution<>(-4, 1)(random));
            view.t0 = core::run_time(
                core::ns_of(trace.window.begin) +
                static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(trace.window.length().count())));
            view.fraction_ns = std::uniform_real_distribution<>(0, 0.99)(random);
            const Collected out = scenario.collect();
            std::size_t next = 0;
            for (std::uint32_t i = 0; i < trace.size(); ++i) {
                const core::EventId event{i};
                const double begin = view.to_px(core::run_time(core::ns_of(trace.start[i])));
                const double end = view.to_px(core::run_time(core::ns_of(trace.end(event))));
                if (end <= 0 || begin >= kWidth) continue;
                if (end - begin >= ui::kWidePx) {
                    // Cut by the edge of the plot so that no pixel of it is left: it may be there or not.
                    const bool in_sight =
                        reference_edge(view, trace.end(event)) > 1 && reference_edge(view, trace.start[i]) < kWidth;
                    if (!in_sight && (next >= out.rects.size() || out.rects[next].event != event)) continue;
                    REQUIRE(next < out.rects.size());
                    const ui::VisibleRect& rect = out.rects[next++];
                    CHECK(rect.event == event);
                    CHECK(rect.color == scenario.color_of(core::EventId(i)));
                    if (!is_near_half(view, trace.start[i])) CHECK(rect.x0 == reference_edge(view, trace.start[i]));
                    if (!is_near_half(view, trace.end(event)))
                        CHECK(rect.x1 == std::max(rect.x0 + 2, reference_edge(view, trace.end(event)) - 1));
                    continue;
                }
                // Some column it touches is lit, or lies under a wide neighbour.
                bool visible = false;
                for (int x = std::max(0, static_cast<int>(std::floor(begin)) - 1);
                     x <= std::min(kWidth - 1, static_cast<int>(std::floor(end)) + 1); ++x) {
                    visible |= out.strip[static_cast<std::size_t>(x)] != 0;
                    for (const ui::VisibleRect& rect : out.rects) visible |= rect.x0 <= x && x < rect.x1;
                }
                CHECK(visible);
            }
            CHECK(next == out.rects.size());
        }
    }
}

TEST_CASE("nothing is lit where no event is") {
    const Scenario base(TraceFixture().kernel(1000, 100, "a").kernel(5000, 7, "b").build());
    Scenario scenario = base;
    scenario.view.t0 = core::run_time(0);
    scenario.view.px_per_ns = 0.05;  // 20 ns a pixel
    const Collected out = scenario.collect();
    REQUIRE(out.rects.size() == 1);
    CHECK(out.rects[0].x0 == 50);
    CHECK(out.rects[0].x1 == 54);  // one pixel short of 55
    for (std::size_t x = 0; x < kWidth; ++x) CHECK((out.strip[x] != 0) == (x == 250));
}

TEST_CASE("a column that is busy for a twentieth is fainter than a full one, but not invisible") {
    Scenario scenario(TraceFixture().kernel(1000, 1, "a").kernel(1100, 20, "a").build());
    scenario.view.t0 = core::run_time(0);
    scenario.view.px_per_ns = 0.05;
    const Collected out = scenario.collect();
    REQUIRE(out.rects.empty());
    const auto distance = [&](std::uint32_t color) {
        int sum = 0;
        for (const int shift : {0, 8, 16})
            sum += std::abs(static_cast<int>(color >> shift & 255) -
                            static_cast<int>(ui::color::palette().background >> shift & 255));
        return sum;
    };
    const int faint = distance(out.strip[50]);
    const int full = distance(out.strip[55]);
    CHECK(faint > 30);
    CHECK(faint < full / 2);
}

TEST_CASE("zoomed in to a nanosecond at the end of an hour, no edge is off by a pixel") {
    constexpr std::int64_t kHour = 3'600'000'000'000;
    std::mt19937_64 random(13);
    TraceFixture fixture;
    fixture.kernel(0, 1, "first");
    for (int i = 0; i < 200; ++i) fixture.kernel(kHour + 2 * i, 1, "slice");
    Scenario scenario(fixture.build());
    const core::RankTrace& trace = scenario.trace();
    std::size_t compared = 0;
    for (int i = 0; i < 200; ++i) {
        ui::TimeView& view = scenario.view;
        view.px_per_ns = std::uniform_real_distribution<>(4, 200)(random);
        view.t0 = core::run_time(kHour + static_cast<std::int64_t>(random() % 380));
        view.fraction_ns = std::uniform_real_distribution<>(0, 0.999)(random);
        for (const ui::VisibleRect& rect : scenario.collect().rects) {
            CHECK(rect.x0 == reference_edge(view, trace.start[core::index_of(rect.event)]));
            CHECK(rect.x1 == std::max(rect.x0 + 2, reference_edge(view, trace.end(rect.event)) - 1));
            ++compared;
        }
    }
    CHECK(compared > 500);
}

TEST_CASE("the event at a pixel is the one drawn there") {
    std::mt19937_64 random(14);
    Scenario scenario(random_stream(random, 5'000));
    const core::RankTrace& trace = scenario.trace();
    for (int i = 0; i < 200; ++i) {
        ui::TimeView& view = scenario.view;
        view.px_per_ns = std::pow(10.0, std::uniform_real_distribution<>(-3, 0)(random));
        view.t0 = core::run_time(
            core::ns_of(trace.window.begin) +
            static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(trace.window.length().count())));
        const Collected out = scenario.collect();
        for (const ui::VisibleRect& rect : out.rects) {
            const int x = std::clamp((rect.x0 + rect.x1) / 2, 0, kWidth - 1);
            if (x < rect.x0 || x >= rect.x1) continue;
            CHECK(ui::find_event_at(scenario.run->rank(0), 0, view, x) == rect.event);
        }
        for (int x = 0; x < kWidth; ++x) {
            if (out.strip[static_cast<std::size_t>(x)] != 0)
                CHECK(ui::find_event_at(scenario.run->rank(0), 0, view, x) != core::kNoEvent);
        }
    }
    scenario.view.t0 = core::run_time(core::ns_of(trace.window.end) + 1'000'000);
    CHECK(ui::find_event_at(scenario.run->rank(0), 0, scenario.view, 10) == core::kNoEvent);
}

TEST_CASE("utilisation has each class by its share of the column, and the smallest share is not lost") {
    Scenario scenario(TraceFixture()
                          .kernel(0, 50, "gemm", 7)
                          .kernel(150, 50, "ncclDevKernel_AllReduce", 8)
                          .kernel(201, 1, "gemm", 7)
                          .build());
    scenario.view.t0 = core::run_time(0);
    scenario.view.px_per_ns = 0.01;  // 100 ns a pixel
    ui::CollectScratch scratch;
    std::vector<std::uint32_t> strip(4);
    ui::collect_utilisation(scenario.run->rank(0), scenario.run->rank(0).index->partition(), nullptr, scenario.view,
                            scratch, strip);
    CHECK((strip[0] & 255) == 128);
    CHECK((strip[0] >> 8 & 255) == 0);
    CHECK((strip[1] >> 8 & 255) == 128);
    CHECK((strip[2] & 255) >= 1);
    CHECK((strip[2] & 255) <= 4);
    CHECK(strip[3] == 0);
}

namespace {

// Some ranks, what each of them shows alone, and what a folded group of them does.
struct FoldedRanks {
    core::RunPtr run;
    ui::TimeView view;
    FoldedRanks(std::size_t ranks, std::uint64_t seed, bool gemms_only = false) {
        std::mt19937_64 random(seed);
        std::vector<core::RankTracePtr> traces;
        for (std::size_t i = 0; i < ranks; ++i) {
            TraceFixture fixture;
            std::int64_t t = 0;
            for (int k = 0; k < 60; ++k) {
                t += static_cast<std::int64_t>(random() % 3000);
                const auto length = static_cast<std::int64_t>(1 + random() % 3000);
                const bool is_gemm = random() % 2 == 0;
                if (is_gemm || !gemms_only) fixture.kernel(t, length, is_gemm ? "gemm" : "ncclDevKernel_AllReduce");
                t += length;
            }
            traces.push_back(fixture.rank(static_cast<int>(i)).build());
        }
        run = run_of(traces);
        view.width_px = kWidth;
        view.fit(run->window());
    }
    std::vector<std::uint32_t> fold(std::size_t most_cells) const {
        std::vector<ui::GroupRank> ranks;
        for (const core::RankSlot& rank : run->ranks()) ranks.push_back({&rank, &rank.index->partition()});
        std::vector<std::uint32_t> strip(kWidth, 0x12345678);
        ui::collect_group_utilisation(ranks, view, most_cells, strip);
        return strip;
    }
    // Per column the mean of what each rank shows, of one class.
    std::vector<double> mean(int shift) const {
        std::vector<double> sums(kWidth);
        for (const core::RankSlot& rank : run->ranks()) {
            ui::CollectScratch scratch;
            std::vector<std::uint32_t> strip(kWidth);
            ui::collect_utilisation(rank, rank.index->partition(), nullptr, view, scratch, strip);
            for (std::size_t x = 0; x < sums.size(); ++x) sums[x] += strip[x] >> shift & 0xFF;
        }
        for (double& sum : sums) sum /= static_cast<double>(run->ranks().size());
        return sums;
    }
};

double sum_of_class(const std::vector<std::uint32_t>& strip, int shift) {
    double sum = 0;
    for (const std::uint32_t column : strip) sum += column >> shift & 0xFF;
    return sum;
}

}  // namespace

TEST_CASE("a folded group shows of each class the mean share over its ranks") {
    for (const std::size_t ranks : {1u, 3u, 20u}) {
        const FoldedRanks folded(ranks, 7 + ranks);
        const std::vector<std::uint32_t> strip = folded.fold(1'000'000);
        for (const int shift : {0, 8, 16}) {
            const std::vector<double> expected = folded.mean(shift);
            for (std::size_t x = 0; x < strip.size(); ++x)
                CHECK(std::abs(static_cast<double>(strip[x] >> shift & 0xFF) - expected[x]) <= 1.5);
        }
    }
}

TEST_CASE("of many ranks neighbouring columns share a mean, whose sum over the plot stays the same") {
    const FoldedRanks folded(64, 3);
    const std::vector<std::uint32_t> fine = folded.fold(1'000'000);
    const std::vector<std::uint32_t> coarse = folded.fold(64 * kWidth / 6);  // six columns a mean
    std::size_t changes = 0;
    for (std::size_t x = 1; x < coarse.size(); ++x) changes += coarse[x] != coarse[x - 1];
    CHECK(changes <= kWidth / 6 + 2);
    for (const int shift : {0, 8}) {
        const double whole = sum_of_class(fine, shift);
        CHECK(std::abs(sum_of_class(coarse, shift) - whole) < 0.03 * whole + kWidth);
    }
}

TEST_CASE("a coarse mean is of the same times wherever the view is panned to") {
    FoldedRanks folded(64, 5);
    folded.view.zoom(3, 100);
    const std::vector<std::uint32_t> before = folded.fold(64 * kWidth / 8);
    folded.view.pan(20);
    const std::vector<std::uint32_t> after = folded.fold(64 * kWidth / 8);
    std::size_t same = 0;
    for (std::size_t x = 0; x + 20 < after.size(); ++x) same += after[x] == before[x + 20];
    CHECK(same + 10 >= after.size() - 20);  // at most a column's rounding at the edge of a mean
}

TEST_CASE("a group whose ranks the filter drops shows nothing") {
    ui::TimeView view;
    view.width_px = kWidth;
    std::vector<std::uint32_t> strip(kWidth, 0x12345678);
    ui::collect_group_utilisation({}, view, 1000, strip);
    CHECK(std::ranges::count(strip, 0u) == kWidth);
}

namespace {

std::vector<std::uint32_t> strip_of_group(const core::Run& run, std::size_t width) {
    ui::TimeView view;
    view.width_px = static_cast<float>(width);
    view.fit(run.window(), 0);
    std::vector<ui::GroupRank> ranks;
    for (const core::RankSlot& rank : run.ranks()) ranks.push_back({&rank, &rank.index->partition()});
    std::vector<std::uint32_t> strip(width);
    ui::collect_group_utilisation(ranks, view, 1'000'000, strip);
    return strip;
}

}  // namespace

TEST_CASE("windows of one rank fill its row, each in its own time") {
    const core::RunPtr run = core::testing::run_of_captures({TraceFixture().rank(0).kernel(0, 100, "gemm").build(),
                                                             TraceFixture().rank(0).kernel(300, 100, "gemm").build()});
    const std::vector<std::uint32_t> strip = strip_of_group(*run, 4);
    CHECK((strip[0] & 0xFF) == 255);  // one window's work, not half of it
    CHECK(strip[1] == 0);
    CHECK(strip[2] == 0);
    CHECK((strip[3] & 0xFF) == 255);
}

TEST_CASE("captures of one rank that overlap share their time") {
    const core::RunPtr run =
        core::testing::run_of_captures({TraceFixture().rank(0).kernel(0, 100, "gemm").build(),
                                        TraceFixture().rank(0).kernel(0, 100, "ncclDevKernel_AllReduce").build()});
    const std::vector<std::uint32_t> strip = strip_of_group(*run, 2);
    CHECK((strip[0] & 0xFF) == 255);
    CHECK((strip[0] >> 8 & 0xFF) == 255);
}

TEST_CASE("groups that are too large for a frame are made for every pixel on the pool, as a frame with time would") {
    for (const std::size_t ranks : {20u, 120u}) {
        const FoldedRanks folded(ranks, 11);
        std::vector<std::uint32_t> slots;
        for (std::uint32_t slot = 0; slot < ranks; ++slot) slots.push_back(slot);
        const ui::RankOrder order{folded.run->id(), {{"all", slots, false, true}}, {}};
        const ui::LaneLayout layout(*folded.run, {}, ui::Opening::Closed, ui::RowSizes{}, {},
                                    std::make_shared<const ui::RankOrder>(order));
        ui::SceneQuery query;
        query.run = folded.run;
        query.last_row = layout.rows().size();
        query.view = folded.view;
        for (const std::uint32_t slot : slots) query.looks.add(slot, {});
        const ui::GroupsQuery large = ui::collect_large_groups(query, layout);
        CHECK(large.slots.size() == (ranks == 120 ? 1 : 0));
        if (large.slots.empty()) continue;
        const core::Result<ui::GroupStrips> strips = ui::collect_group_strips(large, {});
        REQUIRE(strips);
        CHECK(strips->all.at(0) == folded.fold(1'000'000));
        std::stop_source stopped;
        stopped.request_stop();
        CHECK_FALSE(ui::collect_group_strips(large, core::JobContext{stopped.get_token()}));
    }
}

TEST_CASE("highlights of a large group are the strip of ranks that have nothing but the events that pass") {
    const FoldedRanks folded(120, 11);
    const FoldedRanks gemms(120, 11, true);
    std::vector<std::uint32_t> slots;
    for (std::uint32_t slot = 0; slot < 120; ++slot) slots.push_back(slot);
    const ui::RankOrder order{folded.run->id(), {{"all", slots, false, true}}, {}};
    const ui::LaneLayout layout(*folded.run, {}, ui::Opening::Closed, ui::RowSizes{}, {},
                                std::make_shared<const ui::RankOrder>(order));
    const core::Filter filter = core::parse_filter("name:gemm").value();
    ui::SceneQuery query;
    query.run = folded.run;
    query.last_row = layout.rows().size();
    query.view = folded.view;
    query.highlights = true;
    for (const std::uint32_t slot : slots)
        query.looks.add(slot, {.selection = core::Selection::build(*folded.run, slot, filter, {}).value()});
    const core::Result<ui::GroupStrips> strips = ui::collect_group_strips(ui::collect_large_groups(query, layout), {});
    REQUIRE(strips);
    CHECK(strips->all.at(0) == folded.fold(1'000'000));
    std::vector<ui::GroupRank> ranks;
    for (const core::RankSlot& rank : gemms.run->ranks()) ranks.push_back({&rank, &rank.index->partition()});
    std::vector<std::uint32_t> expected(kWidth);
    ui::collect_group_utilisation(ranks, folded.view, 1'000'000, expected);
    CHECK(strips->chosen.at(0) == expected);
    CHECK(strips->chosen.at(0) != strips->all.at(0));
}
