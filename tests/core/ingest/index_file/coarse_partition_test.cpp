#include "core/ingest/index_file/coarse_partition.hpp"

#include "core/ingest/index_file/pack_sections.hpp"
#include "core/store/sections.hpp"
#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

using namespace core;
using core::testing::TraceFixture;

namespace {

constexpr std::int64_t kBucket = std::int64_t{1} << 20;

RankTracePtr busy_trace(unsigned seed, int kernels) {
    std::mt19937 random(seed);
    const auto below = [&](int n) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(n)); };
    TraceFixture fixture;
    constexpr std::string_view kNames[] = {"gemm", "ncclDevKernel_AllReduce", "Memcpy HtoD"};
    std::int64_t at = 1'000'003;
    for (int i = 0; i < kernels; ++i) {
        at += below(30) == 0 ? below(20'000'000) : below(60'000);
        const auto kind = static_cast<std::size_t>(below(3));
        fixture.kernel(at, below(40) == 0 ? below(9'000'000) : below(90'000), kNames[kind], 7 + static_cast<int>(kind),
                       -1, kind == 2 ? "gpu_memcpy" : "kernel");
    }
    return fixture.build();
}

ClassPartition partition_of(const PartitionCuts& cuts, Blob& kept) {
    SectionList list;
    give_sections(cuts, list);
    kept = copy_to_blob(list);
    std::optional<ClassPartition> partition = ClassPartition::from_sections(kept);
    REQUIRE(partition);
    return *std::move(partition);
}

}  // namespace

TEST_CASE("a coarse partition has the times of every bucket to 1/256 of it, with fewer cuts, and is sound") {
    for (unsigned seed = 1; seed <= 12; ++seed) {
        const RankTracePtr trace = busy_trace(seed, 6'000);
        const RankIndex index(trace, ClassRules::standard());
        const ClassPartition& fine = index.partition();
        const PartitionCuts cuts = coarsen(fine, Duration{kBucket});
        Blob kept;
        const ClassPartition coarse = partition_of(cuts, kept);
        CHECK_FALSE(coarse.has_fault(trace->window));
        CHECK(coarse.range() == fine.range());
        CHECK(coarse.segments() < fine.segments());
        const std::int64_t first = ns_of(fine.range().begin) / kBucket, last = ns_of(fine.range().end) / kBucket;
        for (std::int64_t bucket = first; bucket <= last; ++bucket) {
            const RankRange window{rank_time(bucket * kBucket), rank_time((bucket + 1) * kBucket)};
            const ClassTimes exact = fine.times(window), rounded = coarse.times(window);
            for (std::size_t set = 0; set < kClassSets; ++set) {
                INFO("seed " << seed << ", bucket " << bucket - first << ", set " << set);
                const std::int64_t off = std::abs((exact.by_set[set] - rounded.by_set[set]).count());
                CHECK(off <= kBucket / 256);
            }
        }
    }
}

TEST_CASE("a partition that has few cuts stays as it is") {
    const RankTracePtr trace =
        TraceFixture().kernel(5, 10, "gemm").kernel(30 * kBucket, 7, "ncclDevKernel_AllReduce", 8).build();
    const RankIndex index(trace, ClassRules::standard());
    Blob kept;
    const ClassPartition coarse = partition_of(coarsen(index.partition(), Duration{kBucket}), kept);
    CHECK(coarse.segments() == index.partition().segments());
    const RankRange all{rank_time(0), rank_time(31 * kBucket)};
    CHECK(coarse.times(all) == index.partition().times(all));
    const RankIndex none(TraceFixture().cpu(0, 5, "aten::mm").build(), ClassRules::standard());
    CHECK(partition_of(coarsen(none.partition(), Duration{kBucket}), kept).segments() == 0);
}

TEST_CASE("the resolution follows from the length: 2^20 ns, or coarser for hours") {
    const RankIndex minute(TraceFixture().kernel(0, 5, "a").kernel(10'000'000'000, 5, "b").build(),
                           ClassRules::standard());
    CHECK(resolution_for(minute.partition()).count() == kBucket);
    const RankIndex hour(TraceFixture().kernel(1, 5, "a").kernel(3'600'000'000'000, 5, "b").build(),
                         ClassRules::standard());
    CHECK(resolution_for(hour.partition()).count() == 512 * kBucket);
}
