#include "core/ingest/nccl/profiler_lines.hpp"

#include "tests/core/ingest/load/malformed_fixture.hpp"
#include "tests/core/ingest/nccl/nccl_fixture.hpp"
#include "tests/corpus.hpp"

#include <doctest/doctest.h>

#include <map>

using namespace core;
using namespace core::testing;

namespace {

std::map<std::string, int> count_names(const RankTrace& trace) {
    std::map<std::string, int> counts;
    for (std::uint32_t i = 0; i < trace.size(); ++i)
        ++counts[std::string(trace.category_text(EventId{i})) + " " + std::string(trace.name_text(EventId{i}))];
    return counts;
}

}  // namespace

TEST_CASE("the example plugin's list is read in spite of bare words, times never set and its end") {
    const Result<RankTracePtr> loaded = load_text(kPluginTrace, "nccl-node1-200.txt");
    REQUIRE_MESSAGE(loaded.has_value(), (loaded ? "" : loaded.error().message));
    const RankTrace& trace = **loaded;
    CHECK(trace.info.trace_name == kNcclProfiler);
    CHECK(count_names(trace) ==
          std::map<std::string, int>{{"GROUP_API Group API", 1}, {"COLL_API AllReduce API", 1}, {"COLL AllReduce", 1}});
    CHECK(trace.diagnostics.count("nccl-left-out") == 2);
    CHECK(trace.info.records.total == 8);
    CHECK(trace.info.records.dropped == 2);
    for (std::uint32_t i = 0; i < trace.size(); ++i) {
        if (trace.category_text(EventId{i}) != "COLL") continue;
        CHECK(ns_of(trace.start[i]) == 15'250);
        CHECK(trace.duration[i].count() == 100'000);
        CHECK(trace.integer(Arg::Seq, EventId{i}) == 4);
        CHECK(trace.integer(Arg::Bytes, EventId{i}) == 4096);
        const Result<EventText> text = trace.event_text(EventId{i});
        REQUIRE(text.has_value());
        CHECK(text->arguments.find(R"("Algorithm": "RING")") != std::string::npos);
        CHECK(text->arguments.find(R"("Datatype": "ncclFloat32")") != std::string::npos);
    }
    REQUIRE(trace.info.nccl.calls.size() == 1);
    const NcclCalls& calls = trace.info.nccl.calls[0];
    CHECK(calls.communicator == 12673864846479792718ULL);
    CHECK(calls.algorithm == "RING");
    CHECK(calls.protocol == "LL");
    CHECK(calls.bytes == 4096);
    CHECK(calls.last_channel == 1);
}

TEST_CASE("the plugin trace of the corpus is four ranks with their kernels") {
    if (!corpus_is_here()) return;
    LoadProgress progress;
    const Result<RunPtr> run =
        load_run(std::vector{corpus_folder() / "pha-Z_nccl/profiler_plugin_allreduce"}, {}, progress, JobContext{});
    REQUIRE_MESSAGE(run.has_value(), (run ? "" : run.error().message));
    REQUIRE((*run)->ranks().size() == 4);
    std::uint64_t records = 0;
    for (const RankSlot& rank : (*run)->ranks()) {
        const RankTrace& trace = rank.trace();
        records += trace.info.records.total;
        std::map<std::string, int> counts = count_names(trace);
        CHECK(counts["kernel ncclDevKernel_AllReduce_Sum_f32_RING_LL"] == 1);
        CHECK(counts["nccl_profiler Coll AllReduce"] == 1);
        CHECK(counts["nccl_profiler KernelCh"] == 24);
        CHECK(counts["nccl_profiler_state KernelChStop"] == 24);
        CHECK(trace.info.nccl.communicators.size() == 1);
        CHECK(trace.info.nccl.communicators[0].id == 8612235153520363772ULL);
        CHECK(trace.info.nccl.communicators[0].rank == rank.key.number);
        REQUIRE(trace.info.nccl.calls.size() == 1);
        CHECK(trace.info.nccl.calls[0].algorithm == "RING");
        CHECK(trace.info.nccl.calls[0].protocol == "SIMPLE");
        CHECK(trace.info.nccl.calls[0].bytes == 134'217'728);
        CHECK(trace.gpu_events.size() == 1);
        CHECK(trace.diagnostics.count("event-malformed") == 0);
    }
    CHECK(records == 287);
}
