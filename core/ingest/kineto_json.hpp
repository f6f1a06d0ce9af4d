#pragma once
// Turns a chunk of trace events (Kineto's JSON, and Chrome's, of which it is a dialect) into a batch of rows.
// Events that look like ones before are read by their layout (event_layouts.hpp), the others are parsed; where many differ,
// the rest of the chunk is parsed at once. A chunk that is refused so is read again event by event: mended where
// possible, counted with their place where not. Every record is counted exactly once.
//
// Chunks are independent of each other: one parser per thread, any chunk on any of them.

#include "core/ingest/json/event_splitter.hpp"
#include "core/store/event_batch.hpp"

#include <memory>

namespace core {

enum class KnownLayouts { Use, Ignore };  // the batches are the same, byte for byte but for the packed texts

class KinetoParser {
public:
    explicit KinetoParser(KnownLayouts layouts = KnownLayouts::Use);
    ~KinetoParser();
    KinetoParser(KinetoParser&&) noexcept;
    KinetoParser& operator=(KinetoParser&&) noexcept;

    // Writes into the chunk's margins and separators; its events stay as they are. `spare` is a batch that is no longer
    // needed: its memory is used again.
    EventBatch parse_chunk(EventChunk& chunk, EventBatch&& spare = {});

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace core
