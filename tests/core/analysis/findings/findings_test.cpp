#include "core/analysis/efficiency/device_peaks.hpp"
#include "core/analysis/findings/find_inefficiency.hpp"
#include "core/analysis/findings/findings_of_rank.hpp"
#include "tests/core/analysis/efficiency/efficiency_fixture.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/analysis/findings/parallel_fixture.hpp"
#include "tests/core/analysis/whatif/pipeline_plan.hpp"
#include "tests/core/captures.hpp"
#include "tests/core/ingest/load/ingest_fixture.hpp"
#include "tests/core/ingest/memory_snapshot/snapshot_fixture.hpp"
#include "tests/core/trace_fixture.hpp"

#include <algorithm>
#include <functional>
#include <set>

using namespace core;
using namespace core::testing;

namespace {

// "idle 0 50": finding, rank and a time of each row. Excludes risks, which gain nothing (find_risks_test.cpp).
Rows rows_with(const Table& table, std::string_view time) {
    Rows rows;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (table.absent(row, table.find_column(time))) continue;
        rows.push_back(std::string(table.text(row, 0)) + " " + format_rank(RankKey::unpacked(table.integer(row, 1))) +
                       " " + std::to_string(table.integer(row, table.find_column(time))));
    }
    return rows;
}

// Findings that stand, with their gains.
Rows gains_in(const Answer& answer) { return rows_with(answer.main(), "gain"); }

// Times that ranks show by themselves, whatever a replay says of them.
Rows found_in(const Answer& answer) { return rows_with(all_findings(answer), "measured"); }

Rows found_in(TraceFixture& fixture, const GivenParams& given = {}) {
    return found_in(answer_of(*run_of({fixture.build()}), "findings", "", given));
}

bool contains(const Rows& rows, const std::string& row) { return std::ranges::find(rows, row) != rows.end(); }

std::string_view text_of(const Answer& answer, std::string_view column, std::size_t row = 0) {
    return answer.main().text(row, answer.main().find_column(column));
}

