#include "core/index/time_pyramid.hpp"

#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <random>

using namespace core;
using core::testing::TraceFixture;

namespace {

constexpr double kRounding = 2.0 / 255 + 1e-4;  // of a bucket's share, and of raising small shares to 1/255
constexpr double kRaised = 4.0 / 255;  // the same if every class of a bucket is raised to 1/255
constexpr const char* kPyramidNames[] = {"gemm", "ncclDevKernel_AllReduce", "Memcpy DtoD (Device -> Device)"};

// A part of the time axis, in ns from the left edge of the view.
struct Part {
    double from;
    double to;
    double length() const { return std::max(0.0, to - from); }
};

struct View {
    std::int64_t t0;
    double fraction;
    double ns_per_px;
    std::size_t columns;
    Part column(std::size_t i) const {
        const double from = fraction + static_cast<double>(i) * ns_per_px;
        return {from, from + ns_per_px};
    }
};

// One lane, its pyramid, and the naive result.
class LaneUnderTest {
public:
    LaneUnderTest(RankTracePtr trace, std::size_t lane)
        : trace_(std::move(trace)),
          classes_(*trace_, ClassRules::standard()),
          lane_(trace_->lanes[lane]),
          pyramid_(*trace_, classes_, lane_) {}

    std::vector<PixelColumn> collect(const View& view) const {
        std::vector<PixelColumn> columns(view.columns);
        pyramid_.collect_columns(*trace_, classes_, rank_time(view.t0), view.fraction, view.ns_per_px, columns);
        return columns;
    }
    std::size_t events() const { return index_of(lane_.last) - index_of(lane_.first); }
    const TimePyramid& pyramid() const { return pyramid_; }
    bool holds(EventId e) const { return lane_.first <= e && e < lane_.last; }

    double covered(EventId e, const View& view, Part part) const {
        const Part event = part_of(e, view);
        return Part{std::max(event.from, part.from), std::min(event.to, part.to)}.length();
    }
    std::array<double, 4> busy(const View& view, Part part) const {
        std::array<double, 4> sums{};
        for_each_near(view, part,
                      [&](EventId e) { sums[static_cast<std::size_t>(classes_.of(e))] += covered(e, view, part); });
        return sums;
    }
    double widest(const View& view, Part part) const {
        double most = 0;
        for_each_near(view, part, [&](EventId e) { most = std::max(most, covered(e, view, part)); });
        return most;
    }
    // Whether an event or instant overlaps the part by more than rounding.
    bool touches(const View& view, Part part) const {
        bool any = false;
        for_each_near(view, part, [&](EventId e) {
            const Part event = part_of(e, view);
            const bool moment = event.length() == 0;
            any = any ||
                  (moment ? event.from >= part.from && event.from < part.to - 1e-6 : covered(e, view, part) > 1e-6);
        });
        return any;
    }
    double total() const {
        double sum = 0;
        for (std::size_t i = index_of(lane_.first); i < index_of(lane_.last); ++i)
            sum += static_cast<double>(trace_->duration[i].count());
        return sum;
    }
    RankTime start(std::size_t i) const { return trace_->start[index_of(lane_.first) + i]; }
    RankRange span() const {
        return {trace_->start[index_of(lane_.first)],
                trace_->end(EventId{static_cast<std::uint32_t>(index_of(lane_.last) - 1)})};
    }

private:
    Part part_of(EventId e, const View& view) const {
        const auto from = static_cast<double>(ns_of(trace_->start[index_of(e)]) - view.t0);
        return {from, from + static_cast<double>(trace_->duration[index_of(e)].count())};
    }
    template <class Visit>
    void for_each_near(const View& view, Part part, Visit visit) const {
        for (std::size_t i = index_of(lane_.first); i < index_of(lane_.last); ++i) {
            const EventId e{static_cast<std::uint32_t>(i)};
            const Part event = part_of(e, view);
            if (event.to < part.from) continue;
            if (event.from > part.to) break;
            visit(e);
        }
    }

