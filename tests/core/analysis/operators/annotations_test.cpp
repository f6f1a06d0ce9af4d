#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/trace_fixture.hpp"

using namespace core;
using namespace core::testing;

namespace {

TraceFixture named_ranges() {
    TraceFixture fixture;
    fixture.step(0, 100, 1);
    fixture.event(10, 20, "forward", "user_annotation", {}).event(40, 10, "forward", "user_annotation", {});
    fixture.event(50, 30, "forward", "gpu_user_annotation", {"0", "7"});
    fixture.event(90, 33, "forward", "gpu_user_annotation", {"0", "7"});
    fixture.event(60, 5, "optimizer", "gpu_user_annotation", {"0", "8"});
    return fixture;
}

Rows annotations_of(const RankTracePtr& trace, std::string_view filter = "", const GivenParams& params = {}) {
    return rows_of(answer_of(*run_of({trace}), "annotations", filter, params).main());
}

}  // namespace

TEST_CASE("annotations of GPU rows by name, longest total first") {
    CHECK(annotations_of(named_ranges().build()) == Rows{"0 forward 2 63 32 30 33 2", "0 optimizer 1 5 5 5 5 0"});
}

TEST_CASE("annotations of CPU threads, including step marks") {
    CHECK(annotations_of(named_ranges().build(), "", {{"source", "cpu"}}) ==
          Rows{"0 ProfilerStep#1 1 100 100 100 100 0", "0 forward 2 30 15 10 20 7"});
}

TEST_CASE("filters select annotations by stream, name, duration and time; time cuts them") {
    CHECK(annotations_of(named_ranges().build(), "stream:8") == Rows{"0 optimizer 1 5 5 5 5 0"});
    CHECK(annotations_of(named_ranges().build(), "name:FOR dur:>30ns") == Rows{"0 forward 1 33 33 33 33 0"});
    CHECK(annotations_of(named_ranges().build(), "time:70ns..95ns") == Rows{"0 forward 2 15 8 5 10 4"});
}

TEST_CASE("a rank without annotations on GPU rows says so") {
    const Answer answer = answer_of(*run_of({TraceFixture().step(0, 10, 1).build()}), "annotations");
    CHECK(answer.main().rows() == 0);
    REQUIRE(answer.excluded.size() == 1);
    CHECK(answer.excluded[0].what == "ranks without a selected annotation on GPU rows");
}

TEST_CASE("a kernel inside an annotation is not an annotation") {
    const RankTracePtr trace = TraceFixture()
                                   .kernel(0, 10, "gemm", 7)
                                   .event(0, 20, "forward", "gpu_user_annotation", {"0", "7"})
                                   .arg(Arg::Stream, 7)
                                   .build();
    CHECK(annotations_of(trace) == Rows{"0 forward 1 20 20 20 20 0"});
}

TEST_CASE("modules are the calls of nn.Module among Python functions") {
    const RankTracePtr trace = TraceFixture()
                                   .event(0, 50, "nn.Module: Block_0", "python_function", {})
                                   .event(5, 20, "nn.Module: Linear_0", "python_function", {})
                                   .event(30, 5, "train.py(3): loss", "python_function", {})
                                   .build();
    CHECK(annotations_of(trace, "", {{"source", "modules"}}) ==
          Rows{"0 nn.Module: Block_0 1 50 50 50 50 0", "0 nn.Module: Linear_0 1 20 20 20 20 0"});
    const Answer none =
        answer_of(*run_of({TraceFixture().cpu(0, 5, "x").build()}), "annotations", "", {{"source", "modules"}});
    REQUIRE(none.excluded.size() == 1);
    CHECK(none.excluded[0].what == "ranks without a selected module");
}
