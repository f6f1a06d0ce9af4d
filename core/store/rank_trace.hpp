#pragma once
// One rank's trace after reading: immutable columns of events, readable from any thread. All spans
// point into one relocatable Blob. A RankTrace knows nothing of other ranks. Not here: kernel
// classes (rules of the Run), pyramids and trees (core/index).

#include "core/base/diagnostics.hpp"
#include "core/base/units.hpp"
#include "core/store/arguments.hpp"
#include "core/store/blob.hpp"
#include "core/store/logged_iterations.hpp"
#include "core/store/nccl_facts.hpp"
#include "core/store/rank_list.hpp"
#include "core/store/string_table.hpp"

#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace core {

enum class Category : std::uint8_t {
    Other,
    CpuOp,
    UserAnnotation,
    PythonFunction,
    Runtime,
    Driver,
    Overhead,
    CpuInstant,
    ProfilerTrace,
    Kernel,
    GpuMemcpy,
    GpuMemset,
    GpuUserAnnotation,
    CudaSync,
    ProfilerRange,
    GpuOther,
    Added,  // written by our own export: shown, not analysed
};
inline constexpr std::string_view kAddedCategory = "lockstep";
// Category of the file's category text: any letter case, current names and those of 2021 ("Kernel", "Runtime",
// …).
Category category_of(std::string_view text);
// kernel, memcpy, memset and their equivalents on other devices (DEFINITIONS 1).
bool is_gpu_category(Category);
// Runtime or Driver: calls that can launch GPU work.
bool is_launch_category(Category);

// Bits of the flags column.
inline constexpr std::uint8_t kGpuEvent = 1;        // a GPU event by DEFINITIONS 1
inline constexpr std::uint8_t kInstant = 2;         // a moment; duration 0
inline constexpr std::uint8_t kHasCollective = 4;   // carries collective arguments
inline constexpr std::uint8_t kFromPair = 8;        // a paired begin and end
inline constexpr std::uint8_t kUnclosed = 16;       // end missing, set to the end of the trace
inline constexpr std::uint8_t kAsync = 32;          // asynchronous begin/end
inline constexpr std::uint8_t kStepMark = 64;       // a ProfilerStep#N range that defines a step
inline constexpr std::uint8_t kCutInTree = 128;     // outlives its parent; call trees cut it there

enum class TrackKind : std::uint8_t { Thread, Stream, StreamAnnotations, StreamSync, Async, Instants };

struct Process {
    NameId pid;              // as written; numbers in their shortest form
    NameId name;
    NameId labels;
    Padding<4> unused{};
    std::int64_t sort_index;
    std::int32_t device;     // the GPU it stands for, or -1
    std::uint32_t first_track;  // tracks of a process are consecutive
    std::uint32_t track_count;
    Padding<4> unused_too{};
};

struct Track {
    std::uint32_t process;
    TrackKind kind;
    Padding<3> unused{};
    NameId tid;              // as written
    NameId name;             // thread_name, or a name made from kind and tid
    std::int64_t stream;     // for Stream*: the stream number; else -1
    std::int64_t sort_index;
    std::uint32_t first_lane;  // lanes of a track are consecutive, row 0 first
    std::uint32_t lane_count;
};

struct Lane {
    std::uint32_t track;
    std::uint32_t row;
    EventId first;  // half-open
    EventId last;
};

struct Step {
    std::int64_t number;
    RankRange range;
    EventId event;
    Padding<4> unused{};
};

struct CounterTrack {
    std::uint32_t process;
    NameId name;
    NameId series;        // a counter event may carry several values
    Padding<4> unused{};
    std::uint64_t first;  // into counter_times / counter_values
    std::uint64_t last;
};

struct Flow {             // an arrow between two events; the event ids are always valid
    EventId from;
    EventId to;
    NameId name;
    std::uint16_t category;  // into categories
    Padding<2> unused{};
};

struct CategoryEntry {
    NameId text;
    Category kind;
    Padding<3> unused{};
};

struct ProcessGroup {     // one entry of distributedInfo.pg_config
    std::string name;
    std::string description;
    std::string backend;
    std::int64_t size = 0;
    RankList ranks;
};

struct Device {
    std::int64_t id = 0;
    std::string name;
    std::int64_t memory_bytes = 0;
};

enum class RankSource : std::uint8_t { DistributedInfo, FileName, FolderName, Order };

// Every record of the file counts once: total is the sum of the other counts.
struct RecordCounts {
    std::uint64_t total = 0;
    std::uint64_t complete = 0;   // ph X
    std::uint64_t paired = 0;     // ph B, E, async b, e: records, not pairs
    std::uint64_t instants = 0;
    std::uint64_t counters = 0;   // records, not values
    std::uint64_t flows = 0;
    std::uint64_t metadata = 0;
    std::uint64_t dropped = 0;    // each one has a diagnostic
    bool operator==(const RecordCounts&) const = default;
};

