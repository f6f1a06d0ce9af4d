// The analyses verdict and health on hand-made traces, and the shares of the chapter's examples on real ones.

#include "core/analysis/verdict/health.hpp"

#include "core/analysis/findings/limits.hpp"
#include "core/export/csv.hpp"
#include "core/ingest/load/load_run.hpp"
#include "core/store/flight_names.hpp"
#include "tests/core/analysis/efficiency/efficiency_fixture.hpp"
#include "tests/corpus.hpp"

using namespace core;
using namespace core::testing;

namespace {

constexpr std::int64_t kMs = 1'000'000;

std::size_t row_of(const Table& table, std::string_view check) {
    for (std::size_t row = 0; row < table.rows(); ++row)
        if (table.text(row, 0) == check) return row;
    FAIL("no check ", std::string(check));
    return 0;
}

std::string_view text_of(const Table& table, std::string_view check, std::string_view column) {
    return table.text(row_of(table, check), table.find_column(column));
}
std::string_view status_of(const Answer& health, std::string_view check) {
    return text_of(health.main(), check, "status");
}
double value_of_check(const Answer& health, std::string_view check) {
    return health.main().number(row_of(health.main(), check), health.main().find_column("value"));
}

// Seven steps of 10 ms; in each a product of bf16 matrices for `busy` of it, launched when the one before is done.
RankTracePtr train(std::int64_t busy, std::int64_t last_step = 10 * kMs) {
    OperatorFixture fixture;
    fixture.device("NVIDIA H100 80GB HBM3", 85'000'000'000);
    for (int step = 0; step < 7; ++step) {
        const std::int64_t begin = step * 10 * kMs;
        fixture.step(begin, step == 6 ? last_step : 10 * kMs, step + 1);
        fixture.op(begin + 100, 10'000, "autograd::engine::evaluate_function: MmBackward0");
        fixture.op(begin + 200, 5'000, "aten::mm").with("[[1024, 1024], [1024, 1024]]", kHalves);
        fixture.gpu(begin + 300, begin + 1'000, busy, "nvjet_gemm");
    }
    return fixture.build();
}

RunPtr load(const std::string& folder) {
    LoadProgress progress;
    const fs::path paths[] = {corpus_folder() / folder};
    Result<RunPtr> run = load_run(paths, {}, progress, {});
    REQUIRE(run);
    return *run;
}

}  // namespace

TEST_CASE("the worst rank is one of those with a trace: dumps next to them do not count") {
    OperatorFixture dump;
    dump.info().trace_name = kFlightRecorderTrace;
    RunParts parts = run_of({train(9 * kMs), train(8 * kMs), dump.build()})->parts();
    parts.ranks[2].key = {0, 1};
    std::ranges::sort(parts.ranks, {}, &RankSlot::key);
    const auto run = std::make_shared<const Run>(std::move(parts));
    const std::string evidence(text_of(answer_of(*run, "health").main(), "batch", "evidence"));
    CHECK_MESSAGE(evidence.ends_with("the worst of 2"), evidence);
}

TEST_CASE("what no trace tells is unknown and never ok") {
    const Answer health = answer_of(*run_of({train(9 * kMs)}), "health");
    CHECK(health.main().rows() == health_checks().size());
    for (const std::string_view check :
         {"stragglers", "data-loading", "overlap", "communication", "memory-pressure", "slack"}) {
        INFO(check);
        CHECK(status_of(health, check) == "unknown");
        CHECK(health.main().absent(row_of(health.main(), check), health.main().find_column("value")));
        CHECK_FALSE(text_of(health.main(), check, "evidence").empty());
    }
}

TEST_CASE("checks have the values of a hand-made run") {
    const Answer health = answer_of(*run_of({train(9 * kMs)}), "health");
    // 2 * 1024^3 FLOP in 10 ms at 989.4 TFLOP/s.
    CHECK(value_of_check(health, "utilisation") ==
          doctest::Approx(2.0 * 1024 * 1024 * 1024 / (0.01 * 989.4e12)).epsilon(0.001));
    CHECK(status_of(health, "utilisation") == "bad");
    CHECK(status_of(health, "mixed-precision") == "ok");
    CHECK(status_of(health, "tensor-cores") == "ok");
    CHECK(value_of_check(health, "coverage") == 1);
    CHECK(status_of(health, "steps") == "ok");
    CHECK(status_of(health, "batch") == "ok");
    CHECK(status_of(health, "allocations") == "ok");
    // 69 ms with six gaps of 1 ms, each of which ends with a late launch.
    CHECK(value_of_check(health, "host") == doctest::Approx(6.0 / 69));
    CHECK(status_of(health, "host") == "ok");
    CHECK(status_of(answer_of(*run_of({train(7 * kMs)}), "health"), "host") == "bad");
}

TEST_CASE("uneven steps warn") {
    CHECK(status_of(answer_of(*run_of({train(9 * kMs, 13 * kMs)}), "health"), "steps") == "warn");
    CHECK(status_of(answer_of(*run_of({train(9 * kMs, 30 * kMs)}), "health"), "steps") == "bad");
}

TEST_CASE("limits of a run move its lights") {
    const RunPtr run = run_of({train(9 * kMs)});
    Limits limits;
    CHECK_FALSE(limits.add("host.warn=0.05"));
    run->derived().put(std::make_shared<const Limits>(limits));
    const Answer health = answer_of(*run, "health");
    CHECK(status_of(health, "host") == "warn");
    CHECK(text_of(health.main(), "host", "limit") == "warn above 5.00 %, bad above 25.0 %");
    CHECK(health.marks.size() >= 1);
}

TEST_CASE("a value that is only a lower bound does not fail its limit") {
    OperatorFixture fixture;
    fixture.device("NVIDIA H100 80GB HBM3");
    fixture.step(0, 10 * kMs, 1);
    fixture.op(100, 10'000, "autograd::engine::evaluate_function: MmBackward0");
    fixture.op(200, 5'000, "aten::mm").with("[[1024, 1024], [1024, 1024]]", kHalves);
    fixture.gpu(300, 1'000, kMs, "nvjet_gemm");
    fixture.gpu(20'000, 2 * kMs, 6 * kMs, "flash_fwd_kernel");  // below no operator: uncounted
    const Answer health = answer_of(*run_of({fixture.build()}), "health");
    CHECK(status_of(health, "utilisation") == "unknown");
    CHECK(value_of_check(health, "utilisation") < 0.1);
    CHECK(status_of(health, "coverage") == "unknown");  // a property of the trace
}

TEST_CASE("the verdict has a row for the run and one per step") {
    const Answer verdict = answer_of(*run_of({train(7 * kMs)}), "verdict");
    REQUIRE(verdict.main().rows() == 8);
    CHECK(verdict.main().integer(0, 0) == -1);
    CHECK(verdict.main().text(0, 1) == "host-bound");
    CHECK(verdict.main().text(0, 2) == "compute-bound");
    CHECK(verdict.main().integer(1, 0) == 1);
    CHECK(verdict.marks.size() == 8);
}

TEST_CASE("the examples of real runs have the shares and verdicts that were worked out by hand") {
    if (!corpus_is_here()) return;
    struct Example {
        std::string folder;
        double compute, exposed, copies, idle;
        std::string_view verdict, classic;
    };
    const Example examples[] = {
        {"HolisticTraceAnalysis/nccl_parser_config", 0.175, 0.060, 0.003, 0.762, "host-bound", "compute"},
        {"TraceLens/mi300_resnet_ddp_rank0of8", 0.297, 0.643, 0.030, 0.030, "communication-bound", "communication"},
        {"torchrec/sleep_pl_dense", 0.037, 0.919, 0.000, 0.044, "straggler-bound", "communication"},
        {"TraceLens/h100_vs_mi300_qwen/h100_Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz", 0.915, 0, 0.004, 0.081,
         "compute-bound: math", "compute"},
    };
    for (const Example& example : examples) {
        INFO(example.folder);
        const Answer verdict = answer_of(*load(example.folder), "verdict");
        const Table& table = verdict.main();
        const auto share = [&](std::string_view column) { return table.number(0, table.find_column(column)); };
        CHECK(share("compute") == doctest::Approx(example.compute).epsilon(0.002));
        CHECK(std::abs(share("exposed_communication") - example.exposed) < 0.0006);
        CHECK(std::abs(share("exposed_memory") - example.copies) < 0.0006);
        CHECK(std::abs(share("idle") - example.idle) < 0.0006);
        CHECK(table.text(0, table.find_column("verdict")) == example.verdict);
        CHECK(table.text(0, table.find_column("classic")) == example.classic);
    }
}

TEST_CASE("slack and peaks of the allocator are those of the example") {
    if (!corpus_is_here()) return;
    const Answer memory = answer_of(*load("TraceLens/h100_vs_mi300_qwen/h100_Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz"),
                                    "memory-efficiency");
    REQUIRE(memory.main().rows() == 1);
    const auto at = [&](std::string_view column) { return memory.main().find_column(column); };
    CHECK(memory.main().integer(0, at("peak_allocated")) == 2'088'508'416);
    CHECK(memory.main().integer(0, at("reserved_at_peak")) == 2'629'828'608);
    CHECK(memory.main().number(0, at("slack")) == doctest::Approx(0.2058).epsilon(0.001));
    CHECK(memory.main().number(0, at("slack_end")) == doctest::Approx(0.6255).epsilon(0.001));
}

TEST_CASE("verdict and health are of one of two captures that are no windows of one job") {
    const RankTracePtr busy = train(9 * kMs), idle = train(2 * kMs);
    RunParts parts = run_of({busy, busy, idle, idle})->parts();
    parts.ranks[0].key = {0, 0};
    parts.ranks[1].key = {1, 0};
    parts.ranks[2].key = {0, 1};
    parts.ranks[3].key = {1, 1};
    const Run twice(std::move(parts));
    const RunPtr once = run_of({busy, busy});
    for (const char* const id : {"verdict", "health"}) {
        INFO(id);
        const Answer answer = answer_of(twice, id), alone = answer_of(*once, id);
        CHECK(to_csv(answer.main()) == to_csv(alone.main()));
        const auto left_out = std::ranges::find(answer.excluded, kOtherCaptures, &Excluded::what);
        REQUIRE(left_out != answer.excluded.end());
        CHECK(left_out->count == 2);
        CHECK(to_csv(answer_of(twice, id, "capture:b").main()) != to_csv(alone.main()));
    }
}
