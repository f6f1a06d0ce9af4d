// Feeds arbitrary bytes to the splitter and the parser, and their output to the builder.

#include "core/ingest/json/event_splitter.hpp"
#include "core/ingest/kineto/kineto_json.hpp"
#include "core/ingest/kineto/kineto_metadata.hpp"
#include "core/store/assemble/trace_builder.hpp"
#include "tests/core/ingest/load/small_trace.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/text_bytes.hpp"

namespace {

void check_counts(const core::RecordCounts& n) {
    if (n.total != n.complete + n.paired + n.instants + n.counters + n.flows + n.metadata + n.dropped)
        fuzz::fail("records are counted twice or not at all");
}

void build(core::TraceBuilder& builder, core::RankInfo info) {
    const core::Result<core::RankTracePtr> trace = std::move(builder).finish(std::move(info), {}, {});
    if (!trace) return;
    check_counts((*trace)->info.records);
    for (std::uint32_t e = 0; e < (*trace)->size(); ++e)
        if (!(*trace)->event_text(core::EventId{e})) fuzz::fail("an event's own text is gone");
}

}  // namespace

std::vector<std::string> fuzz::make_seeds() { return {core::testing::small_kineto_trace()}; }

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::TextBytes source(fuzz::as_text(data, size), size);
    core::SplitterLimits limits;
    limits.chunk_bytes = 256;
    limits.event_bytes = 4096;
    core::EventSplitter splitter(source, limits);
    core::KinetoParser parser;
    core::TraceBuilder builder;
    core::EventChunk chunk;
    for (core::Result<bool> more = splitter.next(chunk); more && *more; more = splitter.next(chunk)) {
        core::EventBatch batch = parser.parse_chunk(chunk);
        check_counts(batch.records);
        builder.append(std::move(batch));
    }
    core::RankInfo info;
    core::Diagnostics diagnostics;
    core::read_kineto_metadata(splitter.metadata(), info, diagnostics);
    build(builder, std::move(info));
    return 0;
}
