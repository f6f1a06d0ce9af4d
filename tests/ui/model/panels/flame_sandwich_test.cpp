// Callers and callees of a function, merged over all places that call it.

#include "ui/model/panels/flame_sandwich.hpp"

#include "core/analysis/run/run_analysis.hpp"
#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

namespace {

using core::testing::run_of;
using core::testing::TraceFixture;
using ui::FlameGraph;
using ui::FlameLens;
using ui::FlameMeasure;

FlameGraph graph_of(TraceFixture fixture) {
    core::Result<core::Answer> answer =
        core::run_analysis(core::flame_graph(), *run_of({fixture.build()}), {}, {0}, 1, {});
    REQUIRE(answer);
    return FlameGraph::of(std::make_shared<const core::Answer>(*std::move(answer)), FlameMeasure::CpuTime);
}

// "level name begin width" of every frame below the root.
std::vector<std::string> rows(const FlameGraph& graph) {
    std::vector<std::string> all;
    for (const ui::FlameFrame& frame : graph.frames)
        if (frame.level > 0)
            all.push_back(std::to_string(frame.level) + " " + std::string(frame.name) + " " +
                          std::to_string(frame.begin) + " " + std::to_string(frame.width));
    return all;
}

using Rows = std::vector<std::string>;

// f is called by a (100, with g in it), by b below a (50), and by itself.
TraceFixture calls() {
    return TraceFixture()
        .cpu(0, 1'000, "a")
        .cpu(10, 100, "f")
        .cpu(20, 30, "g")
        .cpu(200, 300, "b")
        .cpu(210, 50, "f")
        .cpu(215, 40, "f")
        .cpu(216, 10, "g")
        .cpu(2'000, 20, "f");
}

}  // namespace

TEST_CASE("callees of a function are merged over all its calls; recursion counts once") {
    const FlameGraph graph = graph_of(calls());
    const FlameGraph callees = ui::build_flame_lens(graph, "f", FlameLens::Callees, FlameMeasure::CpuTime);
    CHECK(callees.whole() == 170);
    CHECK(rows(callees) == Rows{"1 f 0 170", "2 f 0 40", "2 g 40 30", "3 g 0 10"});
    REQUIRE(callees.frames.size() == 5);
    CHECK(callees.frames[1].calls == 3);
    CHECK(callees.path_of(4) == Rows{"f", "f", "g"});
}

TEST_CASE("callers of a function have the time of the calls that they make, up to the root") {
    const FlameGraph graph = graph_of(calls());
    const FlameGraph callers = ui::build_flame_lens(graph, "f", FlameLens::Callers, FlameMeasure::CpuTime);
    CHECK(rows(callers) == Rows{"1 f 0 170", "2 a 0 100", "2 b 100 50", "3 a 100 50"});
}

TEST_CASE("without a function, or with an unknown one, the busiest is in the middle; an empty graph stays empty") {
    const FlameGraph graph = graph_of(calls());
    CHECK(ui::find_busiest(graph, FlameMeasure::CpuTime) == "a");
    for (const char* center : {"", "no such function"})
        CHECK(rows(ui::build_flame_lens(graph, center, FlameLens::Callees, FlameMeasure::CpuTime)).front() ==
              "1 a 0 1000");
    CHECK(ui::build_flame_lens({}, "f", FlameLens::Callers, FlameMeasure::CpuTime).whole() == 0);
}
