#include "core/ingest/megatron/megatron_log.hpp"

#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/ingest/load/ingest_fixture.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace core;
using namespace core::testing;

namespace {

constexpr std::string_view kLine =
    " [2026-08-17 10:00:00.123456] iteration      100/    5000 | consumed samples:        12800 | elapsed time per "
    "iteration (ms): 812.3 | throughput per GPU (TFLOP/s/GPU): 412.0 | learning rate: 1.500000E-04 | global batch "
    "size: "
    "  128 | lm loss: 1.0E+01 | number of skipped iterations:   2 | number of nan iterations:   1 |";

std::string line_of(int iteration, const std::string& time) {
    return " iteration " + std::to_string(iteration) + "/ 50 | elapsed time per iteration (ms): " + time + " |\n";
}

RunPtr open_all(const ScratchFolder& folder) {
    LoadProgress progress;
    const Result<RunPtr> run = load_run(std::vector{folder.path()}, {}, progress, JobContext{});
    REQUIRE_MESSAGE(run.has_value(), (run ? "" : run.error().message));
    return *run;
}

}  // namespace

TEST_CASE("a line about iterations is read, and what it does not say is absent") {
    const auto whole = read_megatron_line(kLine);
    REQUIRE(whole.has_value());
    CHECK(*whole == LoggedIterations{.last = 100,
                                     .duration_ns = 812'300'000,
                                     .flops_per_s = 412'000'000'000'000,
                                     .batch = 128,
                                     .skipped = 2,
                                     .nan = 1});
    const auto least = read_megatron_line("iteration 7/ 50 | elapsed time per iteration (s): 1.25");
    REQUIRE(least.has_value());
    CHECK(*least == LoggedIterations{.last = 7, .duration_ns = 1'250'000'000});
    CHECK(*read_megatron_line("validation loss at iteration 100 | lm loss value: 3") == std::nullopt);
}

TEST_CASE("a line whose number or time cannot be read is an error, not a zero") {
    for (const std::string_view bad : {"iteration 7/ 50 | elapsed time per iteration (ms): nan |",
                                       "iteration 7/ 50 | elapsed time per iteration (ms): -1 |",
                                       "iteration 7/ 50 | elapsed time per iteration (ms): 1e300 |",
                                       "iteration x/ 50 | elapsed time per iteration (ms): 5 |",
                                       "iteration -3/ 50 | elapsed time per iteration (ms): 5 |",
                                       "iteration 7/ 50 | elapsed time per iteration (h): 5 |",
                                       "iteration 7/ 50 elapsed time per iteration (ms): 5"})
        CHECK_MESSAGE(!read_megatron_line(bad).has_value(), bad);
    const auto rate = read_megatron_line(
        "iteration 7/ 50 | elapsed time per iteration (ms): 5 | throughput per GPU (TFLOP/s/GPU): inf |");
    REQUIRE(rate.has_value());
    CHECK((*rate)->flops_per_s == -1);
}

TEST_CASE("a log next to traces isn't a rank, and its series is in training-log") {
    const ScratchFolder folder;
    for (int rank = 0; rank < 2; ++rank)
        folder.write("rank" + std::to_string(rank) + ".json",
                     R"({"distributedInfo": {"rank": )" + std::to_string(rank) +
                         R"(, "world_size": 2}, "traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1,)"
                         R"( "tid": 1, "ts": 10, "dur": 5}]})");
    folder.write("train.log", "building the model\n" + line_of(10, "900.5") + line_of(20, "fast") + line_of(20, "800") +
                                  " iteration 30/ 50 | elapsed time per iter");
    const RunPtr run = open_all(folder);
    CHECK(run->ranks().size() == 2);
    REQUIRE(run->companions().size() == 1);
    CHECK(run->diagnostics().count("not-a-trace") == 0);
    CHECK(run->all_diagnostics().count("log-line-dropped") == 1);
    const Answer answer = answer_of(*run, "training-log");
    REQUIRE(answer.main().rows() == 2);
    CHECK(answer.main().text(0, 0) == "train.log");
    CHECK(answer.main().integer(1, answer.main().find_column("iteration")) == 20);
    CHECK(answer.main().integer(0, answer.main().find_column("duration")) == 900'500'000);
    CHECK(answer.main().absent(0, answer.main().find_column("flops")));
}

TEST_CASE("a log alone opens, and a job's output with NCCL's lines tells of both") {
    const ScratchFolder folder;
    folder.write(
        "job.out",
        "node1:7:7 [0] NCCL INFO ncclCommInitRankConfig comm 0x1 rank 0 nranks 1 cudaDev 0 nvmlDev 0 busId 1000 "
        "commId 0x5 - Init COMPLETE\n" +
            line_of(10, "5"));
    const RunPtr both = open_all(folder);
    REQUIRE(both->ranks().size() == 1);
    CHECK(is_nccl_source(both->rank(0).trace().info.trace_name));
    CHECK(answer_of(*both, "training-log").main().rows() == 1);

    const ScratchFolder alone;
    alone.write("train.out", line_of(1, "2500"));
    const RunPtr run = open_all(alone);
    REQUIRE(run->ranks().size() == 1);
    CHECK(run->event_count() == 0);
    CHECK(answer_of(*run, "training-log").main().rows() == 1);
}
