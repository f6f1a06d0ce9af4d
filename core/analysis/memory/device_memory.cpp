#include "core/analysis/memory/device_memory.hpp"

#include "core/store/call_stack.hpp"
#include "core/store/memory_names.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace core {
namespace {

bool is_segment_given(std::string_view name) { return name == kSegmentAlloc || name == kSegmentMap; }
bool is_segment_returned(std::string_view name) { return name == kSegmentFree || name == kSegmentUnmap; }

auto moment_in_file(const RankTrace& trace, EventId e) {
    return std::pair(trace.start[index_of(e)], trace.order[index_of(e)]);
}

std::vector<EventId> instants_in_order(const RankTrace& trace) {
    std::vector<EventId> events;
    for (const Track& track : trace.tracks) {
        if (track.kind != TrackKind::Instants) continue;
        for (std::uint32_t l = track.first_lane; l < track.first_lane + track.lane_count; ++l)
            for (std::size_t i = index_of(trace.lanes[l].first); i < index_of(trace.lanes[l].last); ++i)
                events.push_back(EventId{static_cast<std::uint32_t>(i)});
    }
    std::ranges::sort(events, {}, [&](EventId e) { return moment_in_file(trace, e); });
    return events;
}

NameId stack_of(const RankTrace& trace, EventId e) {
    const NameId* const stack = trace.texts(Arg::CallStack).find(e);
    return stack ? *stack : kNoName;
}

std::string_view private_pool_of(std::string_view segment_category) {
    const std::size_t at = segment_category.find(kPrivatePool);
    return at == std::string_view::npos ? std::string_view() : segment_category.substr(at + kPrivatePool.size());
}

void add_to_history(const RankTrace& trace, EventId e, DeviceMemory& memory) {
    const std::string_view name = trace.name_text(e);
    MemoryEvent event{.event = e,
                      .address = trace.integer(Arg::Addr, e).value_or(0),
                      .bytes = trace.integer(Arg::Bytes, e).value_or(0)};
    if (is_segment_returned(name)) event.bytes = -event.bytes;
    MemoryMoment& moment = memory.history.emplace_back();
    moment.event = e;
    if (name == kMemoryEvent) {
        moment.is_change = true;
        moment.allocated = event.bytes;
        memory.changes.push_back(event);
    } else if (is_segment_given(name) || is_segment_returned(name)) {
        moment.reserved = event.bytes;
        memory.requests.push_back(event);
    } else if (name == kOutOfMemory) {
        memory.failures.push_back(e);
    }
}

void add_instant(const RankTrace& trace, EventId e, DeviceMemory& memory) {
    const std::string_view name = trace.name_text(e);
    if (name != kSegmentAtEnd && name != kBlockAtEnd) return add_to_history(trace, e, memory);
    const std::int64_t bytes = trace.integer(Arg::Bytes, e).value_or(0);
    const std::int64_t address = trace.integer(Arg::Addr, e).value_or(0);
    if (name == kSegmentAtEnd) {
        const std::string_view kind = trace.category_text(e);
        memory.segments.push_back({.address = address,
                                   .bytes = bytes,
                                   .is_small = kind.starts_with(kSmallSegment),
                                   .is_expandable = kind.find(kExpandableSegment) != std::string_view::npos,
                                   .stream = trace.integer(Arg::Stream, e).value_or(0),
                                   .private_pool = private_pool_of(kind),
                                   .blocks = {}});
    } else if (!memory.segments.empty()) {
        memory.segments.back().blocks.push_back({.address = address,
                                                 .bytes = bytes,
                                                 .requested = trace.integer(Arg::TotalAllocated, e),
                                                 .is_free = trace.category_text(e) == kBlockFree,
                                                 .stack = stack_of(trace, e)});
    }
}

// Allocations that are older than the history, as the rest of it tells.
std::map<std::int64_t, LiveAllocation> find_older(const DeviceMemory& memory) {
    std::map<std::int64_t, LiveAllocation> older;
    std::map<std::int64_t, bool> is_known;  // by address: an alloc or free of it has been seen
    std::map<std::int64_t, bool> is_live;
    for (const MemoryEvent& change : memory.changes) {
        const bool is_first = is_known.emplace(change.address, true).second;
        if (change.bytes < 0 && is_first)
            older.emplace(
                change.address,
                LiveAllocation{
                    .address = change.address, .bytes = -change.bytes, .stack = kNoName, .since = std::nullopt});
        is_live[change.address] = change.bytes > 0;
    }
    for (const MemorySegment& segment : memory.segments) {
        for (const MemoryBlock& block : segment.blocks) {
            if (block.is_free || is_known.contains(block.address)) continue;
            older.emplace(block.address, LiveAllocation{.address = block.address,
                                                        .bytes = block.requested.value_or(block.bytes),
                                                        .stack = block.stack,
                                                        .since = std::nullopt});
        }
    }
    return older;
}

std::int64_t wrapping_difference(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

// Joins it with the expandable ones before and after it, if it is expandable, too.
void add_segment(std::map<std::int64_t, HeldSegment>& segments, std::int64_t address, HeldSegment added) {
    const auto can_join = [&](const auto& before, const auto& after) {
        return before.second.is_expandable && after.second.is_expandable &&
               before.first + before.second.bytes == after.first;
    };
    auto place = segments.insert_or_assign(address, added).first;
    if (const auto next = std::next(place); next != segments.end() && can_join(*place, *next)) {
        place->second.bytes += next->second.bytes;
        segments.erase(next);
    }
    if (place == segments.begin()) return;
    if (const auto before = std::prev(place); can_join(*before, *place)) {
        before->second.bytes += place->second.bytes;
        segments.erase(place);
    }
}

// Takes a piece away again. A mapped one can be anywhere in an expandable segment: the pieces around it remain.
void cut_segment(std::map<std::int64_t, HeldSegment>& segments, const MemoryEvent& piece) {
    auto holder = segments.upper_bound(piece.address);
    if (holder == segments.begin()) return;
    --holder;
    const auto [begin, held] = *holder;
    const std::int64_t end = begin + held.bytes, piece_end = piece.address + piece.bytes;
    if (piece.address >= end) return;
    segments.erase(holder);
    if (piece.address > begin) segments[begin] = {piece.address - begin, held.is_expandable};
    if (piece_end < end) segments[piece_end] = {end - piece_end, held.is_expandable};
}

}  // namespace

Result<std::map<std::int64_t, DeviceMemory>> collect_device_memory(const RankView& view, const JobContext& context) {
    std::map<std::int64_t, DeviceMemory> devices;
    const RankTrace& trace = view.trace();
    if (!is_memory_snapshot(trace.info)) return devices;
    std::size_t seen = 0;
    for (const EventId e : instants_in_order(trace)) {
        if (++seen % 4096 == 0 && context.cancelled()) return cancelled_error();
        if (const std::optional<std::int64_t> device = trace.integer(Arg::Device, e))
            add_instant(trace, e, devices[*device]);
    }
    return devices;
}

std::map<std::int64_t, LiveAllocation> find_live(const RankTrace& trace, const DeviceMemory& memory,
                                                 std::size_t count) {
    std::map<std::int64_t, LiveAllocation> live = find_older(memory);
    for (const MemoryEvent& change : std::span(memory.changes).first(std::min(count, memory.changes.size()))) {
        if (change.bytes >= 0)
            live.insert_or_assign(change.address, LiveAllocation{.address = change.address,
                                                                 .bytes = change.bytes,
                                                                 .stack = stack_of(trace, change.event),
                                                                 .since = change.event});
        else
            live.erase(change.address);
    }
    return live;
}

bool has_times(const RankTrace& trace) { return trace.diagnostics.count("snapshot-without-times") == 0; }

MemoryPeaks find_peaks(const RankView& view, const DeviceMemory& memory) {
    const RankTrace& trace = view.trace();
    MemoryPeaks peaks{
        .begin_allocated = {}, .allocated = {}, .reserved = {}, .at = {}, .changes = memory.changes.size()};
    std::size_t changes = 0;
    for (const MemoryMoment& moment : memory.history) {
        const std::size_t changes_before = changes;
        changes += moment.is_change ? 1 : 0;
        const auto allocated = trace.integer(Arg::TotalAllocated, moment.event);
        const auto reserved = trace.integer(Arg::TotalReserved, moment.event);
        if (!allocated || !reserved) continue;
        const std::int64_t allocated_before = wrapping_difference(*allocated, moment.allocated);
        if (!peaks.begin_allocated) peaks.begin_allocated = allocated_before;
        if (!view.passes(moment.event)) continue;
        const auto consider = [&](std::int64_t now_allocated, std::int64_t now_reserved, std::size_t count) {
            peaks.reserved = std::max(peaks.reserved.value_or(now_reserved), now_reserved);
            if (peaks.allocated && now_allocated <= *peaks.allocated) return;
            peaks.allocated = now_allocated;
            peaks.at = moment.event;
            peaks.changes = count;
        };
        if (!peaks.at) consider(allocated_before, wrapping_difference(*reserved, moment.reserved), changes_before);
        consider(*allocated, *reserved, changes);
    }
    return peaks;
}

std::map<std::int64_t, HeldSegment> find_segments(const RankTrace& trace, const DeviceMemory& memory, EventId at) {
    std::map<std::int64_t, HeldSegment> segments;
    for (const MemorySegment& segment : memory.segments)
        add_segment(segments, segment.address, {.bytes = segment.bytes, .is_expandable = segment.is_expandable});
    for (std::size_t i = memory.requests.size(); i-- > 0;) {
        const MemoryEvent& request = memory.requests[i];
        if (moment_in_file(trace, request.event) <= moment_in_file(trace, at)) break;
        if (request.bytes < 0)
            add_segment(segments, request.address,
                        {.bytes = -request.bytes, .is_expandable = trace.name_text(request.event) == kSegmentUnmap});
        else
            cut_segment(segments, request);
    }
    return segments;
}

std::string_view site_of(const RankTrace& trace, NameId stack) {
    if (stack == kNoName) return "(no call stack)";
    return user_frame(trace.text(stack));
}

std::string memory_device(std::int64_t device) { return "GPU " + std::to_string(device); }

}  // namespace core
