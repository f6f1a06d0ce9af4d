#pragma once
// The records of one piece of a file, in file order, with their own string pool. Several threads
// can read pieces; the TraceBuilder takes them in order. Readers only turn phases into rows; the
// builder pairs, sorts and links.

#include "core/base/diagnostics.hpp"
#include "core/store/arguments.hpp"
#include "core/store/rank_trace.hpp"

#include <array>
#include <vector>

namespace core {

enum class Phase : std::uint8_t {
    Complete,     // X
    Begin,
    End,   // B, E: paired per (pid, tid) as a stack
    AsyncBegin,
    AsyncEnd,  // b, e, S, F: paired by (category, id, name)
    Instant,      // i, I, R, n, T, p, P
};
enum class FlowPhase : std::uint8_t { Start, Step, End };

struct EventRow {
    std::int64_t start_ns;      // without baseTimeNanoseconds
    std::int64_t duration_ns;   // Complete only
    NameId name;                // batch pool id
    NameId category;
    NameId pid;                 // numbers in their shortest decimal form
    NameId tid;
    NameId id;                  // asynchronous events only; else empty
    std::uint32_t order;        // record number, counted from the batch's first record
    Phase phase;
    bool has_collective;
};

struct ArgInteger {
    std::uint32_t row;
    std::int64_t value;
};
struct ArgName {
    std::uint32_t row;
    NameId value;
};

struct FlowRow {
    std::int64_t time_ns;
    NameId category, name, pid, tid;
    std::uint64_t id;           // number, or hash_text() of a text
    FlowPhase phase;
    bool bind_enclosing;        // "bp": "e"; otherwise an End binds to the next event that starts
    std::uint32_t order;
};

struct CounterRow {
    std::int64_t time_ns;
    NameId pid, name, series;
    double value;
};

enum class MetadataKind : std::uint8_t { ProcessName, ProcessLabels, ProcessSortIndex, ThreadName, ThreadSortIndex };
struct MetadataRow {
    MetadataKind kind;
    NameId pid, tid, text;
    std::int64_t number;        // sort index
};

struct EventBatch {
    StringPool pool;
    std::vector<EventRow> events;
    std::array<std::vector<ArgInteger>, kArgCount> integers;   // sorted by row
    std::array<std::vector<ArgName>, kArgCount> texts;
    std::vector<FlowRow> flows;
    std::vector<CounterRow> counters;
    std::vector<MetadataRow> metadata;
    TextStoreBuilder text_store;                   // orders as in EventRow
    RecordCounts records;                          // records.total: number of orders in this batch
    Diagnostics diagnostics;
};

}  // namespace core
