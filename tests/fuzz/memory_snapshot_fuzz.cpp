// Any bytes as a memory snapshot: parsed events have a place and a size.

#include "core/ingest/memory_snapshot/allocator_history.hpp"
#include "core/ingest/memory_snapshot/frame_texts.hpp"
#include "core/ingest/pickle/read_pickle.hpp"
#include "tests/core/ingest/memory_snapshot/snapshot_fixture.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/text_bytes.hpp"

using namespace core;

std::vector<std::string> fuzz::make_seeds() {
    core::testing::SnapshotFixture snapshot;
    snapshot.segment(0x1000, 8192).older(0x1000, 1000, "load").give_segment(0x8000, 4096, true);
    snapshot.alloc(0x8000, 700, "forward").free(0x8000).out_of_memory(5, 6).return_segment(0x8000);
    return {core::testing::pickled(snapshot.build()),
            core::testing::pickled({{"segments", nlohmann::json::array()}, {"device_traces", {1, 2}}})};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const PickleLimits limits{.most_values = 100'000, .most_text_bytes = 1'000'000, .most_marks = 64};
    fuzz::TextBytes source(fuzz::as_text(data, size), size);
    Result<ValueTree> tree = read_pickle(source, limits, JobContext{});
    if (!tree) return 0;
    const Result<AllocatorHistory> history = read_allocator_history(std::move(*tree));
    if (!history) {
        if (history.error().message.empty()) fuzz::fail("refused without a word");
        return 0;
    }
    FrameTexts frames(history->tree);
    for (const AllocatorEvent& event : history->events) {
        if (event.bytes < 0 || event.address < 0) fuzz::fail("an event with a negative place");
        if (frames.text_of(event.frames).size() > 8'000) fuzz::fail("a call stack without bound");
    }
    for (const AllocatorSegment& segment : history->segments)
        for (const AllocatorBlock& block : segment.blocks)
            if (block.bytes < 0 || block.requested.value_or(0) < 0) fuzz::fail("a block with a negative size");
    return 0;
}
