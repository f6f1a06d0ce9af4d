// Files of several writers without a mark of a rank: divided by their devices, or refused.

#include "core/store/assemble/split_writers.hpp"

#include "tests/core/ingest/load/ingest_fixture.hpp"

#include <doctest/doctest.h>

using namespace core;
using namespace core::testing;

namespace {

std::string record(std::string_view category, std::string_view name, int pid, int tid, int ts, int correlation) {
    return R"({"ph":"X","cat":")" + std::string(category) + R"(","name":")" + std::string(name) + R"(","pid":)" +
           std::to_string(pid) + R"(,"tid":)" + std::to_string(tid) + R"(,"ts":)" + std::to_string(ts) +
           R"(,"dur":2,"args":{"correlation":)" + std::to_string(correlation) + R"(,"stream":7}},)";
}

// Three launches of the process and their kernels on the device, with numbers from `first`.
std::string writer(int pid, int device, int first) {
    std::string events;
    for (int i = 0; i < 3; ++i)
        events += record("cuda_runtime", "cudaLaunchKernel", pid, pid, 10 * i, first + i) +
                  record("kernel", "gemm", device, 7, 10 * i + 5, first + i);
    return events;
}

Result<RunPtr> open_merged(const std::string& events, std::string_view metadata = {}) {
    const ScratchFolder folder;
    LoadProgress progress;
    LoadOptions options;
    options.index_files = IndexFiles::Ignore;
    const std::filesystem::path file = folder.write(
        "merged.json", R"({"schemaVersion":1,)" + std::string(metadata) + R"("traceEvents":[)" + events + "{}]}");
    return load_run(std::vector{file}, options, progress, JobContext{});
}

}  // namespace

TEST_CASE("processes of one file that launch on devices of their own are ranks, by device") {
    for (const std::string_view metadata : {"", R"("distributedInfo":{"rank":5,"world_size":8},)"}) {
        const Result<RunPtr> run = open_merged(writer(900, 1, 100) + writer(800, 0, 200), metadata);
        REQUIRE(run);
        REQUIRE((*run)->ranks().size() == 2);
        for (std::size_t i = 0; i < 2; ++i) {
            const RankTrace& trace = (*run)->rank(i).trace();
            CHECK((*run)->rank(i).key.number == static_cast<std::int32_t>(i));
            CHECK(trace.gpu_events.size() == 3);
            CHECK(trace.launch_gpu.size() == 3);
            CHECK(trace.info.records.complete == 6);
        }
        CHECK((*run)->all_diagnostics().count("ranks-in-one-file") == 1);
    }
}

TEST_CASE("writers whose launches have the same numbers are refused, with what to do") {
    for (const int device : {0, 1}) {
        const Result<RunPtr> run = open_merged(writer(800, 0, 100) + writer(900, device, 100));
        REQUIRE_FALSE(run);
        CHECK_MESSAGE(run.error().message.find("2 processes (800, 900)") != std::string::npos, run.error().message);
        CHECK(run.error().message.find("open the traces that it was merged from") != std::string::npos);
    }
}

TEST_CASE("one writer stays one rank: with helpers that launch nothing, on several devices, on one device") {
    const std::string helper = record("cpu_op", "load", 901, 1, 3, 100) + record("cpu_op", "load", 902, 1, 3, 101);
    const std::string cases[] = {writer(800, 0, 100) + helper, writer(800, 0, 100) + writer(800, 1, 200),
                                 // A process that launches once isn't a rank.
                                 writer(800, 0, 100) + record("cuda_runtime", "cudaLaunchKernel", 900, 900, 3, 100),
                                 // Two processes on one device, in one recording.
                                 writer(800, 0, 100) + writer(900, 0, 200)};
    for (const std::string& events : cases) {
        const Result<RunPtr> run = open_merged(events);
        REQUIRE(run);
        CHECK((*run)->ranks().size() == 1);
    }
}
