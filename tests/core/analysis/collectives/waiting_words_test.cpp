// Sentences where waits are unknown: one rank, CPU only, no common group, missing records, absent files, Ascend.

#include "core/analysis/collectives/waiting_words.hpp"

#include "core/analysis/engine/explain_waiting.hpp"
#include "core/index/rank_count.hpp"
#include "core/ingest/load/load_run.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/captures.hpp"
#include "tests/core/trace_fixture.hpp"
#include "tests/corpus.hpp"

using namespace core;
using namespace core::testing;

namespace {

constexpr const char* kOfCollectives[] = {"collectives",
                                          "waits",
                                          "matching",
                                          "stragglers",
                                          "bandwidth",
                                          "straggler-causes",
                                          "wait-by-step",
                                          "link-model",
                                          "clock-alignment",
                                          "collective-outliers",
                                          "link-predictions",
                                          "exposed-communication",
                                          "communication-matrix"};

struct Comm {
    std::string group;
    std::string members;
};

void add_all_reduce(TraceFixture& fixture, const Comm& comm, std::int64_t number, std::int64_t start) {
    fixture.kernel(start, number * 1'000'000 + 300'000 - start, "ncclDevKernel_AllReduce", 9)
        .arg(Arg::CollectiveName, "allreduce")
        .arg(Arg::CollectiveDtype, "Float")
        .arg(Arg::GroupName, comm.group)
        .arg(Arg::GroupRanks, comm.members)
        .arg(Arg::InElements, 1024)
        .arg(Arg::Seq, number);
}

std::string headline(const Run& run) { return headline_of(answer_of(run, "stragglers"), run, false); }

}  // namespace

TEST_CASE("a run of one rank names no straggler, and says why") {
    TraceFixture one;
    for (std::int64_t k = 0; k < 8; ++k) add_all_reduce(one, {"dp", "[0]"}, k, k * 1'000'000);
    const RunPtr run = run_of({one.rank(0).build()});
    CHECK(answer_of(*run, "stragglers").main().rows() == 0);
    CHECK(explain_no_rows(*find_analysis("stragglers"), *run, {}).sentence ==
          "One rank is open: waiting shows between ranks. Open the folder of all ranks.");
    CHECK(headline(*run) == "Who waits cannot be told, as no collective counts: 8 have one member here");
    for (const char* const id : kOfCollectives) CHECK_NOTHROW(answer_of(*run, id));
    const Table exposed = answer_of(*run, "exposed-communication").main();
    CHECK(exposed.absent(0, exposed.find_column("exposed_wait")));
    CHECK(answer_of(*run, "findings").main().rows() < 3);
}

TEST_CASE("a run without events is not called one of the CPU") {
    const RunPtr run = run_of({TraceFixture().rank(0).build(), TraceFixture().rank(1).build()});
    CHECK(explain_no_rows(*find_analysis("stragglers"), *run, {}).sentence == "The traces have no events.");
}

TEST_CASE("a CPU-only run names no straggler, and says why") {
    TraceFixture zero, one;
    zero.cpu(0, 1'000, "aten::mm").launch(10, 5, 1);
    one.cpu(0, 1'000, "aten::mm").launch(10, 5, 1);
    const RunPtr run = run_of({zero.rank(0).build(), one.rank(1).build()});
    for (const char* const id : kOfCollectives) {
        INFO(id);
        if (std::string_view(id) != "clock-alignment") CHECK(has_no_numbers(answer_of(*run, id).main()));
        if (std::string_view(id) == "exposed-communication" || std::string_view(id) == "communication-matrix" ||
            std::string_view(id) == "collective-outliers")
            continue;
        CHECK(explain_no_rows(*find_analysis(id), *run, {}).sentence ==
              "Only the CPU was recorded: collectives show as GPU kernels.");
    }
    CHECK(headline(*run).empty());
}

TEST_CASE("ranks that share no group are not compared, and that is said") {
    TraceFixture zero, one;
    for (std::int64_t k = 0; k < 8; ++k) {
        add_all_reduce(zero, {"a", "[0, 2]"}, k, k * 1'000'000);
        add_all_reduce(one, {"b", "[1, 3]"}, k, k * 1'000'000 + 200'000);
    }
    const RunPtr run = run_of({zero.rank(0).build(), one.rank(1).build()});
    CHECK(answer_of(*run, "stragglers").main().rows() == 0);
    CHECK(headline(*run) == "Who waits cannot be told, as no collective counts: 16 have one member here");
    CHECK(explain_no_rows(*find_analysis("stragglers"), *run, {}).sentence ==
          "No collective has members on two ranks here. Analyses, Matching of collectives, says what was found.");
}

TEST_CASE("where only incomplete collectives are, the ranks whose records lack are named") {
    TraceFixture zero, one, two;
    for (std::int64_t k = 0; k < 8; ++k) {
        add_all_reduce(zero, {"dp", "[0, 1, 2]"}, k, k * 1'000'000);
        add_all_reduce(one, {"dp", "[0, 1, 2]"}, k, k * 1'000'000 + 100'000);
    }
    two.kernel(0, 8'000'000, "gemm", 7);
    const RunPtr run = run_of({zero.rank(0).build(), one.rank(1).build(), two.rank(2).build()});
    CHECK(headline(*run) ==
          "Who waits cannot be told, as no collective counts: 8 lack records of members (rank 2 in 8)");
}

TEST_CASE("a rank that no other waits for isn't a straggler, and the sentence counts the collectives") {
    TraceFixture zero, one;
    for (std::int64_t k = 0; k < 8; ++k) {
        add_all_reduce(zero, {"dp", "[0, 1]"}, k, k * 1'000'000);
        add_all_reduce(one, {"dp", "[0, 1]"}, k, k * 1'000'000);
    }
    const RunPtr run = run_of({zero.rank(0).build(), one.rank(1).build()});
    CHECK(headline(*run) == "No rank waits for another in 8 collectives that count");
}

// In each of three windows rank 1 is 20 us late for eight collectives of 1 ms. Each window alone has a third of all
// waiting, and 12 windows would count as 12 ranks of which three deviate.
// waiting, and 12 windows would be 12 ranks of which three deviate.
TEST_CASE("a rank is judged by all its windows, and the sentence adds them up") {
    std::vector<RankTracePtr> traces;
    for (int rank = 0; rank < 4; ++rank)
        for (std::int64_t window = 0; window < 3; ++window) {
            TraceFixture trace;
            for (std::int64_t k = 0; k < 8; ++k) {
                const std::int64_t number = 100 * window + k;
                const std::int64_t begin = number * 1'000'000;
                trace.kernel(begin - 500'000, 400'000 + (rank == 1 ? 20'000 : 0), "gemm", 7);
                add_all_reduce(trace, {"dp", "[0, 1, 2, 3]"}, number, begin + (rank == 1 ? 20'000 : 0));
            }
            traces.push_back(trace.rank(rank).build());
        }
    const RunPtr run = run_of_captures(traces);
    REQUIRE(are_windows(*run));
    const Table table = answer_of(*run, "stragglers").main();
    const std::size_t rank = table.find_column("rank"), flagged = table.find_column("flagged");
    REQUIRE(table.rows() == 12);
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const RankKey key = RankKey::unpacked(table.integer(row, rank));
        INFO(format_rank(key));
        CHECK(table.text(row, flagged) == (key.number == 1 ? "yes" : "no"));
        CHECK(table.number(row, table.find_column("score")) == (key.number == 1 ? doctest::Approx(3.1916) : 0));
    }
    CHECK(headline(*run) ==
          "Rank 1: 1.44 ms of 1.44 ms waiting goes back to it, last in 24 of 24 in 3 windows; cause: slower kernels");
}

TEST_CASE("captures that are not windows of one job are judged each by itself") {
    std::vector<RankTracePtr> traces;
    for (int rank = 0; rank < 2; ++rank)
        for (int capture = 0; capture < 2; ++capture) {
            TraceFixture trace;
            const bool late = rank == 1 && capture == 1;
            for (std::int64_t k = 0; k < 8; ++k)
                add_all_reduce(trace, {"dp", "[0, 1]"}, k, k * 1'000'000 + (late ? 50'000 : 0));
            traces.push_back(trace.rank(rank).build());
        }
    const RunPtr run = run_of_captures(traces);
    REQUIRE_FALSE(are_windows(*run));
    const Table table = answer_of(*run, "stragglers").main();
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const RankKey key = RankKey::unpacked(table.integer(row, table.find_column("rank")));
        CHECK(table.text(row, table.find_column("flagged")) == (key == RankKey{1, 1} ? "yes" : "no"));
    }
}

TEST_CASE("with 30 of 512 files absent the last of those here is named, and waits are called lower bounds") {
    std::string all = "[";
    for (int r = 0; r < 512; ++r) all += (r == 0 ? "" : ", ") + std::to_string(r);
    all += "]";
    std::vector<RankTracePtr> traces;
    for (int r = 0; r < 512; ++r) {
        if (r % 17 == 5) continue;  // 30 of them
        TraceFixture fixture;
        for (std::int64_t k = 0; k < 6; ++k)
            add_all_reduce(fixture, {"dp", all}, k, k * 1'000'000 + (r == 100 ? 250'000 : r * 10));
        traces.push_back(fixture.rank(r).build());
    }
    REQUIRE(traces.size() == 482);
    const RunPtr run = run_of(traces);
    const Answer answer = answer_of(*run, "stragglers");
    REQUIRE(answer.main().rows() == 482);
    CHECK(headline(*run).starts_with("Rank 100: "));
    CHECK(answer.main().text(0, answer.main().find_column("flagged")) == "yes");
    const Table& clocks = *answer.find("clocks");
    CHECK(clocks.text(0, clocks.find_column("remark")).find("482 of 512 ranks are here: waits are lower bounds") !=
          std::string_view::npos);
    CHECK(answer_of(*run, "collectives").main().rows() == 6);
}

TEST_CASE("a run of Ascend devices is compared by order, or says why not") {
    if (!corpus_is_here()) return;
    const fs::path folder = corpus_folder() / "Ascend-msinsight/pytorch_npu_level0_2rank";
    std::uintmax_t bytes = 0;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file()) bytes += entry.file_size();
    if (bytes > largest_of_corpus()) return;
    LoadProgress progress;
    const fs::path paths[] = {folder};
    const Result<RunPtr> run = load_run(paths, {}, progress, {});
    REQUIRE(run);
    CHECK_FALSE(headline(**run).empty());
    const Table matching = answer_of(**run, "matching").main();
    REQUIRE(matching.rows() > 0);
    for (std::size_t row = 0; row < matching.rows(); ++row)
        CHECK(matching.text(row, matching.find_column("matched_by")) != "number");
}