struct RankInfo {
    std::filesystem::path path;
    std::filesystem::path
        summarised;    // of a rank of a run summary: the trace it was made of, where that was; else empty
    std::optional<int> rank;             // as stated by the file; the Run decides guesses
    std::optional<int> world_size;
    std::string backend;
    std::string host;
    std::string trace_name;
    std::vector<ProcessGroup> groups;
    std::vector<Device> devices;
    std::map<std::string, std::string> environment;  // driver, runtime, torch, NCCL versions, …: key → JSON text
    std::string step_marks;              // what marks steps instead of ProfilerStep#N: "step #"; else empty
    std::string metadata_json;           // the file without its events, at most 4 MiB
    NcclFacts nccl;                      // of a source of NCCL; else empty
    TrainingLog training;                // of a training program's log; else empty
    std::int64_t base_time_ns = 0;       // baseTimeNanoseconds, already added to every time
    std::uint64_t file_bytes = 0;        // on disk
    std::uint64_t json_bytes = 0;        // uncompressed
    RecordCounts records;
};
// From a log or a plugin of NCCL, or a training program's log: it may have no events.
inline bool is_log(const RankInfo& info) { return is_nccl_source(info.trace_name) || is_training_log(info.trace_name); }

// Events are stored lane by lane. A lane is one row of one track: its events do not overlap and are sorted by start
// (and so by end). A track is a CPU thread, a GPU stream, …; its row 0 has the outermost events. Times are on the
// rank's own clock, exact to the nanosecond; names are ids of the rank's own table.
class RankTrace {
public:
    // --- every event, dense; index with EventId
    std::span<const RankTime> start;
    std::span<const Duration> duration;
    std::span<const NameId> name;
    std::span<const std::uint16_t> category;     // into categories
    std::span<const std::uint8_t> flags;
    std::span<const EventId> parent;             // call tree; of a GPU event: its launch call; kNoEvent at roots
    std::span<const std::uint32_t> order;        // position among the file's records

    // --- structure
    std::span<const Process> processes;          // GPUs after CPUs; by sort index, then pid
    std::span<const Track> tracks;
    std::span<const Lane> lanes;
    std::span<const CategoryEntry> categories;
    std::span<const Step> steps;                 // by start
    std::span<const EventId> gpu_events;         // all GPU events of all streams, by (start, longer first, order)
    std::span<const Flow> flows;                 // by from
    std::span<const CounterTrack> counters;
    std::span<const RankTime> counter_times;
    std::span<const double> counter_values;

    // --- launch links, sorted by call: launch_calls[k] owns launch_gpu[launch_first[k] .. launch_first[k+1])
    std::span<const EventId> launch_calls;
    std::span<const std::uint32_t> launch_first;  // one longer than launch_calls
    std::span<const EventId> launch_gpu;          // by start

    StringTable names;
    RankRange window{};                           // first start to last end of all events; empty if none
    RankInfo info;
    Diagnostics diagnostics;

    std::size_t size() const { return start.size(); }
    RankTime end(EventId e) const { return start[index_of(e)] + duration[index_of(e)]; }
    RankRange range(EventId e) const { return {start[index_of(e)], end(e)}; }
    std::string_view text(NameId id) const { return names.text(id); }
    std::string_view name_text(EventId e) const { return names.text(name[index_of(e)]); }
    Category category_kind(EventId e) const { return categories[category[index_of(e)]].kind; }
    std::string_view category_text(EventId e) const { return names.text(categories[category[index_of(e)]].text); }
    bool has(EventId e, std::uint8_t flag) const { return (flags[index_of(e)] & flag) != 0; }

    std::size_t find_lane(EventId e) const;       // index into lanes, O(log lanes)
    const Track& track_of(EventId e) const { return tracks[lanes[find_lane(e)].track]; }
    std::span<const EventId> launched_by(EventId call) const;  // GPU events of a launch call, by start
    // The step that contains t (the latest-started one), or nullptr.
    const Step* find_step(RankTime t) const;
    // DEFINITIONS 1: a GPU event is in the step of its launch, a CPU event in the step that contains its start, and so
    // is a GPU event whose launch is not here; but in none if it precedes all of its stream whose launches are.
    const Step* step_of(EventId e) const;
    // True of a GPU event without its launch that precedes every event of its stream whose launch is here.
    bool was_launched_before(EventId e) const;

    SparseColumn<std::int64_t> integers(Arg arg) const;  // empty if no event has it
    SparseColumn<NameId> texts(Arg arg) const;
    std::optional<std::int64_t> integer(Arg arg, EventId e) const;
    std::optional<std::string_view> argument(Arg arg, EventId e) const;  // text arguments
    Result<EventText> event_text(EventId e) const;  // unpacks one block: not for loops
    // The same for loops in file order, or nearly so.
    RecentTexts recent_texts() const { return {text_blocks_, text_packed_}; }
    Result<EventText> event_text(EventId e, RecentTexts& recent) const;

    // Bytes of the blob, for the memory figures.
    std::size_t resident_bytes() const { return blob_.size_bytes(); }
    const Blob& blob() const { return blob_; }

    // Takes the columns out of a blob written by TraceBuilder.
    RankTrace(Blob blob, RankInfo info, Diagnostics diagnostics);

private:
    template <class Find>
    Result<EventText> find_text(EventId e, const Find& find) const;

    Blob blob_;
    std::vector<RankTime> steps_end_by_;  // latest end among the steps up to each
    std::span<const TextBlock> text_blocks_;
    std::span<const std::uint8_t> text_packed_;
    std::span<const RankTime> first_linked_;  // by track
};

using RankTracePtr = std::shared_ptr<const RankTrace>;

}  // namespace core
