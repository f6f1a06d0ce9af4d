#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>

using namespace core;
using core::testing::find_named;
using core::testing::TraceFixture;

namespace {

std::string parent_name(const RankTrace& trace, std::string_view name) {
    const EventId parent = trace.parent[index_of(find_named(trace, name))];
    return parent == kNoEvent ? "-" : std::string(trace.name_text(parent));
}

std::uint32_t row_of(const RankTrace& trace, std::string_view name) {
    return trace.lanes[trace.find_lane(find_named(trace, name))].row;
}

struct Drawn {
    std::int64_t start;
    std::int64_t duration;
};

// Naive parents in quadratic time: the latest-started event still open, cut to its own parent.
std::vector<int> brute_force_parents(const std::vector<Drawn>& sorted) {
    std::vector<int> parents(sorted.size(), -1);
    std::vector<std::int64_t> cut_end(sorted.size());
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        cut_end[i] = sorted[i].start + sorted[i].duration;
        for (std::size_t j = 0; j < i; ++j) {
            if (cut_end[j] > sorted[i].start) parents[i] = static_cast<int>(j);
        }
        if (parents[i] >= 0) cut_end[i] = std::min(cut_end[i], cut_end[static_cast<std::size_t>(parents[i])]);
    }
    return parents;
}

}  // namespace

TEST_CASE("a CPU event's parent is the latest-started event still open") {
    const auto t =
        TraceFixture().cpu(0, 100, "outer").cpu(10, 50, "inner").cpu(20, 10, "leaf").cpu(70, 10, "next").build();
    CHECK(parent_name(*t, "outer") == "-");
    CHECK(parent_name(*t, "inner") == "outer");
    CHECK(parent_name(*t, "leaf") == "inner");
    CHECK(parent_name(*t, "next") == "outer");
}

TEST_CASE("a child that outlives its parent is cut at the parent's end and counted") {
    const auto t = TraceFixture().cpu(0, 10, "parent").cpu(5, 20, "late").cpu(12, 1, "after").build();
    CHECK(parent_name(*t, "late") == "parent");
    CHECK(parent_name(*t, "after") == "-");
    CHECK(t->has(find_named(*t, "late"), kCutInTree));
    CHECK(t->diagnostics.count("child-cut") == 1);
    CHECK(t->duration[index_of(find_named(*t, "late"))] == Duration{20});
}

TEST_CASE("a zero-length event at a boundary belongs to the event that starts there") {
    const auto t = TraceFixture().cpu(0, 10, "first").cpu(10, 10, "second").cpu(10, 0, "moment").build();
    CHECK(parent_name(*t, "moment") == "second");
    const auto u = TraceFixture().cpu(0, 10, "first").cpu(10, 0, "moment").cpu(10, 0, "other").build();
    CHECK(parent_name(*u, "moment") == "-");
    CHECK(parent_name(*u, "other") == "-");
}

TEST_CASE("overlapping events on a stream get separate rows") {
    const auto t = TraceFixture().kernel(0, 10, "a").kernel(5, 10, "b").kernel(10, 5, "c").build();
    CHECK(row_of(*t, "a") == 0);
    CHECK(row_of(*t, "b") == 1);
    CHECK(row_of(*t, "c") == 0);
    CHECK(t->gpu_events.size() == 3);
}

TEST_CASE("a kernel's parent is its launch, and a graph launch has all its kernels") {
    const auto t = TraceFixture()
                       .cpu(0, 100, "op")
                       .launch(10, 5, 0)
                       .event(20, 5, "cudaGraphLaunch", "cuda_runtime", {})
                       .arg(Arg::Correlation, 9)
                       .kernel(40, 5, "second", 7, 9)
                       .kernel(30, 5, "first", 7, 9)
                       .kernel(50, 5, "zero", 7, 0)
                       .kernel(60, 5, "orphan", 7, 77)
                       .build();
    CHECK(parent_name(*t, "zero") == "cudaLaunchKernel");
    CHECK(parent_name(*t, "cudaGraphLaunch") == "op");
    const auto of_graph = t->launched_by(find_named(*t, "cudaGraphLaunch"));
    REQUIRE(of_graph.size() == 2);
    CHECK(t->name_text(of_graph[0]) == "first");
    CHECK(t->name_text(of_graph[1]) == "second");
    CHECK(t->launched_by(find_named(*t, "op")).empty());
    CHECK(parent_name(*t, "orphan") == "-");
    CHECK(t->diagnostics.count("kernel-without-launch") == 1);
}

TEST_CASE("of two calls with one correlation, the first in the file has the kernel") {
    const auto t = TraceFixture()
                       .event(20, 5, "later in time", "cuda_runtime", {})
                       .arg(Arg::Correlation, 1)
                       .event(0, 5, "earlier in time", "cuda_runtime", {})
                       .arg(Arg::Correlation, 1)
                       .kernel(40, 5, "k", 7, 1)
                       .build();
    CHECK(parent_name(*t, "k") == "later in time");
    CHECK(t->diagnostics.count("correlation-reused") == 1);
}

