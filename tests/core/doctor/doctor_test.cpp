// The trace doctor on hand-made ranks: each finding on a trace that has it and on one that has it not.

#include "core/analysis/engine/writer_advice.hpp"
#include "core/doctor/rank_stats.hpp"
#include "core/doctor/report_bytes.hpp"
#include "core/doctor/rules.hpp"
#include "core/index/rank_count.hpp"
#include "core/store/memory_names.hpp"
#include "tests/core/captures.hpp"
#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

#include <random>
#include <set>

using namespace core;
using core::testing::run_of;
using core::testing::TraceFixture;

namespace {

DoctorReport examine(const RunPtr& run) {
    Result<DoctorReport> report = examine_run(*run, 2, {});
    REQUIRE(report.has_value());
    return std::move(report).value();
}

const DoctorFinding* find_finding(const DoctorReport& report, std::string_view id) {
    const auto it = std::ranges::find(report.findings, id, [](const DoctorFinding& f) { return f.rule->id; });
    return it == report.findings.end() ? nullptr : &*it;
}

// True if the only rank, or several together, have it.
bool has_finding(const std::vector<RankTracePtr>& traces, std::string_view id) {
    const RunPtr run = run_of(traces);
    return find_finding(examine(run), id) != nullptr;
}

// Kernels of one stream, each launched shortly before; steps 1 and 2 around them.
TraceFixture healthy(std::int64_t from = 0, int kernels = 100) {
    TraceFixture trace;
    trace.step(from, kernels * 5'000, 1).step(from + kernels * 5'000, kernels * 5'000, 2);
    for (int i = 0; i < kernels; ++i) {
        trace.launch(from + i * 10'000, 2'000, i);
        trace.kernel(from + i * 10'000 + 3'000, 6'000, "gemm", 7, i);
    }
    return trace;
}

DoctorFinding only_finding(const RunPtr& run, std::string_view id) {
    const DoctorReport report = examine(run);
    const DoctorFinding* finding = find_finding(report, id);
    REQUIRE(finding);
    CHECK(report.findings.size() == 1);
    return *finding;
}

}  // namespace

TEST_CASE("nothing is found where all is well") {
    const DoctorReport report = examine(run_of({healthy().build(), healthy(5'000).build()}));
    CHECK(report.findings.empty());
    CHECK(report.rank_stats.text() == "2 ranks; steps 1-2 on each; windows overlap for 99.5 %; clocks unknown");
    CHECK(examine(run_of({healthy().build()})).findings.empty());
}

TEST_CASE(
    "every rule has an id of its own and says what it means and what to do, and every diagnostic is told or known") {
    std::set<std::string_view> ids;
    for (const DoctorRule& rule : all_doctor_rules()) {
        CHECK(ids.insert(rule.id).second);
        CHECK_FALSE(rule.means.empty());
        CHECK_FALSE(rule.remedy.empty());
    }
    for (const DiagnosticKind& kind : all_diagnostic_kinds()) {
        INFO(kind.id);
        CHECK(doctor::is_reported(kind) == ids.contains(kind.id));
    }
}

TEST_CASE("ranks missing from the world are listed, and a single rank is a note only") {
    std::vector<RankTracePtr> two;
    for (const int number : {1, 3}) {
        TraceFixture trace = healthy();
        trace.rank(number).info().world_size = 5;
        two.push_back(trace.build());
    }
    const DoctorFinding finding = only_finding(run_of(two), "ranks-missing");
    CHECK(finding.count == 3);
    CHECK(finding.severity == DoctorSeverity::Warning);
    CHECK(finding.text == "ranks 1,3 of a world of 5 are here; missing: 0,2,4");
    CHECK(only_finding(run_of({two[0]}), "ranks-missing").severity == DoctorSeverity::Note);
}

TEST_CASE("files of different worlds are distinguished") {
    TraceFixture one = healthy();
    TraceFixture other = healthy();
    one.rank(0).info().world_size = 2;
    other.rank(1).info().world_size = 1;
    CHECK(has_finding({one.build(), other.build()}, "world-size-differs"));
}

TEST_CASE("ranks without events and without GPU events are named") {
    const DoctorReport report =
        examine(run_of({healthy().build(), TraceFixture().build(), TraceFixture().step(0, 10, 1).build()}));
    const DoctorFinding* empty = find_finding(report, "rank-empty");
    REQUIRE(empty);
    CHECK(empty->severity == DoctorSeverity::Error);
    CHECK(empty->ranks == std::vector<RankKey>{{1, 0}});
    const DoctorFinding* cpu = find_finding(report, "rank-cpu-only");
    REQUIRE(cpu);
    CHECK(cpu->severity == DoctorSeverity::Warning);
    CHECK(cpu->ranks == std::vector<RankKey>{{2, 0}});
    CHECK(report.findings.front().severity == DoctorSeverity::Error);
    CHECK(only_finding(run_of({TraceFixture().cpu(0, 10, "op").build()}), "rank-cpu-only").severity ==
          DoctorSeverity::Note);
}

TEST_CASE("the remedy for missing GPU work, launches and steps is that of the writer, also in a summary") {
    TraceFixture calls = TraceFixture().event(0, 10, "MPI_Send", "mpi", {});
    calls.info().trace_name = "Nsight Systems";
    const DoctorReport report = examine(run_of({calls.build()}));
    const DoctorFinding* cpu = find_finding(report, "rank-cpu-only");
    REQUIRE(cpu);
    CHECK(cpu->what_to_do() == advice_for(TraceWriter::NsightSystems).gpu_work);
    const Result<DoctorReport> decoded = decode_report(encode_report(report));
    REQUIRE(decoded);
    CHECK(find_finding(*decoded, "rank-cpu-only")->what_to_do() == cpu->what_to_do());
    TraceFixture kernels = TraceFixture().kernel(0, 10, "gemm").kernel(20, 10, "gemm");
    kernels.info().trace_name = "rocprofv3";
    const DoctorReport work = examine(run_of({kernels.build()}));
    for (const char* const id : {"launches-not-recorded", "steps-absent"}) {
        const DoctorFinding* const finding = find_finding(work, id);
        REQUIRE_MESSAGE(finding, id);
        CHECK(finding->what_to_do().find("roc") != std::string_view::npos);
    }
}

TEST_CASE("a memory snapshot doesn't count as a rank without GPU events") {
    const auto snapshot = [] {
        TraceFixture fixture = TraceFixture().cpu(0, 10, "[memory]");
        fixture.info().trace_name = kMemorySnapshotTrace;
        return fixture.build();
    };
    CHECK_FALSE(has_finding({snapshot()}, "rank-cpu-only"));
    CHECK_FALSE(has_finding({healthy().build(), snapshot()}, "rank-cpu-only"));
}

TEST_CASE("steps that some ranks lack are reported with those that all have") {
    TraceFixture more = healthy();
    more.step(1'000'000, 1'000, 3);
    const DoctorFinding finding = only_finding(run_of({healthy().build(), more.build()}), "steps-not-common");
    CHECK(finding.text == "steps 1-2 are on all 2 ranks; on some only: 3");
    CHECK(finding.ranks == std::vector<RankKey>{{0, 0}});
    CHECK(finding.example.event.slot == 1);
    CHECK(finding.example.text.find("ProfilerStep#3") != std::string::npos);
}

TEST_CASE("work without any step mark is a note") {
    const DoctorFinding finding =
        only_finding(run_of({TraceFixture().launch(0, 1, 1).kernel(2, 5, "gemm", 7, 1).build()}), "steps-absent");
    CHECK(finding.severity == DoctorSeverity::Note);
}

TEST_CASE("windows that differ or are apart are reported, windows that nearly agree are not") {
    const DoctorFinding differ = only_finding(run_of({healthy().build(), healthy(300'000).build()}), "windows-differ");
    CHECK(differ.text.find("rank 1 begins last, 300 µs after the first") != std::string::npos);
    CHECK(has_finding({healthy().build(), healthy(5'000'000).build()}, "windows-apart"));
    CHECK_FALSE(has_finding({healthy().build(), healthy(20'000).build()}, "windows-differ"));
}

TEST_CASE("events far from the rest are counted") {
    TraceFixture trace = healthy();
    trace.cpu(3'600'000'000'000, 10, "stray", 200);
    const DoctorFinding finding = only_finding(run_of({trace.build()}), "times-far-off");
    CHECK(finding.count == 1);
    CHECK(finding.example.text.find("stray") != std::string::npos);
}

TEST_CASE("clocks of ranks are compared by the ends of their collectives") {
    const auto rank_with = [](std::int64_t later, bool numbered, int period = 11) {
        TraceFixture trace;
        trace.step(0, 400'000'000, 1);
        for (int i = 0; i < 20; ++i) {
            const std::int64_t end = i * 20'000'000 + (i * i * i % period) * 1'000'000 + 5'000'000 + later;
            trace.launch(end - 3'000'000, 1'000, i)
                .kernel(end - 2'000'000, 2'000'000, "ncclDevKernel_AllReduce_Sum", 7, i);
            if (numbered) trace.arg(Arg::CollectiveName, "allreduce").arg(Arg::Seq, i);
        }
        return trace.build();
    };
    const DoctorReport good = examine(run_of({rank_with(0, true), rank_with(30'000, true)}));
    CHECK(good.findings.empty());
    CHECK(good.rank_stats.clock_spread == Duration{30'000});
    CHECK(good.rank_stats.collectives == 20);
    CHECK(good.rank_stats.text().ends_with("; clocks agree within 30.0 µs (residual 0 ns, 20 collectives)"));
    const DoctorFinding apart =
        only_finding(run_of({rank_with(0, true), rank_with(25'000'000, true), rank_with(1'000, true)}), "clocks-apart");
    CHECK(apart.text == "rank 1 ends the same collectives 25.0 ms later than rank 0, by the median of 20 collectives");
    CHECK(has_finding({rank_with(0, false), rank_with(4'000'000, false)}, "clocks-apart"));
    CHECK(has_finding({rank_with(0, false), rank_with(25'000'000, false)}, "clocks-apart"));
    // If ends repeat evenly, collectives matched only by counting may be different ones.
    CHECK_FALSE(has_finding({rank_with(0, false, 1), rank_with(25'000'000, false, 1)}, "clocks-apart"));
}

TEST_CASE("clocks that differ, or that cannot be compared, are never said to agree") {
    const auto rank_with = [](std::int64_t later, bool numbered, int collectives) {
        TraceFixture trace;
        trace.step(0, 800'000'000, 1);
        for (int i = 0; i < collectives; ++i) {
            const std::int64_t end = i * 20'000'000 + 5'000'000 + later;
            trace.launch(end - 3'000'000, 1'000, i)
                .kernel(end - 2'000'000, 2'000'000, "ncclDevKernel_AllReduce_Sum", 7, i);
            if (numbered) trace.arg(Arg::CollectiveName, "allreduce").arg(Arg::Seq, i);
        }
        return trace.build();
    };
    const auto text_of = [](const RunPtr& run) { return examine(run).rank_stats.text(); };
    const RunPtr apart = run_of({rank_with(0, true, 40), rank_with(2'010'000, true, 40)});
    CHECK(only_finding(apart, "clocks-apart").count == 40);
    CHECK(text_of(apart).ends_with("; clocks differ by 2.01 ms (residual 0 ns, 40 collectives)"));
    // Without numbers, evenly repeating collectives may be different ones, which is reported.
    const RunPtr counted = run_of({rank_with(0, false, 40), rank_with(50'000'000, false, 40)});
    CHECK(
        only_finding(counted, "clocks-unknown")
            .text.ends_with(" collectives carry no number and may be matched wrongly, so that the ranks' clocks cannot "
                            "be compared"));
    CHECK(text_of(counted).ends_with("; clocks unknown"));
    CHECK(text_of(run_of({rank_with(0, true, 2), rank_with(0, true, 2)})).ends_with("; clocks unknown"));
    CHECK(text_of(run_of({rank_with(0, true, 40)})).find("clocks") == std::string::npos);
}

TEST_CASE("kernels that begin before their launch are reported with the worst") {
    TraceFixture trace = healthy();
    trace.launch(2'000'000, 1'000, 777).kernel(1'900'000, 50'000, "early", 7, 777);
    const DoctorFinding finding = only_finding(run_of({trace.build()}), "kernels-before-launch");
    CHECK(finding.count == 1);
    CHECK(finding.text ==
          "1 of 101 launched GPU events (0.99 %) begin before the call that launches them, by up to 100 µs");
    CHECK(finding.example.text.find("early") != std::string::npos);
    TraceFixture rounded = healthy();
    rounded.launch(2'000'000, 1'000, 777).kernel(1'999'000, 50'000, "early", 7, 777);
    CHECK_FALSE(has_finding({rounded.build()}, "kernels-before-launch"));
}

TEST_CASE("kernels without a launch: normal at the head of a stream, lost behind others") {
    const auto with_head = [](int head, int lost) {
        TraceFixture trace = healthy(1'000'000);
        for (int i = 0; i < head; ++i) trace.kernel(i * 1'000, 500, "before", 7, 10'000 + i);
        for (int i = 0; i < lost; ++i) trace.kernel(2'000'000 + i * 1'000, 500, "orphan", 7, 20'000 + i);
        return run_of({trace.build()});
    };
    CHECK(examine(with_head(5, 0)).findings.empty());
    const DoctorFinding head = only_finding(with_head(20, 0), "kernels-without-launch");
    CHECK(head.severity == DoctorSeverity::Note);
    CHECK(head.count == 20);
    const DoctorFinding lost = only_finding(with_head(2, 5), "kernels-without-launch");
    CHECK(lost.severity == DoctorSeverity::Warning);
    CHECK(lost.count == 7);
    CHECK(lost.example.text.find("orphan") != std::string::npos);
    CHECK(lost.text ==
          "7 of 107 GPU events (6.54 %) have no launch in the trace: 2 at the head of their streams, "
          "launched before the window opened; 5 behind others that have one");
}

TEST_CASE("launches without a kernel count between others that have one, and not in the capture of a graph") {
    const auto with_calls = [](std::int64_t from, bool captured) {
        TraceFixture trace = healthy(1'000'000);
        if (captured) trace.event(from - 100, 50, "cudaStreamBeginCapture", "cuda_runtime", {});
        for (int i = 0; i < 10; ++i) trace.launch(from + i * 100, 50, 5'000 + i);
        if (captured) trace.event(from + 2'000, 50, "cudaStreamEndCapture", "cuda_runtime", {});
        return run_of({trace.build()});
    };
    const DoctorFinding finding = only_finding(with_calls(1'504'000, false), "launches-without-kernel");
    CHECK(finding.count == 10);
    CHECK(finding.text.starts_with("10 of 110 launches of kernels"));
    CHECK(examine(with_calls(1'504'000, true)).findings.empty());
    CHECK(examine(with_calls(500'000, false)).findings.empty());
    CHECK(examine(with_calls(3'000'000, false)).findings.empty());
}

namespace {

// Steps 5 to 9 of eight launches each, by calls of this name; the kernels of the first `lost` steps are not there.
TraceFixture with_lost_head(int lost, std::string_view call, std::string_view category) {
    TraceFixture trace;
    for (int s = 0; s < 5; ++s) {
        trace.step(s * 1'000'000, 1'000'000, 5 + s);
        for (int i = 0; i < 8; ++i) {
            const int number = s * 8 + i + 1;
            trace.event(s * 1'000'000 + i * 100'000, 5'000, call, category, {}).arg(Arg::Correlation, number);
            if (s >= lost) trace.kernel(s * 1'000'000 + i * 100'000 + 20'000, 80'000, "gemm", 7, number);
        }
    }
    return trace;
}

}  // namespace

TEST_CASE("steps that launch work of which nothing is recorded are lost, whatever the vendor calls a launch") {
    struct Call {
        std::string_view name, category;
    };
    for (const Call& call : {Call{"cudaLaunchKernel", "cuda_runtime"}, Call{"cuLaunchKernelEx", "cuda_driver"},
                             Call{"hipExtModuleLaunchKernel", "hip_runtime"}, Call{"hipGraphLaunch", "hip_runtime"},
                             Call{"urEnqueueKernelLaunchWithArgsExp", "xpu_runtime"},
                             Call{"urEnqueueKernelLaunch", "xpu_runtime"}, Call{"runFunction", "mtia_runtime"}}) {
        INFO(call.name);
        CHECK(examine(run_of({with_lost_head(0, call.name, call.category).build()})).findings.empty());
        const DoctorFinding head =
            only_finding(run_of({with_lost_head(2, call.name, call.category).build()}), "launches-without-kernel");
        CHECK(head.count == 16);
        CHECK(head.severity == DoctorSeverity::Warning);
        CHECK(head.text ==
              "16 of 40 launches of kernels and graphs have no GPU event, before the first or after the last that has "
              "one");
    }
}

TEST_CASE("what is launched last while the GPU is still at work runs after the end, and is not lost") {
    const auto with_tail = [](std::int64_t gpu_time) {
        TraceFixture trace;
        for (int i = 0; i < 40; ++i) trace.launch(i * 10'000, 2'000, i + 1);
        for (int i = 0; i < 20; ++i) trace.kernel(i * gpu_time + 3'000, gpu_time - 1'000, "gemm", 7, i + 1);
        return trace.build();
    };
    CHECK_FALSE(has_finding({with_tail(20'000)}, "launches-without-kernel"));  // the queue grows
    CHECK(has_finding({with_tail(10'000)}, "launches-without-kernel"));        // the GPU would be idle
}

TEST_CASE("a run that launches work and has no GPU event is not of the CPU alone") {
    const RunPtr run = run_of({with_lost_head(5, "hipLaunchKernel", "hip_runtime").build()});
    const DoctorReport report = examine(run);
    const DoctorFinding* lost = find_finding(report, "launches-without-kernel");
    REQUIRE(lost);
    CHECK(lost->text == "40 of 40 launches of kernels and graphs have no GPU event");
    CHECK(run->rank(0).trace().diagnostics.count("gpu-work-missing") == 40);
    const DoctorFinding* without = find_finding(report, "rank-cpu-only");
    REQUIRE(without);
    CHECK(without->severity == DoctorSeverity::Warning);
    CHECK(without->text.find("CPU alone") == std::string::npos);
}

TEST_CASE("a rank whose GPU records begin late was not started late") {
    TraceFixture whole = with_lost_head(0, "cudaLaunchKernel", "cuda_runtime");
    TraceFixture lost = with_lost_head(3, "cudaLaunchKernel", "cuda_runtime");
    const DoctorReport report = examine(run_of({whole.build(), lost.build()}));
    CHECK(find_finding(report, "launches-without-kernel"));
    CHECK_FALSE(find_finding(report, "windows-differ"));
}

TEST_CASE("kernels that carry the number of another launch are the work of those without") {
    TraceFixture trace;
    for (int i = 0; i < 36; ++i) {
        trace.launch(i * 10'000, 2'000, i + 1);
        trace.kernel(i * 10'000 + 3'000, 6'000, "gemm", 7, i / 2 * 2 + 1);
    }
    CHECK_FALSE(has_finding({trace.build()}, "launches-without-kernel"));
}

TEST_CASE("a runtime call is no launch without work where the driver call in it has the work") {
    TraceFixture trace;
    for (int i = 0; i < 20; ++i) {
        trace.event(i * 10'000 + 500, 1'000, "urEnqueueKernelLaunch", "xpu_driver", {}).arg(Arg::Correlation, i + 1);
        trace.launch(i * 10'000, 2'000, i + 1);
        trace.kernel(i * 10'000 + 3'000, 6'000, "gemm", 7, i + 1);
    }
    const DoctorReport report = examine(run_of({trace.build()}));
    CHECK_FALSE(find_finding(report, "launches-without-kernel"));
    CHECK_FALSE(find_finding(report, "correlation-reused"));
}

TEST_CASE("collectives that the CPU calls and no GPU event shows are not recorded; those of gloo have none") {
    const auto with_calls = [](std::string_view name) {
        TraceFixture trace = healthy();
        for (int i = 0; i < 3; ++i) trace.event(i * 100'000, 5'000, name, "user_annotation", {"100", "200"});
        return trace.build();
    };
    CHECK(has_finding({with_calls("nccl:all_reduce")}, "collectives-not-recorded"));
    CHECK_FALSE(has_finding({with_calls("gloo:all_reduce")}, "collectives-not-recorded"));
    TraceFixture alone = healthy();
    alone.event(0, 5'000, "nccl:broadcast", "user_annotation", {"100", "200"}).info().world_size = 1;
    CHECK_FALSE(has_finding({alone.build()}, "collectives-not-recorded"));
    TraceFixture recorded = healthy();
    recorded.event(0, 5'000, "nccl:all_reduce", "user_annotation", {"100", "200"});
    recorded.kernel(0, 5'000, "ncclDevKernel_AllReduce_Sum_bf16", 20);
    CHECK_FALSE(has_finding({recorded.build()}, "collectives-not-recorded"));
}

TEST_CASE("marks of steps on GPU rows alone are told as such") {
    TraceFixture trace;
    for (int i = 0; i < 20; ++i) trace.launch(i * 10'000, 2'000, i).kernel(i * 10'000 + 3'000, 6'000, "gemm", 7, i);
    for (int i = 0; i < 4; ++i)
        trace.event(i * 50'000, 50'000, "ProfilerStep#" + std::to_string(i), "gpu_user_annotation", {"0", "7"});
    const DoctorFinding finding = only_finding(run_of({trace.build()}), "steps-on-gpu-rows");
    CHECK(finding.count == 4);
}

TEST_CASE("a time that was not recorded is an error, first of all") {
    TraceFixture trace = healthy(50'000'000'000);
    for (int i = 0; i < 7; ++i) trace.kernel(0, 0, "lost", 7, 900 + i);
    const DoctorFinding finding = only_finding(run_of({trace.build()}), "time-not-recorded");
    CHECK(finding.severity == DoctorSeverity::Error);
    CHECK(finding.text == "7 events had no time: 0, or far from all others");
    CHECK(is_loss(*finding.rule));
}

TEST_CASE("a rank with no launch at all is one note, not a thousand lost launches") {
    TraceFixture trace;
    trace.step(0, 1'000'000, 1);
    for (int i = 0; i < 50; ++i) trace.kernel(i * 1'000, 500, "gemm", 7, i);
    const DoctorFinding finding = only_finding(run_of({trace.build()}), "launches-not-recorded");
    CHECK(finding.count == 50);
}

TEST_CASE("absurd durations and kernels of no length") {
    TraceFixture absurd = healthy();
    absurd.launch(1'100'000, 100, 900).kernel(1'101'000, 3'600'000'000'000, "hangs", 8, 900);
    const RunPtr run = run_of({absurd.build()});
    const DoctorReport report = examine(run);
    const DoctorFinding* finding = find_finding(report, "implausible-duration");
    REQUIRE(finding);
    CHECK(finding->count == 1);
    CHECK(finding->example.text.find("hangs") != std::string::npos);
    TraceFixture none = healthy();
    for (int i = 0; i < 5; ++i)
        none.launch(1'100'000 + i * 10'000, 100, 900 + i).kernel(1'101'000 + i * 10'000, 0, "nothing", 7, 900 + i);
    CHECK(only_finding(run_of({none.build()}), "gpu-duration-zero").count == 5);
}

TEST_CASE("events that overlap on a stream are counted as by comparing each with all before") {
    std::mt19937 random(7);
    for (int round = 0; round < 20; ++round) {
        TraceFixture trace;
        std::vector<std::pair<std::int64_t, std::int64_t>> all;
        for (int i = 0; i < 60; ++i) {
            all.emplace_back(i * 10'000 + static_cast<std::int64_t>(random() % 1'000),
                             1'000 + static_cast<std::int64_t>(random() % 15'000));
            trace.kernel(all.back().first, all.back().second, "gemm");
        }
        std::uint64_t expected = 0;
        Duration worst{};
        for (std::size_t i = 0; i < all.size(); ++i) {
            std::int64_t most = 0;
            for (std::size_t j = 0; j < i; ++j) {
                const std::int64_t end = std::min(all[j].first + all[j].second, all[i].first + all[i].second);
                most = std::max(most, end - all[i].first);
            }
            if (most > 2'000) ++expected;
            if (most > 2'000) worst = std::max(worst, Duration{most});
        }
        const RunPtr run = run_of({trace.build()});
        const Result<RankStats> rank_stats = doctor::examine_rank(*run->rank(0).index, {});
        REQUIRE(rank_stats.has_value());
        CHECK(rank_stats->overlapping.count == expected);
        CHECK(rank_stats->overlapping.size == worst);
    }
}

TEST_CASE("overlapping kernels are a note, those that follow each other are not") {
    TraceFixture trace = healthy();
    for (int i = 0; i < 5; ++i)
        trace.launch(1'100'000 + i * 100'000, 100, 900 + 2 * i)
            .kernel(1'101'000 + i * 100'000, 50'000, "long", 7, 900 + 2 * i)
            .launch(1'100'200 + i * 100'000, 100, 901 + 2 * i)
            .kernel(1'111'000 + i * 100'000, 50'000, "beside", 7, 901 + 2 * i);
    const DoctorFinding finding = only_finding(run_of({trace.build()}), "kernels-overlap");
    CHECK(finding.count == 5);
    CHECK(finding.text.find("by up to 40.0 µs") != std::string::npos);
}

TEST_CASE("kernels named like communication that count as compute are reported with their time") {
    TraceFixture trace = healthy();
    trace.launch(1'100'000, 100, 900).kernel(1'101'000, 7'000, "acme::fast_AllGather_v2", 7, 900);
    trace.launch(1'120'000, 100, 901).kernel(1'121'000, 7'000, "layer_norm<WarpAllReduce>", 7, 901);
    const DoctorFinding finding = only_finding(run_of({trace.build()}), "unknown-communication");
    CHECK(finding.count == 1);
    CHECK(finding.text.find("7.00 µs in all") != std::string::npos);
}

TEST_CASE("cut lists of ranks are reported unless the file has the whole group; cut shapes are a note") {
    const auto with_group = [](bool whole) {
        TraceFixture trace = healthy();
        trace.launch(1'100'000, 100, 900).kernel(1'101'000, 7'000, "ncclDevKernel_AllReduce", 7, 900);
        trace.arg(Arg::CollectiveName, "allreduce").arg(Arg::GroupName, "0").arg(Arg::GroupRanks, "[0,1,2,...]");
        if (whole) trace.info().groups.push_back({"0", "", "", 4, {0, 1, 2, 3}});
        return run_of({trace.build()});
    };
    CHECK(only_finding(with_group(false), "group-ranks-cut").count == 1);
    CHECK(examine(with_group(true)).findings.empty());
    TraceFixture shapes = healthy();
    shapes.cpu(10, 20, "aten::cat", 300).arg(Arg::InputDims, "[[1,2],...]");
    CHECK(only_finding(run_of({shapes.build()}), "shapes-cut").severity == DoctorSeverity::Note);
}

TEST_CASE("counts from reading are reported once, with their ranks and first example") {
    TraceFixture good = healthy();
    TraceFixture bad = healthy();
    bad.info().path = "rank1.json";
    bad.batch().diagnostics.add("event-malformed", "byte 17: an event without a phase", 3);
    bad.batch().diagnostics.add("child-cut", "record 5", 1);  // too few to tell
    const DoctorFinding finding = only_finding(run_of({good.build(), bad.build()}), "event-malformed");
    CHECK(finding.count == 3);
    CHECK(finding.severity == DoctorSeverity::Error);
    CHECK(finding.ranks == std::vector<RankKey>{{1, 0}});
    CHECK(finding.text == "3 events had no usable time, phase or duration");
    CHECK(finding.example.text == "rank1.json: byte 17: an event without a phase");
}

TEST_CASE("every reported kind of diagnostic has a sentence") {
    for (const DiagnosticKind& kind : all_diagnostic_kinds()) {
        if (!doctor::is_reported(kind)) continue;
        INFO(kind.id);
        TraceFixture one = healthy();
        TraceFixture other = healthy();
        RunParts parts = run_of({one.build(), other.build()})->parts();
        for (RankSlot& rank : parts.ranks) rank.source = RankSource::FileName;
        parts.diagnostics.add(kind.id, "somewhere", 2);
        const DoctorReport report = examine(std::make_shared<const Run>(std::move(parts)));
        const DoctorFinding* finding = find_finding(report, kind.id);
        REQUIRE(finding);
        CHECK(finding->text.find(kind.meaning) == std::string::npos);
        CHECK(finding->example.text == "somewhere");
    }
}

TEST_CASE("guessed ranks are a warning from the order of names, a note from names, nothing for a single file") {
    const auto guessed = [](std::size_t files, RankSource source) {
        std::vector<RankTracePtr> traces;
        for (std::size_t i = 0; i < files; ++i) traces.push_back(healthy().build());
        RunParts parts = run_of(traces)->parts();
        for (RankSlot& rank : parts.ranks) rank.source = source;
        parts.diagnostics.add("rank-guessed", "rank0.json: rank 0", files);
        return std::make_shared<const Run>(std::move(parts));
    };
    CHECK(only_finding(guessed(2, RankSource::FileName), "rank-guessed").severity == DoctorSeverity::Note);
    CHECK(only_finding(guessed(2, RankSource::Order), "rank-guessed").severity == DoctorSeverity::Warning);
    CHECK(examine(guessed(1, RankSource::Order)).findings.empty());
}

TEST_CASE("separate captures of one rank are named and not compared as ranks") {
    RunParts parts = run_of({healthy().build(), healthy(500'000).build()})->parts();
    parts.ranks[1].key = {0, 1};
    parts.diagnostics.add("rank-duplicate", "a and b both are rank 0");
    const DoctorReport report = examine(std::make_shared<const Run>(std::move(parts)));
    CHECK(report.findings.size() == 1);
    CHECK(find_finding(report, "rank-duplicate")->ranks == std::vector<RankKey>{{0, 1}});
    CHECK(report.rank_stats.text() == "1 rank in 2 files; steps 1-2");
}

TEST_CASE("steps and times of all windows of one job are compared, each among the ranks of its window") {
    // Windows of 1 ms, the second of rank 1 cut to half; steps 1-2 and 3-4.
    const auto window = [](int rank, std::int64_t from, int first_step, int kernels) {
        TraceFixture trace;
        trace.rank(rank).step(from, 500'000, first_step).step(from + 500'000, 500'000, first_step + 1);
        for (int i = 0; i < kernels; ++i) {
            trace.launch(from + i * 10'000, 2'000, i);
            trace.kernel(from + i * 10'000 + 3'000, 6'000, "gemm", 7, i);
        }
        return trace.build();
    };
    const auto run_with = [&](int last_kernels) {
        return core::testing::run_of_captures({window(0, 0, 1, 100), window(0, 9'000'000, 3, 100), window(1, 0, 1, 100),
                                               window(1, 9'000'000, 3, last_kernels)});
    };
    REQUIRE(are_windows(*run_with(100)));
    const DoctorReport alike = examine(run_with(100));
    CHECK(alike.findings.empty());
    CHECK(alike.rank_stats.text().starts_with("2 ranks in 4 files; steps 1-4 on each; windows overlap for 100.0 %"));
    const DoctorReport cut = examine(run_with(50));
    const DoctorFinding* const differ = find_finding(cut, "windows-differ");
    REQUIRE(differ != nullptr);
    CHECK(differ->text.find("rank 1\u00B7b ends first, 500") != std::string::npos);
}

TEST_CASE("windows of one job are a note, not a warning") {
    RunParts parts = run_of({healthy().build(), healthy(500'000'000).build()})->parts();
    parts.ranks[1].key = {0, 1};
    parts.diagnostics.add("rank-duplicate", "a and b both are rank 0");
    parts.diagnostics.move_to("rank-windows", "rank-duplicate");
    const DoctorReport report = examine(std::make_shared<const Run>(std::move(parts)));
    CHECK(find_finding(report, "rank-duplicate") == nullptr);
    const DoctorFinding* const windows = find_finding(report, "rank-windows");
    REQUIRE(windows != nullptr);
    CHECK(windows->severity == DoctorSeverity::Note);
    CHECK(windows->text == "1 file held a later window of a rank");
    CHECK(windows->ranks == std::vector<RankKey>{{0, 1}});
}

TEST_CASE("with a memory only ranks that are new are examined; a cancelled examination fails") {
    const RankTracePtr first = healthy().build();
    const RunPtr run = run_of({first, healthy().build()});
    DoctorMemory memory;
    REQUIRE(examine_run(*run, 1, {}, &memory).has_value());
    const RankStatsPtr known = memory.find(run->rank(0).index);
    REQUIRE(known);
    REQUIRE(examine_run(*run, 1, {}, &memory).has_value());
    CHECK(memory.find(run->rank(0).index) == known);
    std::stop_source stop;
    stop.request_stop();
    CHECK_FALSE(examine_run(*run, 1, {stop.get_token()}).has_value());
}

TEST_CASE("kernels that are recorded as ranges of counters are not lost") {
    TraceFixture fixture;
    fixture.rank(0);
    for (int i = 0; i < 6; ++i)
        fixture.launch(100 * i, 10, i + 1).event(100 * i, 90, "gemm", "cuda_profiler_range", {"0", "0"});
    const RunPtr run = run_of({fixture.build()});
    CHECK((*run).all_diagnostics().count("gpu-work-missing") == 0);
    const DoctorReport report = examine(run);
    CHECK_FALSE(find_finding(report, "launches-without-kernel"));
    const DoctorFinding* const without = find_finding(report, "rank-cpu-only");
    REQUIRE(without);
    CHECK(without->text.find("6 kernels are ranges of counters") != std::string::npos);
    CHECK(without->severity == DoctorSeverity::Warning);
}
