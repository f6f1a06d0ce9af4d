#include "core/analysis/collectives/bandwidth_groups.hpp"
#include "core/analysis/collectives/bandwidths.hpp"
#include "core/analysis/collectives/link_line.hpp"
#include "core/collectives/choose_clocks.hpp"
#include "core/collectives/waits.hpp"
#include "core/ingest/load/load_run.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/trace_fixture.hpp"
#include "tests/corpus.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <map>
#include <set>

using namespace core;
using namespace core::testing;
using Json = nlohmann::json;

namespace {

// All-reduces of one group of two on perfect links: 20 us plus 1 ns per 10 bytes.
RunPtr run_on_a_line(std::int64_t slow_one = -1) {
    std::vector<RankTracePtr> traces;
    for (int r = 0; r < 2; ++r) {
        TraceFixture fixture;
        fixture.rank(r);
        for (std::int64_t k = 0; k < 40; ++k) {
            const std::int64_t elements = std::int64_t{2'000} << (k % 8);
            const std::int64_t extra = k == slow_one ? 500'000 : 0;
            fixture.kernel(k * 10'000'000, 20'000 + elements * 4 / 10 + extra, "ncclDevKernel_AllReduce", 9)
                .arg(Arg::CollectiveName, "allreduce")
                .arg(Arg::CollectiveDtype, "Float")
                .arg(Arg::GroupName, "dp")
                .arg(Arg::GroupRanks, "[0, 1]")
                .arg(Arg::GroupSize, 2)
                .arg(Arg::InElements, elements)
                .arg(Arg::OutElements, elements)
                .arg(Arg::Seq, k);
        }
        traces.push_back(fixture.build());
    }
    return run_of(traces);
}

}  // namespace

TEST_CASE("bus factors are those of nccl-tests") {
    CHECK(bus_factor(Operation::AllReduce, 8) == doctest::Approx(1.75));
    CHECK(bus_factor(Operation::AllGather, 8) == doctest::Approx(0.875));
    CHECK(bus_factor(Operation::ReduceScatter, 4) == doctest::Approx(0.75));
    CHECK(bus_factor(Operation::AllToAll, 2) == doctest::Approx(0.5));
    CHECK(bus_factor(Operation::Broadcast, 8) == 1);
}

TEST_CASE("the line goes through points on a line and is not moved by one far point") {
    std::vector<SizePoint> points;
    for (double bytes = 1024; bytes < 1e8; bytes *= 2) points.push_back({bytes, 35'000 + bytes / 128});
    LinkLine line = fit_link_line(points);
    REQUIRE(line.identifiable);
    CHECK(line.alpha == doctest::Approx(35'000));
    CHECK(line.bandwidth == doctest::Approx(128));
    CHECK(line.r2 == doctest::Approx(1));
    points[3].time *= 3;
    line = fit_link_line(points);
    CHECK(line.alpha == doctest::Approx(35'000));
    CHECK(line.bandwidth == doctest::Approx(128));
    CHECK(line.largest_error == doctest::Approx(2.0 / 3));
    CHECK_FALSE(line.poor);
}

TEST_CASE("few sizes, or sizes of a narrow span, have no line") {
    CHECK_FALSE(fit_link_line({{1000, 10}, {100'000, 20}}).identifiable);
    CHECK_FALSE(fit_link_line({{1000, 10}, {2000, 11}, {4000, 12}}).identifiable);
    CHECK(fit_link_line({{1000, 10}, {2000, 11}, {8000, 17}}).identifiable);
    CHECK_FALSE(fit_link_line({{0, 10}, {2000, 0}, {8000, 17}}).identifiable);
}

TEST_CASE("bandwidth, line and predictions of a planted link are found") {
    const RunPtr run = run_on_a_line();
    const Table bandwidth = answer_of(*run, "bandwidth").main();
    REQUIRE(bandwidth.rows() == 8);
    for (std::size_t row = 0; row < bandwidth.rows(); ++row) {
        const double bytes = bandwidth.number(row, 2);
        CHECK(bandwidth.integer(row, 3) == 5);
        CHECK(bandwidth.number(row, 4) == doctest::Approx(20'000 + bytes / 10));
        CHECK(bandwidth.number(row, 6) == doctest::Approx(bytes * 1e9 / (20'000 + bytes / 10)));  // f = 1 for two
        CHECK(bandwidth.number(row, 7) == 0);
    }
    const Table model = answer_of(*run, "link-model").main();
    REQUIRE(model.rows() == 1);
    CHECK(model.integer(0, model.find_column("alpha")) == 20'000);
    CHECK(model.number(0, model.find_column("bandwidth")) == doctest::Approx(1e10));
    CHECK(model.integer(0, model.find_column("hop_latency")) == 10'000);
    CHECK(model.text(0, model.find_column("verdict")) == "good");
    const Table predictions = answer_of(*run, "link-predictions").main();
    for (std::size_t row = 0; row < predictions.rows(); ++row)
        if (predictions.text(row, 2) == "ring")
            CHECK(predictions.number(row, predictions.find_column("ratio")) == doctest::Approx(1).epsilon(0.001));
}

TEST_CASE("a collective that takes far longer than its line is an outlier, and no other is") {
    CHECK(answer_of(*run_on_a_line(), "collective-outliers").main().rows() == 0);
    const Table outliers = answer_of(*run_on_a_line(13), "collective-outliers").main();
    REQUIRE(outliers.rows() == 1);
    CHECK(outliers.integer(0, 2) == 13);
    CHECK(outliers.integer(0, outliers.find_column("excess")) == 500'000);
    CHECK(outliers.text(0, outliers.find_column("pattern")) == "single");
    CHECK(outliers.integer(0, outliers.find_column("bytes")) > 0);
    CHECK(answer_of(*run_on_a_line(13), "collective-outliers", "", {{"excess", "1ms"}}).main().rows() == 0);
}

TEST_CASE("slow collectives of two groups at one time differ from those of one group, and of one size") {
    // Groups a and b of two ranks each, with 40 all-reduces; those in `slow_a` and `slow_b` take 2 ms longer.
    const auto run_of_groups = [](const std::set<int>& slow_a, const std::set<int>& slow_b) {
        std::vector<RankTracePtr> traces;
        for (int r = 0; r < 4; ++r) {
            TraceFixture fixture;
            const bool a = r < 2;
            for (int k = 0; k < 40; ++k) {
                const bool is_slow = (a ? slow_a : slow_b).contains(k);
                fixture
                    .kernel(k * 10'000'000, 100'000 + k % 7 * 1'000 + (is_slow ? 2'000'000 : 0),
                            "ncclDevKernel_AllReduce_RING_LL", 9)
                    .arg(Arg::CollectiveName, "allreduce")
                    .arg(Arg::CollectiveDtype, "Float")
                    .arg(Arg::GroupName, a ? "a" : "b")
                    .arg(Arg::GroupRanks, a ? "[0, 1]" : "[2, 3]")
                    .arg(Arg::InElements, k < 4 ? 2048 : 1024)
                    .arg(Arg::Seq, k);
            }
            traces.push_back(fixture.rank(r).build());
        }
        return run_of(traces);
    };
    const auto patterns = [](const Run& run) {
        std::set<std::string> found;
        const Table table = answer_of(run, "collective-outliers").main();
        for (std::size_t row = 0; row < table.rows(); ++row)
            found.emplace(table.text(row, table.find_column("pattern")));
        return found;
    };
    using Patterns = std::set<std::string>;
    CHECK(patterns(*run_of_groups({20}, {20})) == Patterns{"several groups at one time"});
    CHECK(patterns(*run_of_groups({20}, {25})) == Patterns{"single"});
    CHECK(patterns(*run_of_groups({20, 25}, {})) == Patterns{"this group only"});
    CHECK(patterns(*run_of_groups({20}, {})) == Patterns{"single"});
    const Table sizes = answer_of(*run_of_groups({}, {}), "bandwidth").main();
    CHECK(sizes.text(0, sizes.find_column("algorithm")) == "RING LL");
}

TEST_CASE("algorithm and protocol are read from kernel names, where they state them") {
    CHECK(algorithm_in_name("ncclDevKernel_AllReduce_Sum_bf16_RING_LL128(ncclDevKernelArgsStorage<4096ul>)") ==
          "RING LL128");
    CHECK(algorithm_in_name("ncclKernel_AllReduce_TREE_LL_Sum_float(ncclDevComm*)") == "TREE LL");
    CHECK(algorithm_in_name("ncclDevKernel_AllReduce_Sum_bf16_NVLS_SIMPLE") == "NVLS SIMPLE");
    CHECK(algorithm_in_name("ncclDevKernel_Generic") == "");
    CHECK(algorithm_in_name("ncclDevKernel_SendRecv(RING_LL)") == "");
}

TEST_CASE("rings move data to the next member, only where they are asked for, and say that they are modelled") {
    std::vector<RankTracePtr> traces;
    for (int r = 0; r < 4; ++r) {
        TraceFixture fixture;
        fixture.kernel(0, 1'000, "ncclDevKernel_AllReduce", 9)
            .arg(Arg::CollectiveName, "allreduce")
            .arg(Arg::CollectiveDtype, "Float")
            .arg(Arg::GroupName, "dp")
            .arg(Arg::GroupRanks, "[0, 1, 2, 3]")
            .arg(Arg::InElements, 1024)
            .arg(Arg::Seq, 0);
        traces.push_back(fixture.rank(r).build());
    }
    const RunPtr run = run_of(traces);
    CHECK(answer_of(*run, "communication-matrix").main().rows() == 0);
    const Answer ring = answer_of(*run, "communication-matrix", "", {{"model", "ring"}});
    const Table& main = ring.main();
    REQUIRE(main.rows() == 4);
    for (std::size_t row = 0; row < 4; ++row) {
        CHECK(main.text(row, 1) == std::to_string((row + 1) % 4));
        CHECK(main.integer(row, main.find_column("bytes")) == 4096 * 2 * 3 / 4);
        CHECK(main.text(row, main.find_column("modelled")) == "yes");
    }
    const Table& groups = *ring.find("groups");
    REQUIRE(groups.rows() == 4);
    for (std::size_t row = 0; row < 4; ++row) CHECK(groups.integer(row, groups.find_column("bytes")) == 4096);
    const Table& balance = *ring.find("balance");
    REQUIRE(balance.rows() == 8);
    for (std::size_t row = 0; row < 8; ++row) CHECK(balance.number(row, 3) == 1);
}

TEST_CASE("an all-to-all whose list of splits is cut goes to others, as its shares are not known") {
    std::vector<RankTracePtr> traces;
    for (int r = 0; r < 2; ++r) {
        TraceFixture fixture;
        fixture.kernel(0, 100, "ncclDevKernel_SendRecv", 9)
            .arg(Arg::CollectiveName, "all_to_allv")
            .arg(Arg::CollectiveDtype, "Float")
            .arg(Arg::InElements, 100)
            .arg(Arg::InSplit, "[3, ...]")
            .arg(Arg::Seq, 0);
        traces.push_back(fixture.rank(r).build());
    }
    const Table matrix = answer_of(*run_of(traces), "communication-matrix").main();
    REQUIRE(matrix.rows() == 2);
    for (std::size_t row = 0; row < 2; ++row) {
        CHECK(matrix.text(row, 1) == "others");
        CHECK(matrix.integer(row, 2) == 400);
    }
}

TEST_CASE("an all-to-all is shared out by its splits, and what is sent adds up") {
    std::vector<RankTracePtr> traces;
    for (int r = 0; r < 2; ++r) {
        TraceFixture fixture;
        fixture.rank(r);
        for (std::int64_t k = 0; k < 3; ++k) {
            fixture.kernel(k * 1'000, 100, "ncclDevKernel_SendRecv", 9)
                .arg(Arg::CollectiveName, "all_to_allv")
                .arg(Arg::CollectiveDtype, "Float")
                .arg(Arg::InElements, 100)
                .arg(Arg::Seq, k);
            if (k == 2) fixture.arg(Arg::InSplit, r == 0 ? "[3, 1]" : "[0, 8]");
        }
        traces.push_back(fixture.build());
    }
    const Table matrix = answer_of(*run_of(traces), "communication-matrix").main();
    REQUIRE(matrix.rows() == 4);
    CHECK(matrix.integer(0, 2) == 200 + 200 + 300);
    CHECK(matrix.integer(1, 2) == 200 + 200 + 100);
    CHECK(matrix.integer(2, 2) == 200 + 200 + 0);
    CHECK(matrix.integer(3, 2) == 200 + 200 + 400);
    for (std::size_t row = 0; row < 4; ++row) CHECK(matrix.integer(row, 3) == 3);
}

TEST_CASE("bandwidths and lines of the shared runs are those of an independent program") {
    if (!corpus_is_here()) return;
    const fs::path answers = shared_folder("LOCKSTEP_GOLDEN", "golden") / "collectives";
    for (const char* const folder : {"param/dlrm_8rank", "Ascend-msinsight/pytorch_npu_level0_2rank"}) {
        INFO(folder);
        const fs::path path = corpus_folder() / folder;
        std::ifstream file(answers / (path.filename().string() + ".json"));
        if (!is_whole_corpus() || !file) continue;
        const Json golden = Json::parse(file)["sessions"][0];
        LoadProgress progress;
        const Result<RunPtr> loaded = load_run(std::span(&path, 1), {}, progress, {});
        REQUIRE(loaded);
        const RunPtr run = with_clocks(*loaded, ClockChoice::Recorded);
        const Table bandwidth = answer_of(*run, "bandwidth").main();
        CHECK(bandwidth.rows() == golden["bandwidth"]["raw"].size());
        for (const Json& one : golden["bandwidth"]["raw"]) {
            bool found = false;
            for (std::size_t row = 0; row < bandwidth.rows(); ++row) {
                if (bandwidth.text(row, 1) != one["operation"].get<std::string>() ||
                    bandwidth.integer(row, 2) != one["bytes"].get<std::int64_t>())
                    continue;
                found = true;
                CHECK(bandwidth.integer(row, 3) == one["count"].get<std::int64_t>());
                CHECK(std::abs(bandwidth.number(row, 4) - one["transfer"].get<double>()) <= 1'000);
                CHECK(bandwidth.number(row, 6) == doctest::Approx(one["busbw"].get<double>() * 1e9).epsilon(0.01));
            }
            CHECK(found);
        }
        const Table model = answer_of(*run, "link-model").main();
        for (const Json& one : golden["lines"]["raw"])
            for (std::size_t row = 0; row < model.rows(); ++row) {
                if (model.text(row, 1) != one["operation"].get<std::string>()) continue;
                const auto value = [&](const char* name) { return model.number(row, model.find_column(name)); };
                CHECK(value("alpha") == doctest::Approx(one["alpha_us"].get<double>() * 1e3).epsilon(0.01));
                CHECK(value("bandwidth") == doctest::Approx(one["bandwidth_GBps"].get<double>() * 1e9).epsilon(0.01));
                CHECK(value("median_error") == doctest::Approx(one["median_error"].get<double>()).epsilon(0.01));
                CHECK((model.text(row, model.find_column("verdict")) == "poor") == one["poor"].get<bool>());
            }
    }
}

TEST_CASE("broadcasts and messages have bandwidths of what is left after both ends have come") {
    std::vector<RankTracePtr> traces;
    for (int r = 0; r < 2; ++r) {
        TraceFixture fixture;
        fixture.rank(r);
        const auto add = [&](std::int64_t start, std::int64_t end, std::string_view operation) -> TraceFixture& {
            return fixture.kernel(start, end - start, "ncclDevKernel_Generic", 9)
                .arg(Arg::CollectiveName, operation)
                .arg(Arg::CollectiveDtype, "Float")
                .arg(Arg::GroupName, "dp")
                .arg(Arg::GroupRanks, "[0, 1]")
                .arg(Arg::GroupSize, 2)
                .arg(Arg::InElements, 10'000)
                .arg(Arg::OutElements, 10'000);
        };
        // Rank 1 is the root and arrives 500 us after rank 0, which waits; then 40 us of transfer.
        const std::int64_t late = r == 1 ? 500'000 : 0;
        add(late, 540'000, "broadcast").arg(Arg::Seq, 1).arg(Arg::GroupRank, 1);
        // Rank 0 sends 300 us after rank 1 began to receive; then 20 us of transfer.
        add(r == 0 ? 1'300'000 : 1'000'000, 1'320'000, r == 0 ? "send" : "recv")
            .arg(r == 0 ? Arg::DestinationRank : Arg::SourceRank, 1 - r);
        traces.push_back(fixture.build());
    }
    const RunPtr run = run_of(traces);
    const Table bandwidth = answer_of(*run, "bandwidth").main();
    REQUIRE(bandwidth.rows() == 2);
    const std::size_t transfer = bandwidth.find_column("transfer"), bus = bandwidth.find_column("busbw");
    for (std::size_t row = 0; row < 2; ++row) {
        const bool broadcast = bandwidth.text(row, bandwidth.find_column("operation")) == "broadcast";
        if (!broadcast) CHECK(bandwidth.text(row, bandwidth.find_column("operation")) == "send_recv");
        CHECK(bandwidth.integer(row, transfer) == (broadcast ? 40'000 : 20'000));
        CHECK(bandwidth.number(row, bus) == doctest::Approx(broadcast ? 1e9 : 2e9));  // a factor of 1
    }
    const Table waits = answer_of(*run, "waits").main();
    const std::size_t wait = waits.find_column("wait"), operation = waits.find_column("operation");
    std::map<std::string, std::vector<std::string>> found;
    for (std::size_t row = 0; row < waits.rows(); ++row)
        found[std::string(waits.text(row, operation))].push_back(
            waits.absent(row, wait) ? "-" : std::to_string(waits.integer(row, wait)));
    CHECK(found["broadcast"] == std::vector<std::string>{"500000", "0"});
    // The table names a pair by its first rank. The sender's wait is unknown.
    CHECK(found["send"] == std::vector<std::string>{"-", "300000"});
    CHECK(answer_of(*run, "waits", "wait:>400us").main().rows() == 1);
    // Excluded from all sums of stragglers, and counted as other in the split of exposed communication.
    CHECK(answer_of(*run, "stragglers").main().rows() == 0);
}
