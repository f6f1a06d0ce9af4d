#include "core/index/class_partition.hpp"

#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

using namespace core;
using core::testing::TraceFixture;

namespace {

constexpr const char* kNames[] = {"gemm", "ncclDevKernel_AllReduce", "Memcpy DtoD (Device -> Device)"};

RankRange range_of(std::int64_t begin, std::int64_t end) { return {rank_time(begin), rank_time(end)}; }

struct Partitioned {
    RankTracePtr trace;
    ClassTable classes;
    ClassPartition partition;
    explicit Partitioned(RankTracePtr t)
        : trace(std::move(t)), classes(*trace, ClassRules::standard()), partition(*trace, classes, trace->gpu_events) {}

    // Naive: classes that run in [t, t+1).
    ClassSet active(std::int64_t t) const {
        ClassSet set = 0;
        for (const EventId e : trace->gpu_events) {
            if (trace->range(e).contains(rank_time(t))) set |= set_of(classes.of(e));
        }
        return set;
    }
    ClassTimes swept(RankRange window) const {
        ClassTimes times;
        for (std::int64_t t = ns_of(window.begin); t < ns_of(window.end); ++t) times.by_set[active(t)] += Duration{1};
        return times;
    }
};

Partitioned random_partition(unsigned seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
    TraceFixture fixture;
    const std::int64_t span = 20 + below(300);
    for (auto n = below(seed % 5 == 0 ? 200 : 12); n > 0; --n) {
        fixture.kernel(below(static_cast<std::uint64_t>(span)), below(2) * below(30), kNames[below(3)],
                       static_cast<int>(below(4)));
    }
    return Partitioned(fixture.build());
}

}  // namespace

TEST_CASE("time is attributed to the exact set of active classes") {
    const Partitioned p(TraceFixture()
                            .kernel(0, 10, kNames[0], 1)
                            .kernel(5, 10, kNames[1], 2)
                            .kernel(8, 2, kNames[2], 3)
                            .kernel(20, 5, kNames[2], 3)
                            .build());
    const ClassTimes times = p.partition.times(p.partition.range());
    CHECK(p.partition.range() == range_of(0, 25));
    CHECK(times.compute() == Duration{10});
    CHECK(times.with(KernelClass::Communication) == Duration{10});
    CHECK(times.exposed_communication() == Duration{5});
    CHECK(times.exposed_memory() == Duration{5});
    CHECK(times.idle() == Duration{5});
    CHECK(times.by_set[7] == Duration{2});
    CHECK(times.total() == Duration{25});
    CHECK(p.partition.active_at(rank_time(9)) == 7);
    CHECK(p.partition.active_at(rank_time(-1)) == 0);
    CHECK(p.partition.active_at(rank_time(25)) == 0);
}

TEST_CASE("windows without events are idle") {
    const ClassPartition none;
    CHECK(none.range().empty());
    CHECK(none.times(range_of(-5, 5)).idle() == Duration{10});
    const Partitioned p(TraceFixture().kernel(10, 5, "gemm").build());
    CHECK(p.partition.times(range_of(12, 12)) == ClassTimes{});
    CHECK(p.partition.times(range_of(20, 5)) == ClassTimes{});
    CHECK(p.partition.times(range_of(0, 5)).idle() == Duration{5});
    CHECK(p.partition.times(range_of(100, 300)).idle() == Duration{200});
}

TEST_CASE("an event of zero length extends the range and takes no time") {
    const Partitioned p(TraceFixture().kernel(0, 0, "gemm").kernel(10, 5, "gemm").kernel(30, 0, "gemm").build());
    CHECK(p.partition.range() == range_of(0, 30));
    CHECK(p.partition.times(p.partition.range()).compute() == Duration{5});
}

TEST_CASE("the widest possible window does not overflow") {
    const Partitioned p(TraceFixture().kernel(10, 5, "gemm").build());
    const ClassTimes times = p.partition.times({RankTime::min(), RankTime::max()});
    CHECK(times.compute() == Duration{5});
    CHECK(times.total() == Duration::max());
}

TEST_CASE("times of any window equal a sum over every nanosecond, and add up to the window") {
    for (unsigned seed = 0; seed < 250; ++seed) {
        const Partitioned p = random_partition(seed);
        std::mt19937_64 random(seed + 1'000'000);
        for (int query = 0; query < 8; ++query) {
            const std::int64_t begin = static_cast<std::int64_t>(random() % 400) - 40;
            const RankRange window = range_of(begin, begin + static_cast<std::int64_t>(random() % 400));
            const ClassTimes times = p.partition.times(window);
            CHECK(times == p.swept(window));
            CHECK(times.total() == window.length());
            const RankTime cut = window.begin + Duration{static_cast<std::int64_t>(random() % 400)};
            if (!window.contains(cut)) continue;
            const ClassTimes before = p.partition.times({window.begin, cut});
            const ClassTimes after = p.partition.times({cut, window.end});
            for (std::size_t set = 0; set < kClassSets; ++set)
                CHECK(times.by_set[set] == before.by_set[set] + after.by_set[set]);
            CHECK(p.partition.active_at(cut) == p.active(ns_of(cut)));
        }
    }
}

