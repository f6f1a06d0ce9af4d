#include "core/analysis/memory/failed_allocation.hpp"

#include "core/analysis/memory/memory_words.hpp"
#include "core/base/small_json.hpp"
#include "core/store/memory_names.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace core {
namespace {

constexpr std::int64_t kAllocatorRounding = 512;  // bytes; blocks are multiples of it

std::int64_t rounded(std::int64_t bytes) {
    return std::max(kAllocatorRounding, (bytes + kAllocatorRounding - 1) / kAllocatorRounding * kAllocatorRounding);
}

std::size_t changes_before(const RankTrace& trace, const DeviceMemory& memory, EventId at) {
    const auto moment = [&](EventId e) { return std::pair(trace.start[index_of(e)], trace.order[index_of(e)]); };
    return static_cast<std::size_t>(std::ranges::count_if(
        memory.changes, [&](const MemoryEvent& change) { return moment(change.event) < moment(at); }));
}

std::optional<std::int64_t> find_device_free(const RankTrace& trace, EventId failure) {
    const Result<EventText> text = trace.event_text(failure);
    if (!text) return std::nullopt;
    const Result<nlohmann::json> arguments = parse_small_json(text->arguments);
    if (!arguments || !arguments->is_object()) return std::nullopt;
    const auto value = arguments->find(kDeviceFree);
    return value != arguments->end() && value->is_number_integer() ? std::optional(value->get<std::int64_t>())
                                                                   : std::nullopt;
}

std::int64_t find_largest_hole(const std::map<std::int64_t, LiveAllocation>& live, std::int64_t begin,
                               std::int64_t end) {
    std::int64_t hole = 0, free_from = begin;
    for (auto at = live.lower_bound(begin); at != live.end() && at->first < end; ++at) {
        hole = std::max(hole, at->first - free_from);
        free_from = std::max(free_from, at->first + rounded(at->second.bytes));
    }
    return std::max(hole, end - free_from);
}

std::string_view explain(const FailedAllocation& failed, bool is_expandable) {
    if (failed.largest_hole >= failed.asked) return "a hole is large enough: it is of another stream or pool";
    if (failed.free_in_reserved >= failed.asked && is_expandable)
        return "enough is reserved and free, but in pieces, although segments are expandable: fragmentation";
    if (failed.free_in_reserved >= failed.asked)
        return "enough is reserved and free, but in pieces: fragmentation (expandable_segments:True helps)";
    return "not enough is free, however it lies: less has to be in use";
}

}  // namespace

FailedAllocation explain_failure(const RankTrace& trace, const DeviceMemory& memory, EventId failure) {
    const std::size_t changes = changes_before(trace, memory, failure);
    const std::map<std::int64_t, LiveAllocation> live = find_live(trace, memory, changes);
    FailedAllocation failed;
    failed.most_in_use = describe_top_site(find_snapshot_sites(trace, memory, changes), "what is in use");
    std::int64_t blocks = 0;
    for (const auto& [address, allocation] : live) {
        failed.in_use += allocation.bytes;
        blocks += rounded(allocation.bytes);
    }
    bool is_expandable = false;
    for (const auto& [begin, segment] : find_segments(trace, memory, failure)) {
        failed.reserved += segment.bytes;
        is_expandable |= segment.is_expandable;
        failed.largest_hole = std::max(failed.largest_hole, find_largest_hole(live, begin, begin + segment.bytes));
    }
    failed.asked = trace.integer(Arg::Bytes, failure).value_or(0);
    failed.device_free = find_device_free(trace, failure);
    failed.free_in_reserved = std::max<std::int64_t>(failed.reserved - blocks, 0);
    const NameId* const stack = trace.texts(Arg::CallStack).find(failure);
    failed.site = site_of(trace, stack ? *stack : kNoName);
    failed.why = explain(failed, is_expandable);
    return failed;
}

}  // namespace core
