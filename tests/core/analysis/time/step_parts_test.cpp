#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/diff/statistics/random_steps.hpp"
#include "tests/core/trace_fixture.hpp"

using namespace core;
using namespace core::testing;

namespace {

Rows parts_of(const RankTracePtr& trace, std::string_view filter = "", const GivenParams& given = {}) {
    return rows_of(answer_of(*run_of({trace}), "step-parts", filter, given).main(),
                   6);  // exposed_split_test checks the split
}

// One step of 100 ns: gemm, relu half hidden by it, a collective half hidden by relu, a copy, idle.
TraceFixture one_step() {
    TraceFixture fixture;
    return fixture.step(0, 100, 1)
        .kernel(10, 20, "gemm", 7)
        .kernel(20, 20, "relu", 8)
        .kernel(30, 20, "ncclAllReduce", 9)
        .kernel(60, 10, "Memcpy DtoH", 7, -1, "gpu_memcpy");
}

}  // namespace

TEST_CASE("time with concurrent compute kernels belongs to the one that began first") {
    CHECK(parts_of(one_step().build()) == Rows{"0 compute (unattributed) gemm 1 20",
                                               "0 compute (unattributed) relu 1 10", "0 exposed_communication   1 10",
                                               "0 exposed_memory   1 10", "0 idle   1 50"});
}

TEST_CASE("a filter by name changes no part; a time range cuts the step") {
    CHECK(parts_of(one_step().build(), "-name:gemm") == parts_of(one_step().build()));
    CHECK(parts_of(one_step().build(), "time:0ns..25ns") == Rows{"0 compute (unattributed) gemm 1 15",
                                                                 "0 exposed_communication   1 0",
                                                                 "0 exposed_memory   1 0", "0 idle   1 10"});
}

TEST_CASE("time in overlapping steps counts for each of them") {
    CHECK(parts_of(one_step().step(5, 30, 2).step(25, 40, 3).build()) ==
          Rows{"0 compute (unattributed) gemm 3 45", "0 compute (unattributed) relu 3 25",
               "0 exposed_communication   3 20", "0 exposed_memory   3 15", "0 idle   3 65"});
}

TEST_CASE("window=gpu spans the first GPU event to the last") {
    CHECK(parts_of(one_step().build(), "", {{"window", "gpu"}}) ==
          Rows{"0 compute (unattributed) gemm 1 20", "0 compute (unattributed) relu 1 10",
               "0 exposed_communication   1 10", "0 exposed_memory   1 10", "0 idle   1 10"});
}

TEST_CASE("steps without GPU events are not recorded, rather than idle; without steps there are no rows") {
    CHECK(parts_of(TraceFixture().step(0, 100, 1).cpu(5, 10, "aten::mm").build()) == Rows{"0 not_recorded   1 100"});
    const Answer none = answer_of(*run_of({TraceFixture().kernel(0, 9, "gemm").build()}), "step-parts");
    CHECK(none.main().rows() == 0);
    REQUIRE(none.excluded.size() == 1);
    CHECK(none.excluded[0].what == "ranks without a selected step");
}

TEST_CASE("random steps agree with a sum over every nanosecond") {
    std::mt19937 engine(7);
    for (int round = 0; round < 200; ++round) {
        INFO(round);
        const RandomRank rank = random_rank(engine);
        const RunPtr run = run_of({trace_of(rank, 0)});
        const Answer answer = answer_of(*run, "step-parts");
        const Table& table = answer.main();
        std::map<std::string, std::int64_t> found;
        for (std::size_t row = 0; row < table.rows(); ++row) {
            CHECK(table.integer(row, 4) == std::ssize(rank.steps));
            const std::string key = std::string(table.text(row, 1)) + "|" + std::string(table.text(row, 2)) + "|" +
                                    std::string(table.text(row, 3));
            if (table.integer(row, 5) > 0) found[key] = table.integer(row, 5);
        }
        CHECK(found == sweep(rank));
        const Answer steps = answer_of(*run, "steps");
        for (const char* const part : {"exposed_communication", "exposed_memory", "idle"}) {
            std::int64_t sum = 0;
            for (std::size_t row = 0; row < steps.main().rows(); ++row)
                sum += steps.main().integer(row, steps.main().find_column(part));
            CHECK(sum == found[std::string(part) + "||"]);
        }
    }
}
