#pragma once
// Converts a chunk of trace events (Kineto's JSON, a dialect of Chrome's) to a batch of rows.
// Events of a known layout are read by it (event_layouts.hpp), others are parsed; if many differ,
// the rest of the chunk is parsed at once. A refused chunk is read again event by event: repaired
// where possible, else counted with their place. Every record counts exactly once.
//
// Chunks are independent: one parser per thread, any chunk on any of them.

#include "core/ingest/json/event_splitter.hpp"
#include "core/store/event_batch.hpp"

#include <memory>

namespace core {

enum class KnownLayouts { Use, Ignore };  // equal batches, byte for byte except packed texts

class KinetoParser {
public:
    explicit KinetoParser(KnownLayouts layouts = KnownLayouts::Use);
    ~KinetoParser();
    KinetoParser(KinetoParser&&) noexcept;
    KinetoParser& operator=(KinetoParser&&) noexcept;

    // Overwrites the chunk's margins and separators, not its events. Reuses the memory of `spare`.
    EventBatch parse_chunk(EventChunk& chunk, EventBatch&& spare = {});

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace core