TEST_CASE("a flow arrow links a kernel without a correlation to its launch") {
    const auto t = TraceFixture()
                       .event(0, 5, "cudaLaunchKernel", "cuda_runtime", {})
                       .kernel(40, 5, "k")
                       .flow(FlowPhase::Start, 2, 5, {"100", "100"})
                       .flow(FlowPhase::End, 40, 5, {"0", "7"})
                       .build();
    CHECK(parent_name(*t, "k") == "cudaLaunchKernel");
    CHECK(t->launch_calls.size() == 1);
    CHECK(t->flows.empty());
}

TEST_CASE("arrows that repeat correlations are skipped without loss") {
    const auto t = TraceFixture()
                       .launch(0, 5, 1)
                       .kernel(40, 5, "k", 7, 1)
                       .flow(FlowPhase::Start, 2, 5, {"100", "100"})
                       .flow(FlowPhase::End, 40, 5, {"0", "7"})
                       .flow(FlowPhase::End, 40, 6, {"0", "7"})
                       .build();
    CHECK(parent_name(*t, "k") == "cudaLaunchKernel");
    CHECK(t->flows.empty());
    CHECK(t->diagnostics.count("flow-unmatched") == 0);
    CHECK(t->info.records.flows == 3);
}

TEST_CASE("flow arrows link forward and backward; an arrow without a start is counted") {
    const auto t = TraceFixture()
                       .cpu(0, 10, "forward", 1)
                       .cpu(50, 10, "backward", 2)
                       .flow(FlowPhase::Start, 0, 5, {"100", "1"}, "fwdbwd")
                       .flow(FlowPhase::End, 50, 5, {"100", "2"}, "fwdbwd")
                       .flow(FlowPhase::End, 50, 6, {"100", "2"}, "fwdbwd")
                       .flow(FlowPhase::Start, 45, 7, {"100", "2"}, "fwdbwd", false)
                       .build();
    REQUIRE(t->flows.size() == 1);
    CHECK(t->name_text(t->flows[0].from) == "forward");
    CHECK(t->name_text(t->flows[0].to) == "backward");
    CHECK(t->diagnostics.count("flow-unmatched") == 2);
}

TEST_CASE("a flow end without binding links to the next event that starts") {
    const auto t = TraceFixture()
                       .cpu(0, 10, "from", 1)
                       .cpu(0, 100, "around", 2)
                       .cpu(50, 10, "next", 2)
                       .flow(FlowPhase::Start, 1, 5, {"100", "1"}, "f")
                       .flow(FlowPhase::End, 20, 5, {"100", "2"}, "f", false)
                       .build();
    REQUIRE(t->flows.size() == 1);
    CHECK(t->name_text(t->flows[0].to) == "next");
}

TEST_CASE("begins and ends pair as a stack; unmatched ones are closed or counted") {
    const std::string cat = "x";
    const auto t = TraceFixture()
                       .event(0, 0, "outer", cat, {})
                       .phase(Phase::Begin)
                       .event(10, 0, "inner", cat, {})
                       .phase(Phase::Begin)
                       .event(15, 0, "", cat, {})
                       .phase(Phase::End)
                       .event(30, 0, "", cat, {})
                       .phase(Phase::End)
                       .event(40, 0, "", cat, {})
                       .phase(Phase::End)
                       .event(50, 0, "never", cat, {})
                       .phase(Phase::Begin)
                       .event(90, 10, "last", cat, {"1", "1"})
                       .build();
    CHECK(t->size() == 4);
    CHECK(t->duration[index_of(find_named(*t, "outer"))] == Duration{30});
    CHECK(t->duration[index_of(find_named(*t, "inner"))] == Duration{5});
    CHECK(t->duration[index_of(find_named(*t, "never"))] == Duration{50});
    CHECK(t->has(find_named(*t, "never"), kUnclosed));
    CHECK(t->diagnostics.count("end-without-begin") == 1);
    CHECK(t->diagnostics.count("begin-without-end") == 1);
    CHECK(t->info.records.dropped == 1);
    CHECK(t->info.records.total == t->info.records.complete + t->info.records.paired + t->info.records.dropped);
}

