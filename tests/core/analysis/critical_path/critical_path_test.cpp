#include "core/export/json.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/analysis/launches/launch_model.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <set>

using namespace core;
using namespace core::testing;

namespace {

// Adds a synchronisation event on a stream's sync row.
TraceFixture& sync_row(TraceFixture& fixture, std::int64_t start, std::int64_t duration, std::string_view kind,
                       int stream, std::int64_t correlation) {
    return fixture.event(start, duration, kind, "cuda_sync", {"0", std::to_string(stream)})
        .arg(Arg::Stream, stream)
        .arg(Arg::Correlation, correlation);
}

Answer path_of(TraceFixture& fixture, std::string_view filter = "", const GivenParams& given = {}) {
    return answer_of(*run_of({fixture.build()}), "critical-path", filter, given);
}

const Table& table(const Answer& answer, std::string_view name) {
    const auto it = std::ranges::find(answer.tables, name, &NamedTable::name);
    REQUIRE(it != answer.tables.end());
    return it->table;
}

// "cpu 10, compute 20": the bounds of the path with their times.
std::string bound_of(const Answer& answer, std::string_view column = "time") {
    std::string text;
    const Table& main = answer.main();
    for (std::size_t row = 0; row < main.rows(); ++row) {
        const std::int64_t time = main.integer(row, main.find_column(column));
        if (time != 0) text += (text.empty() ? "" : ", ") + std::string(main.text(row, 0)) + " " + std::to_string(time);
    }
    return text;
}

// "op 0+10 cpu": name, start, duration and bound of every stretch.
Rows stretches_of(const Answer& answer) {
    Rows rows;
    const Table& path = table(answer, "path");
    for (std::size_t row = 0; row < path.rows(); ++row) {
        const std::string name(path.absent(row, 2) ? "-" : path.text(row, 2));
        rows.push_back(name + " " + std::to_string(path.integer(row, 4)) + "+" + std::to_string(path.integer(row, 5)) +
                       " " + std::string(path.text(row, 6)));
    }
    return rows;
}

std::int64_t what_if(const Answer& answer, std::string_view column) {
    const Table& replay = table(answer, "what-if");
    REQUIRE(replay.rows() == 1);
    return replay.integer(0, replay.find_column(column));
}

std::string links_of(const Answer& answer, std::string_view link) {
    std::string text;
    const Table& links = table(answer, "links");
    for (std::size_t row = 0; row < links.rows(); ++row) {
        if (links.text(row, 0) == link)
            text += (text.empty() ? "" : ", ") + std::string(links.text(row, 1) == "yes" ? "guessed " : "") +
                    std::to_string(links.integer(row, 2));
    }
    return text;
}

// Stretches are contiguous, span the window, and the table adds up.
void check_spans(const Answer& answer) {
    const Table& path = table(answer, "path");
    if (path.rows() == 0) return;
    std::int64_t at = what_if(answer, "start"), sum = 0;
    for (std::size_t row = 0; row < path.rows(); ++row) {
        CHECK(path.integer(row, 0) == static_cast<std::int64_t>(row) + 1);
        CHECK(path.integer(row, 4) == at);
        CHECK(path.integer(row, 5) > 0);
        at += path.integer(row, 5);
    }
    for (std::size_t row = 0; row < answer.main().rows(); ++row) sum += answer.main().integer(row, 1);
    CHECK(sum == what_if(answer, "length"));
    CHECK(at == what_if(answer, "start") + what_if(answer, "length"));
    std::int64_t named = 0;
    const Table& names = table(answer, "names");
    for (std::size_t row = 0; row < names.rows(); ++row) named += names.integer(row, 3);
    CHECK(named == sum);
}

// `c` runs after `a` on stream 7, `long` concurrently on stream 8.
TraceFixture two_streams() {
    TraceFixture fixture;
    fixture.launch(0, 2, 1).launch(4, 2, 2).launch(8, 2, 3);
    fixture.kernel(10, 40, "a", 7, 1).kernel(50, 30, "c", 7, 2).kernel(10, 90, "long", 8, 3);
    return fixture;
}

}  // namespace

