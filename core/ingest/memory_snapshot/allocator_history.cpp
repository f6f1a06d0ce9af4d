#include "core/ingest/memory_snapshot/allocator_history.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

namespace core {
namespace {

constexpr std::int64_t kMostSnapshotBytes = std::int64_t{1} << 50;
constexpr std::int64_t kMostDevices = 1024;
constexpr std::int64_t kLatestTimeUs = 4'000'000'000'000'000;  // in 2096
constexpr std::int64_t kNsPerUs = 1000;

struct NamedAction {
    std::string_view name;
    AllocatorAction action;
};
constexpr std::array<NamedAction, 9> kActions = {{{"alloc", AllocatorAction::Alloc},
                                                  {"free_requested", AllocatorAction::FreeRequested},
                                                  {"free_completed", AllocatorAction::FreeCompleted},
                                                  {"segment_alloc", AllocatorAction::SegmentAlloc},
                                                  {"segment_free", AllocatorAction::SegmentFree},
                                                  {"segment_map", AllocatorAction::SegmentMap},
                                                  {"segment_unmap", AllocatorAction::SegmentUnmap},
                                                  {"oom", AllocatorAction::OutOfMemory},
                                                  {"snapshot", AllocatorAction::Snapshot}}};

std::optional<BlockState> parse_block_state(std::string_view text) {
    if (text == "active_allocated") return BlockState::InUse;
    if (text == "active_pending_free" || text == "active_awaiting_free") return BlockState::PendingFree;
    if (text == "inactive") return BlockState::Free;
    return std::nullopt;
}

class HistoryReader {
public:
    explicit HistoryReader(AllocatorHistory& history)
        : history_(history), tree_(history.tree), is_used_(history.tree.size(), false) {}

    Result<bool> read(std::optional<ValueId> segments, std::optional<ValueId> traces) {
        if (segments) read_segments(*segments);
        if (traces) read_traces(*traces);
        if (shared_)
            return bad_input(*shared_ +
                             " stands in two places of the snapshot, which PyTorch never writes: take the "
                             "snapshot again with torch.cuda.memory._dump_snapshot");
        if (const auto annotations = tree_.find(tree_.root(), "external_annotations")) read_ranges(*annotations);
        history_.settings = tree_.find(tree_.root(), "allocator_settings");
        return true;
    }

private:
    std::optional<std::int64_t> integer_of(ValueId dictionary, std::string_view key) const {
        const auto value = tree_.find(dictionary, key);
        return value ? tree_.integer(*value) : std::nullopt;
    }
    // From 0 to `most`.
    std::optional<std::int64_t> size_of(ValueId dictionary, std::string_view key, std::int64_t most) const {
        const std::optional<std::int64_t> value = integer_of(dictionary, key);
        return value && *value >= 0 && *value <= most ? value : std::nullopt;
    }
    std::optional<std::int64_t> address_of(ValueId dictionary, std::string_view key) const {
        return size_of(dictionary, key, std::int64_t{1} << 62);
    }
    std::string_view text_of(ValueId dictionary, std::string_view key) const {
        const auto value = tree_.find(dictionary, key);
        return value ? tree_.text(*value).value_or(std::string_view()) : std::string_view();
    }
    bool is_true(ValueId dictionary, std::string_view key) const {
        const auto value = tree_.find(dictionary, key);
        return value && tree_.boolean(*value).value_or(false);
    }
    // Two numbers; those of the default pool are zero.
    std::string private_pool_of(ValueId segment) const {
        const auto value = tree_.find(segment, "segment_pool_id");
        if (!value || tree_.items(*value).size() != 2) return {};
        const std::int64_t first = tree_.integer(tree_.items(*value)[0]).value_or(0);
        const std::int64_t second = tree_.integer(tree_.items(*value)[1]).value_or(0);
        return first == 0 && second == 0 ? "" : std::to_string(first) + "." + std::to_string(second);
    }
    ValueId frames_of(ValueId dictionary) const { return tree_.find(dictionary, "frames").value_or(tree_.add_none()); }
    std::optional<std::int64_t> time_of(ValueId dictionary) const {
        const std::optional<std::int64_t> time = size_of(dictionary, "time_us", kLatestTimeUs);
        return time && *time > 0 ? std::optional(*time * kNsPerUs) : std::nullopt;
    }

