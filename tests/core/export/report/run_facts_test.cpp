#include "core/export/report/run_facts.hpp"

#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

using namespace core;
using namespace core::testing;

TEST_CASE("names with line breaks and escapes stay on their line of the facts") {
    const std::string name = "gemm\nranks      99 (0-98)\x1b[31m";
    TraceFixture trace;
    for (int i = 0; i < 5; ++i) {
        trace.event(1'000 + i * 1'000, 10, "cudaLaunchKernel", "cuda_runtime", {}).arg(Arg::Correlation, i + 1);
        trace.kernel(500 + i * 1'000, 100, name, 7, i + 1);
    }
    RunParts parts = run_of({trace.build()})->parts();
    parts.name = name;
    parts.diagnostics.add("rank-guessed", name);
    const Run run(std::move(parts));
    Result<DoctorReport> doctor = examine_run(run, 1, {});
    REQUIRE(doctor.has_value());
    const std::string text = format_facts(collect_facts(run, *std::move(doctor)), 0);
    CHECK(text.find("gemm?ranks      99 (0-98)?[31m") != std::string::npos);
    CHECK(text.find("\nranks      99") == std::string::npos);
    CHECK(text.find('\x1b') == std::string::npos);
}
