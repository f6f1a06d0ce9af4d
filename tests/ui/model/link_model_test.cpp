#include "ui/model/link_model.hpp"

#include "tests/core/trace_fixture.hpp"
#include "ui/timeline/model/event_links.hpp"

#include <doctest/doctest.h>

using core::testing::find_named;
using core::testing::run_of;
using core::testing::TraceFixture;

namespace {

// A forward and a backward operator joined by an arrow, each with a kernel, and an all-reduce on both ranks.
core::RunPtr linked_run() {
    std::vector<core::RankTracePtr> traces;
    for (int rank = 0; rank < 2; ++rank)
        traces.push_back(TraceFixture()
                             .rank(rank)
                             .event(0, 400, "module.py: forward", "python_function", {})
                             .cpu(10, 30, "aten::empty")
                             .cpu(50, 100, "aten::linear")
                             .launch(60, 10, 1)
                             .cpu(500, 100, "LinearBackward", 200)
                             .flow(core::FlowPhase::Start, 50, 5, {}, "fwdbwd")
                             .flow(core::FlowPhase::End, 500, 5, {"100", "200"}, "fwdbwd")
                             .kernel(1000, 50, "gemm", 7, 1)
                             .kernel(2000 + 100 * rank, 50, "ncclDevKernel_AllReduce", 9)
                             .arg(core::Arg::GroupName, "dp")
                             .arg(core::Arg::Seq, 3)
                             .build());
    return run_of(traces);
}

std::vector<std::string> words_of(const core::RunPtr& run, std::string_view name) {
    const core::EventRef ref{0, find_named(run->rank(0).trace(), name)};
    const ui::EventLinks found = ui::collect_links(*run, ref, {}).value();
    std::vector<std::string> words;
    for (const ui::EventLink& link : found.links)
        words.push_back(link.word + " " + std::string(run->rank(link.event.slot).trace().name_text(link.event.event)));
    return words;
}

}  // namespace

TEST_CASE("an event is linked with its launch, its pass, the calls around and in it, and other ranks' collectives") {
    const core::RunPtr run = linked_run();
    using LinkWords = std::vector<std::string>;
    CHECK(words_of(run, "aten::linear") ==
          LinkWords{"backward pass LinearBackward", "inside module.py: forward", "calls cudaLaunchKernel"});
    CHECK(words_of(run, "LinearBackward") == LinkWords{"forward pass aten::linear"});
    CHECK(words_of(run, "cudaLaunchKernel") == LinkWords{"launches gemm", "inside aten::linear"});
    CHECK(words_of(run, "gemm") == LinkWords{"launched by cudaLaunchKernel"});
    CHECK(words_of(run, "module.py: forward") == LinkWords{"calls aten::linear"});
    CHECK(words_of(run, "ncclDevKernel_AllReduce") == LinkWords{"same collective ncclDevKernel_AllReduce"});
}

TEST_CASE("details name passes and the ranks of the same collective with how much later it begins there") {
    const core::RunPtr run = linked_run();
    const core::EventRef ref{0, find_named(run->rank(0).trace(), "ncclDevKernel_AllReduce")};
    const ui::EventLinks found = ui::collect_links(*run, ref, {}).value();
    CHECK(found.match == core::PeerMatch::Sequence);
    const ui::OtherLinks others = ui::describe_other_links(*run, ref, found);
    REQUIRE(others.links.size() == 1);
    CHECK(others.links[0].label == "On rank 1");
    CHECK(others.links[0].note == "+100 ns");
    CHECK(others.more == 0);
}

TEST_CASE("links are walked from a python call to its operator, launch and kernel, and back") {
    const core::RunPtr run = linked_run();
    const core::RankTrace& trace = run->rank(0).trace();
    core::EventRef at{0, find_named(trace, "module.py: forward")};
    at = ui::find_linked(*run, at, ui::Along::Forward);
    CHECK(trace.name_text(at.event) == "aten::linear");
    CHECK(trace.name_text(ui::find_linked(*run, at, ui::Along::Forward).event) == "LinearBackward");
    at = {0, find_named(trace, "cudaLaunchKernel")};
    CHECK(trace.name_text(ui::find_linked(*run, at, ui::Along::Forward).event) == "gemm");
    CHECK(trace.name_text(ui::find_linked(*run, at, ui::Along::Back).event) == "aten::linear");
    at = {0, find_named(trace, "ncclDevKernel_AllReduce")};
    const ui::EventLinks found = ui::collect_links(*run, at, {}).value();
    const core::EventRef other = ui::find_linked(*run, at, ui::Along::Forward, &found);
    CHECK(other.slot == 1);
    const ui::EventLinks back = ui::collect_links(*run, other, {}).value();
    CHECK(ui::find_linked(*run, other, ui::Along::Forward, &back) == at);
}

TEST_CASE("a kernel has its callers, innermost first, and a call the kernels that are launched in it") {
    const core::RunPtr run = linked_run();
    const core::RankTrace& trace = run->rank(0).trace();
    const auto name_of = [&](core::EventRef event) { return trace.name_text(event.event); };
    const auto links_of = [&](const char* name) {
        return ui::collect_links(*run, {0, find_named(trace, name)}, {}).value();
    };
    const ui::EventLinks kernel = links_of("gemm");
    REQUIRE(kernel.calls.size() == 2);
    CHECK(kernel.all_calls == 2);
    CHECK(name_of(kernel.calls[0].from) == "aten::linear");
    CHECK(name_of(kernel.calls[0].to) == "cudaLaunchKernel");
    CHECK(name_of(kernel.calls[1].from) == "module.py: forward");
    CHECK(name_of(kernel.calls[1].to) == "aten::linear");
    for (const char* caller : {"aten::linear", "module.py: forward"}) {
        const ui::EventLinks call = links_of(caller);
        REQUIRE(call.calls.size() == 1);
        CHECK(name_of(call.calls[0].from) == caller);
        CHECK(name_of(call.calls[0].to) == "gemm");
    }
    CHECK(links_of("cudaLaunchKernel").calls.empty());  // its kernels are links
    CHECK(links_of("aten::empty").calls.empty());
    CHECK(links_of("LinearBackward").calls.empty());
}

TEST_CASE("of many kernels in a call the first have arrows, and all are counted") {
    TraceFixture fixture;
    fixture.cpu(0, 10'000, "aten::many");
    for (int i = 0; i < 40; ++i) fixture.launch(10 + 100 * i, 10, i + 1).kernel(20'000 + 100 * i, 50, "gemm", 7, i + 1);
    const core::RunPtr run = run_of({fixture.build()});
    const core::RankTrace& trace = run->rank(0).trace();
    const ui::EventLinks found = ui::collect_links(*run, {0, find_named(trace, "aten::many")}, {}).value();
    CHECK(found.all_calls == 40);
    REQUIRE(found.calls.size() == 16);
    CHECK(found.calls[0].to.event == trace.gpu_events[0]);
    CHECK(found.calls[15].to.event == trace.gpu_events[15]);
}