    void drop(std::string_view what, std::size_t position, std::string_view why) {
        ++history_.dropped;
        const bool first = history_.diagnostics.is_first("event-malformed");
        history_.diagnostics.add(
            "event-malformed",
            first ? std::string(what) + " " + std::to_string(position) + ": " + std::string(why) : "");
    }

    // Whether a list or dictionary is read for the first time. A pickle refers to one again in two bytes, so a small
    // file with shared lists would expand to any number of events; PyTorch writes each anew.
    bool is_first_use(ValueId value, std::string_view what, std::size_t position) {
        if (shared_) return false;
        if (tree_.items(value).empty()) return true;
        const auto use = is_used_.begin() + static_cast<std::ptrdiff_t>(value);
        if (*use) shared_ = std::string(what) + " " + std::to_string(position);
        *use = true;
        return !shared_;
    }

    void read_segments(ValueId list) {
        if (!is_first_use(list, "the list of segments", 0)) return;
        std::size_t position = 0;
        for (const ValueId value : tree_.items(list)) {
            if (!is_first_use(value, "segment", position)) return;
            read_segment(value, position++);
        }
    }

    void read_segment(ValueId value, std::size_t position) {
        const auto device = size_of(value, "device", kMostDevices);
        const auto address = address_of(value, "address");
        const auto bytes = size_of(value, "total_size", kMostSnapshotBytes);
        if (!device || !address || !bytes) return drop("segment", position, "no device, address or total_size");
        AllocatorSegment segment{.device = *device,
                                 .address = *address,
                                 .bytes = *bytes,
                                 .stream = integer_of(value, "stream").value_or(0),
                                 .is_small = text_of(value, "segment_type") == "small",
                                 .is_expandable = is_true(value, "is_expandable"),
                                 .private_pool = private_pool_of(value),
                                 .blocks = {}};
        std::int64_t next = segment.address;  // older writers leave out the addresses of blocks
        if (const auto blocks = tree_.find(value, "blocks")) read_blocks(*blocks, position, segment, next);
        history_.segments.push_back(std::move(segment));
    }

    void read_blocks(ValueId list, std::size_t position, AllocatorSegment& segment, std::int64_t& next) {
        if (!is_first_use(list, "the list of blocks of segment", position)) return;
        for (const ValueId block : tree_.items(list)) {
            if (!is_first_use(block, "a block of segment", position)) return;
            read_block(block, position, segment, next);
        }
    }

    void read_block(ValueId value, std::size_t position, AllocatorSegment& segment, std::int64_t& next) {
        const auto bytes = size_of(value, "size", kMostSnapshotBytes);
        const auto state = parse_block_state(text_of(value, "state"));
        if (!bytes || !state) return drop("segment", position, "a block without a size or a known state");
        AllocatorBlock block{.address = address_of(value, "address").value_or(next),
                             .bytes = *bytes,
                             .requested = 0,
                             .state = *state,
                             .frames = frames_of(value)};
        if (block.state != BlockState::Free) read_request(value, block);
        next = block.address + block.bytes;
        segment.blocks.push_back(block);
    }

    // Reads the requested size and its site; until PyTorch 2.0 in the first entry of the block's own history.
    void read_request(ValueId value, AllocatorBlock& block) const {
        block.requested = size_of(value, "requested_size", kMostSnapshotBytes);
        const auto entries = tree_.find(value, "history");
        if (!entries || tree_.items(*entries).empty()) return;
        const ValueId entry = tree_.items(*entries).front();
        if (!block.requested) block.requested = size_of(entry, "real_size", kMostSnapshotBytes);
        if (tree_.is_none(block.frames)) block.frames = frames_of(entry);
    }

