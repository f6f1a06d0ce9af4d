// Intended differences from Holistic Trace Analysis (HTA): its number, ours, and the reason. HTA's
// are in microseconds (unrounded if possible); ours are exact.

#include "tests/core/analysis/engine/answers.hpp"
#include "tests/golden/goldens.hpp"

#include <cmath>

using namespace core;
using namespace core::testing;

namespace {

struct Breakdown {
    double window, compute, other, idle;  // microseconds; other: exposed communication and memory
};

bool agree(const Breakdown& a, const Breakdown& b) {
    return std::abs(a.window - b.window) <= 0.5 && std::abs(a.compute - b.compute) <= 0.5 &&
           std::abs(a.other - b.other) <= 0.5 && std::abs(a.idle - b.idle) <= 0.5;
}

Breakdown breakdown_of_hta(const std::string& dataset) {
    const auto row = golden_rows(golden(dataset, "temporal_breakdown")).at(0);
    return {row.at("kernel_time(us)").get<double>(), row.at("compute_time(us)").get<double>(),
            row.at("non_compute_time(us)").get<double>(), row.at("idle_time(us)").get<double>()};
}

Breakdown breakdown_of(const Run& run, std::string_view filter = "step:complete") {
    const Table table = answer_of(run, "temporal-breakdown", filter).main();
    REQUIRE(table.rows() == 1);
    return {us(table.integer(0, 1)), us(table.integer(0, 2)), us(table.integer(0, 3) + table.integer(0, 4)),
            us(table.integer(0, 5))};
}

std::int64_t total_of(const Run& run, std::string_view filter) {
    const Table table = answer_of(run, "kernels", filter).main();
    std::int64_t sum = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) sum += table.integer(row, table.find_column("total"));
    return sum;
}

// Union of the events that HTA counts as GPU work because they have a stream, and we do not.
std::vector<RankRange> ranges_of(const RankTrace& trace, Category category) {
    std::vector<RankRange> ranges;
    for (std::uint32_t e = 0; e < trace.size(); ++e) {
        if (trace.category_kind(EventId{e}) == category) ranges.push_back(trace.range(EventId{e}));
    }
    return ranges;
}

}  // namespace

TEST_CASE("synchronisation rows of a stream are not GPU work: HTA counts them as busy and extends its window") {
    if (!goldens_are_here()) return;
    const RunPtr run = load_corpus_run("HolisticTraceAnalysis/critical_path_alexnet");
    CHECK(agree(breakdown_of_hta("cp_alexnet"), {12'996'011, 10'630, 55'697, 12'929'684}));
    CHECK(agree(breakdown_of(*run), {12'920'244, 10'630, 55'511, 12'854'103}));
    const RankTrace& trace = run->rank(0).trace();
    const std::vector<RankRange> waits = ranges_of(trace, Category::CudaSync);
    CHECK(waits.size() == 41);
    // They begin before the first and end after the last kernel or copy, which gives HTA's window.
    RankRange all = run->rank(0).index->gpu_window();
    for (const RankRange& wait : waits) all = {std::min(all.begin, wait.begin), std::max(all.end, wait.end)};
    CHECK(us(all.length().count()) == 12'996'011);
}

