#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/trace_fixture.hpp"

using namespace core;
using namespace core::testing;

namespace {

void range(TraceFixture& fixture, std::int64_t start_ns, std::string_view kernel, std::string_view arguments) {
    fixture.event(start_ns, 10, kernel, "cuda_profiler_range", {"0", "0"});
    fixture.batch().text_store.add(fixture.batch().events.back().order, 0, arguments, "");
}

// conv2d contains a convolution that launches two kernels; relu launches one.
TraceFixture two_operators() {
    TraceFixture fixture;
    fixture.cpu(0, 100, "aten::conv2d").cpu(10, 50, "aten::convolution").launch(20, 5, 1).launch(40, 5, 2);
    fixture.cpu(200, 50, "aten::relu").launch(210, 5, 3);
    fixture.event(300, 5, "cudaDeviceSynchronize", "cuda_runtime", {});
    return fixture;
}

TraceFixture counted() {
    TraceFixture fixture = two_operators();
    range(fixture, 10, "gemm", R"({"flop.sum": 100, "load.pct": 0.5, "stream": 7, "note": "x"})");
    range(fixture, 20, "gemm", R"({"flop.sum": 300, "load.pct": 0.25})");
    range(fixture, 30, "relu", R"({"flop.sum": 18446744073709551615})");
    return fixture;
}

Rows counters_of(const RankTracePtr& trace, std::string_view filter = "", const GivenParams& params = {}) {
    return rows_of(answer_of(*run_of({trace}), "counters", filter, params).main());
}

}  // namespace

TEST_CASE("counters by kernel and innermost operator of the launch at the same position, largest first") {
    CHECK(counters_of(counted().build()) ==
          Rows{"aten::relu relu flop.sum 1 18446744073709551616.000000 18446744073709551616.000000",
               "aten::convolution gemm flop.sum 2 400.000000 200.000000",
               "aten::convolution gemm load.pct 2 0.750000 0.375000"});
}

TEST_CASE("the outermost operator or the whole stack can name the row") {
    CHECK(counters_of(counted().build(), "", {{"operator", "outermost"}})[1] ==
          "aten::conv2d gemm flop.sum 2 400.000000 200.000000");
    CHECK(counters_of(counted().build(), "", {{"operator", "stack"}})[1] ==
          "aten::conv2d > aten::convolution gemm flop.sum 2 400.000000 200.000000");
}

TEST_CASE("a filter selects ranges, which keep their launches") {
    CHECK(counters_of(counted().build(), "name:relu") ==
          Rows{"aten::relu relu flop.sum 1 18446744073709551616.000000 18446744073709551616.000000"});
    CHECK(counters_of(counted().build(), "time:20ns..30ns name:gemm")[0] ==
          "aten::convolution gemm flop.sum 1 300.000000 300.000000");
}

TEST_CASE("if launches and ranges differ in number, operators are unknown, with a note") {
    TraceFixture fixture = two_operators();
    range(fixture, 10, "gemm", R"({"flop.sum": 100})");
    const Answer answer = answer_of(*run_of({fixture.build()}), "counters");
    CHECK(rows_of(answer.main()) == Rows{"(unknown) gemm flop.sum 1 100.000000 100.000000"});
    REQUIRE(answer.excluded.size() == 1);
    CHECK(answer.excluded[0].count == 1);
}

TEST_CASE("launches outside operators, unreadable arguments and missing ranges are handled") {
    TraceFixture fixture;
    fixture.launch(0, 5, 1).launch(10, 5, 2);
    range(fixture, 20, "gemm", R"({"flop.sum": 1})");
    range(fixture, 30, "gemm", R"({"flop.sum": )");
    CHECK(counters_of(fixture.build()) == Rows{"(unknown) gemm flop.sum 1 1.000000 1.000000"});
    const Answer none = answer_of(*run_of({two_operators().build()}), "counters");
    CHECK(none.main().rows() == 0);
    REQUIRE(none.excluded.size() == 1);
    CHECK(none.excluded[0].what == "ranks without a selected profiler range");
}

TEST_CASE("counters of all ranks are summed") {
    CHECK(rows_of(answer_of(*run_of({counted().build(), counted().build()}), "counters").main())[1] ==
          "aten::convolution gemm flop.sum 4 800.000000 200.000000");
}