// Consecutive kernels, launched long before, with concurrent communication.
TraceFixture healthy() {
    TraceFixture fixture;
    fixture.step(0, 20'000, 1).step(20'000, 22'000, 2);
    for (int i = 0; i < 40; ++i) {
        fixture.launch(i * 10, 5, i).kernel(1'000 + i * 1'000, 1'000, "gemm_bf16_s16816", 7, i);
    }
    fixture.kernel(2'000, 9'000, "ncclDevKernel_AllReduce", 8);
    fixture.event(25'000, 16'050, "cudaDeviceSynchronize", "cuda_runtime", {});
    return fixture;
}

// Six all-reduces without step marks; before each, the rank's loader is late by that much. After each the host waits
// for the GPU before it goes on, and launches some kernels whose records are lost.
RankTracePtr late_loader(int rank, std::int64_t late, int lost = 0) {
    TraceFixture fixture;
    fixture.rank(rank);
    for (std::int64_t k = 0; k < 6; ++k) {
        const std::int64_t begin = k * 20'000'000;
        fixture.launch(begin - 50, 10, 100 + k).kernel(begin, 8'000'000, "gemm", 7, 100 + k);
        fixture.cpu(begin + 7'000'000, 1'500'000 + late, "enumerate(DataLoader)#_Iter.__next__");
        fixture.launch(begin + 8'500'000 + late, 10, k + 1)
            .kernel(begin + 9'000'000 + late, 6'000'000 - late, "ncclDevKernel_AllReduce", 9, k + 1)
            .arg(Arg::CollectiveName, "allreduce")
            .arg(Arg::Seq, k);
        for (int i = 0; i < lost; ++i) fixture.launch(begin + 16'000'000 + i * 100, 10, 1'000 + k * 100 + i);
        fixture.event(begin + 8'600'000 + late, 6'400'000 - late, "cudaDeviceSynchronize", "cuda_runtime", {});
    }
    return fixture.build();
}

// In each of four steps every rank computes, most of them for 400 µs, then all reduce.
std::vector<RankTracePtr> reducing_ranks(const std::function<std::int64_t(int rank, int step)>& compute_ns) {
    std::vector<TraceFixture> ranks(4);
    for (int r = 0; r < 4; ++r) ranks[static_cast<std::size_t>(r)].rank(r);
    std::int64_t begin = 0;
    for (int step = 0; step < 4; ++step) {
        std::int64_t longest = 0;
        for (int r = 0; r < 4; ++r) longest = std::max(longest, compute_ns(r, step));
        const std::int64_t end = begin + 1'000 + longest + 2'000;
        for (int r = 0; r < 4; ++r) {
            TraceFixture& fixture = ranks[static_cast<std::size_t>(r)];
            const std::int64_t ready = begin + 1'000 + compute_ns(r, step);
            fixture.step(begin, end + 100 - begin, step).launch(begin + 10, 5, step * 2 + 1);
            fixture.kernel(begin + 1'000, ready - begin - 1'000, "gemm", 7, step * 2 + 1);
            fixture.launch(begin + 20, 5, step * 2 + 2)
                .kernel(ready, end - ready, "ncclDevKernel_AllReduce", 7, step * 2 + 2)
                .arg(Arg::CollectiveName, "allreduce")
                .arg(Arg::Seq, step);
            fixture.event(begin + 30, end - begin - 30, "cudaDeviceSynchronize", "cuda_runtime", {});
        }
        begin = end + 100;
    }
    std::vector<RankTracePtr> traces;
    for (TraceFixture& fixture : ranks) traces.push_back(fixture.build());
    return traces;
}

// Ten times gemm, then other work of 100 ns, on rank 0 of 200 ns; then all reduce. Rank 0 holds the others up.
RunPtr run_of_unbalanced(const std::vector<std::int64_t>& gemm_ns, const std::vector<const char*>& devices = {}) {
    std::int64_t end = 0;
    for (std::size_t r = 0; r < gemm_ns.size(); ++r) end = std::max(end, 10 * (gemm_ns[r] + (r == 0 ? 200 : 100)) + 50);
    std::vector<RankTracePtr> traces;
    for (std::size_t r = 0; r < gemm_ns.size(); ++r) {
        TraceFixture fixture;
        fixture.rank(static_cast<int>(r));
        if (!devices.empty()) fixture.info().devices.push_back({0, devices[r], 0});
        std::int64_t at = 0;
        for (int i = 0; i < 10; ++i) {
            fixture.kernel(at, gemm_ns[r], "gemm");
            at += gemm_ns[r];
            fixture.kernel(at, r == 0 ? 200 : 100, "other");
            at += r == 0 ? 200 : 100;
        }
        fixture.kernel(at, end - at, "ncclDevKernel_AllReduce").arg(Arg::CollectiveName, "allreduce").arg(Arg::Seq, 1);
        traces.push_back(fixture.build());
    }
    return run_of(traces);
}

// A hundred launches, of which one in `every` has its kernel.
RankTracePtr without_records(int rank, int every) {
    TraceFixture fixture;
    fixture.rank(rank);
    for (int i = 0; i < 100; ++i) {
        fixture.launch(i * 1'000, 10, i + 1);
        if (i % every == 0) fixture.kernel(i * 1'000 + 20, 900, "gemm", 7, i + 1);
    }
    return fixture.build();
}

// All-reduces a millisecond apart, the sixth with that many elements; work continues after the last.
RankTracePtr out_of_step(int rank, std::int64_t elements, std::int64_t collectives) {
    TraceFixture fixture;
    for (std::int64_t k = 0; k < collectives; ++k)
        fixture.kernel(k * 1'000'000, 50'000, "ncclDevKernel_AllReduce", 9)
            .arg(Arg::CollectiveName, "allreduce")
            .arg(Arg::CollectiveDtype, "Float")
            .arg(Arg::GroupName, "dp")
            .arg(Arg::GroupRanks, "[0, 1, 2]")
            .arg(Arg::InElements, k == 5 ? elements : std::int64_t{8})
            .arg(Arg::Seq, k);
    return fixture.kernel(40'000'000, 1'000, "gemm", 7).rank(rank).build();
}

// A product of 2^30 FLOP in fp32 in 100 us, unless the kernel's name says tf32.
OperatorFixture single_precision(std::string_view kernel) {
    OperatorFixture made;
    made.device("NVIDIA H100 80GB HBM3");
    made.op(100, 50, "aten::mm").with("[[512, 1024], [1024, 1024]]", R"(["float", "float"])");
    made.gpu(110, 1'000, 100'000, kernel);
    return made;
}

// Three products in bf16: one of even sizes, an odd one nearly as good, an odd one that is much slower.
OperatorFixture odd_sizes() {
    OperatorFixture made;
    made.device("NVIDIA H100 80GB HBM3");
    made.op(100, 50, "aten::mm").with("[[512, 1024], [1024, 1024]]", kHalves).gpu(110, 1'000, 2'000, "gemm");
    made.op(200, 50, "aten::mm").with("[[512, 1024], [1024, 1023]]", kHalves).gpu(210, 3'000, 3'000, "gemm");
    made.op(300, 50, "aten::linear").with("[[2, 256, 1024], [1001, 1024]]", kHalves);
    made.gpu(310, 6'000, 20'000, "gemm");
    return made;
}

// One product is recomputed below the engine, the other belongs to backward itself.
OperatorFixture checkpointed() {
    constexpr std::string_view kSquare = "[[2, 2], [2, 2]]";
    OperatorFixture made;
    made.op(0, 100, "autograd::engine::evaluate_function: CheckpointFunctionBackward").arg(Arg::SequenceNumber, 7);
    made.op(10, 30, "aten::linear").arg(Arg::SequenceNumber, 20);
    made.op(12, 20, "aten::mm").with(kSquare).gpu(14, 200, 100, "gemm");
    made.op(50, 40, "autograd::engine::evaluate_function: MmBackward0").arg(Arg::SequenceNumber, 20);
    made.op(54, 20, "aten::mm").with(kSquare).gpu(56, 300, 200, "gemm");
    return made;
}

}  // namespace

TEST_CASE("a healthy trace has no findings, nor has one without a GPU") {
    TraceFixture fixture = healthy();
    CHECK(found_in(fixture).empty());
    TraceFixture no_gpu;
    no_gpu.cpu(0, 10, "op");
    CHECK(found_in(no_gpu).empty());
}

TEST_CASE("exposed communication is found from 15 % of the window on") {
    TraceFixture fixture;
    fixture.kernel(0, 1'000, "gemm").kernel(400, 800, "ncclAllReduce", 8);
    const Answer answer = answer_of(*run_of({fixture.build()}), "findings");
    CHECK(found_in(answer) == Rows{"exposed-communication 0 200"});
    CHECK(text_of(answer, "severity") == "high");
    CHECK(text_of(answer, "certainty") == "measured");
    CHECK(text_of(answer, "evidence") ==
          "200 ns of 800 ns of communication has no compute beside it, 16.7 % of the window");
    CHECK_FALSE(text_of(answer, "advice").empty());
    TraceFixture less;
    less.kernel(0, 1'000, "gemm").kernel(400, 760, "ncclAllReduce", 8);
    CHECK(found_in(less).empty());
}

TEST_CASE("copies without concurrent work are found, and the longest is named") {
    TraceFixture fixture;
    fixture.kernel(0, 800, "gemm").kernel(400, 500, "Memcpy HtoD (Pinned -> Device)", 8, -1, "gpu_memcpy");
    fixture.kernel(900, 100, "Memset (Device)", 8, -1, "gpu_memset");
    const Answer answer = answer_of(*run_of({fixture.build()}), "findings");
    CHECK(found_in(answer) == Rows{"exposed-copies 0 200"});
    CHECK(text_of(answer, "evidence") ==
          "copies and sets run for 200 ns without compute or communication beside them, 20.0 % of the window; the "
          "longest, Memcpy HtoD (Pinned -> Device), takes 500 ns");
    TraceFixture less;
    less.kernel(0, 900, "gemm").kernel(400, 600, "Memcpy HtoD (Pinned -> Device)", 8, -1, "gpu_memcpy");
    CHECK(found_in(less).empty());
}

TEST_CASE("communication and compute that take turns are found, and what one could hide of the other") {
    TraceFixture fixture;
    fixture.kernel(0, 1'000, "gemm").kernel(900, 110, "ncclAllReduce", 8).kernel(1'010, 90, "ncclSend", 8);
    CHECK(found_in(fixture).empty());  // half of it is hidden
    TraceFixture less;
    less.kernel(0, 1'000, "gemm").kernel(920, 180, "ncclAllReduce", 8);
    CHECK(found_in(less) == Rows{"low-overlap 0 100"});
}

TEST_CASE("an idle GPU is found from 10 % of the window on, with the event that ended the longest gap") {
    TraceFixture fixture;
    fixture.kernel(0, 100, "a").kernel(110, 90, "b").kernel(240, 60, "c");
    const RunPtr run = run_of({fixture.build()});
    const Answer answer = answer_of(*run, "findings");
    CHECK(found_in(answer) == Rows{"idle 0 50"});
    const auto event = static_cast<std::uint32_t>(answer.main().integer(0, answer.main().find_column("event")));
    CHECK(run->rank(0).trace().name_text(EventId{event}) == "c");
    REQUIRE(answer.marks.size() == 2);
    CHECK(answer.marks[0].event.event == EventId{event});
    CHECK(answer.marks[0].label == "idle");
    // The evidence is the gaps, not the kernels after them.
    REQUIRE(answer.marks[0].place);
    REQUIRE(answer.marks[1].place);
    CHECK(answer.marks[0].place->begin - run->origin() == Duration{200});
    CHECK(answer.marks[0].place->length() == Duration{40});
    CHECK(answer.marks[1].place->begin - run->origin() == Duration{100});
    CHECK(answer.marks[1].place->length() == Duration{10});
}

TEST_CASE("many kernels shorter than their calls are found where the GPU waits for them") {
    TraceFixture fixture;
    for (int i = 0; i < 30; ++i) fixture.launch(i * 100, 20, i).kernel(i * 100 + 30, 5, "tiny", 7, i);
    CHECK(contains(found_in(fixture), "short-kernels 0 2755"));  // 29 gaps of 95
    TraceFixture few;
    for (int i = 0; i < 19; ++i) few.launch(i * 100, 20, i).kernel(i * 100 + 30, 5, "tiny", 7, i);
    CHECK(found_in(few).size() == 1);  // idle
    TraceFixture queued;  // as short, but there is always one waiting
    for (int i = 0; i < 30; ++i) queued.launch(i * 20, 15, i).kernel(1'000 + i * 5, 5, "tiny", 7, i);
    CHECK(found_in(queued).empty());
}

TEST_CASE("synchronising calls that let the GPU run dry are found, others are not") {
    TraceFixture fixture;
    fixture.kernel(0, 1'000, "a").kernel(1'060, 1'000, "b").kernel(2'110, 1'000, "c");
    fixture.event(10, 1'010, "hipStreamSynchronize", "cuda_runtime", {});
    fixture.event(1'100, 970, "cudaDeviceSynchronize", "cuda_runtime", {});
    fixture.event(2'200, 100, "cudaStreamSynchronize", "cuda_runtime", {});
    const Answer answer = answer_of(*run_of({fixture.build()}), "findings");
    CHECK(found_in(answer) == Rows{"host-syncs 0 110"});
    CHECK(text_of(answer, "severity") == "medium");
    CHECK(text_of(answer, "evidence") == "2 of 3 synchronising calls let the GPU run dry, for 110 ns in all");
}

TEST_CASE("allocations count after the first step") {
    const auto trace = [](int from) {
        TraceFixture fixture;
        fixture.step(0, 500, 1).step(500, 500, 2).kernel(0, 1'000, "a");
        fixture.event(from, 50, "cudaMalloc", "cuda_runtime", {}).event(from + 60, 50, "cudaFree", "cuda_runtime", {});
        return found_in(fixture);
    };
    CHECK(trace(100).empty());
    CHECK(trace(600) == Rows{"allocations 0 100"});
}

TEST_CASE("without steps allocations count in the whole trace, also before the first kernel") {
    TraceFixture fixture;
    fixture.event(0, 3'000, "hipMalloc", "cuda_runtime", {}).event(3'100, 358, "hipFree", "cuda_runtime", {});
    fixture.kernel(3'470, 10, "a").kernel(3'490, 10, "b");
    const Answer answer = answer_of(*run_of({fixture.build()}), "findings");
    CHECK(found_in(answer) == Rows{"allocations 0 3358", "idle 0 10"});
    CHECK(answer.main().number(0, answer.main().find_column("gain_share")) == 3358.0 / 3500.0);
    CHECK(text_of(answer, "evidence") == "2 calls that allocate or free memory, 3.36 µs in all");
    CHECK(found_in(answer_of(*run_of({fixture.build()}), "findings", "time:3100ns..")) ==
          Rows{"allocations 0 358", "idle 0 10"});
    // A single step counts as the first one.
    fixture.step(0, 3'500, 1);
    CHECK(found_in(fixture) == Rows{"idle 0 10"});
}

// Each finding next to its kernels' rank: rules for one rank find the same with and without steps.
TEST_CASE("every rule finds its pattern, those of one rank in a trace without steps") {
    std::set<std::string, std::less<>> found;
    const auto note = [&found](const RunPtr& run) {
        const Answer answer = answer_of(*run, "findings", "", {{"least", "0"}});
        const Table all = all_findings(answer);
        for (std::size_t row = 0; row < all.rows(); ++row) found.emplace(all.text(row, 0));
    };
    TraceFixture all;
    all.info().devices.push_back({0, "a GPU", std::int64_t{1} << 30});
    all.event(1, 0, "[memory]", "cpu_instant_event", {}).arg(Arg::TotalReserved, 1 << 20);
    TraceFixture full;
    full.info().devices.push_back({0, "a GPU", std::int64_t{1} << 30});
    full.kernel(0, 100, "copy").event(1, 0, "[memory]", "cpu_instant_event", {}).arg(Arg::DeviceType, 1);
    full.arg(Arg::Device, 0).arg(Arg::TotalAllocated, 1 << 20).arg(Arg::TotalReserved, 1 << 30);
    note(run_of({full.build()}));
    for (int i = 0; i < 30; ++i) all.launch(i * 100, 20, i).kernel(i * 100 + 30, 5, "ampere_sgemm_128x64_nn", 7, i);
    for (int i = 0; i < 12; ++i)
        all.kernel(3'000 + i * 100, 60, "ncclDevKernel_AllReduce", 8)
            .arg(Arg::InElements, 16)
            .arg(Arg::CollectiveDtype, "Float");
    all.event(225, 12, "hipStreamSynchronize", "cuda_runtime", {"100", "9"});
    all.event(125, 12, "hipStreamSynchronize", "cuda_runtime", {"100", "9"});
    all.event(300, 50, "hipMalloc", "cuda_runtime", {"100", "10"});
    note(run_of({all.build()}));
    TraceFixture copies;
    note(run_of({copies.kernel(0, 100, "Memcpy HtoD (Pinned -> Device)", 7, -1, "gpu_memcpy").build()}));
    TraceFixture turns;
    note(run_of({turns.kernel(0, 1'000, "gemm").kernel(920, 180, "ncclAllReduce", 8).build()}));
    const auto beside = [](std::int64_t gemm, std::int64_t nccl) {
        return TraceFixture()
            .kernel(0, gemm, "gemm")
            .kernel(0, nccl, "ncclAllReduce", 8)
            .kernel(1'950, 50, "x")
            .build();
    };
    note(run_of({beside(900, 600), beside(900, 620), beside(1'500, 500), beside(900, 610)}));
    note(run_of({late_loader(0, 0), late_loader(1, 10'000), late_loader(2, 5'000'000), late_loader(3, 0)}));
    note(run_of({out_of_step(0, 8, 12), out_of_step(1, 16, 12)}));
    for (OperatorFixture fixture : {single_precision("gemm"), odd_sizes(), checkpointed()})
        note(run_of({fixture.build()}));
    note(run_of_buckets(500'000));
    note(run_of_shards(10));
    note(run_of(stages(600'000)));
    note(run_of_experts(75));
    note(run_of({without_records(0, 3), without_records(1, 1)}));
    note(run_of_unbalanced({10, 14, 10}));
    note(run_of(reducing_ranks([](int rank, int step) { return rank == step ? 700'000 : 400'000; })));
    note(PipelinePlan().build());
    note(PipelinePlan({.first_work = 100'000}).build());
    const SnapshotFixture exhausted = SnapshotFixture().segment(0x10000, 8192).out_of_memory(1 << 20, 4096);
    const Result<RankTracePtr> snapshot = load_text(pickled(exhausted.build()), "memory_rank3.pickle");
    REQUIRE(snapshot.has_value());
    note(run_of({*snapshot}));
    for (std::size_t kind = 0; kind < kFindingKinds; ++kind) {
        const std::string_view id = rule_of(static_cast<FindingKind>(kind)).id;
        INFO(id);
        // Those of logs of GPUs: find_clocks_test.
        CHECK((found.contains(id) || kind >= static_cast<std::size_t>(FindingKind::ClocksLowRank)));
    }
}

TEST_CASE("matrix kernels in single precision that use no tensor cores are found by their names") {
    TraceFixture fixture;
    fixture.kernel(0, 400, "ampere_sgemm_128x64_nn").kernel(400, 300, "ampere_bf16_s16816gemm_bf16_128x128");
    fixture.kernel(700, 300, "sm80_xmma_gemm_f32f32_tf32f32_f32_nn").kernel(1'000, 300, "cutlass_simt_sgemm_tf32");
    CHECK(found_in(fixture) == Rows{"no-tensor-cores 0 400"});
}

TEST_CASE("what to do about single precision follows from what the device multiplies, its peaks given or known") {
    const auto answer = [](const char* device) {
        TraceFixture fixture;
        fixture.info().devices.push_back({0, device, 0});
        return answer_of(*run_of({fixture.kernel(0, 400, "volta_sgemm_128x64_nn").build()}), "findings");
    };
    const auto advice = [&](const char* device) {
        const Answer found = answer(device);
        REQUIRE(found_in(found) == Rows{"no-tensor-cores 0 400"});
        const Table* const kinds = found.find("kinds");
        CHECK(kinds->text(0, kinds->find_column("advice")) == text_of(found, "advice"));
        return std::string(text_of(found, "advice"));
    };
    for (const char* device : {"NVIDIA H100 80GB HBM3", "NVIDIA A100-SXM4-40GB", "NVIDIA GeForce RTX 3060"})
        CHECK(advice(device) == "Allow TF32 or use bfloat16 (autocast); make sizes of matrices multiples of 8.");
    for (const char* device : {"AMD Instinct MI250X", "AMD Instinct MI355X"})
        CHECK(advice(device) == "Use bfloat16 (autocast); make sizes of matrices multiples of 8.");
    for (const char* device : {"Tesla V100-SXM2-16GB", "Tesla T4", "NVIDIA GeForce RTX 2080 Ti",
                               "NVIDIA GeForce RTX 2070 SUPER", "Quadro RTX 4000"})
        CHECK(advice(device).starts_with("Use float16 with autocast and a gradient scaler: "));
    for (const char* device : {"Tesla P100-PCIE-16GB", "NVIDIA GeForce GTX 1080 Ti", "NVIDIA GeForce GTX 1650"})
        CHECK(found_in(answer(device)).empty());
    CHECK(advice("a GPU").starts_with("If the device has tensor cores: "));

    TraceFixture fixture;
    fixture.info().devices.push_back({0, "a GPU", 0});
    const RunPtr run = run_of({fixture.kernel(0, 400, "volta_sgemm_128x64_nn").build()});
    auto given = std::make_shared<GivenPeaks>();
    REQUIRE_FALSE(given->add("fp32=10,fp16=40"));
    run->derived().get<GivenPeaks>([&] { return given; });
    CHECK(text_of(answer_of(*run, "findings"), "advice").starts_with("Use float16 with autocast"));
}

TEST_CASE("many small collectives are found, as far as they are exposed") {
    const auto trace = [](std::int64_t elements) {
        TraceFixture fixture;
        fixture.kernel(0, 10'000, "gemm");
        for (int i = 0; i < 12; ++i) {
            fixture.kernel(9'900 + i * 100, 100, "ncclDevKernel_AllReduce", 8)
                .arg(Arg::InElements, elements)
                .arg(Arg::CollectiveDtype, "Float");
        }
        return found_in(fixture);
    };
    CHECK(contains(trace(65'536), "small-messages 0 1100"));  // 256 KiB
    CHECK_FALSE(contains(trace(65'537), "small-messages 0 1100"));
}

TEST_CASE("unused memory is reported if the GPU waits for the host") {
    const auto trace = [](std::int64_t reserved) {
        TraceFixture fixture;
        fixture.info().devices.push_back({0, "a GPU", std::int64_t{1} << 30});
        fixture.event(1, 0, "[memory]", "cpu_instant_event", {}).arg(Arg::TotalReserved, reserved);
        fixture.kernel(0, 100, "a").launch(150, 5, 1).kernel(160, 40, "b", 7, 1);
        return found_in(fixture);
    };
    CHECK(trace(100 << 20) == Rows{"idle 0 60", "unused-memory 0 60"});
    CHECK(trace(600 << 20) == Rows{"idle 0 60"});
}

// Gains of the named finding on any rank.
Rows found_of(const Answer& answer, std::string_view finding) {
    Rows rows = gains_in(answer);
    std::erase_if(rows, [&](const std::string& row) { return !row.starts_with(finding); });
    return rows;
}

TEST_CASE("kernels that take longer on one rank cost what they cost once no rank is late, communication is no kernel") {
    const RunPtr run = run_of_unbalanced({10, 14, 10});
    const Answer answer = answer_of(*run, "findings", "", {{"least", "0"}});
    CHECK(found_of(answer, "late-rank") == Rows{"late-rank 0 960"});
    CHECK(found_of(answer, "unbalanced") == Rows{"unbalanced-kernels 1 40"});
    const Table& main = answer.main();
    for (std::size_t row = 0; row < main.rows(); ++row)
        if (main.text(row, 0) == "unbalanced-kernels")
            CHECK(text_of(answer, "evidence", row) ==
                  "kernels take 40 ns longer than on the other ranks, most of it in gemm (1.4 times their mean)");
    CHECK(
        found_of(answer_of(*run_of_unbalanced({14, 10, 10}), "findings", "", {{"least", "0"}}), "unbalanced").empty());
    CHECK(
        found_of(answer_of(*run_of_unbalanced({10, 10, 10}), "findings", "", {{"least", "0"}}), "unbalanced").empty());
    // Two captures of one rank don't count as two ranks.
    RunParts parts = run->parts();
    parts.ranks.pop_back();
    parts.ranks[1].key = {0, 1};
    CHECK(found_of(answer_of(Run(parts), "findings", "", {{"least", "0"}}), "unbalanced").empty());
}

TEST_CASE("kernels are compared between ranks of one device only") {
    const auto found = [](const char* third, const char* fourth) {
        return answer_of(*run_of_unbalanced({10, 10, 12, 14}, {"NVIDIA H100", "NVIDIA H100", third, fourth}),
                         "findings", "", {{"least", "0"}});
    };
    CHECK(found_of(found("AMD Instinct MI300X", "NVIDIA B200"), "unbalanced").empty());
    const Answer pairs = found("AMD Instinct MI300X", "AMD Instinct MI300X");
    CHECK(found_of(pairs, "unbalanced") == Rows{"unbalanced-kernels 3 20"});
    const Table& main = pairs.main();
    for (std::size_t row = 0; row < main.rows(); ++row)
        if (main.text(row, 0) == "unbalanced-kernels")
            CHECK(text_of(pairs, "evidence", row) ==
                  "kernels take 20 ns longer than on the other ranks with this device, most of it in gemm (1.167 times "
                  "their mean)");
}

TEST_CASE("nothing is said of a rank that lost records, but that it did, in the first sentence") {
    const RunPtr run = run_of({without_records(0, 1), without_records(1, 3), without_records(2, 1)});
    const Answer answer = answer_of(*run, "findings");
    REQUIRE(answer.main().rows() > 0);
    const Table all = all_findings(answer);
    for (std::size_t row = 0; row < all.rows(); ++row) {
        const bool is_lost = all.integer(row, 1) == run->rank(1).key.packed();
        if (is_lost) CHECK(all.absent(row, all.find_column("gain")));
        if (all.text(row, 0) == "incomplete") CHECK(is_lost);
    }
    const Table* const kinds = answer.find("kinds");
    REQUIRE(kinds);
    CHECK(kinds->text(0, kinds->find_column("sentence")).find("launches of kernels and graphs have no GPU event") !=
          std::string_view::npos);
    // The first finding says so where it is another.
    const RunPtr late =
        run_of({late_loader(0, 0), late_loader(1, 0), late_loader(2, 5'000'000), late_loader(3, 0, 10)});
    const Answer of_late = answer_of(*late, "findings");
    const Table& first = *of_late.find("kinds");
    CHECK(first.text(0, 0) == "late-rank");
    CHECK(first.text(0, first.find_column("sentence"))
              .ends_with(". Records of rank 3 are missing: nothing is said of it."));
    // Nor is it replayed, unless all ranks lost some.
    const auto is_of_lost = [](const Excluded& one) { return one.what.starts_with("ranks whose records are missing"); };
    const Answer of_all = answer_of(*run_of({late_loader(0, 0, 10), late_loader(1, 0, 10)}), "what-if");
    CHECK(std::ranges::count_if(of_all.excluded, is_of_lost) == 0);
    CHECK(of_all.main().rows() > 0);
    const Answer replayed = answer_of(*late, "what-if");
    CHECK(std::ranges::count_if(replayed.excluded, is_of_lost) == 1);
    for (std::size_t row = 0; row < replayed.main().rows(); ++row)
        CHECK(replayed.main().text(row, replayed.main().find_column("of")) != "rank 3");
}

TEST_CASE("ranks that share no collective wait for nobody") {
    std::vector<RankTracePtr> traces;
    for (int r = 0; r < 4; ++r) {
        TraceFixture fixture;
        fixture.rank(r);
        for (int k = 0; k < 6; ++k)
            fixture.launch(k * 1'000'000, 10, k + 1)
                .kernel(k * 1'000'000 + 1'000, r == 2 ? 900'000 : 300'000, "gemm", 7, k + 1);
        traces.push_back(fixture.build());
    }
    for (const std::string& found : found_in(answer_of(*run_of(traces), "findings")))
        CHECK_FALSE(found.starts_with("late-rank"));
}

TEST_CASE("collectives that are called without any GPU event of communication are lost records, not idle time") {
    const auto rank = [](int number, bool recorded) {
        TraceFixture fixture;
        fixture.rank(number);
        for (int k = 0; k < 6; ++k) {
            const std::int64_t begin = std::int64_t{k} * 1'000'000;
            fixture.step(begin, 990'000, k).launch(begin + 10, 5, 2 * k + 1);
            fixture.kernel(begin + 1'000, 100'000, "gemm", 7, 2 * k + 1);
            fixture.cpu(begin + 20'000, 30'000, "nccl:all_reduce");
            if (!recorded) continue;
            fixture.launch(begin + 30'000, 5, 2 * k + 2)
                .kernel(begin + 101'000, 100'000, "ncclDevKernel_AllReduce", 9, 2 * k + 2);
        }
        return fixture.build();
    };
    const Answer lost = answer_of(*run_of({rank(0, false), rank(1, false)}), "verdict");
    CHECK(lost.main().text(0, lost.main().find_column("verdict")) == "undecided");
    CHECK(lost.main().text(0, lost.main().find_column("evidence")).find("collectives called by the CPU") !=
          std::string_view::npos);
    const Answer whole = answer_of(*run_of({rank(0, true), rank(1, true)}), "verdict");
    CHECK(whole.main().text(0, whole.main().find_column("verdict")) != "undecided");
}

TEST_CASE("work that is uneven by turns names no single rank, and stages are named by what they compute") {
    const auto first = [](const RunPtr& run) { return found_in(answer_of(*run, "findings")).at(0); };
    CHECK(first(run_of(reducing_ranks([](int rank, int step) {
              return rank == step ? 700'000 : 400'000;
          }))).starts_with("uneven-work"));
    CHECK(first(run_of(reducing_ranks([](int rank, int) {
              return rank == 1 ? 700'000 : 400'000;
          }))).starts_with("late-rank 1 "));
    for (const std::string& row :
         found_in(answer_of(*run_of(reducing_ranks([](int, int) { return 400'000; })), "findings")))
        CHECK_FALSE((row.starts_with("late-rank") || row.starts_with("uneven-work")));
    CHECK(first(PipelinePlan().build()).starts_with("stage-imbalance 2 "));
    CHECK(first(PipelinePlan({.first_work = 100'000}).build()).starts_with("few-microbatches"));
}

TEST_CASE("a rank that the others wait for comes first, with its cost and cause, and what it explains is folded") {
    const RunPtr run =
        run_of({late_loader(0, 0), late_loader(1, 10'000), late_loader(2, 5'000'000), late_loader(3, 0)});
    const Answer answer = answer_of(*run, "findings");
    const Rows found = gains_in(answer);
    REQUIRE_FALSE(found.empty());
    CHECK(found[0] == "late-rank 2 29940000");
    const std::string evidence(text_of(answer, "evidence"));
    CHECK(evidence.find("it loads data (75.0 ms of 89.9 ms): the GPU idles 6.00 ms while the host is in ") == 0);
    CHECK(evidence.find("; last in 6 of 6 all-reduces, 3 ranks wait 89.9 ms together") != std::string::npos);
    CHECK(evidence.find("enumerate(DataLoader)") != std::string::npos);
    CHECK(evidence.find("of the other ranks' exposed communication is waiting") != std::string::npos);
    for (const std::string& row : found) CHECK(row.find("exposed-communication") == std::string::npos);
    const Table* const explained = answer.find("explained");
    REQUIRE(explained);
    for (std::size_t row = 0; row < explained->rows(); ++row)
        CHECK(RankKey::unpacked(explained->integer(row, 1)).number != 2);
    CHECK(explained->rows() >= 3);
    // No rank is late: nothing to fold, no rank named.
    const Answer even = answer_of(*run_of({late_loader(0, 0), late_loader(1, 0), late_loader(2, 0)}), "findings");
    for (const std::string& row : gains_in(even)) CHECK(row.find("late-rank") == std::string::npos);
    CHECK_FALSE(even.find("explained"));
}

TEST_CASE("a rank that is late in later captures only is found there, and costs what one of them costs") {
    std::vector<RankTracePtr> traces;
    for (const int rank : {0, 1, 2})
        for (const int capture : {0, 1, 2})
            traces.push_back(late_loader(rank, rank == 2 && capture > 0 ? 5'000'000 : 10'000 * rank));
    const RunPtr run = run_of_captures(traces);
    const Answer answer = answer_of(*run, "findings");
    const Rows found = found_in(answer);
    CHECK(std::ranges::count_if(found, [](const std::string& row) { return row.starts_with("late-rank"); }) == 2);
    const Table* const kinds = answer.find("kinds");
    REQUIRE(kinds);
    REQUIRE(kinds->text(0, 0) == "late-rank");
    CHECK(kinds->integer(0, kinds->find_column("ranks")) == 1);
    // The cost of one capture, not of both: two ranks wait six times, 5 ms and 4.99 ms.
    CHECK(kinds->integer(0, kinds->find_column("cost")) == 29'970'000);
    const std::string sentence(kinds->text(0, kinds->find_column("sentence")));
    CHECK(sentence.starts_with("The other ranks wait for rank 2 in 2 captures, most in capture "));
    CHECK(sentence.find(", 2 ranks wait ") != std::string::npos);
    const Table* const explained = answer.find("explained");
    REQUIRE(explained);
    for (std::size_t row = 0; row < explained->rows(); ++row)
        CHECK(RankKey::unpacked(explained->integer(row, 1)).capture != 0);
}

TEST_CASE("a job out of step is a finding, on the rank that differs from most and on the one that stops coming") {
    const RunPtr run = run_of({out_of_step(0, 8, 12), out_of_step(1, 16, 12), out_of_step(2, 8, 12)});
    const Answer differing = answer_of(*run, "findings");
    CHECK(found_in(differing)[0] == "desynchronised 1 50000");
    CHECK(text_of(differing, "severity") == "high");
    CHECK(text_of(differing, "evidence") ==
          "1 collective with another operation or size than on the other ranks, the first is number 5 of group dp: "
          "all_reduce of 64 B here, all_reduce of 32 B on rank 0");
    CHECK(differing.main().integer(0, differing.main().find_column("event")) >= 0);
    const Answer stopped =
        answer_of(*run_of({out_of_step(0, 8, 12), out_of_step(1, 8, 12), out_of_step(2, 8, 9)}), "findings");
    CHECK(found_in(stopped)[0] == "desynchronised 2 150000");
    CHECK(text_of(stopped, "evidence") ==
          "3 collectives that the rank never came to, though its work goes on, the first is number 9 of group dp");
    CHECK(stopped.main().integer(0, stopped.main().find_column("begin")) == 9'000'000);
    const Answer even = answer_of(*run_of({out_of_step(0, 8, 12), out_of_step(1, 8, 12)}), "findings");
    for (const std::string& row : found_in(even)) CHECK(row.find("desynchronised") == std::string::npos);
}

TEST_CASE("findings below the least share are left out, and terms on names change nothing") {
    TraceFixture fixture;
    fixture.kernel(0, 1'000, "a").kernel(1'200, 1'000, "b");
    fixture.step(0, 10, 1).step(20, 2'000, 2).event(100, 15, "cudaMalloc", "cuda_runtime", {});
    const RunPtr run = run_of({fixture.build()});
    CHECK(found_in(answer_of(*run, "findings")).empty());  // idle for 9.1 %, allocating for 0.7 %
    CHECK(found_in(answer_of(*run, "findings", "", {{"least", "0"}})) == Rows{"allocations 0 15"});
    CHECK(found_in(answer_of(*run, "findings", "name:a", {{"least", "0"}})) == Rows{"allocations 0 15"});
    CHECK(found_in(answer_of(*run, "findings", "time:1000ns..", {{"least", "0"}})) == Rows{"idle 0 200"});
}

TEST_CASE("matrix work in fp32 gains what 16 bits are faster, and a product far below the roof its loss") {
    OperatorFixture plain = single_precision("gemm"), tf32 = single_precision("ampere_s1688gemm_tf32");
    const Rows rows = found_in(plain);
    CHECK(contains(rows, "low-precision-unused 0 93238"));  // 100,000 * (1 - 66.9 / 989.4)
    CHECK(contains(rows, "slow-matrix 0 83950"));           // 2^30 FLOP take 16,050 ns at 66.9 TFLOP/s
    for (const std::string& row : found_in(tf32)) CHECK(row.find("low-precision") == std::string::npos);
    OperatorFixture other = single_precision("gemm");
    other.info().devices.front().name = "Some GPU";
    CHECK(found_in(other).empty());
}

TEST_CASE("a product of odd sizes that does much worse than the even ones gains its loss") {
    OperatorFixture fixture = odd_sizes();
    // Roof shares are 0.63, 0.42 and 0.06: 4,123,648 bytes at 3,352 GB/s.
    CHECK(contains(found_in(fixture), "bad-shapes 0 18770"));
}

TEST_CASE("what the backward pass computes again is a finding, with the time of its kernels") {
    OperatorFixture fixture = checkpointed();
    CHECK(found_in(fixture) == Rows{"recompute 0 100"});
}

TEST_CASE("a replay without the waste leaves each kernel the share that the finding does not gain") {
    const auto factor_of = [](OperatorFixture fixture, FindingKind kind, std::size_t kernel) {
        const RunPtr run = run_of({fixture.build()});
        const std::vector<float> factors = factors_if_mended(kind, *run, 0, {});
        return factors[index_of(run->rank(0).trace().gpu_events[kernel])];
    };
    CHECK(factor_of(checkpointed(), FindingKind::Recompute, 0) == 0);
    CHECK(factor_of(checkpointed(), FindingKind::Recompute, 1) == 1);
    CHECK(factor_of(checkpointed(), FindingKind::SlowMatrix, 0) == 1);
    CHECK(factor_of(single_precision("gemm"), FindingKind::LowPrecisionUnused, 0) == doctest::Approx(66.9 / 989.4));
    CHECK(factor_of(odd_sizes(), FindingKind::BadShapes, 0) == 1);
    CHECK(factor_of(odd_sizes(), FindingKind::BadShapes, 2) == doctest::Approx(1'230.0 / 20'000));
}
