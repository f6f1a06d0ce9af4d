#pragma once
// Records as the TraceBuilder holds them between append() and finish(): in file order, with ids of
// one pool, before sorting. Internal to core/store.

#include "core/base/jobs.hpp"
#include "core/base/pages.hpp"
#include "core/store/event_batch.hpp"

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace core {

inline constexpr std::uint32_t kNoRow = 0xFFFFFFFFu;

struct ThreadKey {  // one (pid, tid) of the file
    NameId pid;
    NameId tid;
    bool operator==(const ThreadKey&) const = default;
};

// Separate from the rest of an event: columns are built one after another, and each frees its staged source.
struct StagedTimes {
    PageVector<std::int64_t> start_ns;
    PageVector<std::int64_t> duration_ns;
    std::int64_t end_ns(std::size_t row) const { return start_ns[row] + duration_ns[row]; }
};

struct StagedEvent {
    NameId name;
    std::uint32_t order;
    std::uint16_t category;    // into Staged::categories
    std::uint8_t flags;
    Phase phase;
};

// Category and name of a flow: few kinds, many flows.
struct FlowKind {
    NameId category;
    NameId name;
    bool operator==(const FlowKind&) const = default;
};

struct StagedFlow {
    std::int64_t time_ns;
    std::uint64_t id;
    std::uint32_t kind;        // into Staged::flow_kinds
    std::uint32_t thread;      // into Staged::threads
    std::uint32_t order;
    FlowPhase phase;
    bool bind_enclosing;
};

// Values of one argument by row, in file order.
template <class Value>
struct StagedArgument {
    PageVector<std::uint32_t> rows;
    PageVector<Value> values;
};

// A paired begin; the arguments of the end's row move to it.
struct PairedEnd {
    std::uint32_t begin_row;
    std::uint32_t end_row;
};

// Tells the events of a thread apart where no category does.
enum class DeviceThread : std::uint8_t {
    None,    // of the CPU
    Work,    // of a GPU
    Repeat,  // names for the work of other threads of the device: "XLA Modules"
};

// A step that an argument or a row numbers instead of a name like ProfilerStep#N.
struct NumberedStep {
    std::uint32_t row;
    std::int64_t number;
};

struct Staged {
    StringPool pool;
    StagedTimes times;
    PageVector<StagedEvent> events;
    PageVector<std::uint32_t> thread_of_event; // into threads; until the tracks are laid out
    bool has_pairs = false;                    // some rows are begins or ends
    std::vector<ThreadKey> threads;
    std::vector<CategoryEntry> categories;
    std::vector<NameId> async_ids;             // of async events, by position in async_rows
    std::vector<std::uint32_t> async_rows;
    std::array<StagedArgument<std::int64_t>, kArgCount> integers;
    std::array<StagedArgument<NameId>, kArgCount> texts;
    std::vector<FlowKind> flow_kinds;
    PageVector<StagedFlow> flows;
    std::vector<CounterRow> counters;
    std::vector<MetadataRow> metadata;
    TextStoreBuilder text_store;
    RecordCounts records;
    Diagnostics diagnostics;
    std::vector<PairedEnd> pairs;              // filled by pair_events, by begin row
    std::optional<std::string> step_marks;     // see TraceBuilder::mark_steps
    std::vector<NumberedStep> numbered_steps;  // by row
    std::vector<DeviceThread> device_rows;        // by thread
    std::map<NameId, std::int32_t> devices;    // by pid, of processes that are named after a device
};

// True for every phase except ends.
inline bool becomes_event(Phase phase) { return phase != Phase::End && phase != Phase::AsyncEnd; }

// Sets the durations of begins. Ends, and rows that become no event, get phase End or AsyncEnd, which later
// steps skip. Unclosed begins end with the trace.
void pair_events(Staged&);

// Sets kGpuEvent, device_rows and devices (DEFINITIONS 1).
void mark_gpu_events(Staged&, const JobContext&);

// Leaves out events whose time was never written: those at `zero_ns` (a timestamp of 0) far from all others, those a
// month away from where most events are, and those that outlast all others by a day. Call after mark_gpu_events.
void drop_unrecorded_times(Staged&, std::int64_t zero_ns);

// Drops flow arrows that repeat launch correlations (often a third of a file) when every GPU event names its
// launch by correlation. Call after mark_gpu_events. Reads flows only, no names: `launches`, by kind of flow,
// is found beforehand.
std::vector<bool> find_launch_arrows(const Staged&);
void drop_launch_arrows(Staged&, const std::vector<bool>& launches, const JobContext&);

// Splits rows into pieces for threads.
void share_rows(const JobContext&, std::size_t rows, const std::function<void(std::size_t first, std::size_t last)>&);

// Frees the memory now rather than at the end.
template <class Vector>
void release(Vector& column) {
    Vector().swap(column);
}

}  // namespace core