TEST_CASE("a CPU operator with a stream is not a kernel: HTA counts the launch of a Triton kernel as one") {
    if (!goldens_are_here()) return;
    const RunPtr run = load_corpus_run("HolisticTraceAnalysis/triton_example");
    CHECK(agree(breakdown_of_hta("triton_example"), {95.812, 95.812, 0, 0}));
    CHECK(agree(breakdown_of(*run), {1.76, 1.76, 0, 0}));
    const RankTrace& trace = run->rank(0).trace();
    const EventId op = [&] {
        for (std::uint32_t e = 0; e < trace.size(); ++e) {
            if (trace.category_kind(EventId{e}) == Category::CpuOp && trace.integer(Arg::Stream, EventId{e}))
                return EventId{e};
        }
        return kNoEvent;
    }();
    REQUIRE(op != kNoEvent);
    CHECK(trace.duration[index_of(op)] == Duration{95'812});
    CHECK_FALSE(trace.has(op, kGpuEvent));
}

TEST_CASE("on B200 a Triton operator with a stream is not busy time, and multimem all-reduce is communication") {
    if (!goldens_are_here()) return;
    const RunPtr run = load_corpus_run("TraceLens/b200_eager_rank0of8");
    CHECK(agree(breakdown_of_hta("tl_b200_eager"), {84'487.178, 10'844.384, 824.797, 72'817.996}));
    CHECK(agree(breakdown_of(*run), {84'487.178, 8'652.137, 2'944.345, 72'890.696}));
    // HTA does not know multimem_all_reduce_kernel and counts its 2119.548 us as compute. The rest of its surplus is
    // the part of one cpu_op (74.391 us) without a kernel.
    CHECK(total_of(*run, "name:multimem_all_reduce class:communication") == 2'119'548);
    CHECK(std::abs(10'844.384 - (8'652.137 + 2'119.548) - (72'890.696 - 72'817.996)) <= 0.5);
}

TEST_CASE("copies of step marks on GPU rows define no step: in HTA they move the cut past the last step") {
    if (!goldens_are_here()) return;
    const RunPtr run = load_corpus_run("TraceLens/mi300_resnet_ddp_rank0of8");
    const Breakdown golden = breakdown_of_hta("tl_mi300_resnet");
    CHECK(agree(golden, {56'517.603, 19'234.094, 36'999.974, 283.535}));
    CHECK(agree(breakdown_of(*run), {37'963.272, 12'788.957, 24'999.399, 174.916}));
    // Its answer covers all three steps, including the last.
    CHECK(agree(breakdown_of(*run, "step:15-17"), golden));
    CHECK(run->rank(0).trace().steps.size() == 3);
}

TEST_CASE("on ROCm equal names and the default stream agree if nothing misleads HTA") {
    if (!goldens_are_here()) return;
    const RunPtr run = load_corpus_run("HolisticTraceAnalysis/amd_trace");
    CHECK(agree(breakdown_of(*run), breakdown_of_hta("amd_trace")));
    // HTA classifies every name that begins with hip as communication; our rules ask what a kernel does.
    CHECK(ClassRules::standard().decide("hipblasLtMatmulKernel", "kernel", false) == KernelClass::Compute);
    CHECK(ClassRules::standard().decide("rccl_main_kernel", "kernel", false) == KernelClass::Communication);
}

TEST_CASE("operators with a stream are ignored on torch.compile traces of MI300 too") {
    if (!goldens_are_here()) return;
    const RunPtr run = load_corpus_run("TraceLens/torch_compile_triton");
    CHECK(agree(breakdown_of_hta("tl_torch_compile_triton"), {12'601, 12'574, 0, 27}));
    CHECK(agree(breakdown_of(*run), {12'549.032, 12'549.021, 0, 0.011}));
}

TEST_CASE("a rank without GPU events has an answer with absent cells, and none in HTA") {
    if (!goldens_are_here()) return;
    const RunPtr run = load_corpus_run("HolisticTraceAnalysis/cpu_only");
    CHECK(rows_of(answer_of(*run, "temporal-breakdown").main(), 6) == Rows{"34 - - - - -"});
    CHECK(rows_of(answer_of(*run, "overlap").main(), 6) == Rows{"34 - - - - -"});
}

TEST_CASE("launches of HIP and of the driver API count: HTA knows five function names") {
    if (!goldens_are_here()) return;
    const auto theirs = [](const std::string& dataset) {
        return golden(dataset, "cuda_kernel_launch_stats").at("rank0.mem1").at("n").get<std::int64_t>();
    };
    const auto ours = [](const std::string& folder) {
        const Answer answer = answer_of(*load_corpus_run(folder), "launch-summary", "step:complete");
        return value_of(answer.main(), "launches", 0);
    };
    CHECK(theirs("amd_trace") == 0);
    CHECK(ours("HolisticTraceAnalysis/amd_trace") == 16);
    // On B200 it ignores cuLaunchKernel and cuLaunchKernelEx, which start Triton's kernels: 221.
    CHECK(theirs("tl_b200_eager") == 708);
    CHECK(ours("TraceLens/b200_eager_rank0of8") == 929);
}

TEST_CASE("a negative delay is kept: HTA counts it as 0") {
    if (!goldens_are_here()) return;
    const RunPtr run = load_corpus_run("param/linear_2080ti");
    const Json theirs = golden("param_linear", "cuda_kernel_launch_stats").at("rank0.mem1");
    const Table table = answer_of(*run, "launches", "step:complete").main();
    std::int64_t sum = 0, sum_cut = 0, negative = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const std::int64_t delay = table.integer(row, table.find_column("delay"));
        sum += delay;
        sum_cut += std::max<std::int64_t>(0, delay);
        negative += delay < 0;
    }
    CHECK(us(sum_cut) == theirs.at("sum_delay").get<double>());
    CHECK(theirs.at("sum_delay").get<double>() == 143'940);
    CHECK(us(sum) == 139'432);
    CHECK(negative == 3'061);
}

TEST_CASE("memory bandwidth is weighted by time: HTA averages points and trusts the stated bandwidths") {
    if (!goldens_are_here()) return;
    const RunPtr run = load_corpus_run("param/dlrm_8rank");
    const Table ours = answer_of(*run, "memory-bandwidth", "rank:0").main();
    const auto theirs = golden_rows(golden("dlrm_8rank", "memory_bw_summary"));
    const auto mean_of = [&](const char* name) {
        for (const auto& row : theirs) {
            if (row.at("rank") == 0 && row.at("name") == name) return row.at("memory_bw_gbps|mean").get<double>();
        }
        return 0.0;
    };
    // One copy of 46,656 bytes: the stated bandwidth is for a duration that the trace rounds to 3 us.
    CHECK(rows_of(ours)[0].starts_with("0 DtoD 1 46656 3000 15552000000"));
    CHECK(mean_of("Memcpy DtoD") == doctest::Approx(14.431178));
    // 13 copies: the mean of 13 bandwidths is meaningless for 31,112 bytes in 14 us.
    CHECK(rows_of(ours)[2].starts_with("0 HtoD 13 31112 14000 2222285714"));
    CHECK(mean_of("Memcpy HtoD") == doctest::Approx(1.169221));
}

TEST_CASE("a gap before a kernel without a launch is other: HTA uses the time of the first event") {
    if (!goldens_are_here()) return;
    const RunPtr run = load_corpus_run("param/dlrm_8rank");
    const Answer ours = answer_of(*run, "idle-breakdown", "step:complete rank:1 stream:7");
    CHECK(ours.main().rows() == 3);
    CHECK(row_text(ours.main(), 0).starts_with("1 7 host_wait 171 17356000 "));
    CHECK(row_text(ours.main(), 1).starts_with("1 7 kernel_wait 54 115000 "));
    CHECK(row_text(ours.main(), 2).starts_with("1 7 other 63 93000 "));
    std::map<std::string, double> theirs;
    for (const auto& row : golden_rows(golden("dlrm_8rank", "idle_time_breakdown").at("30").at("idle_time"))) {
        if (row.at("rank") == 1 && row.at("stream") == 7)
            theirs[row.at("idle_category").get<std::string>()] = row.at("idle_time").get<double>();
    }
    // 64 kernels were launched before the window; the 93 us before them become host_wait.
    CHECK(theirs == std::map<std::string, double>{{"host_wait", 17'449}, {"kernel_wait", 115}, {"other", 0}});
}

TEST_CASE("overlapping events of a stream have no gap: HTA subtracts the overlap from kernel_wait") {
    if (!goldens_are_here()) return;
    const RunPtr run = load_corpus_run("TraceLens/b200_eager_rank0of8");
    const auto theirs = golden_rows(golden("tl_b200_eager", "idle_time_breakdown").at("30").at("idle_time"));
    double sum = 0;
    for (const auto& row : theirs) sum += row.at("idle_time").get<double>();
    const Table ours = answer_of(*run, "idle-breakdown", "step:complete").main();
    std::int64_t time = 0;
    for (std::size_t row = 0; row < ours.rows(); ++row) time += ours.integer(row, ours.find_column("time"));
    // One stream: the gaps are the idle time of the window, not reduced by 69.3 us of overlaps.
    CHECK(us(time) == 72'890.696);
    CHECK(std::abs(sum - 72'821.4) < 0.1);
}

TEST_CASE("queue lengths are weighted by time, and every stream has its blocked time: HTA averages points, keeps one") {
    if (!goldens_are_here()) return;
    const RunPtr run = load_corpus_run("param/dlrm_8rank");
    const Table ours = answer_of(*run, "queue-length", "step:complete rank:0", {{"limit", "1"}}).main();
    REQUIRE(ours.rows() == 4);
    CHECK(ours.integer(0, 1) == 7);
    CHECK(ours.number(0, 2) == doctest::Approx(1.347435));
    for (const auto& row : golden_rows(golden("dlrm_8rank", "queue_length_summary"))) {
        if (row.at("rank") == 0 && row.at("stream") == 7)
            CHECK(row.at("queue_length|mean").get<double>() == doctest::Approx(2.397778));
    }
    std::vector<std::int64_t> their_streams;
    for (const auto& row : golden_rows(golden("dlrm_8rank", "time_blocked_on_full_queue").at("1"))) {
        if (row.at("rank") == 0) their_streams.push_back(row.at("stream").get<std::int64_t>());
    }
    CHECK(their_streams == std::vector<std::int64_t>{84});
    for (std::size_t row = 0; row < ours.rows(); ++row) CHECK(ours.integer(row, ours.find_column("blocked")) > 0);
}
