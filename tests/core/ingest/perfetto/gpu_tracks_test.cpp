#include "core/ingest/perfetto/gpu_tracks.hpp"

#include "core/ingest/load/load_run.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/ingest/perfetto/perfetto_writer.hpp"
#include "tests/core/temp_folder.hpp"

#include <doctest/doctest.h>

#include <fstream>

using namespace core;
using namespace core::testing;

namespace {

std::string own_track(std::uint64_t uuid, std::uint64_t parent, std::string_view name) {
    return packet(bytes(60, number(1, uuid) + bytes(2, name) + number(5, parent)));
}
std::string corr(std::uint64_t id) { return argument("corr_id", number(3, id)); }
std::string fixed(std::uint32_t field, std::uint64_t value) {
    std::string out = varint(std::uint64_t{field} << 3 | 1);
    for (int i = 0; i < 8; ++i, value >>= 8) out += static_cast<char>(value & 0xFF);
    return out;
}

// A process as ROCm Systems Profiler writes it: calls on its thread, kernels and a copy on tracks below the process.
std::string process(std::uint64_t pid, std::uint64_t device, std::uint64_t kernel_ns) {
    const std::uint64_t base = pid * 10;
    std::string text = process_track(base, pid, "./stencil") + thread_track(base + 1, pid, pid, "main") +
                       own_track(base + 2, base, "GPU Kernel Dispatch [" + std::to_string(device) + "] Queue 1") +
                       own_track(base + 3, base, "GPU Memory Copy to Agent [" + std::to_string(device) + "]");
    for (std::uint64_t i = 1; i <= 3; ++i) {
        const std::uint64_t at = i * 100'000;
        text += begin(at, base + 1, "hipLaunchKernel", "rocm_hip_api", corr(i)) + end(at + 500, base + 1);
        text += begin(at + 1'000, base + 2, "stencil_kernel", "rocm_kernel_dispatch",
                      corr(i) + argument("queue", number(3, 1)) + argument("device", number(3, device))) +
                end(at + 1'000 + kernel_ns, base + 2);
    }
    return text + begin(900'000, base + 3, "MEMORY_COPY_HOST_TO_DEVICE", "rocm_memory_copy", corr(9)) +
           end(901'000, base + 3) + begin(10, base + 1, "loop", "rocm_marker_api") + end(950'000, base + 1);
}

RunPtr open(const std::string& bytes_of_file, const char* name) {
    const TempFolder folder;
    std::ofstream(folder.path() / name, std::ios::binary) << bytes_of_file;
    LoadProgress progress;
    const Result<RunPtr> run = load_run(std::vector{folder.path()}, {}, progress, JobContext{});
    REQUIRE_MESSAGE(run.has_value(), (run ? "" : run.error().message));
    return *run;
}

std::string category_of(const RankTrace& trace, std::string_view name) {
    for (std::uint32_t i = 0; i < trace.size(); ++i)
        if (trace.name_text(EventId{i}) == name) return std::string(trace.category_text(EventId{i}));
    return "absent";
}

}  // namespace

TEST_CASE("tracks of the GPU are told by their name or their process, threads of the CPU are not") {
    struct Row {
        std::string_view track, process;
        bool is_thread;
        std::optional<std::int64_t> device, stream;
    };
    const Row rows[] = {{"GPU Kernel Dispatch [0] Queue 1", "./stencil", false, 0, 1},
                        {"HIP Activity Device 2, Queue 3", "", false, 2, 3},
                        {"COMPUTE QUEUE [1]", "AGENT", false, std::nullopt, 1},
                        {"Stream #17(Kernel)", "/device:GPU:3", true, 3, 17},
                        {"stream 7", "python", true, std::nullopt, 7},
                        {"XLA Ops", "/device:TPU:0", true, 0, std::nullopt}};
    for (const Row& row : rows) {
        CAPTURE(row.track);
        const GpuTrack found = read_gpu_track(row.track, row.process, row.is_thread);
        CHECK(found.is_gpu);
        CHECK(found.device == row.device);
        CHECK(found.stream == row.stream);
    }
    for (const std::string_view thread :
         {"main", "event stream reader", "GPU feeder", "device worker 3", "queue_feeder_2", ""})
        CHECK_FALSE(read_gpu_track(thread, "python", true).is_gpu);
    CHECK_FALSE(read_gpu_track("requests", "python", false).is_gpu);
    CHECK_FALSE(read_gpu_track("CPU queue 3", "python", false).is_gpu);
    CHECK_FALSE(read_gpu_track("XLA Ops", "/device:GPU:0", true).is_gpu);
    CHECK_FALSE(read_gpu_track("XLA Modules", "/device:GPU:0", true).is_gpu);
}

TEST_CASE(
    "kernels and copies of ROCm Systems Profiler are GPU work, linked to their launches, whatever the file's end") {
    for (const char* const name : {"perfetto-trace-0.proto", "trace.perfetto-trace", "merged.proto"}) {
        const RunPtr run = open(process(71, 0, 40'000), name);
        REQUIRE(run->ranks().size() == 1);
        const RankTrace& trace = run->rank(0).trace();
        CHECK(trace.gpu_events.size() == 4);
        CHECK(category_of(trace, "stencil_kernel") == "kernel");
        CHECK(category_of(trace, "MEMORY_COPY_HOST_TO_DEVICE") == "gpu_memcpy");
        CHECK(category_of(trace, "hipLaunchKernel") == "cuda_runtime");
        CHECK(category_of(trace, "loop") == "user_annotation");
        CHECK(trace.diagnostics.count("kernel-without-launch") <= 1);  // the copy
        CHECK(run->diagnostics().count("profile-left-out") == 0);
        CHECK(trace.diagnostics.count("device-by-shape") == 0);  // its categories say it
        CHECK(trace.info.trace_name == "ROCm Systems Profiler");
    }
}

TEST_CASE("a file of several processes with a GPU each opens as their ranks, by device") {
    const RunPtr run = open(process(72, 1, 60'000) + process(71, 0, 40'000), "merged.proto");
    REQUIRE(run->ranks().size() == 2);
    CHECK(run->rank(0).key == RankKey{0, 0});
    CHECK(run->rank(1).key == RankKey{1, 0});
    const Answer kernels = answer_of(*run, "kernels", "name:stencil_kernel");
    REQUIRE(kernels.main().rows() == 2);
    const std::size_t total = kernels.main().find_column("total");
    CHECK(kernels.main().integer(0, total) + kernels.main().integer(1, total) == 300'000);
    CHECK(run->all_diagnostics().count("ranks-in-one-file") == 1);
    // Numbers of tracks that come back in the second process.
    std::string twin = process(71, 0, 40'000);
    const RunPtr one = open(twin + process_track(5, 99, "launcher"), "merged.pftrace");
    CHECK(one->ranks().size() == 1);
}

TEST_CASE("a track that a launch's flow leads to is GPU work, and a flow links like a correlation") {
    const std::string text = process_track(10, 100, "app") + thread_track(11, 100, 101, "main") +
                             own_track(12, 10, "work") + own_track(13, 10, "requests") +
                             begin(1'000, 11, "cudaLaunchKernel", "", fixed(47, 0x1234)) + end(1'500, 11) +
                             begin(2'000, 12, "gemm", "", fixed(48, 0x1234)) + end(9'000, 12) +
                             begin(2'000, 13, "GET", "", fixed(48, 0x9999)) + end(3'000, 13);
    const RunPtr run = open(text, "a.pftrace");
    const RankTrace& trace = run->rank(0).trace();
    REQUIRE(trace.gpu_events.size() == 1);
    CHECK(trace.name_text(trace.gpu_events[0]) == "gemm");
    CHECK(trace.diagnostics.count("kernel-without-launch") == 0);
    CHECK(category_of(trace, "GET").empty());
    CHECK(trace.diagnostics.count("device-by-shape") == 1);
}

TEST_CASE("GPU work that only names of tracks show is counted by track, with how it was told") {
    const std::string text = process_track(10, 100, "app") + own_track(12, 10, "Queue 3") +
                             own_track(13, 10, "Queue 4") + begin(1'000, 12, "a", "") + end(1'500, 12) +
                             begin(2'000, 12, "a", "") + end(2'500, 12) + begin(1'000, 13, "b", "") + end(1'500, 13);
    const RunPtr run = open(text, "a.pftrace");
    const RankTrace& trace = run->rank(0).trace();
    CHECK(trace.gpu_events.size() == 3);
    REQUIRE(trace.diagnostics.count("device-by-shape") == 1);
    for (const Diagnostic& entry : trace.diagnostics.entries())
        if (entry.kind->id == "device-by-shape") CHECK(entry.first == "2 tracks, told by names like \"Queue 3\"");
}

TEST_CASE("stages of PyTorch have their launch and their node of a graph, and callbacks of the host stay apart") {
    const auto fact = [](std::string_view key, std::string_view value) {
        return bytes(6, bytes(1, std::string(key)) + bytes(2, std::string(value)));
    };
    const auto stage = [&](std::uint64_t at, std::uint64_t id, std::uint64_t kind, std::string_view node) {
        return packet_at(
            at, bytes(53, number(1, id) + number(2, 300) + number(11, 0) + number(13, 7) + number(14, kind) +
                              fact("correlation", "55") + fact("graph id", "3") + fact("graph node id", node)));
    };
    const auto named = [](std::uint64_t id, std::string_view name) {
        return bytes(24, number(1, id) + bytes(2, std::string(name)));
    };
    const std::string names =
        packet_at(1, bytes(12, named(1, "Kernel") + named(6, "HostNode") + named(7, "[0007] stream 7")));
    const RunPtr run =
        open(names + process_track(10, 100, "python") + thread_track(11, 100, 100, "main") +
                 begin(1'000, 11, "cudaGraphLaunch", "cuda_runtime", argument("correlation", number(3, 55))) +
                 end(1'100, 11) + stage(1'200, 901, 1, "0") + stage(1'600, 902, 6, "1"),
             "cuspy.pftrace");
    const RankTrace& trace = run->rank(0).trace();
    REQUIRE(trace.gpu_events.size() == 1);
    CHECK(trace.integer(Arg::GraphId, trace.gpu_events[0]) == 3);
    CHECK(trace.integer(Arg::GraphNodeId, trace.gpu_events[0]) == 0);
    REQUIRE(trace.launch_calls.size() == 1);
    CHECK(trace.name_text(trace.launch_calls[0]) == "cudaGraphLaunch");
    CHECK(trace.diagnostics.count("kernel-without-launch") == 0);
}

TEST_CASE("traces of two processes in one file, with GPU work by device alone, are divided by launches or refused") {
    // As PyTorch writes it: launches on a thread, kernels as stages of a GPU.
    const auto writer = [](std::uint64_t pid, std::uint64_t device, std::uint64_t first) {
        const std::uint64_t base = pid * 10;
        std::string text = process_track(base, pid, "python") + thread_track(base + 1, pid, pid, "main");
        for (std::uint64_t i = 0; i < 3; ++i) {
            const std::uint64_t at = 1'000 * (i + 1), id = first + i;
            text += begin(at, base + 1, "cudaLaunchKernel", "cuda_runtime", argument("correlation", number(3, id))) +
                    end(at + 100, base + 1) +
                    packet_at(at + 200, bytes(53, number(1, id) + number(2, 300) + number(11, device) + number(13, 7)));
        }
        return text;
    };
    const RunPtr run = open(writer(100, 0, 10) + writer(200, 1, 20), "both.pftrace");
    REQUIRE(run->ranks().size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
        CHECK(run->rank(i).key.number == static_cast<std::int32_t>(i));
        CHECK(run->rank(i).trace().gpu_events.size() == 3);
        CHECK(run->rank(i).trace().launch_gpu.size() == 3);
    }
    const TempFolder folder;
    std::ofstream(folder.path() / "both.pftrace", std::ios::binary) << writer(100, 0, 10) + writer(200, 0, 10);
    LoadProgress progress;
    const Result<RunPtr> refused = load_run(std::vector{folder.path() / "both.pftrace"}, {}, progress, JobContext{});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("2 processes (100, 200)") != std::string::npos);
}
