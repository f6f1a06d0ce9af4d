// Times that were never written, durations that cannot be, marks without a length, and launches that one number tells
// twice or not at all.

#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

using namespace core;
using core::testing::find_named;
using core::testing::TraceFixture;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kYear = 365 * 86'400 * kSecond;

// Ten launches and kernels of 60 us, one every 100 us.
TraceFixture recorded(std::int64_t from) {
    TraceFixture trace;
    for (int i = 0; i < 10; ++i)
        trace.launch(from + i * 100'000, 5'000, i + 1).kernel(from + i * 100'000 + 20'000, 60'000, "gemm", 7, i + 1);
    return trace;
}

std::int64_t length_of(const RankTrace& trace) { return trace.window.length().count(); }

}  // namespace

TEST_CASE("an event at time 0 far from all others has no time: it is left out and counted as lost") {
    TraceFixture fixture = recorded(573 * kSecond);
    for (int i = 0; i < 5; ++i) fixture.kernel(0, 0, "lost", 7, 100 + i).cpu(0, 0, "lost op");
    fixture.kernel(0, 60'000, "start lost", 9);
    const RankTracePtr trace = fixture.build();
    CHECK(trace->size() == 20);
    CHECK(trace->gpu_events.size() == 10);
    CHECK(length_of(*trace) == 980'000);
    CHECK(trace->diagnostics.count("time-not-recorded") == 11);
    CHECK(trace->info.records.dropped == 11);
    CHECK(trace->info.records.complete == 20);
    CHECK(trace->info.records.total == 31);
}

TEST_CASE("a time of 0 counts from the base of the file") {
    TraceFixture fixture = recorded(20 * kSecond);
    fixture.info().base_time_ns = 1'759'300'074 * kSecond;
    fixture.kernel(0, 0, "lost", 7, 100);
    const RankTracePtr trace = fixture.build();
    CHECK(trace->gpu_events.size() == 10);
    CHECK(trace->diagnostics.count("time-not-recorded") == 1);
}

TEST_CASE("a trace that begins at 0 keeps its first events") {
    TraceFixture fixture = recorded(0);
    fixture.cpu(0, 1'000'000, "all of it").cpu(0, 0, "begins");
    CHECK(fixture.build()->size() == 22);
    TraceFixture late = recorded(50'000'000);  // 50 ms of nothing after a short beginning
    late.cpu(0, 2'000, "begins");
    const RankTracePtr trace = late.build();
    CHECK(trace->size() == 21);
    CHECK(trace->diagnostics.empty());
}

TEST_CASE("several kernels of one stream cannot begin at 0 together, nor several calls without length") {
    TraceFixture kernels = recorded(1'000'000);
    for (int i = 0; i < 3; ++i) kernels.kernel(0, 60'000, "lost", 7, 100 + i);
    CHECK(kernels.build()->gpu_events.size() == 10);
    TraceFixture calls = recorded(1'000'000);
    for (int i = 0; i < 3; ++i) calls.cpu(0, 0, "lost op");
    calls.cpu(0, 2'000'000, "all of it");
    const RankTracePtr trace = calls.build();
    CHECK(trace->size() == 21);
    CHECK(find_named(*trace, "all of it") != kNoEvent);
}

TEST_CASE("where no event has a time, none is shown at 0") {
    TraceFixture fixture;
    for (int i = 0; i < 5; ++i) fixture.kernel(0, 0, "lost", 7, i);
    const RankTracePtr trace = fixture.build();
    CHECK(trace->size() == 0);
    CHECK(trace->diagnostics.count("time-not-recorded") == 5);
}

TEST_CASE("times a year away and lengths of a year are as good as none") {
    TraceFixture fixture = recorded(100 * kYear / 2);
    fixture.cpu(3 * kYear, 1'000, "old").cpu(70 * kYear, 1'000, "future").cpu(50 * kYear + 1'000, 9 * kYear, "endless");
    const RankTracePtr trace = fixture.build();
    CHECK(trace->size() == 20);
    CHECK(length_of(*trace) == 980'000);
    CHECK(trace->diagnostics.count("time-not-recorded") == 3);
}

TEST_CASE("a begin without an end lasts to the end of what has a time") {
    TraceFixture fixture = recorded(573 * kSecond);
    fixture.event(573 * kSecond, 0, "open", "user_annotation", {}).phase(Phase::Begin);
    fixture.cpu(90 * kYear, 1'000, "future");
    const RankTracePtr trace = fixture.build();
    const EventId open = find_named(*trace, "open");
    REQUIRE(open != kNoEvent);
    CHECK(trace->duration[index_of(open)].count() == 980'000);
}

TEST_CASE("a kernel that outlasts all of its stream ends where the next begins") {
    TraceFixture fixture;
    for (int i = 0; i < 60; ++i)
        fixture.kernel(i * 400'000, i == 20 ? 3'400'000'000 : 390'000, i == 20 ? "wrong" : "gemm", 7);
    const RankTracePtr trace = fixture.build();
    const EventId wrong = find_named(*trace, "wrong");
    REQUIRE(wrong != kNoEvent);
    CHECK(trace->duration[index_of(wrong)].count() == 400'000);
    CHECK(length_of(*trace) == 59 * 400'000 + 390'000);
    CHECK(trace->diagnostics.count("duration-impossible") == 1);
    CHECK(trace->diagnostics.entries().front().first.find("\"wrong\" lasts 3.40 s") != std::string::npos);
}

TEST_CASE("a kernel within the window that is a hundred times as long as all of its name ends where the next begins") {
    TraceFixture fixture;
    for (int i = 0; i < 500; ++i) fixture.kernel(i * 200'000, i == 100 ? 50'000'000 : 190'000, "gemm", 7);
    const RankTracePtr trace = fixture.build();
    CHECK(trace->diagnostics.count("duration-impossible") == 1);
    CHECK(trace->gpu_events.size() == 500);
    const auto longest = std::ranges::max(trace->duration);
    CHECK(longest.count() == 200'000);
}

TEST_CASE("overlap that devices allow stays") {
    TraceFixture early;  // launched before the one before it ends
    for (int i = 0; i < 60; ++i) early.kernel(i * 100'000, 110'000, "gemm", 7);
    CHECK(early.build()->diagnostics.count("duration-impossible") == 0);
    TraceFixture branches;  // of a graph: one long kernel beside many short ones
    for (int i = 0; i < 60; ++i) branches.kernel(1'000 + i * 100'000, 90'000, "short", 7);
    branches.kernel(0, 3'000'000, "long", 7);
    CHECK(branches.build()->diagnostics.count("duration-impossible") == 0);
    TraceFixture waiting;  // a collective that waits for a late rank, its stream written as that of the work
    for (int i = 0; i < 200; ++i) waiting.kernel(i * 100'000, 90'000, "gemm", 7);
    for (int i = 0; i < 4; ++i) waiting.kernel(i * 100'000 + 50'000, 40'000, "ncclDevKernel_AllReduce", 7);
    waiting.kernel(1'000'000, 12'000'000, "ncclDevKernel_AllReduce", 7);
    CHECK(waiting.build()->diagnostics.count("duration-impossible") == 0);
    TraceFixture hung;  // nothing runs after it
    for (int i = 0; i < 60; ++i) hung.kernel(i * 100'000, 90'000, "gemm", 7);
    hung.kernel(6'000'000, 600 * kSecond, "ncclDevKernel_AllReduce", 7);
    CHECK(hung.build()->diagnostics.count("duration-impossible") == 0);
}

TEST_CASE("a mark of length 0 is no step, and its work is in none") {
    TraceFixture fixture;
    fixture.step(0, 1'000'000, 7).step(1'000'000, 0, 8);
    fixture.launch(10'000, 5'000, 1).kernel(20'000, 60'000, "first", 7, 1);
    fixture.launch(1'010'000, 5'000, 2).kernel(1'020'000, 60'000, "last", 7, 2);
    const RankTracePtr trace = fixture.build();
    REQUIRE(trace->steps.size() == 1);
    CHECK(trace->steps[0].number == 7);
    CHECK(trace->step_of(find_named(*trace, "last")) == nullptr);
    CHECK(trace->diagnostics.count("step-without-length") == 1);
}

TEST_CASE("a GPU event without a launch is in the step in which it runs, unless it precedes all that have one") {
    TraceFixture fixture;
    fixture.step(0, 1'000'000, 1).step(1'000'000, 1'000'000, 2);
    fixture.kernel(10'000, 5'000, "head", 7, 900);
    fixture.launch(20'000, 5'000, 1).kernel(50'000, 5'000, "first", 7, 1);
    fixture.kernel(1'500'000, 5'000, "lost launch", 7, 901);
    for (int i = 0; i < 2; ++i) fixture.kernel(600'000 + i * 1'000'000, 5'000, "no number", 20, 0);
    const RankTracePtr trace = fixture.build();
    CHECK(trace->step_of(find_named(*trace, "head")) == nullptr);
    CHECK(trace->step_of(find_named(*trace, "first"))->number == 1);
    CHECK(trace->step_of(find_named(*trace, "lost launch"))->number == 2);
    CHECK(trace->step_of(find_named(*trace, "no number"))->number == 1);
}

TEST_CASE("a correlation of 0 that several calls carry links nothing") {
    TraceFixture fixture;
    fixture.launch(0, 5'000, 0).launch(10'000, 5'000, 0).kernel(20'000, 5'000, "gemm", 7, 0);
    const RankTracePtr trace = fixture.build();
    CHECK(trace->launch_calls.empty());
    CHECK(trace->diagnostics.count("kernel-without-launch") == 0);
    CHECK(trace->diagnostics.count("correlation-reused") == 0);
}

TEST_CASE("a driver call within its runtime call shares its correlation and is no second launch") {
    const auto reused = [](std::int64_t from) {
        TraceFixture fixture;
        fixture.launch(0, 10'000, 5).event(from, 3'000, "urEnqueueKernelLaunch", "xpu_driver", {});
        fixture.arg(Arg::Correlation, 5).kernel(50'000, 5'000, "gemm", 7, 5);
        const RankTracePtr trace = fixture.build();
        CHECK(trace->launch_calls.size() == 1);
        return trace->diagnostics.count("correlation-reused");
    };
    CHECK(reused(2'000) == 0);
    CHECK(reused(20'000) == 1);
}

TEST_CASE("categories beyond those that are told apart are counted, and GPU work keeps its own") {
    TraceFixture fixture;
    for (int i = 0; i < 66'000; ++i) fixture.event(i * 10, 5, "x", "category " + std::to_string(i), {});
    for (int i = 0; i < 10; ++i) fixture.kernel(i * 10, 5, "gemm", 7);
    const RankTracePtr trace = fixture.build();
    CHECK(trace->gpu_events.size() == 10);
    CHECK(trace->diagnostics.count("categories-joined") == 66'000 - (65'535 - 256));
}
