#pragma once
// Records as the TraceBuilder holds them between append() and finish(): in file order, with ids of one
// pool, before sorting. Internal to core/store.

#include "core/store/event_batch.hpp"

#include <array>
#include <unordered_map>
#include <vector>

namespace core {

inline constexpr std::uint32_t kNoRow = 0xFFFFFFFFu;

struct ThreadKey {  // one (pid, tid) of the file
    NameId pid;
    NameId tid;
    bool operator==(const ThreadKey&) const = default;
};

struct StagedEvent {
    std::int64_t start_ns;
    std::int64_t duration_ns;
    NameId name;
    std::uint32_t thread;      // into Staged::threads
    std::uint32_t order;
    std::uint16_t category;    // into Staged::categories
    std::uint8_t flags;
    Phase phase;
    std::int64_t end_ns() const { return start_ns + duration_ns; }
};

// A begin that found its end: the end's row hands its arguments over.
struct PairedEnd {
    std::uint32_t begin_row;
    std::uint32_t end_row;
};

struct Staged {
    StringPool pool;
    std::vector<StagedEvent> events;
    std::vector<ThreadKey> threads;
    std::vector<CategoryEntry> categories;
    std::vector<NameId> async_ids;             // of async events, by position in async_rows
    std::vector<std::uint32_t> async_rows;
    std::array<std::vector<ArgInteger>, kArgCount> integers;
    std::array<std::vector<ArgName>, kArgCount> texts;
    std::vector<FlowRow> flows;
    std::vector<std::uint32_t> flow_threads;   // parallel to flows
    std::vector<CounterRow> counters;
    std::vector<MetadataRow> metadata;
    TextStoreBuilder text_store;
    RecordCounts records;
    Diagnostics diagnostics;
    std::vector<PairedEnd> pairs;              // filled by pair_events, by begin row
    std::vector<bool> device_threads;          // by thread: its rows are device rows although they carry no category
};

// Gives begins their durations. Ends, and whatever does not become an event, get phase End / AsyncEnd and
// are skipped by everything after. Unclosed begins end with the trace.
void pair_events(Staged&);

// Sets kGpuEvent and device_threads (DEFINITIONS 1).
void mark_gpu_events(Staged&);

}  // namespace core
