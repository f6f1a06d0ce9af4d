#pragma once
// Turns a chunk of trace events (Kineto's JSON, and Chrome's, of which it is a dialect) into a batch of rows.
// The whole chunk is parsed at once; where that is refused, its events are read one by one, mended where possible,
// and counted with their place where not. Every record is counted exactly once.
//
// Chunks are independent of each other: one parser per thread, any chunk on any of them.

#include "core/ingest/event_splitter.hpp"
#include "core/store/event_batch.hpp"

#include <memory>

namespace core {

class KinetoParser {
public:
    KinetoParser();
    ~KinetoParser();
    KinetoParser(KinetoParser&&) noexcept;
    KinetoParser& operator=(KinetoParser&&) noexcept;

    // Writes into the chunk's margins and separators; its events stay as they are.
    EventBatch parse_chunk(EventChunk& chunk);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace core
