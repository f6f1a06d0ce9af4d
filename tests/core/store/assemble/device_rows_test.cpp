// GPU work that no category tells: XLA's devices, unitrace, converted .rpd files, rows with a stream.

#include "core/store/assemble/device_rows.hpp"

#include "tests/core/ingest/load/ingest_fixture.hpp"

#include <doctest/doctest.h>

#include <numeric>

using namespace core;
using namespace core::testing;

namespace {

std::string named(std::string_view what, int pid, int tid, std::string_view name) {
    return R"({"ph": "M", "name": ")" + std::string(what) + R"(", "pid": )" + std::to_string(pid) + R"(, "tid": )" +
           std::to_string(tid) + R"(, "args": {"name": ")" + std::string(name) + R"("}},)";
}

std::string row(std::string_view name, int pid, int tid, int ts, int dur, std::string_view args = "{}",
                std::string_view category = {}) {
    return R"({"ph": "X", "name": ")" + std::string(name) +
           (category.empty() ? "" : R"(", "cat": ")" + std::string(category)) + R"(", "pid": )" + std::to_string(pid) +
           R"(, "tid": )" + std::to_string(tid) + R"(, "ts": )" + std::to_string(ts) + R"(, "dur": )" +
           std::to_string(dur) + R"(, "args": )" + std::string(args) + "},";
}

std::string arrow(char phase, int id, int pid, int tid, int ts) {
    return R"({"ph": ")" + std::string(1, phase) + R"(", "cat": "api_op", "name": "api_op", "id": )" +
           std::to_string(id) + R"(, "pid": )" + std::to_string(pid) + R"(, "tid": )" + std::to_string(tid) +
           R"(, "ts": )" + std::to_string(ts) + R"(, "bp": "e"},)";
}

RunPtr load(const std::filesystem::path& path) {
    LoadProgress progress;
    LoadOptions options;
    options.index_files = IndexFiles::Ignore;
    Result<RunPtr> run = load_run(std::vector{path}, options, progress, JobContext{});
    REQUIRE(run.has_value());
    return *std::move(run);
}

// As XLA's writer ends its lists.
RunPtr open_rows(const std::string& rows) {
    const ScratchFolder folder;
    return load(folder.write("host.trace.json", R"({"traceEvents": [)" + rows + "{}]}"));
}

std::int64_t gpu_time(const RankTrace& trace) {
    return std::accumulate(trace.gpu_events.begin(), trace.gpu_events.end(), std::int64_t{0},
                           [&](std::int64_t sum, EventId e) { return sum + trace.duration[index_of(e)].count(); });
}

std::vector<std::string> gpu_names(const RankTrace& trace) {
    std::vector<std::string> names;
    for (const EventId e : trace.gpu_events) names.emplace_back(trace.name_text(e));
    return names;
}

}  // namespace