TEST_CASE("steps come from ProfilerStep marks, and a GPU event is in the step of its launch") {
    const auto t = TraceFixture()
                       .step(0, 100, 3)
                       .step(100, 100, 4)
                       .event(0, 150, "ProfilerStep#3", "gpu_user_annotation", {"0", "7"})
                       .launch(90, 5, 1)
                       .kernel(120, 10, "late", 7, 1)
                       .kernel(130, 10, "lost", 7, 99)
                       .kernel(150, 10, "unlinked", 7)
                       .build();
    REQUIRE(t->steps.size() == 2);
    CHECK(t->step_of(find_named(*t, "late"))->number == 3);
    CHECK(t->step_of(find_named(*t, "lost"))->number == 4);
    CHECK(t->step_of(find_named(*t, "unlinked"))->number == 4);
    CHECK(t->find_step(rank_time(200)) == nullptr);
}

TEST_CASE("annotations and synchronisation rows have tracks separate from their stream") {
    const auto t = TraceFixture()
                       .kernel(0, 10, "k")
                       .event(0, 100, "phase", "gpu_user_annotation", {"0", "7"})
                       .event(5, 10, "Stream Wait Event", "cuda_sync", {"0", "7"})
                       .cpu(0, 10, "op with a stream")
                       .arg(Arg::Stream, 7)
                       .build();
    CHECK(t->gpu_events.size() == 1);
    CHECK(row_of(*t, "k") == 0);
    CHECK(t->track_of(find_named(*t, "phase")).kind == TrackKind::StreamAnnotations);
    CHECK(t->track_of(find_named(*t, "Stream Wait Event")).kind == TrackKind::StreamSync);
    CHECK(t->track_of(find_named(*t, "op with a stream")).kind == TrackKind::Thread);
    CHECK(t->processes[t->tracks[t->lanes[t->find_lane(find_named(*t, "k"))].track].process].device == 0);
}

TEST_CASE("the base time is added to every time") {
    TraceFixture fixture;
    fixture.cpu(5, 10, "a").info().base_time_ns = 1'000'000;
    const auto t = fixture.build();
    CHECK(ns_of(t->start[0]) == 1'000'005);
    CHECK(t->window == RankRange{rank_time(1'000'005), rank_time(1'000'015)});
}

TEST_CASE("file order does not matter: lanes are sorted without overlap, no event is lost, parents are as defined") {
    std::mt19937 random(7);
    for (int round = 0; round < 300; ++round) {
        TraceFixture fixture;
        std::map<std::string, Drawn> drawn;
        const int count = static_cast<int>(random() % 40) + 1;
        const bool nearly_sorted = random() % 2 == 0;
        for (int i = 0; i < count; ++i) {
            const Drawn d{nearly_sorted ? i * 3 + static_cast<int>(random() % 7) : static_cast<int>(random() % 60),
                          static_cast<int>(random() % 3 == 0 ? 0 : random() % 25)};
            const std::string name = "e" + std::to_string(i);
            drawn[name] = d;
            fixture.cpu(d.start, d.duration, name);
        }
        const auto t = fixture.build();
        REQUIRE(t->size() == drawn.size());
        for (const Lane& lane : t->lanes) {
            for (std::size_t e = index_of(lane.first); e + 1 < index_of(lane.last); ++e) {
                CHECK(t->end(EventId{static_cast<std::uint32_t>(e)}) <= t->start[e + 1]);
            }
        }
        std::vector<std::uint32_t> sorted;
        for (std::uint32_t e = 0; e < t->size(); ++e) sorted.push_back(e);
        std::ranges::sort(sorted, {},
                          [&](std::uint32_t e) { return std::tuple(t->start[e], -t->duration[e], t->order[e]); });
        std::vector<Drawn> in_order;
        for (const std::uint32_t e : sorted) {
            in_order.push_back({ns_of(t->start[e]), t->duration[e].count()});
            const Drawn& wanted = drawn.at(std::string(t->name_text(EventId{e})));
            CHECK(wanted.start == in_order.back().start);
            CHECK(wanted.duration == in_order.back().duration);
        }
        const std::vector<int> parents = brute_force_parents(in_order);
        for (std::size_t i = 0; i < sorted.size(); ++i) {
            const EventId wanted = parents[i] < 0 ? kNoEvent : EventId{sorted[static_cast<std::size_t>(parents[i])]};
            CHECK(t->parent[sorted[i]] == wanted);
        }
    }
}

TEST_CASE("many simultaneous events get as many rows in acceptable time") {
    TraceFixture fixture;
    constexpr int kCount = 50'000;
    for (int i = 0; i < kCount; ++i) fixture.event(i, 10'000'000, "span", "async", {}).phase(Phase::Complete);
    const auto t = fixture.build();
    CHECK(t->size() == kCount);
    CHECK(t->lanes.size() == kCount);
}

