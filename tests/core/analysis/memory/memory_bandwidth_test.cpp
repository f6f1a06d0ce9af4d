#include "core/analysis/memory/memory_copies.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/analysis/launches/launch_model.hpp"

#include <set>

using namespace core;
using namespace core::testing;

namespace {

constexpr const char* kCopies = "gpu_memcpy";

std::string gigabyte_points_of(const Series& series) {
    std::string text;
    for (std::size_t i = 0; i < series.time.size(); ++i)
        text += (i ? " " : "") + std::to_string(ns_of(series.time[i])) + ":" +
                std::to_string(std::llround(series.value[i] / 1e9));
    return text;
}

struct ModelCopy {
    int start, duration, bytes;
    bool is_set;
};

}  // namespace

TEST_CASE("the direction of a copy is parsed from CUDA's and ROCm's names") {
    CHECK(copy_kind("Memcpy HtoD (Pinned -> Device)") == "HtoD");
    CHECK(copy_kind("Memcpy PtoP (Device -> Device)") == "PtoP");
    CHECK(copy_kind("CopyDeviceToHost") == "DtoH");
    CHECK(copy_kind("Memset (Device)") == "memset");
    CHECK(copy_kind("dma_request") == "dma_request");
}

TEST_CASE("bandwidth is bytes over the time with a copy running, and the series sums the running copies") {
    TraceFixture fixture;
    fixture.kernel(0, 100, "Memcpy HtoD (Pageable -> Device)", 7, 1, kCopies).arg(Arg::Bytes, 1000);
    fixture.kernel(50, 100, "Memcpy HtoD (Pinned -> Device)", 8, 2, kCopies).arg(Arg::Bytes, 2000);
    fixture.kernel(300, 50, "Memset (Device)", 7, 3, "gpu_memset").arg(Arg::Bytes, 500);
    const Answer answer = answer_of(*run_of({fixture.build()}), "memory-bandwidth");
    CHECK(rows_of(answer.main()) ==
          Rows{"0 HtoD 2 3000 150 20000000000.000000 0 0", "0 memset 1 500 50 10000000000.000000 0 0"});
    REQUIRE(answer.series.size() == 2);
    CHECK(answer.series[0].name == "bandwidth, HtoD");
    CHECK(gigabyte_points_of(answer.series[0]) == "0:10 50:30 100:20 150:0");
}

TEST_CASE("a size is the event's, else its launch's, else bandwidth times duration, else unknown") {
    TraceFixture fixture;
    fixture.launch(0, 5, 1).arg(Arg::Bytes, 400).launch(5, 5, 2);
    fixture.kernel(10, 100, "Memcpy DtoH", 7, 1, kCopies);
    fixture.kernel(200, 100, "Memcpy DtoH", 7, 2, kCopies).arg(Arg::BandwidthMbPerS, 6000);
    fixture.kernel(400, 100, "Memcpy DtoH", 7, 3, kCopies);
    fixture.kernel(600, 100, "Memcpy DtoD", 7, 4, kCopies);
    fixture.kernel(800, 0, "Memcpy PtoP", 7, 5, kCopies).arg(Arg::Bytes, 64);
    const Answer answer = answer_of(*run_of({fixture.build()}), "memory-bandwidth");
    CHECK(rows_of(answer.main()) ==
          Rows{"0 DtoD 1 - 100 - 0 1", "0 DtoH 3 1000 300 5000000000.000000 1 1", "0 PtoP 1 64 0 - 0 0"});
    CHECK(answer.series.size() == 1);
}

TEST_CASE("without copies there are no rows") {
    const RunPtr run = run_of({TraceFixture().kernel(0, 5, "gemm").build(), TraceFixture().cpu(0, 5, "op").build()});
    CHECK(answer_of(*run, "memory-bandwidth").main().rows() == 0);
}

TEST_CASE("random traces: bytes, time and series of copies agree with naive counts, and windows add up") {
    for (unsigned seed = 0; seed < 150; ++seed) {
        Dice dice(seed);
        std::vector<ModelCopy> copies;
        TraceFixture fixture;
        fixture.cpu(0, kModelSpan, "everything");
        for (int i = dice.roll(0, 12); i > 0; --i) {
            copies.push_back(
                {dice.roll(0, 200), dice.one_in(6) ? 0 : dice.roll(1, 90), dice.roll(0, 5000), dice.one_in(3)});
            const ModelCopy& copy = copies.back();
            fixture.kernel(copy.start, copy.duration, copy.is_set ? "Memset (Device)" : "Memcpy DtoD", dice.roll(7, 9),
                           i, copy.is_set ? "gpu_memset" : kCopies);
            fixture.arg(Arg::Bytes, copy.bytes);
        }
        const RunPtr run = run_of({fixture.build()});
        INFO("seed ", seed);
        const Answer whole = answer_of(*run, "memory-bandwidth");
        const std::string cut = std::to_string(dice.roll(1, kModelSpan - 1)) + "ns";
        const Table head = answer_of(*run, "memory-bandwidth", "time:0ns.." + cut).main();
        const Table tail =
            answer_of(*run, "memory-bandwidth", "time:" + cut + ".." + std::to_string(kModelSpan) + "ns").main();
        const auto find = [](const Table& table, std::string_view kind, std::string_view column) {
            for (std::size_t row = 0; row < table.rows(); ++row)
                if (table.text(row, 1) == kind) return table.integer(row, table.find_column(column));
            return std::int64_t{0};
        };
        for (const bool is_set : {false, true}) {
            const std::string_view kind = is_set ? "memset" : "DtoD";
            std::int64_t bytes = 0, count = 0;
            std::set<int> busy;
            double flown = 0;
            for (const ModelCopy& copy : copies) {
                if (copy.is_set != is_set) continue;
                ++count;
                bytes += copy.bytes;
                flown += copy.duration > 0 ? copy.bytes : 0;
                for (int t = copy.start; t < copy.start + copy.duration; ++t) busy.insert(t);
            }
            CHECK(find(whole.main(), kind, "count") == count);
            CHECK(find(whole.main(), kind, "bytes") == bytes);
            CHECK(find(whole.main(), kind, "time") == std::ssize(busy));
            for (const char* const column : {"bytes", "time"})
                CHECK(find(head, kind, column) + find(tail, kind, column) == find(whole.main(), kind, column));
            double under_series = 0;
            for (const Series& series : whole.series) {
                if (series.name != "bandwidth, " + std::string(kind)) continue;
                for (std::size_t i = 0; i + 1 < series.time.size(); ++i)
                    under_series +=
                        series.value[i] * static_cast<double>((series.time[i + 1] - series.time[i]).count()) / 1e9;
                CHECK(series.value.back() == 0);
            }
            CHECK(under_series == doctest::Approx(flown));
        }
    }
}