    RankTracePtr trace_;
    ClassTable classes_;
    Lane lane_;
    TimePyramid pyramid_;
};

std::array<double, 4> shares(const PixelColumn& column) {
    return {column.compute, column.communication, column.memory, column.other};
}

// Columns read from events are exact.
void check_exact(const LaneUnderTest& lane, const View& view) {
    const std::vector<PixelColumn> columns = lane.collect(view);
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const Part part = view.column(i);
        const std::array<double, 4> expected = lane.busy(view, part);
        const std::array<double, 4> actual = shares(columns[i]);
        const bool raised = columns[i].busy() <= 1.01F / 255;
        for (std::size_t c = 0; c < 4; ++c)
            CHECK(std::abs(actual[c] - expected[c] / view.ns_per_px) < (raised ? 1.01 / 255 : 1e-4));
        CHECK((columns[i].busy() > 0) == (columns[i].widest != kNoEvent));
        if (lane.touches(view, part)) CHECK(columns[i].busy() >= 0.99F / 255);
        if (columns[i].widest == kNoEvent) continue;
        CHECK(lane.covered(columns[i].widest, view, part) >= lane.widest(view, part) - 1e-4 * view.ns_per_px);
    }
}

// Columns from buckets are blurred by less than a bucket.
void check_within_a_bucket(const LaneUnderTest& lane, const View& view, double bucket_ns) {
    const std::vector<PixelColumn> columns = lane.collect(view);
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const Part part = view.column(i);
        const Part wide{part.from - bucket_ns, part.to + bucket_ns};
        const Part narrow{part.from + bucket_ns, part.to - bucket_ns};
        const std::array<double, 4> most = lane.busy(view, wide);
        const std::array<double, 4> least = lane.busy(view, narrow);
        const std::array<double, 4> actual = shares(columns[i]);
        for (std::size_t c = 0; c < 4; ++c) {
            CHECK(actual[c] <= most[c] / view.ns_per_px + kRounding);
            CHECK(actual[c] >= least[c] / view.ns_per_px - kRounding);
        }
        CHECK(columns[i].busy() <= 1.0001F);
        if (lane.touches(view, part)) CHECK(columns[i].busy() >= 0.99F / 255);
        if (!lane.touches(view, wide)) CHECK(columns[i].busy() == 0);
        REQUIRE((columns[i].busy() > 0) == (columns[i].widest != kNoEvent));
        if (columns[i].widest == kNoEvent) continue;
        REQUIRE(lane.holds(columns[i].widest));
        CHECK(lane.covered(columns[i].widest, view, wide) >= 0.45 * lane.widest(view, narrow));
    }
}

enum class Shape { Even, Bursts, OneOutlier, Growing };