TEST_CASE("cells of any width and fraction have the share of each class") {
    for (unsigned seed = 0; seed < 200; ++seed) {
        const Partitioned p = random_partition(seed);
        std::mt19937_64 random(seed);
        const double cell_ns = std::exp2(static_cast<double>(random() % 1000) / 100 - 3);
        const double fraction = static_cast<double>(random() % 1000) / 1000;
        const std::int64_t t0 = static_cast<std::int64_t>(random() % 100) - 50;
        std::vector<ClassPartition::Cell> cells(60);
        p.partition.collect_cells(rank_time(t0), fraction, cell_ns, cells);
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const double from = fraction + static_cast<double>(i) * cell_ns;
            double expected[3] = {0, 0, 0};
            for (auto t = static_cast<std::int64_t>(std::floor(from)); static_cast<double>(t) < from + cell_ns; ++t) {
                const double part =
                    std::min(from + cell_ns, static_cast<double>(t + 1)) - std::max(from, static_cast<double>(t));
                for (unsigned c = 0; c < 3; ++c) expected[c] += (p.active(t0 + t) >> c & 1) ? part / cell_ns : 0;
            }
            CHECK(std::abs(static_cast<double>(cells[i].compute) - expected[0]) < 1e-5);
            CHECK(std::abs(static_cast<double>(cells[i].communication) - expected[1]) < 1e-5);
            CHECK(std::abs(static_cast<double>(cells[i].memory) - expected[2]) < 1e-5);
        }
    }
}

TEST_CASE("cells of many partitions add up to the mean of each, also when they are added in pieces") {
    constexpr std::size_t kCells = 40;
    for (unsigned seed = 0; seed < 100; ++seed) {
        std::mt19937_64 random(seed);
        const double cell_ns = std::exp2(static_cast<double>(random() % 1000) / 100 - 3);
        const double fraction = static_cast<double>(random() % 1000) / 1000;
        const auto t0 = rank_time(static_cast<std::int64_t>(random() % 100) - 50);
        CellSums all(kCells), first(kCells), second(kCells);
        std::vector<double> expected(3 * kCells);
        constexpr unsigned kRanks = 9;
        for (unsigned rank = 0; rank < kRanks; ++rank) {
            const Partitioned p = random_partition(seed * kRanks + rank);
            std::vector<ClassPartition::Cell> cells(kCells);
            p.partition.collect_cells(t0, fraction, cell_ns, cells);
            for (std::size_t i = 0; i < kCells; ++i) {
                expected[3 * i] += static_cast<double>(cells[i].compute) / kRanks;
                expected[3 * i + 1] += static_cast<double>(cells[i].communication) / kRanks;
                expected[3 * i + 2] += static_cast<double>(cells[i].memory) / kRanks;
            }
            all.add(p.partition, t0, fraction, cell_ns);
            (rank % 2 == 0 ? first : second).add(p.partition, t0, fraction, cell_ns);
        }
        first.merge(second);
        CHECK(first.added() == kRanks);
        CHECK(first.visits() == all.visits());
        for (const std::vector<ClassPartition::Cell>& means : {all.means(), first.means()}) {
            for (std::size_t i = 0; i < kCells; ++i) {
                CHECK(std::abs(static_cast<double>(means[i].compute) - expected[3 * i]) < 1e-5);
                CHECK(std::abs(static_cast<double>(means[i].communication) - expected[3 * i + 1]) < 1e-5);
                CHECK(std::abs(static_cast<double>(means[i].memory) - expected[3 * i + 2]) < 1e-5);
            }
        }
    }
}

TEST_CASE("adding up a partition of few segments costs its segments, however many cells there are") {
    const Partitioned p = random_partition(3);
    REQUIRE(p.partition.segments() > 1);
    const RankRange range = p.partition.range();
    for (const std::size_t cells : {100u, 1'000u, 100'000u}) {
        CellSums sums(cells);
        sums.add(p.partition, range.begin, 0, static_cast<double>(range.length().count()) / static_cast<double>(cells));
        CHECK(sums.visits() <= 3 * p.partition.segments());
    }
    CellSums coarse(2);
    coarse.add(p.partition, range.begin, 0, static_cast<double>(range.length().count()) / 2);
    CHECK(coarse.visits() <= 2);
}
