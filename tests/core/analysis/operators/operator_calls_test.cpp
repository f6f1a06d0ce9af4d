#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/trace_fixture.hpp"

using namespace core;
using namespace core::testing;

namespace {

TraceFixture two_steps() {
    TraceFixture fixture;
    fixture.step(0, 100, 4).step(100, 100, 5);
    fixture.cpu(10, 50, "aten::linear").cpu(20, 30, "aten::mm").launch(25, 5, 1).launch(35, 5, 2);
    fixture.cpu(110, 20, "aten::mm");
    fixture.kernel(120, 30, "gemm", 7, 1).kernel(160, 10, "reduce", 7, 2);
    return fixture;
}

// Without the event's id, which is a position in the trace.
Rows calls_of(const RankTracePtr& trace, std::string_view filter = "") {
    Rows rows = rows_of(answer_of(*run_of({trace}), "operator-calls", filter).main());
    for (std::string& row : rows) row.erase(1, row.find(' ', 2) - 1);
    return rows;
}

}  // namespace

TEST_CASE("every call has its step, its time and its GPU events, by start") {
    CHECK(calls_of(two_steps().build()) == Rows{"0 aten::linear 4 10 50 2 40 50 0.800000",
                                                "0 aten::mm 4 20 30 2 40 50 0.800000", "0 aten::mm 5 110 20 0 0 - -"});
}

TEST_CASE("the key of a call is its event") {
    const RankTracePtr trace = two_steps().build();
    const Table table = answer_of(*run_of({trace}), "operator-calls").main();
    CHECK(table.integer(0, 1) == static_cast<std::int64_t>(find_named(*trace, "aten::linear")));
}

TEST_CASE("a call outside the filter is kept without a duration if work it launched passes") {
    CHECK(calls_of(two_steps().build(), "step:5") == Rows{"0 aten::mm 5 110 20 0 0 - -"});
    CHECK(calls_of(two_steps().build(), "time:130ns..") ==
          Rows{"0 aten::linear 4 10 - 2 30 40 0.750000", "0 aten::mm 4 20 - 2 30 40 0.750000"});
    CHECK(calls_of(two_steps().build(), "name:reduce") ==
          Rows{"0 aten::linear 4 10 - 1 10 10 1.000000", "0 aten::mm 4 20 - 1 10 10 1.000000"});
}

TEST_CASE("GPU events without an operator are counted as excluded") {
    TraceFixture fixture = two_steps();
    fixture.kernel(300, 5, "lost");
    const Answer answer = answer_of(*run_of({fixture.build()}), "operator-calls");
    REQUIRE(answer.excluded.size() == 1);
    CHECK(answer.excluded[0].what == "GPU events below no operator");
    CHECK(answer.excluded[0].count == 1);
}

TEST_CASE("a call outside every step has no step") {
    CHECK(calls_of(TraceFixture().step(50, 10, 1).cpu(0, 5, "a").build()) == Rows{"0 a - 0 5 0 0 - -"});
}
