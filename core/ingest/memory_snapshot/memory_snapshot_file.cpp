#include "core/ingest/memory_snapshot/memory_snapshot_file.hpp"

#include "core/ingest/memory_snapshot/allocator_history.hpp"
#include "core/ingest/memory_snapshot/frame_texts.hpp"
#include "core/ingest/pickle/read_pickle.hpp"
#include "core/ingest/source/sequential_reader.hpp"
#include "core/store/assemble/trace_builder.hpp"
#include "core/store/memory_names.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace core {
namespace {

constexpr std::int64_t kGpuDevice = 1;       // Device Type of [memory] events
constexpr std::int64_t kOrderStepNs = 1000;  // stands for the time between events that have none
constexpr std::size_t kEventsOfSnapshotBatch = std::size_t{1} << 16;

std::string_view name_of_action(AllocatorAction action) {
    switch (action) {
        case AllocatorAction::Alloc:
        case AllocatorAction::FreeCompleted:
            return kMemoryEvent;
        case AllocatorAction::FreeRequested:
            return "free_requested";
        case AllocatorAction::SegmentAlloc:
            return kSegmentAlloc;
        case AllocatorAction::SegmentFree:
            return kSegmentFree;
        case AllocatorAction::SegmentMap:
            return kSegmentMap;
        case AllocatorAction::SegmentUnmap:
            return kSegmentUnmap;
        case AllocatorAction::OutOfMemory:
            return kOutOfMemory;
        case AllocatorAction::Snapshot:
            return "snapshot";
    }
    return {};
}

std::string_view category_of_block(BlockState state) {
    switch (state) {
        case BlockState::InUse:
            return kBlockInUse;
        case BlockState::PendingFree:
            return kBlockPending;
        case BlockState::Free:
            return kBlockFree;
    }
    return {};
}

// "large segment, expandable, private pool 0.1".
std::string category_of_segment(const AllocatorSegment& segment) {
    std::string category(segment.is_small ? kSmallSegment : kLargeSegment);
    if (segment.is_expandable) category += kExpandableSegment;
    if (!segment.private_pool.empty()) category.append(kPrivatePool).append(segment.private_pool);
    return category;
}

// Change of an action, in bytes.
struct MemoryChange {
    std::int64_t allocated = 0;
    std::int64_t reserved = 0;
};

MemoryChange change_of(const AllocatorEvent& event) {
    switch (event.action) {
        case AllocatorAction::Alloc:
            return {event.bytes, 0};
        case AllocatorAction::FreeCompleted:
            return {-event.bytes, 0};
        case AllocatorAction::SegmentAlloc:
        case AllocatorAction::SegmentMap:
            return {0, event.bytes};
        case AllocatorAction::SegmentFree:
        case AllocatorAction::SegmentUnmap:
            return {0, -event.bytes};
        default:
            return {};
    }
}

std::int64_t wrapping_sum(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

// The totals of a device while its events pass.
class DeviceTotals {
public:
    void begin_from_end(const AllocatorSegment& segment) {
        now_.reserved = wrapping_sum(now_.reserved, segment.bytes);
        for (const AllocatorBlock& block : segment.blocks)
            now_.allocated = wrapping_sum(now_.allocated, block.requested.value_or(block.bytes));
    }
    void undo(const AllocatorEvent& event) {
        const MemoryChange change = change_of(event);
        now_.allocated = wrapping_sum(now_.allocated, -change.allocated);
        now_.reserved = wrapping_sum(now_.reserved, -change.reserved);
    }
    void apply(const AllocatorEvent& event) {
        const MemoryChange change = change_of(event);
        now_.allocated = wrapping_sum(now_.allocated, change.allocated);
        now_.reserved = wrapping_sum(now_.reserved, change.reserved);
    }
    // A history that took away more than there was doesn't fit the blocks at the end: its totals say nothing.
    bool fits() const { return now_.allocated >= 0 && now_.reserved >= 0; }
    std::int64_t allocated() const { return now_.allocated; }
    std::int64_t reserved() const { return now_.reserved; }

private:
    MemoryChange now_;
};

// Private pools by address, from the segments in the snapshot; those that were returned before are unknown.
class PrivatePools {
public:
    explicit PrivatePools(const AllocatorHistory& history) {
        for (const AllocatorSegment& segment : history.segments)
            if (!segment.private_pool.empty())
                ends_[{segment.device, segment.address}] = {segment.address + segment.bytes, segment.private_pool};
    }
    // Empty: none that is known.
    std::string_view find(std::int64_t device, std::int64_t address) const {
        auto after = ends_.upper_bound({device, address});
        if (after == ends_.begin()) return {};
        --after;
        return after->first.first == device && address < after->second.end ? std::string_view(after->second.pool)
                                                                           : std::string_view();
    }

private:
    struct End {
        std::int64_t end = 0;
        std::string pool;
    };
    std::map<std::pair<std::int64_t, std::int64_t>, End> ends_;
};

// Turns a history into rows: a process per device, with a track of what happened and one of what lies there at the end.
class SnapshotRows {
public:
    SnapshotRows(const AllocatorHistory& history, TraceBuilder& builder, LoadProgress& progress)
        : history_(history), builder_(builder), progress_(progress), frames_(history.tree), pools_(history) {
        for (const AllocatorSegment& segment : history.segments) {
            totals_[segment.device].begin_from_end(segment);
            if (!segment.private_pool.empty())
                of_pools_[{segment.device, segment.private_pool}].begin_from_end(segment);
        }
        for (const AllocatorEvent& event : history.events) {
            totals_[event.device].undo(event);
            if (DeviceTotals* const pool = find_pool(event)) pool->undo(event);
            has_times_ |= event.time_ns.has_value();
        }
        for (const auto& [device, totals] : totals_) fits_[device] = totals.fits();
        std::erase_if(of_pools_, [](const auto& entry) { return !entry.second.fits(); });
    }

    bool has_times() const { return has_times_ || history_.events.empty(); }
    bool all_fit() const {
        return std::ranges::all_of(fits_, [](const auto& entry) { return entry.second; });
    }

    void build(const JobContext& context) {
        for (const auto& [device, totals] : totals_) name_device(device);
        for (const AllocatorEvent& event : history_.events) {
            add(event);
            if (batch_.events.size() < kEventsOfSnapshotBatch) continue;
            if (context.checkpoint()) return;
            close_batch();
        }
        for (const AllocatorSegment& segment : history_.segments) add(segment);
        for (const AllocatorRange& range : history_.ranges) add(range);
        batch_.records.total += history_.dropped;
        batch_.records.dropped += history_.dropped;
        close_batch();
    }

private:
    enum class MemoryTrack : std::uint8_t { Changes = 1, End = 2, Annotations = 3 };

    void close_batch() {
        progress_.events += batch_.records.total;
        builder_.append(std::exchange(batch_, {}));
    }

    NameId process_of(std::int64_t device) { return batch_.pool.intern(std::to_string(device)); }
    NameId thread_of(MemoryTrack track) { return batch_.pool.intern(std::to_string(static_cast<int>(track))); }

    void name_device(std::int64_t device) {
        const auto name = [&](MetadataKind kind, NameId thread, std::string_view text) {
            batch_.metadata.push_back({.kind = kind,
                                       .pid = process_of(device),
                                       .tid = thread,
                                       .text = batch_.pool.intern(text),
                                       .number = 0});
        };
        name(MetadataKind::ProcessName, NameId{0}, "memory of GPU " + std::to_string(device));
        name(MetadataKind::ThreadName, thread_of(MemoryTrack::Changes), "allocator");
        name(MetadataKind::ThreadName, thread_of(MemoryTrack::End), "segments and blocks at the end");
    }

    // The clock of a device's events never goes back.
    std::int64_t time_of(const AllocatorEvent& event) {
        std::int64_t& last = last_time_[event.device];
        if (!has_times_)
            last += kOrderStepNs;
        else
            last = std::max(last, event.time_ns.value_or(last));
        latest_ = std::max(latest_, last);
        return last;
    }

    std::uint32_t add_instant(std::int64_t time_ns, std::string_view name, std::string_view category,
                              std::int64_t device, MemoryTrack track) {
        const auto row = static_cast<std::uint32_t>(batch_.events.size());
        const auto order = static_cast<std::uint32_t>(batch_.records.total++);
        ++batch_.records.instants;
        batch_.events.push_back({.start_ns = time_ns,
                                 .duration_ns = 0,
                                 .name = batch_.pool.intern(name),
                                 .category = batch_.pool.intern(category),
                                 .pid = process_of(device),
                                 .tid = thread_of(track),
                                 .id = NameId{0},
                                 .order = order,
                                 .phase = Phase::Instant,
                                 .has_collective = false});
        arguments_.clear();
        put("Device Type", Arg::DeviceType, row, kGpuDevice);
        put("Device Id", Arg::Device, row, device);
        return row;
    }

    // An argument of the event under construction, as a value and for its text.
    void put(std::string_view key, Arg arg, std::uint32_t row, std::int64_t value) {
        batch_.integers[static_cast<std::size_t>(arg)].push_back({row, value});
        say(key, std::to_string(value));
    }
    void put_stack(std::uint32_t row, ValueId frames) {
        const std::string_view stack = frames_.text_of(frames);
        if (stack.empty()) return;
        batch_.texts[static_cast<std::size_t>(Arg::CallStack)].push_back({row, batch_.pool.intern(stack)});
        say("Call stack", to_json(stack));
    }
    void say(std::string_view key, std::string_view json) {
        arguments_.append(arguments_.empty() ? "{\"" : ", \"").append(key).append("\": ").append(json);
    }
    void finish_instant() {
        batch_.text_store.add(static_cast<std::uint32_t>(batch_.records.total - 1), 0, arguments_ + "}", {});
    }

    void add(const AllocatorEvent& event) {
        DeviceTotals& totals = totals_[event.device];
        totals.apply(event);
        const bool fits = fits_[event.device];
        const std::int64_t time = time_of(event);
        const std::uint32_t row =
            add_instant(time, name_of_action(event.action), "allocator", event.device, MemoryTrack::Changes);
        const bool is_free = event.action == AllocatorAction::FreeCompleted;
        if (event.action != AllocatorAction::OutOfMemory) put("Addr", Arg::Addr, row, event.address);
        put("Bytes", Arg::Bytes, row, is_free ? -event.bytes : event.bytes);
        if (fits) {
            put("Total Allocated", Arg::TotalAllocated, row, totals.allocated());
            put("Total Reserved", Arg::TotalReserved, row, totals.reserved());
            add_counters(event, time, totals, memory_of(event.device) + " (bytes)");
        }
        if (DeviceTotals* const pool = find_pool(event)) {
            pool->apply(event);
            if (fits)
                add_counters(event, time, *pool,
                             memory_of(event.device) + std::string(kPrivatePool) +
                                 std::string(pools_.find(event.device, event.address)) + " (bytes)");
        }
        if (event.device_free) say(kDeviceFree, std::to_string(*event.device_free));
        say("allocator stream", std::to_string(event.stream));
        put_stack(row, event.frames);
        finish_instant();
    }

    static std::string memory_of(std::int64_t device) { return "GPU " + std::to_string(device) + " memory"; }
    // Null: the event is of no private pool that is known.
    DeviceTotals* find_pool(const AllocatorEvent& event) {
        const std::string_view pool = pools_.find(event.device, event.address);
        if (pool.empty()) return nullptr;
        const auto found = of_pools_.find({event.device, std::string(pool)});
        return found == of_pools_.end() ? nullptr : &found->second;
    }

    void add_counters(const AllocatorEvent& event, std::int64_t time, const DeviceTotals& totals,
                      const std::string& name) {
        const MemoryChange change = change_of(event);
        const auto add = [&](std::string_view series, std::int64_t value) {
            batch_.counters.push_back({time, process_of(event.device), batch_.pool.intern(name),
                                       batch_.pool.intern(series), static_cast<double>(value)});
        };
        if (change.allocated != 0) add("allocated", totals.allocated());
        if (change.reserved != 0) add("reserved", totals.reserved());
    }

    void add(const AllocatorSegment& segment) {
        const std::uint32_t row =
            add_instant(latest_, kSegmentAtEnd, category_of_segment(segment), segment.device, MemoryTrack::End);
        put("Addr", Arg::Addr, row, segment.address);
        put("Bytes", Arg::Bytes, row, segment.bytes);
        put("allocator stream", Arg::Stream, row, segment.stream);
        finish_instant();
        for (const AllocatorBlock& block : segment.blocks) add(block, segment.device);
    }

    void add(const AllocatorBlock& block, std::int64_t device) {
        const std::uint32_t row =
            add_instant(latest_, kBlockAtEnd, category_of_block(block.state), device, MemoryTrack::End);
        put("Addr", Arg::Addr, row, block.address);
        put("Bytes", Arg::Bytes, row, block.bytes);
        // Bytes asked for: the block is this and what the allocator rounded up.
        if (block.requested) put("Total Allocated", Arg::TotalAllocated, row, *block.requested);
        if (block.state != BlockState::Free) put_stack(row, block.frames);
        finish_instant();
    }

    void add(const AllocatorRange& range) {
        EventRow row{.start_ns = range.begin_ns,
                     .duration_ns = 0,
                     .name = batch_.pool.intern(range.name),
                     .category = batch_.pool.intern("user_annotation"),
                     .pid = process_of(0),
                     .tid = thread_of(MemoryTrack::Annotations),
                     .id = batch_.pool.intern(std::to_string(ranges_++)),
                     .order = static_cast<std::uint32_t>(batch_.records.total),
                     .phase = Phase::AsyncBegin,
                     .has_collective = false};
        batch_.events.push_back(row);
        batch_.text_store.add(row.order, 0, "{}", {});
        row.start_ns = range.end_ns;
        row.phase = Phase::AsyncEnd;
        ++row.order;
        batch_.events.push_back(row);
        batch_.records.total += 2;
        batch_.records.paired += 2;
    }

    const AllocatorHistory& history_;
    TraceBuilder& builder_;
    LoadProgress& progress_;
    FrameTexts frames_;
    std::map<std::int64_t, DeviceTotals> totals_;
    std::map<std::int64_t, bool> fits_;
    PrivatePools pools_;
    std::map<std::pair<std::int64_t, std::string>, DeviceTotals> of_pools_;  // private ones
    std::map<std::int64_t, std::int64_t> last_time_;
    std::int64_t latest_ = 0;
    std::uint64_t ranges_ = 0;
    bool has_times_ = false;
    std::string arguments_;
    EventBatch batch_;
};

class MemorySnapshotFile final : public SequentialReader {
public:
    using SequentialReader::SequentialReader;

private:
    Result<bool> read_all(const JobContext& context) override {
        Result<ValueTree> tree = read_pickle(source(), {}, context);
        progress().bytes_done += source().consumed();
        if (!tree) return std::move(tree).error();
        Result<AllocatorHistory> history = read_allocator_history(std::move(*tree));
        if (!history) return std::move(history).error();
        diagnostics() = history->diagnostics;
        describe_history(*history);
        SnapshotRows rows(*history, builder(), progress());
        if (!rows.has_times())
            diagnostics().add("snapshot-without-times", "no event has a time_us", history->events.size());
        if (!rows.all_fit())
            diagnostics().add("snapshot-differs", "more was freed than the segments and blocks at the end allow");
        rows.build(context);
        return true;
    }

    RankInfo describe() override { return std::move(info_); }

    void describe_history(const AllocatorHistory& history) {
        info_.file_bytes = source().consumed();
        info_.json_bytes = info_.file_bytes;
        info_.trace_name = kMemorySnapshotTrace;
        info_.metadata_json =
            history.settings ? "{\"allocator_settings\": " + to_json(history.tree, *history.settings) + "}" : "{}";
    }

    RankInfo info_;
};

}  // namespace

bool begins_memory_snapshot(std::string_view head) {
    const auto has = [&](std::string_view part) { return head.find(part) != std::string_view::npos; };
    return begins_pickle(head) && (has("device_traces") || (has("segments") && has("total_size")));
}

Result<std::unique_ptr<TraceReader>> open_memory_snapshot(const std::filesystem::path& path, LoadProgress& progress) {
    Result<std::unique_ptr<ByteSource>> source = open_bytes(path);
    if (!source) return std::move(source).error();
    std::unique_ptr<TraceReader> reader = std::make_unique<MemorySnapshotFile>(path, std::move(*source), progress);
    return reader;
}

}  // namespace core
