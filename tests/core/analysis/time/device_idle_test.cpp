#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/analysis/launches/launch_model.hpp"

using namespace core;
using namespace core::testing;

TEST_CASE("the GPU is idle if no stream runs anything; the host's part has its cause") {
    const RunPtr run = run_of({TraceFixture()
                                   .cpu(0, 3, "aten::mm")
                                   .launch(1, 1, 1)
                                   .cpu(20, 60, "aten::item")
                                   .event(25, 40, "cudaStreamSynchronize", "cuda_runtime", {})
                                   .cpu(85, 10, "aten::mul")
                                   .launch(90, 2, 2)
                                   .launch(101, 1, 3)
                                   .launch(102, 1, 4)
                                   .kernel(5, 15, "a", 7, 1)
                                   .kernel(10, 20, "b", 8)
                                   .kernel(100, 10, "c", 7, 2)
                                   .kernel(112, 10, "d", 7, 3)
                                   .kernel(150, 10, "e", 7, 4)
                                   .build()});
    const Answer answer = answer_of(*run, "device-idle", "", {{"short_gap", "20ns"}});
    CHECK(rows_of(answer.main()) ==
          Rows{"0 host_wait 1 70 0.451613", "0 kernel_wait 1 2 0.012903", "0 other 1 28 0.180645"});
    REQUIRE(answer.tables.size() == 2);
    CHECK(answer.tables[1].name == "host");
    CHECK(rows_of(answer.tables[1].table) == Rows{"0 host_wait cudaStreamSynchronize 1 70 0.700000",
                                                  "0 other (nothing) 1 28 0.280000",
                                                  "0 kernel_wait (nothing) 1 2 0.020000"});
}

TEST_CASE("if the launch is unknown, so is the activity of its thread") {
    const RunPtr run = run_of({TraceFixture().cpu(0, 100, "op").kernel(0, 10, "a").kernel(50, 10, "b").build()});
    CHECK(rows_of(answer_of(*run, "device-idle").tables[1].table) == Rows{"0 other (launch unknown) 1 40 1.000000"});
}

TEST_CASE("only the innermost operator of the launching thread counts, not steps and annotations") {
    const RunPtr run = run_of({TraceFixture()
                                   .step(0, 300, 1)
                                   .cpu(0, 200, "outer")
                                   .cpu(60, 80, "inner")
                                   .cpu(0, 200, "another thread", 101)
                                   .launch(150, 5, 1)
                                   .kernel(0, 50, "a")
                                   .kernel(160, 10, "b", 7, 1)
                                   .build()});
    CHECK(rows_of(answer_of(*run, "device-idle").tables[1].table) == Rows{"0 host_wait inner 1 110 1.000000"});
}

TEST_CASE("under every filter the gaps, and the host's parts, add up to the breakdown's idle time") {
    std::size_t seen = 0;
    for (unsigned seed = 0; seed < 200; ++seed) {
        Dice dice(seed);
        const LaunchModel model = random_launch_model(dice);
        const RunPtr run = run_of({build_trace(model)});
        for (int i = 0; i < 4; ++i) {
            const std::string filter = random_choice(model, dice).text();
            INFO("seed ", seed, " filter", filter);
            const Answer answer = answer_of(*run, "device-idle", filter);
            const auto sum = [](const Table& table, std::string_view column) {
                std::int64_t total = 0;
                for (std::size_t row = 0; row < table.rows(); ++row)
                    total += table.integer(row, table.find_column(column));
                return total;
            };
            CHECK(sum(answer.main(), "time") ==
                  value_of(answer_of(*run, "temporal-breakdown", filter).main(), "idle", 0));
            CHECK(sum(answer.main(), "time") == sum(answer.tables[1].table, "time"));
            CHECK(sum(answer.main(), "count") == sum(answer.tables[1].table, "count"));
            seen += answer.main().rows();
        }
    }
    CHECK(seen > 500);
}