// One stream of `count` events without overlap; of a single class for half of the seeds.
RankTracePtr stream_of(Shape shape, int count, unsigned seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
    TraceFixture fixture;
    std::int64_t t = below(1'000'000) - 500'000;
    for (int i = 0; i < count; ++i) {
        std::int64_t gap = below(100);
        if (shape == Shape::Bursts && below(200) == 0) gap = below(2'000'000);
        if (shape == Shape::OneOutlier && i == count / 2) gap = 3'000'000'000'000;
        if (shape == Shape::Growing)
            gap = below(2 + static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(i) / 50);
        const std::int64_t length = below(5) == 0 ? 0 : below(below(50) == 0 ? 5'000 : 200);
        t += gap;
        fixture.kernel(t, length, kPyramidNames[seed / 4 % 2 == 0 ? 0 : below(3)], 7);
        t += length;
    }
    return fixture.build();
}

View random_view(const LaneUnderTest& lane, std::mt19937_64& random, double ns_per_px, std::size_t columns) {
    const auto span = static_cast<double>(lane.span().length().count());
    const double width = ns_per_px * static_cast<double>(columns);
    const double at = (static_cast<double>(random() % 1'000) / 1'000) * (span + width) - width;
    return {ns_of(lane.span().begin) + static_cast<std::int64_t>(at), static_cast<double>(random() % 1'000) / 1'000,
            ns_per_px, columns};
}

}  // namespace

TEST_CASE("a lane with few events is exact at any zoom") {
    for (unsigned seed = 0; seed < 200; ++seed) {
        const LaneUnderTest lane(stream_of(static_cast<Shape>(seed % 4), 1 + static_cast<int>(seed % 40), seed), 0);
        std::mt19937_64 random(seed);
        for (int query = 0; query < 6; ++query) {
            const double ns_per_px = std::exp2(static_cast<double>(random() % 1'800) / 100 - 4);
            check_exact(lane, random_view(lane, random, ns_per_px, 40));
        }
    }
}

TEST_CASE("a lane with many events is exact for columns below a nanosecond") {
    for (unsigned seed = 0; seed < 20; ++seed) {
        const LaneUnderTest lane(stream_of(static_cast<Shape>(seed % 4), 3'000, seed), 0);
        std::mt19937_64 random(seed);
        for (int query = 0; query < 5; ++query)
            check_exact(lane, random_view(lane, random, 0.01 + 0.098 * static_cast<double>(query), 100));
    }
}

TEST_CASE("a lane with many events is exact for columns narrower than any bucket") {
    for (unsigned seed = 0; seed < 40; ++seed) {
        const bool outlier = seed % 2 == 0;  // in a separate block with buckets of about 2^32 ns
        const LaneUnderTest lane(stream_of(outlier ? Shape::OneOutlier : Shape::Even, outlier ? 1'000 : 3'000, seed),
                                 0);
        std::mt19937_64 random(seed);
        for (double ns_per_px = 1.3; ns_per_px < (outlier ? 1e6 : 350); ns_per_px *= 2.1) {
            View view = random_view(lane, random, ns_per_px, 60);
            // Near events rather than in the gap between them.
            const std::size_t near = random() % lane.events();
            if (outlier) view.t0 = ns_of(lane.start(near)) - static_cast<std::int64_t>(ns_per_px * 20);
            check_exact(lane, view);
        }
    }
}

TEST_CASE("a lane with many events is accurate within a bucket at any zoom") {
    for (unsigned seed = 0; seed < 24; ++seed) {
        const LaneUnderTest lane(stream_of(static_cast<Shape>(seed % 4), seed < 4 ? 40'000 : 3'000, seed), 0);
        std::mt19937_64 random(seed);
        const auto span = static_cast<double>(lane.span().length().count());
        for (double ns_per_px = span / 10; ns_per_px > 1; ns_per_px /= seed < 4 ? 9.7 : 3.1) {
            const double bucket_ns = std::exp2(std::floor(std::log2(ns_per_px)));
            check_within_a_bucket(lane, random_view(lane, random, ns_per_px, 50), bucket_ns);
        }
    }
}

TEST_CASE("one column over the whole lane names its longest event, wherever it crosses bucket edges") {
    constexpr std::int64_t kSpan = 1 << 20;
    int crossings = 0;
    for (std::int64_t place = 0; place + 10'000 < kSpan; place += 1'357) {
        if (place < kSpan / 2 && place + 10'000 > kSpan / 2) continue;  // each of the two top buckets has only a half
        TraceFixture fixture;
        for (std::int64_t t = place % 6'000; t + 6'000 <= place; t += 6'000) fixture.kernel(t, 6'000, "gemm", 7);
        fixture.kernel(place, 10'000, "longest", 7);
        for (std::int64_t t = place + 10'000; t + 6'000 <= kSpan; t += 6'000) fixture.kernel(t, 6'000, "gemm", 7);
        const LaneUnderTest lane(fixture.build(), 0);
        const View view{0, 0, 2.0 * kSpan, 1};
        REQUIRE(lane.events() >= 48);
        CHECK(lane.covered(lane.collect(view)[0].widest, view, view.column(0)) == 10'000);
        crossings += place >> 16 != (place + 9'999) >> 16 ? 1 : 0;
    }
    CHECK(crossings > 50);
}

TEST_CASE("zoomed out, the columns add up to the lane's busy time") {
    for (unsigned seed = 0; seed < 12; ++seed) {
        const LaneUnderTest lane(stream_of(static_cast<Shape>(seed % 4), 5'000, seed), 0);
        const auto span = static_cast<double>(lane.span().length().count());
        const View view{ns_of(lane.span().begin) - 1'000, 0.25, (span + 2'000) / 300, 300};
        double sum = 0;
        for (const PixelColumn& column : lane.collect(view)) sum += static_cast<double>(column.busy()) * view.ns_per_px;
        CHECK(std::abs(sum - lane.total()) <= span * kRaised);
    }
}

TEST_CASE("an instant fills a column") {
    TraceFixture fixture;
    fixture.event(1'000, 0, "mark", "cpu_instant_event", {}).phase(Phase::Instant);
    const LaneUnderTest lane(fixture.build(), 0);
    const std::vector<PixelColumn> columns = lane.collect({0, 0, 100, 20});
    for (std::size_t i = 0; i < columns.size(); ++i) CHECK((columns[i].busy() > 0) == (i == 10));
    CHECK(columns[10].other >= 0.99F / 255);
    CHECK(columns[10].widest == EventId{0});
}

TEST_CASE("an event longer than the view fills it") {
    const LaneUnderTest lane(TraceFixture().kernel(-1'000'000'000, 2'000'000'000, "gemm").build(), 0);
    for (const PixelColumn& column : lane.collect({5, 0.5, 0.001, 50})) CHECK(column.compute == doctest::Approx(1));
}

TEST_CASE("an empty lane and an empty view have no columns") {
    const TimePyramid none;
    const RankTracePtr trace = TraceFixture().kernel(0, 10, "gemm").build();
    const ClassTable classes(*trace, ClassRules::standard());
    std::vector<PixelColumn> columns(3, PixelColumn{1, 1, 1, 1, EventId{0}});
    none.collect_columns(*trace, classes, rank_time(0), 0, 1, columns);
    for (const PixelColumn& column : columns) CHECK(column.widest == kNoEvent);
    LaneUnderTest(trace, 0).collect({0, 0, 1, 0});
}

TEST_CASE("extreme views and times do not overflow") {
    constexpr std::int64_t kFar = 1'000'000'000'000'000;  // days, as months apart are no times of one trace
    const LaneUnderTest lane(TraceFixture().kernel(-kFar, 1'000, "gemm").kernel(kFar, 1'000, "gemm").build(), 0);
    const std::vector<PixelColumn> all = lane.collect({-kFar, 0, 3e12, 1'000});
    CHECK(all.front().busy() > 0);
    double shown = 0;
    for (const PixelColumn& column : all) shown += column.busy() > 0 ? 1 : 0;
    CHECK(shown == 2);
    for (const PixelColumn& column : lane.collect({RankTime::max().time_since_epoch().count(), 0, 1e16, 100}))
        CHECK(column.busy() == 0);
    CHECK(lane.collect({RankTime::min().time_since_epoch().count(), 0, 1e18, 10})[0].busy() == 0);
}

TEST_CASE("many short events far from all others are visible in columns of any width") {
    TraceFixture trace;
    for (int i = 0; i < 60; ++i) trace.kernel(2'000 * i, 1'500, "gemm");
    const LaneUnderTest lane(trace.build(), 0);
    for (const double ns_per_px : {1e9, 1e12, 1e15, 1e17}) {
        CAPTURE(ns_per_px);
        const PixelColumn column = lane.collect({0, 0, ns_per_px, 3})[0];
        CHECK(column.busy() > 0);
        CHECK(column.widest != kNoEvent);
    }
}

TEST_CASE("a pyramid takes at most about five bytes per event") {
    for (const Shape shape : {Shape::Even, Shape::Bursts, Shape::OneOutlier, Shape::Growing}) {
        const LaneUnderTest lane(stream_of(shape, 50'000, 1), 0);
        CHECK(static_cast<double>(lane.pyramid().resident_bytes()) / static_cast<double>(lane.events()) < 5.3);
    }
}

TEST_CASE("a block of few events above a full one has buckets") {
    constexpr int kBlock = 1 << 15;  // pyramid_tiers.hpp: events of a block of the second tier
    TraceFixture trace;
    for (int i = 0; i < kBlock + 3; ++i) trace.kernel(100 * i, 50, "gemm");
    const LaneUnderTest lane(trace.build(), 0);
    CHECK(lane.collect({std::int64_t{100} * kBlock, 0, 100, 2})[0].busy() > 0);
}
