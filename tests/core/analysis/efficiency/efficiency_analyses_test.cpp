// flop-coverage, op-efficiency and mfu on small traces with known answers.

#include "tests/core/analysis/efficiency/efficiency_fixture.hpp"

using namespace core;
using namespace core::testing;

namespace {

// Two steps on an H100, each one product of 2^30 FLOP in 4,096 ns; in the second also a kernel of unknown work.
RankTracePtr two_steps(std::string_view device = "NVIDIA H100 80GB HBM3") {
    constexpr std::string_view kSizes = "[[512, 1024], [1024, 1024]]";
    OperatorFixture fixture;
    fixture.device(device);
    fixture.step(0, 10'000, 1).step(10'000, 20'000, 2);
    fixture.op(100, 50, "aten::mm").with(kSizes, kHalves).gpu(110, 1'000, 4'096, "gemm");
    fixture.op(10'100, 50, "aten::mm").with(kSizes, kHalves).gpu(10'110, 11'000, 4'096, "gemm");
    fixture.op(10'200, 50, "custom").gpu(10'210, 16'000, 4'096, "nvjet_unknown");
    return fixture.build();
}

std::string cell(const Table& table, std::size_t row, std::string_view column) {
    return format_cell(table, row, table.find_column(column));
}

constexpr std::int64_t kFlop = std::int64_t{1} << 30;

}  // namespace

TEST_CASE("coverage adds up to the compute time of the rank") {
    const RunPtr run = run_of({two_steps()});
    CHECK(rows_of(answer_of(*run, "flop-coverage").main()) ==
          Rows{"0 matrix gemm aten::mm 2 8192 0.666667", "0 uncounted nvjet_unknown custom 1 4096 0.333333"});
    CHECK(rows_of(answer_of(*run, "flop-coverage", "step:1").main()) == Rows{"0 matrix gemm aten::mm 1 4096 1.000000"});
}

TEST_CASE("an operator's rate is its FLOP over its GPU time, and its floor that of the device") {
    const Table table = answer_of(*run_of({two_steps()}), "op-efficiency").main();
    REQUIRE(table.rows() == 1);
    CHECK(table.integer(0, table.find_column("flop")) == 2 * kFlop);
    CHECK(table.integer(0, table.find_column("bytes")) == 2 * 2 * (512 * 1024 + 1024 * 1024 + 512 * 1024));
    CHECK(table.integer(0, table.find_column("time")) == 8'192);
    CHECK(table.number(0, table.find_column("flop_rate")) == doctest::Approx(2.0 * kFlop / 8'192e-9));
    CHECK(table.number(0, table.find_column("compute_share")) == doctest::Approx(2.0 * kFlop / 8'192e-9 / 989.4e12));
    CHECK(table.integer(0, table.find_column("floor")) == 2'503);  // 8 MiB at 3,352 GB/s
    CHECK(table.integer(0, table.find_column("loss")) == 8'192 - 2'503);
    CHECK(cell(table, 0, "bound") == "launch");
    const Table patient = answer_of(*run_of({two_steps()}), "op-efficiency", "", {{"launch_bound", "0"}}).main();
    CHECK(cell(patient, 0, "bound") == "memory");
}

// A product of two kernels, one of them to reduce its parts, below a module, and one below none.
OperatorFixture split_product() {
    constexpr std::string_view kSizes = "[[512, 1024], [1024, 1024]]";
    OperatorFixture fixture;
    fixture.device("NVIDIA H100 80GB HBM3");
    fixture.event(50, 200, "nn.Module: Linear_3", "python_function", {"100", "100"});
    fixture.op(100, 50, "aten::mm").with(kSizes, kHalves).gpu(110, 1'000, 4'000, "splitKreduce_kernel");
    fixture.gpu(120, 6'000, 3'000, "cutlass_gemm");
    fixture.op(300, 50, "aten::mm").with(kSizes, kHalves).gpu(310, 10'000, 4'000, "cutlass_gemm");
    return fixture;
}

TEST_CASE("by kernel the FLOP of a call are its matrix kernel's, by module those of the module around it") {
    const RunPtr run = run_of({split_product().build()});
    const auto rows_by = [&](std::string_view by) {
        const Table table = answer_of(*run, "op-efficiency", "", {{"by", std::string(by)}}).main();
        Rows rows;
        for (std::size_t row = 0; row < table.rows(); ++row) {
            const std::size_t flop = table.find_column("flop");
            rows.push_back(cell(table, row, "part") + " " + cell(table, row, "calls") + " " +
                           (table.absent(row, flop) ? "-" : std::to_string(table.integer(row, flop) / kFlop)) + " " +
                           std::to_string(table.integer(row, table.find_column("time"))));
        }
        return sorted(rows);
    };
    CHECK(rows_by("kernel") == Rows{"cutlass_gemm 2 2 7000", "splitKreduce_kernel 1 - 4000"});
    CHECK(rows_by("module") == Rows{"(unattributed) 1 1 4000", "Linear_3 1 1 7000"});
    CHECK(rows_by("operator") == Rows{" 2 2 11000"});
}

TEST_CASE("a filter chooses calls whole") {
    const RunPtr run = run_of({two_steps()});
    const auto flop = [&](std::string_view filter) {
        const Table table = answer_of(*run, "op-efficiency", filter).main();
        return table.rows() == 0 ? 0 : table.integer(0, table.find_column("flop"));
    };
    CHECK(flop("step:2") == kFlop);
    CHECK(flop("time:0ns..2us") == kFlop);
    CHECK(flop("time:2us..12us") == kFlop);
    CHECK(flop("name:nvjet") == 0);
}

TEST_CASE("a device that is not known has no shares, only rates") {
    const RunPtr run = run_of({two_steps("Some GPU")});
    const Table table = answer_of(*run, "op-efficiency").main();
    CHECK(cell(table, 0, "compute_share") == "-");
    CHECK(cell(table, 0, "floor") == "-");
    CHECK(cell(table, 0, "bound") == "-");
    CHECK(cell(table, 0, "flop_rate") != "-");
    const Table steps = answer_of(*run, "mfu").main();
    CHECK(cell(steps, 0, "hfu") == "-");
    CHECK(cell(steps, 0, "flop") != "-");
}

TEST_CASE("peaks given equal to the table change nothing") {
    const RunPtr plain = run_of({two_steps()}), given_run = run_of({two_steps()});
    auto given = std::make_shared<GivenPeaks>();
    CHECK_FALSE(given->add("bf16=989.4,bandwidth=3352"));
    given_run->derived().put<GivenPeaks>(given);
    const Table theirs = answer_of(*plain, "mfu").main(), ours = answer_of(*given_run, "mfu").main();
    CHECK(rows_of(theirs) == rows_of(ours));
}

TEST_CASE("utilisation of a step is its FLOP over its own duration at the peak") {
    const Table table = answer_of(*run_of({two_steps()}), "mfu").main();
    REQUIRE(table.rows() == 2);
    CHECK(table.integer(0, table.find_column("step")) == 1);
    CHECK(table.integer(0, table.find_column("duration")) == 10'000);
    CHECK(table.number(0, table.find_column("hfu")) == doctest::Approx(kFlop / 10e-6 / 989.4e12));
    CHECK(table.number(0, table.find_column("mfu")) == table.number(0, table.find_column("hfu")));
    CHECK(table.number(1, table.find_column("hfu")) == doctest::Approx(kFlop / 20e-6 / 989.4e12));
    const auto number = [&](std::string_view column) { return table.number(0, table.find_column(column)); };
    CHECK(number("matrix_rate") * number("matrix_share") == doctest::Approx(number("achieved")));
    CHECK(number("hfu") * number("peak") * 10e-6 == doctest::Approx(static_cast<double>(kFlop)));
}

TEST_CASE("a figure that leaves matrix work out prints as a lower bound") {
    const Table table = answer_of(*run_of({two_steps()}), "mfu").main();
    CHECK(table.number(0, table.find_column("counted")) == 1);
    CHECK_FALSE(cell(table, 0, "flop").starts_with("\xE2\x89\xA5"));
    CHECK(table.number(1, table.find_column("counted")) == 0.5);
    CHECK(cell(table, 1, "flop").starts_with("\xE2\x89\xA5 "));
    CHECK(cell(table, 1, "hfu").starts_with("\xE2\x89\xA5 "));
    CHECK_FALSE(cell(table, 1, "duration").starts_with("\xE2\x89\xA5"));
}

TEST_CASE("where nothing of the matrix work is known, the FLOP are absent, not 0") {
    OperatorFixture fixture;
    fixture.device("NVIDIA H100 80GB HBM3").gpu(10, 100, 50, "nvjet_unknown");
    const Table table = answer_of(*run_of({fixture.build()}), "mfu").main();
    REQUIRE(table.rows() == 1);
    CHECK(cell(table, 0, "flop") == "-");
    CHECK(table.number(0, table.find_column("counted")) == 0);
}

TEST_CASE("of several ranks a step has their FLOP and peaks, and the longest duration") {
    const Answer answer = answer_of(*run_of({two_steps(), two_steps()}), "mfu");
    CHECK(answer.main().rows() == 4);
    const Table* const all = answer.find("all ranks");
    REQUIRE(all);
    REQUIRE(all->rows() == 2);
    CHECK(all->integer(0, all->find_column("flop")) == 2 * kFlop);
    const double one = answer.main().number(0, answer.main().find_column("hfu"));
    CHECK(all->number(0, all->find_column("hfu")) == doctest::Approx(one));
}

TEST_CASE("a call that runs into a graph counts apart") {
    OperatorFixture fixture;
    fixture.op(0, 10, "aten::mm").with("[[2, 2], [2, 2]]", kHalves).gpu(100, 200, 10, "void at::native::fill()");
    const Table table = answer_of(*run_of({fixture.build()}), "op-efficiency").main();
    REQUIRE(table.rows() == 1);
    CHECK(cell(table, 0, "flop") == "-");
    CHECK(table.integer(0, table.find_column("unseen_flop")) == 16);
    CHECK(table.integer(0, table.find_column("executed")) == 0);
}

TEST_CASE("the FLOP of a model may be given for one step on all devices") {
    const RunPtr run = run_of({two_steps(), two_steps()});
    const Answer answer = answer_of(*run, "mfu", "", {{"model_flop", "2*(1e9+1e9)"}});
    const Table& table = answer.main();
    CHECK(table.integer(0, table.find_column("model_flop")) == 2'000'000'000);
    CHECK(table.number(0, table.find_column("mfu")) == doctest::Approx(2e9 / 10e-6 / 989.4e12));
    const Table& all = *answer.find("all ranks");
    CHECK(all.number(0, all.find_column("mfu")) == doctest::Approx(2e9 / 10e-6 / 989.4e12));
    CHECK_FALSE(cell(table, 1, "mfu").starts_with("\xE2\x89\xA5"));
    CHECK(cell(table, 1, "hfu").starts_with("\xE2\x89\xA5"));
}