TEST_CASE("several threads give the same layout of a long file as one") {
    constexpr int kCount = 150'000;
    TraceFixture fixture;
    fixture.launch(0, 1, 1);
    std::map<std::string, std::vector<std::uint32_t>> wanted;  // orders by tid
    wanted["100"].push_back(0);
    std::mt19937 random(5);
    for (int i = 1; i < kCount; ++i) {
        const int tid = 1 + (i < kCount / 2 ? static_cast<int>(random() % 3) : static_cast<int>(random() % 6));
        if (tid < 4)
            fixture.cpu(i * 10, 10, "op", tid).arg(Arg::SequenceNumber, i);
        else
            fixture.kernel(i * 10, 10, "kernel", tid, 1);
        wanted[std::to_string(tid)].push_back(static_cast<std::uint32_t>(i));
    }
    fixture.batch().records.total = kCount;
    TraceBuilder builder;
    builder.append(std::move(fixture.batch()));
    Executor executor(3);
    const RankTracePtr t = std::move(builder).finish({}, {}, JobContext{.stop = {}, .executor = &executor}).value();
    REQUIRE(t->size() == kCount);
    REQUIRE(t->tracks.size() == wanted.size());
    for (const Track& track : t->tracks) {
        REQUIRE(track.lane_count == 1);
        const Lane& lane = t->lanes[track.first_lane];
        const auto orders = t->order.subspan(index_of(lane.first), index_of(lane.last) - index_of(lane.first));
        CHECK(std::ranges::equal(orders, wanted.at(std::string(t->text(track.tid)))));
    }
    const EventId call = find_named(*t, "cudaLaunchKernel");
    for (std::uint32_t e = 0; e < t->size(); ++e) {
        const bool is_kernel = t->has(EventId{e}, kGpuEvent);
        if (is_kernel) REQUIRE(t->parent[e] == call);
        if (!is_kernel && t->order[e] != 0) REQUIRE(t->integer(Arg::SequenceNumber, EventId{e}) == t->order[e]);
    }
}

TEST_CASE("cancelling the build returns no trace") {
    TraceBuilder builder;
    TraceFixture fixture;
    for (int i = 0; i < 100; ++i) fixture.cpu(i * 10, 5, "op");
    builder.append(std::move(fixture.batch()));
    std::stop_source stop;
    stop.request_stop();
    const auto t = std::move(builder).finish({}, {}, JobContext{stop.get_token()});
    REQUIRE_FALSE(t);
    CHECK(t.error().code == ErrorCode::Cancelled);
}

TEST_CASE("batches are joined: names are shared, orders and arguments continue") {
    TraceBuilder builder;
    for (int b = 0; b < 3; ++b) {
        TraceFixture fixture;
        fixture.cpu(b * 10, 5, "same").arg(Arg::Bytes, b).cpu(b * 10 + 6, 1, "own" + std::to_string(b));
        fixture.batch().records.total = 2;
        builder.append(std::move(fixture.batch()));
    }
    const auto t = std::move(builder).finish({}, {}, {});
    REQUIRE(t);
    CHECK((*t)->size() == 6);
    CHECK((*t)->order[5] == 5);
    CHECK((*t)->name[0] == (*t)->name[2]);
    CHECK((*t)->integer(Arg::Bytes, EventId{4}) == 2);
    CHECK_FALSE((*t)->integer(Arg::Bytes, EventId{5}));
}

TEST_CASE("Ascend's device rows without a category are GPU events; its waits are not") {
    TraceFixture fixture;
    fixture.event(0, 10, "MatMul", "", {"9000", "2"})
        .event(10, 10, "Notify Wait", "", {"9000", "2"})
        .event(0, 30, "hcom_allReduce__868_0_1", "", {"9001", "0"})
        .event(0, 30, "Computing", "", {"9002", "0"});
    EventBatch& batch = fixture.batch();
    const auto named = [&](std::string_view pid, std::string_view name) {
        batch.metadata.push_back(
            {MetadataKind::ProcessName, batch.pool.intern(pid), NameId{0}, batch.pool.intern(name), 0});
    };
    named("9000", "Ascend Hardware");
    named("9001", "HCCL");
    named("9002", "Overlap Analysis");
    const auto t = fixture.build();
    REQUIRE(t->gpu_events.size() == 2);
    CHECK(t->has(find_named(*t, "MatMul"), kGpuEvent));
    CHECK(t->has(find_named(*t, "hcom_allReduce__868_0_1"), kGpuEvent));
    CHECK(t->track_of(find_named(*t, "Notify Wait")).kind == TrackKind::StreamSync);
}

TEST_CASE("categories are recognised in any letter case, runtimes and drivers of any device") {
    CHECK(category_of("Kernel") == Category::Kernel);
    CHECK(category_of("GPU_MEMCPY") == Category::GpuMemcpy);
    CHECK(category_of("Operator") == Category::CpuOp);
    CHECK(category_of("cuda_runtime") == Category::Runtime);
    CHECK(category_of("musa_runtime") == Category::Runtime);
    CHECK(category_of("hip_driver") == Category::Driver);
    CHECK(category_of("runtime_of_something") == Category::Other);
    CHECK(category_of("") == Category::Other);
}
