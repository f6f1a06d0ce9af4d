// Rows of the tree: which are open, and that they add up.

#include "ui/model/panels/flame_tree_model.hpp"

#include "core/analysis/run/run_analysis.hpp"
#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

namespace {

using core::testing::run_of;
using core::testing::TraceFixture;
using ui::FlameGraph;
using ui::FlameMeasure;
using ui::FlameTree;

std::shared_ptr<const FlameGraph> graph_of_wrappers(FlameMeasure measure) {
    TraceFixture fixture;
    fixture.cpu(0, 1'000, "wrapper")
        .cpu(10, 900, "linear")
        .cpu(20, 700, "addmm")
        .launch(30, 5, 1)
        .cpu(800, 50, "view")
        .launch(950, 5, 2)
        .cpu(2'000, 100, "small")
        .kernel(3'000, 400, "k", 7, 1)
        .kernel(4'000, 100, "k", 7, 2);
    core::Result<core::Answer> answer =
        core::run_analysis(core::flame_graph(), *run_of({fixture.build()}), {}, {0}, 1, {});
    REQUIRE(answer);
    return std::make_shared<const FlameGraph>(
        FlameGraph::of(std::make_shared<const core::Answer>(*std::move(answer)), measure));
}

std::vector<std::string> names_of(const FlameTree& tree) {
    std::vector<std::string> names;
    for (const ui::FlameTreeRow& row : tree.rows())
        names.push_back(std::string(row.depth, '.') + title_of_frame(tree.graph()->frames[row.frame]));
    return names;
}

}  // namespace

TEST_CASE("the tree opens along the widest path, children by width, and a click opens or closes a row") {
    FlameTree tree;
    tree.reset(graph_of_wrappers(FlameMeasure::CpuTime), FlameMeasure::CpuTime, 0);
    CHECK(names_of(tree) == std::vector<std::string>{"All", ".wrapper", "..linear", "...addmm", "...view", ".small"});
    tree.toggle(tree.rows()[2].frame);
    CHECK(names_of(tree) == std::vector<std::string>{"All", ".wrapper", "..linear", ".small"});
    CHECK_FALSE(tree.rows()[2].open);
    CHECK(tree.rows()[2].has_children);
    tree.toggle(tree.rows()[2].frame);
    CHECK(names_of(tree).size() == 6);
    CHECK_FALSE(tree.rows()[4].has_children);
}

TEST_CASE("the own times of all rows add up to the whole: a wrapper's time is counted once") {
    for (const FlameMeasure measure : {FlameMeasure::CpuTime, FlameMeasure::KernelTime}) {
        FlameTree tree;
        tree.reset(graph_of_wrappers(measure), measure, 0);
        for (bool changed = true; changed;) {
            changed = false;
            for (const ui::FlameTreeRow& row : tree.rows()) {
                if (row.open || !row.has_children) continue;
                tree.toggle(row.frame);
                changed = true;
                break;
            }
        }
        std::int64_t self = 0;
        for (const ui::FlameTreeRow& row : tree.rows()) self += row.self;
        CHECK(self == tree.graph()->whole());
        CHECK(self == (measure == FlameMeasure::CpuTime ? 1'100 : 500));
    }
}