TEST_CASE("if nothing waits for the GPU, everything is bound by the CPU") {
    TraceFixture fixture;
    fixture.cpu(0, 100, "op").launch(10, 5, 1).kernel(20, 10, "k", 7, 1);
    const Answer answer = path_of(fixture);
    CHECK(rows_of(answer.main()) == Rows{"cpu 100 1.000000 100"});
    CHECK(stretches_of(answer) == Rows{"op 0+10 cpu", "cudaLaunchKernel 10+5 cpu", "op 15+85 cpu"});
    check_spans(answer);
}

TEST_CASE("Ascend's tasks that wait, and operators that read a value back, are links of the path") {
    TraceFixture fixture;
    const auto named = [&](std::string_view pid, std::string_view name) {
        EventBatch& batch = fixture.batch();
        batch.metadata.push_back(
            {MetadataKind::ProcessName, batch.pool.intern(pid), NameId{0}, batch.pool.intern(name), 0});
    };
    named("9000", "Ascend Hardware");
    named("9001", "HCCL");
    std::uint64_t flows = 0;
    const auto launch = [&](std::int64_t at, std::string_view name, std::int64_t start, std::int64_t duration,
                            const TraceFixture::Place& place) {
        fixture.cpu(at, 5, "launch " + std::string(name)).flow(FlowPhase::Start, at, ++flows, {}, "async_npu");
        fixture.event(start, duration, name, "", place).flow(FlowPhase::End, start, flows, place, "async_npu");
    };
    launch(0, "MatMul", 100'000, 100'000, {"9000", "2"});
    launch(10, "hcom_allReduce__868_0_1", 210'000, 908'000, {"9001", "0"});
    launch(20, "Add", 1'125'000, 75'000, {"9000", "2"});
    fixture.event(210'000, 910'000, "EVENT_WAIT", "", {"9000", "2"});
    fixture.event(215'000, 800'000, "Notify Wait", "", {"9000", "4"});
    fixture.event(1'015'000, 101'000, "SDMA", "", {"9000", "4"});
    fixture.cpu(30, 1'300'000, "aten::item").cpu(40, 1'299'000, "aten::_local_scalar_dense");
    const Answer answer = path_of(fixture);
    CHECK(stretches_of(answer) ==
          Rows{"launch MatMul 0+5 cpu", "- 5+5 host_other", "launch hcom_allReduce__868_0_1 10+209990 launch_delay",
               "hcom_allReduce__868_0_1 210000+908000 communication",
               "hcom_allReduce__868_0_1 1118000+7000 kernel_delay", "Add 1125000+75000 compute",
               "aten::_local_scalar_dense 1200000+99040 sync_delay", "aten::item 1299040+990 cpu"});
    check_spans(answer);
}

TEST_CASE("if the GPU always has work, the path follows its stream back to the first launch") {
    TraceFixture fixture;
    fixture.cpu(0, 30, "op").launch(5, 5, 1).launch(12, 5, 2);
    fixture.kernel(10, 50, "a", 7, 1).kernel(62, 38, "ncclAllReduce", 7, 2);
    const Answer answer = path_of(fixture);
    CHECK(bound_of(answer) == "cpu 5, launch_delay 5, compute 50, communication 38, kernel_delay 2");
    CHECK(stretches_of(answer) == Rows{"op 0+5 cpu", "cudaLaunchKernel 5+5 launch_delay", "a 10+50 compute",
                                       "a 60+2 kernel_delay", "ncclAllReduce 62+38 communication"});
    check_spans(answer);
}

TEST_CASE("a GPU that only waits for launches is bound by the delay after them") {
    TraceFixture fixture;
    fixture.launch(0, 5, 1).kernel(80, 20, "k", 7, 1);
    CHECK(bound_of(path_of(fixture)) == "launch_delay 80, compute 20");
}

TEST_CASE("without launches or a GPU the path is the thread, including time between operators") {
    TraceFixture fixture;
    fixture.cpu(0, 10, "a").cpu(20, 30, "b").cpu(25, 5, "inner");
    const Answer answer = path_of(fixture);
    CHECK(stretches_of(answer) ==
          Rows{"a 0+10 cpu", "- 10+10 host_other", "b 20+5 cpu", "inner 25+5 cpu", "b 30+20 cpu"});
    TraceFixture gpu_only;
    gpu_only.kernel(0, 10, "a").kernel(15, 10, "b");
    CHECK(bound_of(path_of(gpu_only)) == "compute 20, kernel_delay 5");
}

TEST_CASE("a graph launch links to each of its kernels") {
    TraceFixture fixture;
    fixture.event(0, 10, "cudaGraphLaunch", "cuda_runtime", {}).arg(Arg::Correlation, 1);
    fixture.kernel(20, 10, "a", 7, 1).kernel(25, 75, "b", 8, 1).kernel(32, 10, "c", 7, 1);
    const Answer answer = path_of(fixture);
    CHECK(links_of(answer, "launch") == "3");
    CHECK(stretches_of(answer) == Rows{"cudaGraphLaunch 0+25 launch_delay", "b 25+75 compute"});
}

TEST_CASE("after a long pause on its stream, a kernel of a graph is assumed to wait for the others") {
    TraceFixture fixture;
    fixture.event(0, 10, "cudaGraphLaunch", "cuda_runtime", {}).arg(Arg::Correlation, 1);
    fixture.kernel(20, 10, "a", 7, 1).kernel(25, 50'000, "b", 8, 1).kernel(50'030, 100, "c", 7, 1);
    const Answer answer = path_of(fixture);
    CHECK(links_of(answer, "inside a graph") == "guessed 1");
    CHECK(bound_of(answer) == "launch_delay 25, compute 50100, kernel_delay 5");
}

TEST_CASE("a stream that waits for an event waits for work launched before the event was recorded") {
    TraceFixture fixture;
    fixture.launch(0, 2, 1);
    fixture.event(4, 2, "cudaEventRecord", "cuda_runtime", {}).arg(Arg::Correlation, 20);
    fixture.launch(8, 2, 2);
    fixture.event(12, 2, "cudaStreamWaitEvent", "cuda_runtime", {}).arg(Arg::Correlation, 21);
    fixture.launch(16, 2, 3);
    fixture.kernel(10, 40, "waited for", 7, 1).kernel(50, 20, "not waited for", 7, 2).kernel(53, 60, "waits", 8, 3);
    sync_row(fixture, 12, 2, "Stream Wait Event", 8, 21)
        .arg(Arg::WaitOnStream, 7)
        .arg(Arg::WaitOnRecordCorrelation, 20);
    const Answer answer = path_of(fixture);
    CHECK(links_of(answer, "stream wait") == "1");
    CHECK(stretches_of(answer) == Rows{"cudaLaunchKernel 0+10 launch_delay", "waited for 10+40 compute",
                                       "waited for 50+3 kernel_delay", "waits 53+60 compute"});
}

TEST_CASE(
    "without synchronisation rows, the next launch after a wait is assumed to wait for the work that ended last") {
    for (const char* const wait : {"cudaStreamWaitEvent", "hipStreamWaitEvent"}) {
        TraceFixture fixture;
        fixture.launch(0, 2, 1);
        fixture.event(12, 2, wait, "cuda_runtime", {});
        fixture.launch(16, 2, 3).launch(20, 2, 4);
        fixture.kernel(10, 40, "waited for", 7, 1).kernel(53, 60, "waits", 8, 3).kernel(52, 10, "beside", 9, 4);
        const Answer answer = path_of(fixture);
        CHECK(links_of(answer, "stream wait") == "guessed 1");
        CHECK(bound_of(answer) == "launch_delay 10, compute 100, kernel_delay 3");
    }
    TraceFixture without;
    without.launch(0, 2, 1).launch(16, 2, 3).kernel(10, 40, "a", 7, 1).kernel(53, 60, "b", 8, 3);
    CHECK(links_of(path_of(without), "stream wait").empty());
}

TEST_CASE("a wait that one thread calls holds the launch of the thread that takes over") {
    const auto launch_on = [](TraceFixture& fixture, std::int64_t at, std::int64_t correlation, const char* thread) {
        fixture.event(at, 2, "cudaLaunchKernel", "cuda_runtime", {"100", thread}).arg(Arg::Correlation, correlation);
    };
    TraceFixture fixture;
    launch_on(fixture, 0, 1, "100");
    fixture.event(12, 2, "cudaStreamWaitEvent", "cuda_runtime", {"100", "100"});
    launch_on(fixture, 16, 3, "200");
    launch_on(fixture, 40, 4, "100");
    fixture.kernel(10, 40, "waited for", 7, 1).kernel(53, 60, "waits", 8, 3).kernel(53, 5, "later", 9, 4);
    const Answer answer = path_of(fixture);
    CHECK(bound_of(answer) == "launch_delay 10, compute 100, kernel_delay 3");
}

TEST_CASE("a synchronising call of any library returns after the GPU work") {
    for (const char* const call : {"cudaDeviceSynchronize", "hipDeviceSynchronize", "cudaStreamSynchronize",
                                   "hipStreamSynchronize", "cuEventSynchronize", "cudaFree"}) {
        INFO(call);
        TraceFixture fixture;
        fixture.launch(0, 2, 1).event(5, 55, call, "cuda_runtime", {}).cpu(60, 40, "after");
        fixture.kernel(10, 45, "k", 7, 1).kernel(20, 60, "nobody waits for it", 9);
        const Answer answer = path_of(fixture);
        CHECK(stretches_of(answer) == Rows{"cudaLaunchKernel 0+10 launch_delay", "k 10+45 compute",
                                           std::string(call) + " 55+5 sync_delay", "after 60+40 cpu"});
    }
}

TEST_CASE("a synchronising call does not wait if the GPU work is done") {
    TraceFixture fixture;
    fixture.launch(0, 2, 1).kernel(3, 5, "k", 7, 1).event(20, 10, "cudaDeviceSynchronize", "cuda_runtime", {});
    const Answer answer = path_of(fixture);
    CHECK(bound_of(answer) == "cpu 12, host_other 18");
    CHECK(links_of(answer, "synchronisation") == "1");  // a longer kernel would make it wait
    TraceFixture twice;
    twice.launch(0, 2, 1).kernel(3, 5, "k", 7, 1).event(20, 10, "cudaDeviceSynchronize", "cuda_runtime", {});
    twice.event(40, 10, "cudaDeviceSynchronize", "cuda_runtime", {});
    CHECK(links_of(path_of(twice), "synchronisation") == "1");  // the second call waits for nothing
}

TEST_CASE("if a call returned before the GPU work was done, the next call waits for it") {
    TraceFixture fixture;
    fixture.launch(0, 2, 1).event(5, 5, "cudaDeviceSynchronize", "cuda_runtime", {});
    fixture.event(20, 40, "cudaDeviceSynchronize", "cuda_runtime", {}).kernel(8, 50, "k", 7, 1);
    CHECK(bound_of(path_of(fixture)) == "launch_delay 8, compute 50, sync_delay 2");
}

TEST_CASE("a synchronisation row names the stream that a call waited for") {
    TraceFixture fixture;
    fixture.launch(0, 2, 1).launch(3, 2, 2);
    fixture.event(6, 54, "cudaStreamSynchronize", "cuda_runtime", {}).arg(Arg::Correlation, 5);
    fixture.kernel(10, 30, "waited for", 7, 1).kernel(10, 48, "later, on another stream", 8, 2);
    sync_row(fixture, 6, 50, "Stream Sync", 7, 5);
    CHECK(stretches_of(path_of(fixture)) == Rows{"cudaLaunchKernel 0+10 launch_delay", "waited for 10+30 compute",
                                                 "cudaStreamSynchronize 40+20 sync_delay"});
}

TEST_CASE("synchronising an event waits for work launched before it was recorded") {
    TraceFixture fixture;
    fixture.launch(0, 2, 1);
    fixture.event(3, 1, "cudaEventRecord", "cuda_runtime", {}).arg(Arg::Correlation, 20);
    fixture.launch(5, 2, 2);
    fixture.event(8, 42, "cudaEventSynchronize", "cuda_runtime", {}).arg(Arg::Correlation, 21);
    fixture.kernel(10, 30, "waited for", 7, 1).kernel(40, 8, "launched after", 7, 2);
    sync_row(fixture, 8, 42, "Event Sync", -1, 21).arg(Arg::WaitOnStream, 7).arg(Arg::WaitOnRecordCorrelation, 20);
    CHECK(bound_of(path_of(fixture)) == "launch_delay 10, compute 30, sync_delay 10");
}

TEST_CASE("the host waits for blocking copies, not for asynchronous ones") {
    const auto bound = [](std::string_view call, std::string_view copy) {
        TraceFixture fixture;
        fixture.event(0, 60, call, "cuda_runtime", {}).arg(Arg::Correlation, 1).cpu(60, 40, "after");
        fixture.kernel(10, 45, copy, 7, 1, "gpu_memcpy");
        return bound_of(path_of(fixture));
    };
    const std::string waited = "cpu 40, launch_delay 10, memory 45, sync_delay 5";
    CHECK(bound("cudaMemcpy", "Memcpy DtoH (Device -> Pinned)") == waited);
    CHECK(bound("hipMemcpyWithStream", "CopyDeviceToHost") == waited);
    CHECK(bound("cudaMemcpyAsync", "Memcpy DtoH (Device -> Pageable)") == waited);
    CHECK(bound("cudaMemcpyAsync", "Memcpy DtoH (Device -> Pinned)") == "cpu 100");
}

TEST_CASE("while the backward pass runs on its own thread, the thread of the steps waits for it") {
    TraceFixture fixture;
    fixture.step(0, 200, 1).cpu(5, 45, "forward");
    fixture.cpu(60, 30, "autograd::engine::evaluate_function: MulBackward0", 101)
        .cpu(95, 25, "autograd::engine::b", 101);
    fixture.cpu(130, 70, "optimizer");
    fixture.cpu(0, 199, "watches", 102);  // an unrelated thread
    const Answer answer = path_of(fixture, "step:1");
    CHECK(links_of(answer, "hand-over") == "2");
    CHECK(stretches_of(answer) == Rows{"- 0+5 host_other", "forward 5+45 cpu", "- 50+10 host_other",
                                       "autograd::engine::evaluate_function: MulBackward0 60+30 cpu",
                                       "- 90+5 host_other", "autograd::engine::b 95+25 cpu", "- 120+10 host_other",
                                       "optimizer 130+70 cpu"});
}

TEST_CASE("time in marks of a data loader is a separate bound") {
    TraceFixture fixture;
    fixture.event(0, 50, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "user_annotation", {});
    fixture.step(0, 100, 1).cpu(10, 20, "aten::stack").cpu(60, 40, "op");
    CHECK(bound_of(path_of(fixture, "step:1")) == "cpu 40, data_loading 50, host_other 10");
}

TEST_CASE("the window of a step ends with its last GPU work, and begins with what ran then") {
    TraceFixture fixture;
    fixture.step(0, 100, 1).step(100, 100, 2).step(200, 100, 3);
    fixture.launch(10, 5, 1).launch(110, 5, 2).launch(120, 5, 3).launch(210, 5, 4);
    fixture.kernel(20, 130, "of step 1", 7, 1).kernel(155, 20, "a", 7, 2).kernel(180, 70, "b", 7, 3);
    fixture.kernel(250, 90, "of step 3", 7, 4);
    const Answer answer = path_of(fixture, "step:2");
    CHECK(what_if(answer, "start") == 100);
    CHECK(what_if(answer, "length") == 150);
    CHECK(stretches_of(answer) == Rows{"of step 1 100+50 compute", "of step 1 150+5 kernel_delay", "a 155+20 compute",
                                       "a 175+5 kernel_delay", "b 180+70 compute"});
    check_spans(answer);
    TraceFixture again;
    again.step(0, 100, 1).step(100, 100, 2).cpu(20, 60, "op").cpu(110, 40, "op 2");
    CHECK(stretches_of(path_of(again, "step:2")) ==
          Rows{"- 100+10 host_other", "op 2 110+40 cpu", "- 150+50 host_other"});
}

TEST_CASE("a time range shows its part of a path that later events decide") {
    TraceFixture fixture;
    fixture.launch(0, 5, 1).launch(6, 5, 2).kernel(10, 40, "a", 7, 1).kernel(52, 40, "b", 7, 2);
    const Answer answer = path_of(fixture, "time:30ns..80ns");
    CHECK(stretches_of(answer) == Rows{"a 30+20 compute", "a 50+2 kernel_delay", "b 52+28 compute"});
    TraceFixture late;
    late.launch(0, 5, 1).kernel(40, 80, "a", 7, 1).cpu(0, 100, "op");
    CHECK(bound_of(path_of(late, "time:20ns..60ns")) == "launch_delay 20, compute 20");
    TraceFixture again;
    again.launch(0, 5, 1).kernel(40, 80, "a", 7, 1).cpu(0, 100, "op");
    const Answer half = path_of(again, "time:..60ns", {{"compute", "50"}});
    CHECK(what_if(half, "length") == 60);
    CHECK(what_if(half, "replayed") == 50);
}

TEST_CASE("an empty window has no rows, with a note") {
    TraceFixture fixture;
    fixture.step(0, 100, 1).cpu(5, 5, "op");
    const Answer answer = path_of(fixture, "step:7");
    CHECK(answer.main().rows() == 0);
    REQUIRE(answer.excluded.size() == 1);
    CHECK(answer.excluded[0].what == "ranks that did nothing in the window");
}

TEST_CASE("the path is that of the first rank in the filter") {
    const RunPtr run = run_of({TraceFixture().cpu(0, 10, "zero").build(), TraceFixture().cpu(0, 20, "one").build()});
    CHECK(bound_of(answer_of(*run, "critical-path")) == "cpu 10");
    CHECK(bound_of(answer_of(*run, "critical-path", "rank:1")) == "cpu 20");
}

TEST_CASE("GPU work that began before its call is counted, not linked") {
    TraceFixture fixture;
    fixture.cpu(0, 100, "op").launch(50, 5, 1).kernel(40, 60, "early", 7, 1);
    const Answer answer = path_of(fixture);
    REQUIRE(answer.excluded.size() == 1);
    CHECK(answer.excluded[0].count == 1);
    CHECK(bound_of(answer) == "cpu 100");
}

TEST_CASE("what-if: a gain on the path, none off the path, until another path is longest") {
    const auto gain = [](std::string_view filter, const GivenParams& given) {
        TraceFixture fixture = two_streams();
        const Answer answer = path_of(fixture, filter, given);
        CHECK(what_if(answer, "length") == 100);
        CHECK(what_if(answer, "replayed") == 100 - what_if(answer, "gain"));
        return what_if(answer, "gain");
    };
    CHECK(gain("", {}) == 0);
    CHECK(gain("name:long", {{"chosen", "90"}}) == 9);
    CHECK(gain("name:long", {{"chosen", "50"}}) == 20);  // of 45; then a and c form the longest path
    CHECK(gain("name:/^a$/", {{"chosen", "0"}}) == 0);
    CHECK(gain("name:long", {{"chosen", "200"}}) == -90);
    CHECK(gain("", {{"compute", "0"}}) == 90);
    CHECK(gain("", {{"communication", "0"}}) == 0);
    CHECK(gain("", {{"launch_delay", "0"}}) == 2);
    CHECK(gain("name:long", {{"launch_delay", "0"}, {"chosen", "50"}}) == 30);  // a begins with its call
    TraceFixture fixture = two_streams();
    CHECK(bound_of(path_of(fixture, "name:long", {{"chosen", "50"}}), "replayed") == "launch_delay 10, compute 70");
}

TEST_CASE("what-if: a waiting call waits as long as its work takes") {
    const auto replayed = [](const char* percent) {
        TraceFixture fixture;
        fixture.launch(0, 2, 1).cpu(2, 18, "op").event(20, 40, "cudaDeviceSynchronize", "cuda_runtime", {});
        fixture.cpu(60, 10, "after").kernel(5, 50, "k", 7, 1);
        return what_if(path_of(fixture, "", {{"compute", percent}}), "replayed");
    };
    CHECK(replayed("100") == 70);
    CHECK(replayed("50") == 45);   // 5 + 25, 5 until the call returns, 10
    CHECK(replayed("0") == 30);    // op until 20, the call takes no time, 10
}

TEST_CASE("what-if: scaling an operator or annotation scales everything inside it") {
    const auto replayed = [](std::string_view filter) {
        TraceFixture fixture;
        fixture.event(0, 100, "phase", "user_annotation", {});
        fixture.cpu(0, 60, "outer").cpu(10, 20, "inner").cpu(80, 20, "other");
        return what_if(path_of(fixture, filter, {{"chosen", "50"}}), "replayed");
    };
    CHECK(replayed("name:inner") == 90);
    CHECK(replayed("name:outer") == 70);
    CHECK(replayed("name:phase") == 50);
    CHECK(replayed("-name:inner") == 50);
    CHECK(replayed("name:none of them") == 100);
}

TEST_CASE("the events of the path are marks in order, also in JSON") {
    TraceFixture fixture;
    fixture.launch(0, 5, 1).kernel(80, 20, "k", 7, 1);
    const RunPtr run = run_of({fixture.build()});
    const Answer answer = answer_of(*run, "critical-path");
    REQUIRE(answer.marks.size() == 2);
    CHECK(run->rank(0).trace().name_text(answer.marks[0].event.event) == "cudaLaunchKernel");
    CHECK(answer.marks[0].label == "launch_delay");
    const nlohmann::json json =
        nlohmann::json::parse(to_json(*find_analysis("critical-path"), *run, {}, Params(6, 100), answer));
    CHECK(json["marks"].size() == 2);
    CHECK(json["marks"][1]["label"] == "compute");
    CHECK(json["tables"]["path"]["rows"].size() == 2);
}

namespace {

// A program on one thread and several streams. No two begins or ends coincide, so the last event is unique.
struct Program {
    struct Call {
        std::int64_t start, end;
        bool syncs;
    };
    struct Work {
        std::int64_t start, end;
        std::size_t stream, call;
    };
    std::vector<Call> calls;
    std::vector<Work> work;  // by launch
};

Program random_program(Dice& dice) {
    Program made;
    std::int64_t now = dice.roll(0, 1000), free[3] = {};
    for (int i = dice.roll(1, 25); i > 0; --i) {
        Program::Call call{now, now + dice.roll(1, 2000), dice.one_in(5)};
        if (call.syncs) {
            for (const std::int64_t end : free) call.end = std::max(call.end, end + dice.roll(1, 300));
        } else if (!dice.one_in(3)) {
            for (int events = dice.one_in(4) ? 3 : 1; events > 0; --events) {
                const auto stream = static_cast<std::size_t>(dice.roll(0, 2));
                const std::int64_t start = std::max(call.start, free[stream]) + dice.roll(1, 500);
                free[stream] = start + dice.roll(1, 5000);
                made.work.push_back({start, free[stream], stream, made.calls.size()});
            }
        }
        made.calls.push_back(call);
        now = call.end + dice.roll(1, 800);
    }
    return made;
}

bool has_two_at_once(const Program& program) {
    std::set<std::int64_t> times;
    std::size_t count = 0;
    for (const Program::Call& call : program.calls) {
        times.insert({call.start, call.end});
        count += 2;
    }
    for (const Program::Work& work : program.work) {
        times.insert({work.start, work.end});
        count += 2;
    }
    return times.size() != count;
}

TraceFixture fixture_of(const Program& program) {
    TraceFixture fixture;
    for (std::size_t i = 0; i < program.calls.size(); ++i) {
        const Program::Call& call = program.calls[i];
        fixture.event(call.start, call.end - call.start, call.syncs ? "cudaDeviceSynchronize" : "call", "cuda_runtime",
                      {});
        fixture.arg(Arg::Correlation, static_cast<std::int64_t>(i));
    }
    for (const Program::Work& work : program.work)
        fixture.kernel(work.start, work.end - work.start, "k", static_cast<int>(work.stream),
                       static_cast<int>(work.call));
    return fixture;
}

// Walks back from the end, each time to the event that ended last.
class WalkBack {
public:
    explicit WalkBack(const Program& program) : program_(program) {
        const std::int64_t host = program.calls.back().end;
        const Program::Work* last = nullptr;
        for (const Program::Work& work : program.work)
            if (!last || work.end > last->end) last = &work;
        if (last && last->end > host)
            from_end_of(*last);
        else
            from_return_of(program.calls.size() - 1);
    }
    std::string text() const {
        std::string text;
        for (const char* const bound : {"cpu", "host_other", "launch_delay", "compute", "kernel_delay", "sync_delay"}) {
            const auto it = times_.find(bound);
            if (it == times_.end()) continue;
            text += (text.empty() ? "" : ", ") + std::string(bound) + " " + std::to_string(it->second);
        }
        return text;
    }

private:
    void from_return_of(std::size_t c) {
        const Program::Call& call = program_.calls[c];
        const Program::Work* waited = nullptr;
        for (const Program::Work& work : program_.work) {
            const bool waits = call.syncs && work.call < c && work.end > call.start;
            if (waits && (!waited || work.end > waited->end)) waited = &work;
        }
        if (waited) {
            times_["sync_delay"] += call.end - waited->end;
            return from_end_of(*waited);
        }
        times_["cpu"] += call.end - call.start;
        from_start_of(c);
    }
    void from_start_of(std::size_t c) {
        if (c == 0) return;
        times_["host_other"] += program_.calls[c].start - program_.calls[c - 1].end;
        from_return_of(c - 1);
    }
    void from_end_of(const Program::Work& work) {
        times_["compute"] += work.end - work.start;
        const Program::Work* before = nullptr;
        for (const Program::Work& other : program_.work) {
            const bool earlier = other.stream == work.stream && other.end <= work.start;
            if (earlier && (!before || other.end > before->end)) before = &other;
        }
        if (before && before->end > program_.calls[work.call].start) {
            times_["kernel_delay"] += work.start - before->end;
            return from_end_of(*before);
        }
        times_["launch_delay"] += work.start - program_.calls[work.call].start;
        from_start_of(work.call);
    }

    const Program& program_;
    std::map<std::string, std::int64_t> times_;
};

}  // namespace

TEST_CASE("random programs: paths agree with a naive walk back") {
    std::size_t seen = 0;
    for (unsigned seed = 0; seed < 800; ++seed) {
        INFO("seed ", seed);
        Dice dice(seed);
        const Program program = random_program(dice);
        if (has_two_at_once(program)) continue;
        ++seen;
        TraceFixture fixture = fixture_of(program);
        const Answer answer = path_of(fixture);
        CHECK(bound_of(answer) == WalkBack(program).text());
        check_spans(answer);
    }
    CHECK(seen > 600);
}

TEST_CASE("random traces: the path spans its window, and no gain exceeds the removed time") {
    std::size_t seen = 0, gained = 0;
    for (unsigned seed = 0; seed < 400; ++seed) {
        Dice dice(seed);
        const LaunchModel model = random_launch_model(dice);
        const RunPtr run = run_of({build_trace(model)});
        for (int i = 0; i < 4; ++i) {
            const std::string filter = random_choice(model, dice).text();
            INFO("seed ", seed, " filter", filter);
            const Answer answer = answer_of(*run, "critical-path", filter);
            check_spans(answer);
            if (answer.main().rows() == 0) continue;
            ++seen;
            CHECK(what_if(answer, "gain") == 0);
            CHECK(bound_of(answer) == bound_of(answer, "replayed"));
            const char* const part = dice.one_in(2) ? "compute" : dice.one_in(2) ? "memory" : "communication";
            const Answer half = answer_of(*run, "critical-path", filter, {{part, "50"}});
            CHECK(bound_of(half) == bound_of(answer));
            CHECK(what_if(half, "gain") >= 0);
            // The old path still exists, so the gain is at most half of the part on it.
            std::int64_t on_path = 0;
            for (std::size_t row = 0; row < answer.main().rows(); ++row)
                if (answer.main().text(row, 0) == part) on_path = answer.main().integer(row, 1);
            CHECK(what_if(half, "gain") <= on_path / 2);
            gained += what_if(half, "gain") > 0;
        }
    }
    CHECK(seen > 1000);
    CHECK(gained > 30);
}