    void read_traces(ValueId list) {
        std::int64_t device = 0;
        for (const ValueId trace : tree_.items(list)) {
            read_trace(trace, device);
            if (++device > kMostDevices) return;
        }
    }

    void read_trace(ValueId trace, std::int64_t device) {
        if (!is_first_use(trace, "the history of device", static_cast<std::size_t>(device))) return;
        std::size_t position = 0;
        for (const ValueId value : tree_.items(trace)) {
            if (!is_first_use(value, "event", position)) return;
            read_event(value, device, position++);
        }
    }

    void read_event(ValueId value, std::int64_t device, std::size_t position) {
        const std::string_view name = text_of(value, "action");
        const auto known = std::ranges::find(kActions, name, &NamedAction::name);
        if (known == kActions.end()) return drop("event", position, "no action that is known");
        AllocatorEvent event{.action = known->action,
                             .device = device,
                             .address = 0,
                             .bytes = 0,
                             .stream = integer_of(value, "stream").value_or(0),
                             .time_ns = time_of(value),
                             .device_free = size_of(value, "device_free", kMostSnapshotBytes),
                             .frames = frames_of(value)};
        const auto bytes = size_of(value, "size", kMostSnapshotBytes);
        const auto address = address_of(value, "addr");
        const bool needs_place =
            event.action != AllocatorAction::OutOfMemory && event.action != AllocatorAction::Snapshot;
        if (needs_place && (!bytes || !address)) return drop("event", position, "no addr or size");
        event.bytes = bytes.value_or(0);
        event.address = address.value_or(0);
        history_.events.push_back(event);
    }

    // START and END of a name on a device, as a stack.
    void read_ranges(ValueId list) {
        std::map<std::pair<std::int64_t, std::string_view>, std::vector<std::int64_t>> open;
        std::size_t position = 0;
        for (const ValueId value : tree_.items(list)) {
            const std::string_view name = text_of(value, "name");
            const std::optional<std::int64_t> time = time_of(value);
            std::vector<std::int64_t>& begins = open[{integer_of(value, "device").value_or(0), name}];
            if (!time || name.empty()) {
                drop("annotation", position, "no name or time_us");
            } else if (text_of(value, "stage") == "START") {
                begins.push_back(*time);
            } else if (!begins.empty()) {
                history_.ranges.push_back({name, begins.back(), std::max(*time, begins.back())});
                begins.pop_back();
            } else {
                drop("annotation", position, "an END without its START");
            }
            ++position;
        }
        for (const auto& [place, begins] : open)
            for (const std::int64_t begin : begins) close_at_end(place.second, begin);
    }

    void close_at_end(std::string_view name, std::int64_t begin) {
        std::int64_t last = begin;
        for (const AllocatorEvent& event : history_.events) last = std::max(last, event.time_ns.value_or(begin));
        history_.ranges.push_back({.name = name, .begin_ns = begin, .end_ns = last});
        history_.diagnostics.add("begin-without-end", "annotation " + std::string(name));
    }

    AllocatorHistory& history_;
    const ValueTree& tree_;
    std::vector<bool> is_used_;  // by value
    std::optional<std::string> shared_;  // the first one in two places
};

}  // namespace

Result<AllocatorHistory> read_allocator_history(ValueTree tree) {
    AllocatorHistory history;
    history.tree = std::move(tree);
    const auto segments = history.tree.find(history.tree.root(), "segments");
    const auto traces = history.tree.find(history.tree.root(), "device_traces");
    const auto is_list = [&](std::optional<ValueId> value) {
        return value && history.tree.kind(*value) == ValueKind::List;
    };
    if (!is_list(segments) && !is_list(traces))
        return Error{ErrorCode::BadInput,
                     "no list of \"segments\" and none of \"device_traces\": not a complete memory snapshot"};
    if (Result<bool> read = HistoryReader(history).read(segments, traces); !read) return std::move(read).error();
    return history;
}

}  // namespace core
