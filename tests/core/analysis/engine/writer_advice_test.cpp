#include "core/analysis/engine/writer_advice.hpp"

#include "core/store/memory_names.hpp"
#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

using namespace core;
using namespace core::testing;

namespace {

RankTracePtr stated(std::string_view trace_name) {
    TraceFixture fixture = TraceFixture().event(0, 10, "call", "host_region", {});
    fixture.info().trace_name = trace_name;
    return fixture.build();
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace

TEST_CASE("every writer has advice in sentences, and only PyTorch's names PyTorch's activities") {
    for (std::size_t i = 0; i < kTraceWriterCount; ++i) {
        const auto writer = static_cast<TraceWriter>(i);
        const WriterAdvice& advice = advice_for(writer);
        CAPTURE(advice.name);
        CHECK(advice.writer == writer);
        for (const std::string_view text : {advice.gpu_work, advice.calls, advice.steps, advice.stacks}) {
            REQUIRE_FALSE(text.empty());
            CHECK(text.ends_with('.'));
        }
        CHECK(has(advice.gpu_work, "ProfilerActivity.CUDA") == (writer == TraceWriter::PyTorch));
        CHECK(has(advice.steps, "profiler.step()") ==
              (writer == TraceWriter::PyTorch || writer == TraceWriter::PyTorchGaudi));
    }
}

TEST_CASE("a run without GPU work is told what its own writer needs to record it") {
    const RunPtr pytorch = run_of({TraceFixture().cpu(0, 10, "aten::mm").build()});
    CHECK(has(explain_no_gpu_events(*pytorch), "ProfilerActivity.CUDA"));
    const RunPtr nsight = run_of({stated("Nsight Systems"), stated("Nsight Systems")});
    CHECK(has(explain_no_gpu_events(*nsight), "nsys profile --trace=cuda"));
    CHECK_FALSE(has(explain_no_gpu_events(*nsight), "ProfilerActivity"));
    // Two writers: the advice that holds for any.
    const RunPtr mixed = run_of({stated("Nsight Systems"), stated("rocprofv3")});
    CHECK(&advice_for(*mixed) == &advice_for(TraceWriter::Unknown));
    // Dumps record no GPU work, however they are written.
    CHECK(explain_no_gpu_events(*run_of({stated(kMemorySnapshotTrace)})) == "The traces have no GPU events.");
}
