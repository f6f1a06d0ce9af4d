// Sample runs whose straggler has a low clock: the logs next to them name rank, cause and reason.

#include "core/sample/sample_run.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/ingest/load/ingest_fixture.hpp"
#include "tests/golden/goldens.hpp"

using namespace core;
using namespace core::testing;

TEST_CASE("a planted low clock is found with its rank, ratio and reason, and truth.json states the same") {
    struct Planted {
        ClockFault fault;
        std::string_view reason;
    };
    for (const auto& [fault, reason] : {Planted{ClockFault::Thermal, "thermal"}, Planted{ClockFault::Power, "power"},
                                        Planted{ClockFault::Locked, "clock set by the user"}}) {
        CAPTURE(reason);
        const ScratchFolder folder;
        SampleOptions options;
        options.ranks = 4;
        options.steps = 4;
        options.layers = 2;
        options.straggler = 2;
        options.faults.clock = fault;
        REQUIRE(write_sample_run(folder.path(), options, {}));
        LoadProgress progress;
        const Result<RunPtr> run = load_run(std::vector{folder.path()}, {}, progress, JobContext{});
        REQUIRE(run);
        const Table causes = answer_of(**run, "straggler-causes").main();
        REQUIRE(causes.rows() > 0);
        CHECK(row_text(causes, 0, 2) == "2 clocks");
        CHECK(causes.text(0, causes.find_column("reason")) == reason);
        const Json truth = Json::parse(text_of_file(folder.path() / "truth.json"));
        const Json& clock = truth.at("planted").at("straggler").at("clock");
        CHECK(clock.at("reason") == reason);
        CHECK(causes.number(0, causes.find_column("clock_ratio")) ==
              doctest::Approx(clock.at("others_mhz").get<double>() / clock.at("mhz").get<double>()).epsilon(0.005));
    }
}

TEST_CASE("verdict, first finding and what-to-do say a low clock in the same words, and how often the rank is late") {
    const ScratchFolder folder;
    SampleOptions options;
    options.ranks = 4;
    options.faults.clock = ClockFault::Power;
    REQUIRE(write_sample_run(folder.path(), options, {}));
    LoadProgress progress;
    const Result<RunPtr> run = load_run(std::vector{folder.path()}, {}, progress, JobContext{});
    REQUIRE(run);
    for (const std::string_view analysis : {"verdict", "findings", "what-to-do"}) {
        CAPTURE(analysis);
        const Table table = answer_of(**run, analysis).main();
        const std::string evidence(table.text(0, table.find_column("evidence")));
        CHECK_MESSAGE(
            evidence.find("its SM clock is 1,414 MHz, the others' 1,980, power cap in 100 % of samples; its kernels "
                          "take 1.") != std::string::npos,
            evidence);
        CHECK_MESSAGE(evidence.find("times as long, which is the clock ratio") != std::string::npos, evidence);
        CHECK_MESSAGE(evidence.find("in 6 of 6 steps") != std::string::npos, evidence);
        if (analysis == "verdict")
            CHECK_MESSAGE(evidence.find("; rank 3 is waited for ") != std::string::npos, evidence);
    }
}

TEST_CASE("a low clock needs a straggler") {
    const ScratchFolder folder;
    SampleOptions options;
    options.straggler = kNoStraggler;
    options.faults.clock = ClockFault::Power;
    CHECK_FALSE(write_sample_run(folder.path(), options, {}));
}
