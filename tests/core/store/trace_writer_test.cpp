#include "core/store/trace_writer.hpp"

#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

using namespace core;
using namespace core::testing;

namespace {

// A trace of one event without GPU work, as its reader would make it.
RankTracePtr trace_of(std::string_view category, std::string_view process, std::string_view trace_name = {}) {
    TraceFixture fixture;
    fixture.event(0, 10, "call", category, {"100", "100"});
    if (!process.empty()) {
        EventBatch& batch = fixture.batch();
        batch.metadata.push_back({.kind = MetadataKind::ProcessName,
                                  .pid = batch.pool.intern("100"),
                                  .tid = batch.pool.intern(""),
                                  .text = batch.pool.intern(process),
                                  .number = 0});
        ++batch.records.metadata;
    }
    fixture.info().trace_name = trace_name;
    return fixture.build();
}

}  // namespace

TEST_CASE("the writer of a trace without GPU work is known from its categories, its processes or its reader") {
    struct Row {
        std::string_view category, process, trace_name;
        TraceWriter writer;
    };
    const Row rows[] = {
        {"cpu_op", "python", "", TraceWriter::PyTorch},
        {"cpu_op", "", "Perfetto", TraceWriter::PyTorch},
        {"cpu_op", "RANK 0 HOST", "", TraceWriter::Unitrace},
        {"", "/host:CPU", "", TraceWriter::Xla},
        {"", "/host:CPU", "XPlane", TraceWriter::Xla},
        {"", "", "XPlane", TraceWriter::Xla},
        {"host", "", "Nsight Systems", TraceWriter::NsightSystems},
        {"hip_runtime", "", "rocprofv3", TraceWriter::Rocprofv3},
        {"hip_runtime", "", "rpdTracer", TraceWriter::RpdTracer},
        {"rocm_hip_api", "./stencil", "Perfetto", TraceWriter::RocprofSystems},
        {"timer_sampling", "./stencil", "Perfetto", TraceWriter::RocprofSystems},
        {"hip_api", "app", "Perfetto", TraceWriter::Rocprofv3},
        {"", "app", "Perfetto", TraceWriter::Perfetto},
        {"cpu_op", "CANN", "", TraceWriter::PyTorchAscend},
        {"cpu_op", "Synapse host", "", TraceWriter::PyTorchGaudi},
        {"", "Neuron Runtime", "", TraceWriter::Neuron},
        {"", "server", "", TraceWriter::Unknown},
        {"", "", "", TraceWriter::Unknown},
    };
    for (const Row& row : rows) {
        CAPTURE(row.category);
        CAPTURE(row.process);
        CAPTURE(row.trace_name);
        CHECK(find_trace_writer(*trace_of(row.category, row.process, row.trace_name)) == row.writer);
    }
}
