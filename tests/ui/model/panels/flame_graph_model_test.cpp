// Layout of frames, which are drawn, and search results.

#include "ui/model/panels/flame_graph_model.hpp"

#include "core/analysis/run/run_analysis.hpp"
#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

namespace {

using core::testing::run_of;
using core::testing::TraceFixture;
using ui::FlameGraph;
using ui::FlameMeasure;

core::AnswerPtr flame_answer(TraceFixture fixture) {
    core::Result<core::Answer> answer =
        core::run_analysis(core::flame_graph(), *run_of({fixture.build()}), {}, {0}, 1, {});
    REQUIRE(answer);
    return std::make_shared<const core::Answer>(*std::move(answer));
}

// "name begin width" of a level.
std::vector<std::string> words(const FlameGraph& graph, std::size_t level) {
    std::vector<std::string> all;
    for (const ui::FlameFrame& frame : graph.level(level))
        all.push_back(std::string(frame.name) + " " + std::to_string(frame.begin) + " " + std::to_string(frame.width));
    return all;
}

using Words = std::vector<std::string>;

TraceFixture two_branches() {
    return TraceFixture()
        .cpu(0, 300, "small")
        .cpu(10, 100, "leaf")
        .cpu(1'000, 700, "large")
        .cpu(1'010, 200, "leaf")
        .launch(1'020, 1, 1)
        .cpu(1'300, 300, "other leaf")
        .launch(1'310, 1, 2)
        .launch(1'311, 1, 3)
        .kernel(2'000, 50, "k", 7, 1)
        .kernel(3'000, 500, "k", 7, 2)
        .kernel(4'000, 500, "k", 7, 3);
}

}  // namespace

TEST_CASE("frames are below their callers, the widest first, and paths are found again") {
    const core::AnswerPtr answer = flame_answer(two_branches());
    const FlameGraph graph = FlameGraph::of(answer, FlameMeasure::CpuTime);
    REQUIRE(graph.level_count() == 3);
    CHECK(words(graph, 0) == Words{" 0 1000"});
    CHECK(words(graph, 1) == Words{"large 0 700", "small 700 300"});
    CHECK(words(graph, 2) == Words{"other leaf 0 300", "leaf 300 200", "leaf 700 100"});
    for (std::uint32_t i = 0; i < graph.frames.size(); ++i) CHECK(graph.find(graph.path_of(i)) == i);
    CHECK(graph.find(std::vector<std::string>{"large", "gone", "leaf"}) == 1);
    CHECK(graph.depth_below(0) == 3);
    CHECK(graph.depth_below(5) == 3);
    const FlameGraph kernels = FlameGraph::of(answer, FlameMeasure::KernelTime);
    CHECK(words(kernels, 1) == Words{"large 0 1050"});
    CHECK(words(kernels, 2) == Words{"other leaf 0 1000", "leaf 1000 50"});
}

TEST_CASE("the same path of another run gives its width, a path that is not there none") {
    const core::AnswerPtr other = flame_answer(TraceFixture().cpu(0, 40, "small").cpu(10, 7, "leaf").cpu(50, 5, "x"));
    const FlameGraph graph = FlameGraph::of(flame_answer(two_branches()), FlameMeasure::CpuTime, other);
    std::vector<std::int64_t> widths;
    for (const ui::FlameFrame& frame : graph.frames) widths.push_back(frame.other);
    CHECK(widths == std::vector<std::int64_t>{45, 0, 40, 0, 0, 7});
}

TEST_CASE("a path that the other run may have folded is not known to be missing there") {
    TraceFixture other;
    other.cpu(0, 50'000'000, "small").cpu(60'000'000, 50'000'000, "large").cpu(120'000'000, 100, "narrow");
    const FlameGraph graph = FlameGraph::of(flame_answer(two_branches().cpu(5'000, 400, "narrow").cpu(6'000, 9, "x")),
                                            FlameMeasure::CpuTime, flame_answer(std::move(other)));
    for (const ui::FlameFrame& frame : graph.frames) {
        CAPTURE(frame.name);
        const bool is_folded_level = frame.level == 1 && (frame.name == "narrow" || frame.name == "x");
        CHECK(frame.other_known == !is_folded_level);
    }
}

TEST_CASE(
    "frames narrower than a pixel are not drawn, however many there are; a zoomed one is as wide as the picture") {
    TraceFixture fixture;
    fixture.cpu(0, 100'000'000, "wide");
    for (int i = 0; i < 3'000; ++i) fixture.cpu(200'000'000 + i * 20'000, 10'000, "f" + std::to_string(i));
    const FlameGraph graph = FlameGraph::of(flame_answer(std::move(fixture)), FlameMeasure::CpuTime);
    REQUIRE(graph.level(1).size() == 3'001);
    std::vector<ui::FlameBox> boxes;
    collect_flame_boxes(graph, 0, 1, 1'000, boxes);
    REQUIRE(boxes.size() == 1);
    CHECK(boxes[0].right == doctest::Approx(1'000 * 100.0 / 130));
    collect_flame_boxes(graph, 0, 1, 20'000, boxes);
    CHECK(boxes.size() == 3'001);
    collect_flame_boxes(graph, 7, 0, 500, boxes);
    REQUIRE(boxes.size() == 1);
    CHECK(boxes[0].frame == 0);
    collect_flame_boxes(graph, 7, 1, 500, boxes);
    REQUIRE(boxes.size() == 1);
    CHECK(boxes[0].frame == 7);
    CHECK(boxes[0].right == 500);
}

TEST_CASE("a search counts what is found within something found only once") {
    const FlameGraph graph = FlameGraph::of(flame_answer(two_branches()), FlameMeasure::CpuTime);
    const ui::FlameMatches leaves = find_flame_matches(graph, "LEAF");
    CHECK(leaves.count == 3);
    CHECK(leaves.width == 600);
    CHECK(find_flame_matches(graph, "l").width == 1'000);  // all but the root have one
    CHECK(find_flame_matches(graph, "").frames.empty());
    CHECK(find_flame_matches(graph, "none").count == 0);
}