TEST_CASE("each GPU of an XLA trace is a rank: streams are its work, rows of modules and operations repeat them") {
    std::string rows = named("process_name", 701, 0, "/host:CPU") + named("thread_name", 701, 77, "python");
    for (const int gpu : {0, 1}) {
        const int pid = gpu + 1;
        rows += named("process_name", pid, 0, "/device:GPU:" + std::to_string(gpu)) +
                named("thread_name", pid, 118, "Stream #118(MemcpyD2H,Compute)") +
                named("thread_name", pid, 9001, "XLA Modules") + named("thread_name", pid, 9002, "XLA Ops");
        for (const int step : {0, 1}) {
            const int at = 1000 + 500 * step;
            rows += row("jit_train(1)", pid, 9001, at, 400) + row("fusion.3", pid, 9002, at, 100) +
                    row("loop_fusion", pid, 118, at, 100 + gpu) + row("MemcpyD2H", pid, 118, at + 200, 50);
        }
    }
    for (const int step : {0, 1})
        rows += row("train", 701, 77, 900 + 500 * step, 30, R"({"step_num": ")" + std::to_string(step + 4) + R"("})");
    const RunPtr run = open_rows(rows);
    REQUIRE(run->ranks().size() == 2);
    for (std::size_t rank = 0; rank < 2; ++rank) {
        const RankTrace& trace = run->rank(rank).trace();
        CHECK(run->rank(rank).key.number == static_cast<std::int32_t>(rank));
        CHECK(gpu_time(trace) == static_cast<std::int64_t>(2 * (100 + rank + 50) * 1000));
        CHECK(trace.gpu_events.size() == 4);
        REQUIRE(trace.steps.size() == 2);
        CHECK(trace.steps[0].number == 4);
        CHECK(trace.steps[0].range.length() == Duration{500'000});
        CHECK(trace.steps[1].number == 5);
        CHECK(trace.steps[1].range.end == rank_time(static_cast<std::int64_t>(1750'000)));
        CHECK(trace.text(trace.track_of(trace.gpu_events[0]).name) == "Stream #118(MemcpyD2H,Compute)");
        CHECK(trace.track_of(trace.gpu_events[0]).stream == 118);
    }
    CHECK(run->all_diagnostics().count("event-malformed") == 0);
    CHECK(run->all_diagnostics().count("device-by-shape") == 2);
    std::uint64_t records = 0;
    for (const RankSlot& rank : run->ranks()) records += rank.trace().info.records.total;
    CHECK(records == 2 + 4 * 2 + 8 * 2 + 2 + 2);  // names, rows, and the two copied steps
}

TEST_CASE("rows of steps of a device are its steps") {
    std::string rows;
    for (const int gpu : {0, 1})
        rows += named("process_name", gpu + 1, 0, "/device:GPU:" + std::to_string(gpu)) +
                named("thread_name", gpu + 1, 5, "Steps") + named("thread_name", gpu + 1, 7, "Stream #7(Compute)") +
                row("3", gpu + 1, 5, 100, 40) + row("4", gpu + 1, 5, 150, 45) + row("k", gpu + 1, 7, 110, 20);
    const RunPtr run = open_rows(rows);
    REQUIRE(run->ranks().size() == 2);
    const RankTrace& trace = run->rank(1).trace();
    REQUIRE(trace.steps.size() == 2);
    CHECK(trace.steps[0].number == 3);
    CHECK(trace.steps[0].range.length() == Duration{40'000});
    CHECK(gpu_names(trace) == std::vector<std::string>{"k"});
}

TEST_CASE("devices of several hosts in one folder count on") {
    const auto host = [](int gpus) {
        std::string rows;
        for (int gpu = 0; gpu < gpus; ++gpu)
            rows += named("process_name", gpu + 1, 0, "/device:GPU:" + std::to_string(gpu)) +
                    named("thread_name", gpu + 1, 7, "Stream #7(Compute)") + row("k", gpu + 1, 7, 110, 20 + gpu);
        return R"({"traceEvents": [)" + rows + "{}]}";
    };
    const ScratchFolder folder;
    (void)folder.write("host-a.trace.json", host(2));
    (void)folder.write("host-b.trace.json", host(3));
    const RunPtr run = load(folder.path());
    std::vector<std::int32_t> numbers;
    for (const RankSlot& rank : run->ranks()) numbers.push_back(rank.key.number);
    CHECK(numbers == std::vector{0, 1, 2, 3, 4});
}

TEST_CASE("unitrace's devices are one rank with their host, by the names of both") {
    const ScratchFolder folder;
    const auto write = [&](int rank) {
        const std::string r = std::to_string(rank);
        (void)folder.write("python3.200" + r + "." + r + ".json",
                           R"({"traceEvents": [)" + named("process_name", 90, 0, "RANK " + r + " DEVICE 1B:0.0") +
                               named("process_name", 20, 0, "RANK " + r + " HOST") +
                               row("zeCommandListAppendLaunchKernel", 20, 20, 100, 2, R"({"id": "1"})", "cpu_op") +
                               row("gen9_conv[SIMD32]", 90, 90, 110, 9, R"({"id": "1"})", "gpu_op") + "{}]}");
    };
    write(2);
    write(5);
    const RunPtr run = load(folder.path());
    REQUIRE(run->ranks().size() == 2);
    CHECK(run->rank(0).key.number == 2);
    CHECK(run->rank(1).key.number == 5);
    CHECK(gpu_names(run->rank(1).trace()) == std::vector<std::string>{"gen9_conv[SIMD32]"});
    CHECK(run->diagnostics().count("rank-guessed") == 0);
}

TEST_CASE("a process named after a GPU has the work, and arrows lead to it from launches") {
    const RunPtr run =
        open_rows(named("process_name", 0, 0, "GPU0") + row("hipLaunchKernel", 47, 47, 100, 5) +
                  row("Cijk_gemm", 0, 0, 110, 50) + arrow('s', 1, 47, 47, 103) + arrow('f', 1, 0, 0, 110));
    const RankTrace& trace = run->rank(0).trace();
    CHECK(gpu_names(trace) == std::vector<std::string>{"Cijk_gemm"});
    REQUIRE(trace.parent[index_of(trace.gpu_events[0])] != kNoEvent);
    CHECK(trace.name_text(trace.parent[index_of(trace.gpu_events[0])]) == "hipLaunchKernel");
}

TEST_CASE("processes that launch on one device each are ranks; one that launches on both is not") {
    const auto rows = [](int second_host) {
        std::string text;
        for (const int gpu : {0, 1}) {
            const int host = gpu == 0 ? 47 : second_host;
            text += named("process_name", gpu, 0, "GPU" + std::to_string(gpu)) +
                    row("hipLaunchKernel", host, host, 100 + gpu, 1) + row("gemm", gpu, 0, 110, 50) +
                    arrow('s', gpu, host, host, 100 + gpu) + arrow('f', gpu, gpu, 0, 110);
        }
        return text;
    };
    const RunPtr two = open_rows(rows(48));
    REQUIRE(two->ranks().size() == 2);
    CHECK(two->rank(1).trace().size() == 2);
    CHECK(open_rows(rows(47))->ranks().size() == 1);
}

TEST_CASE("rows that name a stream, or end arrows from launches, are a GPU's where nothing else is") {
    const RunPtr by_stream = open_rows(row("aten::mm", 1, 1, 90, 50, "{}", "cpu_op") +
                                       row("gemm", 2, 3, 100, 50, R"({"stream": 3})", "work"));
    CHECK(gpu_names(by_stream->rank(0).trace()) == std::vector<std::string>{"gemm"});
    const RunPtr by_arrow = open_rows(row("cuLaunchKernel", 1, 1, 90, 5) + row("gemm", 2, 3, 100, 50) +
                                      arrow('s', 1, 1, 1, 92) + arrow('f', 1, 2, 3, 100));
    CHECK(gpu_names(by_arrow->rank(0).trace()) == std::vector<std::string>{"gemm"});
    // Arrows between threads of the CPU launch nothing.
    const RunPtr none = open_rows(row("forward", 1, 1, 90, 5) + row("backward", 1, 3, 100, 50) +
                                  arrow('s', 1, 1, 1, 92) + arrow('f', 1, 1, 3, 100));
    CHECK(none->rank(0).trace().gpu_events.empty());
    // Another row has a category of the GPU: the writer tells its work by these.
    const RunPtr known = open_rows(row("gemm", 0, 7, 90, 5, R"({"stream": 7})", "kernel") +
                                   row("note", 0, 8, 100, 50, R"({"stream": 8})", "marks"));
    CHECK(gpu_names(known->rank(0).trace()) == std::vector<std::string>{"gemm"});
}

TEST_CASE("ranks of unitrace in one file link their kernels to their own launches, though numbers of arrows repeat") {
    std::string rows;
    for (const int rank : {0, 1}) {
        const int host = 2000 + rank, device = 4000 + rank;
        const std::string name = "RANK " + std::to_string(rank);
        rows += named("process_name", host, 0, name + " HOST") +
                named("process_name", device, 0, name + " DEVICE 1B:0.0") +
                row("zeCommandListAppendLaunchKernel", host, 1, 100 + rank, 4) + arrow('s', 7, host, 1, 101 + rank) +
                row("gen9_gemm", device, 2, 200 + 10 * rank, 30) + arrow('f', 7, device, 2, 200 + 10 * rank);
    }
    const RunPtr run = open_rows(rows);
    REQUIRE(run->ranks().size() == 2);
    for (std::size_t rank = 0; rank < 2; ++rank) {
        const RankTrace& trace = run->rank(rank).trace();
        CHECK(run->rank(rank).key.number == static_cast<std::int32_t>(rank));
        REQUIRE(trace.gpu_events.size() == 1);
        REQUIRE(trace.launch_calls.size() == 1);
        CHECK(trace.name_text(trace.launch_calls[0]) == "zeCommandListAppendLaunchKernel");
        CHECK(trace.launch_gpu[0] == trace.gpu_events[0]);
    }
}

TEST_CASE("devices of Gaudi and Neuron are known from the names of their processes") {
    for (const std::string_view name : {"Gaudi2 device 1", "HPU 1", "NeuronCore 1", "Neuron Core 1"}) {
        const RunPtr run = open_rows(named("process_name", 5, 0, "python") + named("process_name", 9, 0, name) +
                                     row("aten::mm", 5, 1, 10, 5) + row("gemm", 9, 1, 20, 30));
        CAPTURE(name);
        REQUIRE(run->ranks().size() == 1);
        const RankTrace& trace = run->rank(0).trace();
        CHECK(gpu_names(trace) == std::vector<std::string>{"gemm"});
        CHECK(run->all_diagnostics().count("device-by-shape") == 1);
    }
}

TEST_CASE("calls and kernels of unitrace that state one id are linked, per rank, and calls are those of the runtime") {
    std::string rows;
    const auto with_id = [](int id) { return R"({"id": ")" + std::to_string(id) + R"("})"; };
    for (const int rank : {0, 1}) {
        const int host = 2000 + rank, device = 4000 + rank;
        const std::string name = "RANK " + std::to_string(rank);
        rows += named("process_name", host, 0, name + " HOST") +
                named("process_name", device, 0, name + " DEVICE 1B:0.0") +
                row("zeMemAllocDevice", host, 1, 90, 4, "{}", "cpu_op");
        for (const int id : {7, 8})
            rows += row("zeCommandListAppendLaunchKernel", host, 1, 100 * id, 4, with_id(id), "cpu_op") +
                    row("gen9_gemm", device, 2, 100 * id + 20 + rank, 30, with_id(id), "gpu_op");
    }
    const RunPtr run = open_rows(rows);
    REQUIRE(run->ranks().size() == 2);
    for (const RankSlot& rank : run->ranks()) {
        const RankTrace& trace = rank.trace();
        CHECK(trace.gpu_events.size() == 2);
        CHECK(trace.launch_gpu.size() == 2);
        CHECK(trace.diagnostics.count("correlation-reused") == 0);
        for (const EventId kernel : trace.gpu_events) {
            const EventId call = trace.parent[index_of(kernel)];
            REQUIRE(call != kNoEvent);
            CHECK(trace.category_kind(call) == Category::Runtime);
            CHECK(ns_of(trace.start[index_of(kernel)]) > ns_of(trace.start[index_of(call)]));
            CHECK(ns_of(trace.start[index_of(kernel)]) < ns_of(trace.start[index_of(call)]) + 30'000);
        }
    }
    // Ids that no launch has mean something else.
    const RunPtr other = open_rows(row("zeCommandListAppendLaunchKernel", 1, 1, 1, 4, with_id(99), "cpu_op") +
                                   row("gemm", 2, 2, 20, 30, with_id(7), "gpu_op"));
    CHECK(other->rank(0).trace().launch_gpu.empty());
}
