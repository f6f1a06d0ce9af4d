#include "core/ingest/xplane/xplane_file.hpp"

#include "core/index/member_events.hpp"
#include "core/ingest/xplane/xplane_facts.hpp"
#include "tests/core/ingest/rocm/rocm_fixture.hpp"
#include "tests/core/ingest/xplane/xplane_writer.hpp"

#include <fstream>

using namespace core;
using namespace core::testing;

namespace {

constexpr std::int64_t kUtc = 1'779'266'702'889'805'563;

// GPU `device` with a kernel of 2960 ns, correlation 10 × device + 1, and a copy; lines that repeat them.
std::string gpu(int device, std::string_view more = {}) {
    const std::uint64_t call = 10 * static_cast<std::uint64_t>(device) + 1;
    const std::string events =
        x_event(1, 660'484'900, 2'960'000,
                x_number(kCorrelationStat, call) +
                    x_text(kKernelStat, "regs:32 static_shared:0 grid:128,1,1 block:256,1,1 occ_pct:50") +
                    x_text(kOperationStat, "fusion.3")) +
        x_event(2, 700'000'000, 1'000'000, x_text(kCopyStat, "kind_src:device size:4096 dest:0 async:1"));
    return x_plane("/device:GPU:" + std::to_string(device),
                   x_line(17, "Stream #17(Kernel,MemcpyD2D)", 5'000, events + std::string(more)) +
                       x_line(1, "XLA Modules", 5'000, x_event(3, 660'000'000, 50'000'000)),
                   {"gemm_fusion_dot", "MemcpyD2D", "jit_step", "ncclDevKernel_Generic"},
                   bytes(6, number(1, kCoresStat) + number(4, 304)));
}

std::string host() {
    const std::string calls = x_event(1, 594'515'000, 55'310'000, x_number(kCorrelationStat, 1)) +
                              x_event(1, 610'000'000, 1'000'000, x_number(kCorrelationStat, 11)) +
                              x_event(2, 590'000'000, 60'000'000) + x_event(3, 580'000'000, 80'000'000) +
                              x_event(4, 570'000'000, 200'000'000, x_number(kStepStat, 12));
    return x_plane("/host:CPU", x_line(7, "Host Threads/7", 5'000, calls),
                   {"cuLaunchKernel", "PjitFunction(step)", "$train.py:10 step", "train"});
}

std::string environment() {
    return x_plane("Task Environment", "", {}, bytes(6, number(1, kStartStat) + number(4, kUtc)));
}

std::filesystem::path write_file(const TempFolder& folder, std::string_view content,
                                 const std::string& name = "host0.xplane.pb") {
    const std::filesystem::path path = folder.path() / name;
    std::ofstream(path, std::ios::binary).write(content.data(), static_cast<std::streamsize>(content.size()));
    return path;
}

RunPtr load_xplane(const TempFolder& folder, std::string_view content) {
    const Result<RunPtr> run = load_database(write_file(folder, content));
    REQUIRE_MESSAGE(run, (run ? "" : run.error().message));
    return *run;
}

}  // namespace

TEST_CASE("a kernel of an XPlane has its name, times to the nanosecond, stream, sizes and launch") {
    const TempFolder folder;
    const RunPtr run = load_xplane(folder, gpu(0) + host() + environment() + bytes(4, "node3"));
    REQUIRE(run->ranks().size() == 1);
    const RankTrace& trace = run->rank(0).trace();
    CHECK(trace.info.host == "node3");
    CHECK(trace.info.trace_name == "XPlane");
    REQUIRE(trace.gpu_events.size() == 2);
    const EventId kernel = trace.gpu_events[0];
    CHECK(trace.name_text(kernel) == "gemm_fusion_dot");
    CHECK(trace.category_kind(kernel) == Category::Kernel);
    // 5000 ns + 660484.9 ns, and its end at 663444.9 ns, both rounded down.
    CHECK(ns_of(trace.start[index_of(kernel)]) == kUtc + 665'484);
    CHECK(trace.duration[index_of(kernel)] == Duration{2960});
    CHECK(trace.track_of(kernel).stream == 17);
    CHECK(text_of(trace, kernel).find(R"("grid": [128,1,1], "block": [256,1,1])") != std::string::npos);
    CHECK(text_of(trace, kernel).find(R"("hlo_op": "fusion.3")") != std::string::npos);
    const EventId launch = trace.parent[index_of(kernel)];
    REQUIRE(launch != kNoEvent);
    CHECK(trace.name_text(launch) == "cuLaunchKernel");
    CHECK(trace.category_kind(launch) == Category::Driver);
    const EventId copy = trace.gpu_events[1];
    CHECK(trace.name_text(copy) == "Memcpy DtoD (Device -> Device)");
    CHECK(trace.category_kind(copy) == Category::GpuMemcpy);
    CHECK(trace.integer(Arg::Bytes, copy) == 4096);
    CHECK(trace.integer(Arg::BandwidthMbPerS, copy) == 4096);
}

TEST_CASE("lines that repeat the work of streams are no GPU work") {
    const TempFolder folder;
    const RunPtr run = load_xplane(folder, gpu(0) + host());
    const RankTrace& trace = run->rank(0).trace();
    REQUIRE(find_events(trace, "jit_step").size() == 1);
    CHECK_FALSE(trace.has(find_events(trace, "jit_step")[0], kGpuEvent));
    CHECK(trace.gpu_events.size() == 2);
}

TEST_CASE("each GPU with work is a rank; calls go to the GPU that they put work on") {
    const TempFolder folder;
    const RunPtr run = load_xplane(folder, host() + gpu(1) + x_plane("/device:GPU:2", "", {}) + gpu(0) + environment());
    REQUIRE(run->ranks().size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
        const RankTrace& trace = run->rank(i).trace();
        CHECK(trace.integer(Arg::Device, trace.gpu_events[0]) == static_cast<std::int64_t>(i));
        CHECK(find_events(trace, "cuLaunchKernel").size() == 1);
        CHECK(trace.parent[index_of(trace.gpu_events[0])] == find_events(trace, "cuLaunchKernel")[0]);
        // Marks of steps are of all ranks.
        REQUIRE(trace.steps.size() == 1);
        CHECK(trace.steps[0].number == 12);
        CHECK(ns_of(trace.steps[0].range.begin) == kUtc + 575'000);
    }
    CHECK(find_events(run->rank(0).trace(), "PjitFunction(step)").size() == 1);
    CHECK(find_events(run->rank(1).trace(), "PjitFunction(step)").empty());
    const RankTrace& first = run->rank(0).trace();
    CHECK(first.category_kind(find_events(first, "$train.py:10 step")[0]) == Category::PythonFunction);
    CHECK(first.category_kind(find_events(first, "PjitFunction(step)")[0]) == Category::CpuOp);
}

TEST_CASE("recordings of one host in folders of their own are captures of the same ranks") {
    const TempFolder folder;
    const auto recording = [&](const char* name, std::int64_t start_ns) {
        std::filesystem::create_directories(folder.path() / name);
        const std::string when =
            x_plane("Task Environment", "", {},
                    bytes(6, number(1, kStartStat) + number(4, static_cast<std::uint64_t>(start_ns))));
        write_file(folder, host() + gpu(0) + gpu(1) + when, std::string(name) + "/host0.xplane.pb");
    };
    recording("first", kUtc);
    recording("second", kUtc + 60'000'000'000);
    const Result<RunPtr> run = load_database(folder.path());
    REQUIRE(run);
    REQUIRE((*run)->ranks().size() == 4);
    const RankKey expected[] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
    std::vector<RankKey> keys;
    for (const RankSlot& rank : (*run)->ranks()) keys.push_back(rank.key);
    std::ranges::sort(keys);
    CHECK(std::ranges::equal(keys, expected));
    CHECK((*run)->all_diagnostics().count("device-ranks") == 4);
}

TEST_CASE("a kernel of NCCL is the collective that its operation names") {
    const TempFolder folder;
    const RunPtr run =
        load_xplane(folder, gpu(0, x_event(4, 800'000'000, 9'000'000, x_reference(kOperationStat, 100))) + host());
    const MemberTable& members = run->rank(0).index->members();
    REQUIRE(members.events().size() == 1);
    CHECK(members.events()[0].operation == Operation::AllReduce);
    CHECK(members.events()[0].duration == Duration{9000});
}

TEST_CASE("operations of a TPU are its work; steps and modules are not") {
    const TempFolder folder;
    const std::string plane = x_plane(
        "/device:TPU:3",
        x_line(1, "Steps", 0, x_event(4, 0, 9'000'000)) +
            x_line(2, "XLA Ops", 100, x_event(1, 0, 5'000'000) + x_event(2, 5'000'000, 3'000'000)) +
            x_line(3, "Async XLA Ops", 100, x_event(3, 1'000'000, 4'000'000) + x_event(5, 1'000'000, 2'000'000)),
        {"%fusion.2 = bf16[8,128] fusion(%p0)", "all-reduce.1", "copy-start.4", "7", "async-start"});
    const RunPtr run = load_xplane(folder, plane);
    const RankTrace& trace = run->rank(0).trace();
    REQUIRE(trace.gpu_events.size() == 3);
    CHECK(trace.name_text(trace.gpu_events[0]) == "fusion.2");
    CHECK(ns_of(trace.start[index_of(trace.gpu_events[0])]) == 100);
    CHECK(trace.integer(Arg::Device, trace.gpu_events[0]) == 3);
    CHECK(trace.name_text(trace.gpu_events[1]) == "copy-start.4");
    CHECK(trace.category_kind(trace.gpu_events[1]) == Category::GpuMemcpy);
    CHECK(trace.has(trace.gpu_events[2], kHasCollective));
}

TEST_CASE("a file without device work is the host alone; sums of events are left out and counted") {
    const TempFolder folder;
    const std::string total = bytes(4, number(1, 2) + number(5, 1000) + number(3, 77));
    const RunPtr run =
        load_xplane(folder, x_plane("/host:metadata", "", {std::string(100'000, 'x')}) +
                                x_plane("/host:CPU", x_line(7, "python", 0, x_event(9, 0, 1000) + total), {"a", "b"}));
    const RankTrace& trace = run->rank(0).trace();
    REQUIRE(trace.size() == 1);
    CHECK(trace.name_text(EventId{0}) == "event without a name");
    CHECK(trace.diagnostics.count("object-event") == 1);
}

TEST_CASE("JSON made of an XPlane next to it is left out") {
    const TempFolder folder;
    write_file(folder, gpu(0) + host());
    const std::string json = R"({"traceEvents": [{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 1}]})";
    write_file(folder, json, "host0.trace.json");
    write_file(folder, json, "rank7.json");
    const Result<RunPtr> run = load_database(folder.path());
    REQUIRE(run);
    CHECK((*run)->ranks().size() == 2);
    CHECK((*run)->all_diagnostics().count("conversion-left-out") == 1);
}

TEST_CASE("an XPlane and a Perfetto trace are told apart by their first bytes") {
    CHECK(begins_xplane(gpu(0)));
    CHECK(begins_xplane(environment()));
    CHECK(begins_xplane(x_plane("/host:metadata", "", {std::string(100'000, 'x')}).substr(0, 60)));
    CHECK_FALSE(begins_xplane(process_track(10, 100, "python")));
    CHECK_FALSE(begins_xplane(""));
    CHECK_FALSE(begins_xplane("\n\x05hello"));
}

TEST_CASE("a cut XPlane is read up to the cut, and says so") {
    const TempFolder folder;
    const std::string whole = gpu(0) + host() + environment();
    for (std::size_t size = 1; size < whole.size(); size += 7) {
        LoadProgress progress;
        const std::filesystem::path path = write_file(folder, std::string_view(whole).substr(0, size));
        Result<std::unique_ptr<TraceReader>> reader = open_xplane_file(path, progress);
        REQUIRE(reader);
        (*reader)->work({});
        const Result<std::vector<RankTracePtr>> ranks = (*reader)->finish_ranks({});
        if (!ranks) {
            CHECK(ranks.error().message.find("byte ") != std::string::npos);
            continue;
        }
        CHECK(ranks->front()->size() <= 8);
    }
    const Result<RunPtr> run = load_database(write_file(folder, std::string_view(whole).substr(0, gpu(0).size() + 60)));
    REQUIRE(run);
    CHECK((*run)->rank(0).trace().gpu_events.size() == 2);
    CHECK((*run)->all_diagnostics().count("file-truncated") == 1);
}

TEST_CASE("bytes changed anywhere in an XPlane do no harm") {
    const TempFolder folder;
    const std::string whole = gpu(0) + host() + gpu(1) + environment();
    std::uint64_t state = 88172645463325252ULL;
    const auto next = [&] {
        state ^= state << 13;
        state ^= state >> 7;
        return state ^= state << 17;
    };
    for (int round = 0; round < 500; ++round) {
        std::string changed = whole;
        for (int i = 0; i < 1 + round % 8; ++i) changed[next() % changed.size()] = static_cast<char>(next());
        LoadProgress progress;
        Result<std::unique_ptr<TraceReader>> reader = open_xplane_file(write_file(folder, changed), progress);
        REQUIRE(reader);
        (*reader)->work({});
        const Result<std::vector<RankTracePtr>> ranks = (*reader)->finish_ranks({});
        if (ranks)
            for (const RankTracePtr& rank : *ranks) CHECK(rank->size() < 100);
    }
}
