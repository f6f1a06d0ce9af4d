// Any bytes as a log of NCCL, as lines of its inspector, as a trace of a profiler plugin and as a training log.

#include "core/base/utf8.hpp"
#include "core/ingest/megatron/megatron_log.hpp"
#include "core/ingest/nccl/inspector_lines.hpp"
#include "core/ingest/nccl/nccl_log.hpp"
#include "core/ingest/nccl/profiler_lines.hpp"
#include "core/ingest/source/line_reader.hpp"
#include "tests/core/ingest/nccl/nccl_fixture.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/text_bytes.hpp"

namespace {

using namespace core;

void check_text(const std::string& text) {
    if (!is_utf8(text)) fuzz::fail("a text that is not UTF-8");
    if (text.size() > kMostNcclText + 32) fuzz::fail("a text without bound");
}

void read_with(NcclLines& lines, std::string_view text) {
    constexpr std::size_t kMostLine = 1'000;
    fuzz::TextBytes source(text, 13);
    LineReader reader(source, kMostLine);
    std::uint64_t before = 0;
    for (std::string_view line; *reader.next(line); ++before) {
        if (line.size() > kMostLine) fuzz::fail("a line that is too long");
        if (reader.number() != before + 1) fuzz::fail("a line without its number");
        lines.add(line, reader.number(), !reader.is_cut() && !reader.is_last_open());
    }
    lines.finish();
    for (const std::unique_ptr<NcclMember>& member : lines.members()) {
        check_text(member->host);
        for (const NcclCommunicator& one : member->facts.communicators) {
            check_text(one.name);
            check_text(one.bus);
        }
        for (const NcclCalls& calls : member->facts.calls) {
            check_text(calls.operation);
            check_text(calls.algorithm);
            check_text(calls.protocol);
            if (calls.bytes < -1 || calls.count == 0) fuzz::fail("calls without a number or of a negative size");
            if (calls.timed > 0 && calls.shortest_ns > calls.longest_ns) fuzz::fail("times out of order");
        }
        for (const NcclWarning& warning : member->facts.warnings) check_text(warning.text);
        member->stage.flush();
        const Result<RankTracePtr> trace = std::move(member->stage.builder()).finish({}, {}, JobContext{});
        if (!trace) fuzz::fail("no trace");
        for (std::uint32_t e = 0; e < (*trace)->size(); ++e)
            if (!(*trace)->event_text(EventId{e})) fuzz::fail("an event without its text");
    }
}

void read_as_training_log(std::string_view text) {
    begins_megatron_log(text);
    MegatronLines lines;
    fuzz::TextBytes source(text, 13);
    LineReader reader(source);
    for (std::string_view line; *reader.next(line);)
        lines.add(line, reader.number(), !reader.is_cut() && !reader.is_last_open());
    for (const LoggedIterations& logged : lines.log())
        if (logged.last < 0 || logged.duration_ns < 0 || logged.flops_per_s < -1 || logged.batch < -1)
            fuzz::fail("a line with a negative number");
    const RecordCounts counts = lines.release_counts().records;
    if (counts.total != lines.log().size() + counts.dropped) fuzz::fail("lines are lost");
}

}  // namespace

std::vector<std::string> fuzz::make_seeds() {
    using namespace core::testing;
    const NcclProcess process;
    return {
        start_line(process, {.state = "START"}) + process.prefix() + "24 coll channels, 0 nvls channels\n" +
            start_line(process, {}) + call_line(process, "AllReduce", 1024) + choice_line(process, "AllReduce", 4096),
        " [2026-08-17 10:00:00.123456] iteration      100/    5000 | consumed samples: 12800 | elapsed time per "
        "iteration "
        "(ms): 812.3 | throughput per GPU (TFLOP/s/GPU): 412.0 | global batch size: 128 | number of skipped "
        "iterations: 0 "
        "|\n",
        "[2026-01-02 03:04:05] node1:1:2 [0] a.cc:4 NCCL WARN \xFF broken\n",
        process.prefix() + "NCCL version 2.27.7\nnode1:100:100 [0] a.cc:4 NCCL WARN no network\n",
        inspector_line(1, 1'700'000'000'000'000) + inspector_line(2),
        std::string(kPluginTrace),
        R"({"recordType":"event","type":"ncclProfileColl","extCorrId":1,"commId":9,"rank":1,"start":{"ts":5.5,"pid":1,"tid":2},"stop":{"ts":7,"pid":1,"tid":2},"eventAddr":"0x1","details":{"func":"AllReduce","seq":0,"algo":"RING","proto":"LL","channels":2,"count":4,"dtype":"ncclFloat32","nranks":2}})"
        "\n"
        R"({"recordType":"state","eventAddr":"0x1","ts":6,"name":"x","id":23,"pid":1,"tid":2})"
        "\n"
        R"({"recordType":"cuptiActivity","type":"KERNEL","extCorrId":1,"deviceId":0,"start":{"ts":5},"stop":{"ts":6},"name":"_Z4ncclv","stream":"0x7"})"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = fuzz::as_text(data, size);
    begins_nccl_log(text);
    begins_nccl_inspector(text);
    begins_nccl_profiler(text);
    NcclLog log;
    read_with(log, text);
    InspectorLines inspector;
    read_with(inspector, text);
    ProfilerLines profiler;
    read_with(profiler, text);
    read_as_training_log(text);
    return 0;
}
