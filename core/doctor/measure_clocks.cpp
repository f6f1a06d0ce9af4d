#include "core/base/ascii.hpp"
#include "core/doctor/rank_vitals.hpp"
#include "core/doctor/thresholds.hpp"

#include <algorithm>
#include <unordered_map>

namespace core::doctor {
namespace {

// Members leave these together. All-to-all, broadcasts, sends and receives they need not.
bool is_left_together(std::string_view name) {
    constexpr std::string_view kWords[] = {"allreduce",  "all_reduce",    "allgather",
                                           "all_gather", "reducescatter", "reduce_scatter"};
    return std::ranges::any_of(kWords, [&](std::string_view word) { return contains_any_case(name, word); });
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t more) {
    return (hash ^ more) * 0x9e3779b97f4a7c15ull + (hash >> 29);
}

class CollectiveKeys {
public:
    explicit CollectiveKeys(const RankTrace& trace) : trace_(trace), seqs_(trace.integers(Arg::Seq)) {}

    // Nothing where its members do not leave it together.
    std::optional<CollectiveEnd> next_back(EventId e) {
        const std::string_view operation = trace_.argument(Arg::CollectiveName, e).value_or(trace_.name_text(e));
        if (!is_left_together(operation)) return std::nullopt;
        const std::uint64_t name = hash_text(operation);
        if (const std::int64_t* const seq = seqs_.find(e)) {
            std::uint64_t key = mixed(name, hash_text(trace_.argument(Arg::GroupName, e).value_or("")));
            key = mixed(key, hash_text(trace_.argument(Arg::GroupRanks, e).value_or("")));
            return CollectiveEnd{mixed(key, static_cast<std::uint64_t>(*seq)), trace_.end(e), true};
        }
        return CollectiveEnd{mixed(name, seen_[name]++), trace_.end(e), false};
    }

private:
    const RankTrace& trace_;
    SparseColumn<std::int64_t> seqs_;
    std::unordered_map<std::uint64_t, std::uint64_t> seen_;  // of each operation, from the end
};

struct SlotEnd {
    std::uint64_t key;
    std::size_t slot;
    std::int64_t end;
};

std::vector<SlotEnd> put_together(std::span<const std::vector<CollectiveEnd>> ends) {
    std::vector<SlotEnd> all;
    for (std::size_t slot = 0; slot < ends.size(); ++slot)
        for (const CollectiveEnd& end : ends[slot]) all.push_back({end.key, slot, ns_of(end.end)});
    // Of what occurs twice on a rank the last counts.
    std::ranges::sort(all, [](const SlotEnd& a, const SlotEnd& b) {
        return std::tuple(a.key, a.slot, b.end) < std::tuple(b.key, b.slot, a.end);
    });
    const auto [last, end] = std::ranges::unique(all, {}, [](const SlotEnd& e) { return std::pair(e.key, e.slot); });
    all.erase(last, end);
    return all;
}

}  // namespace

std::vector<CollectiveEnd> collect_collective_ends(const RankIndex& index) {
    const RankTrace& trace = index.trace();
    CollectiveKeys keys(trace);
    std::vector<CollectiveEnd> ends;
    for (auto e = trace.gpu_events.rbegin(); e != trace.gpu_events.rend() && ends.size() < kMostCollectives; ++e) {
        if (index.classes().of(*e) != KernelClass::Communication) continue;
        if (const std::optional<CollectiveEnd> end = keys.next_back(*e)) ends.push_back(*end);
    }
    return ends;
}

std::optional<ClockSpread> measure_clocks(std::span<const std::vector<CollectiveEnd>> ends) {
    const std::vector<SlotEnd> all = put_together(ends);
    std::vector<std::vector<std::int64_t>> late(ends.size());  // of each slot: later than the middle of the members
    ClockSpread clocks;
    for (std::size_t first = 0, last = 0; first < all.size(); first = last) {
        std::vector<std::int64_t> members;
        for (last = first; last < all.size() && all[last].key == all[first].key; ++last)
            members.push_back(all[last].end);
        if (members.size() < 2) continue;
        ++clocks.collectives;
        const std::int64_t middle = take_median(members);
        for (std::size_t i = first; i < last; ++i) late[all[i].slot].push_back(clamped(Wide{all[i].end} - middle));
    }
    std::vector<std::int64_t> noise;
    for (std::size_t slot = 0; slot < late.size(); ++slot) {
        if (late[slot].size() < kLeastCollectives) continue;
        const std::int64_t offset = take_median(late[slot]);
        clocks.slots.push_back(slot);
        clocks.offsets.emplace_back(offset);
        for (const std::int64_t one : late[slot]) {
            const Wide off = Wide{one} - offset;
            noise.push_back(clamped(off < 0 ? -off : off));
        }
    }
    if (clocks.slots.size() < 2) return std::nullopt;
    const auto [least, most] = std::ranges::minmax(clocks.offsets);
    clocks.spread = Duration{clamped(Wide{most.count()} - least.count())};
    clocks.noise = Duration{take_median(noise)};
    const bool numbered = std::ranges::all_of(
        ends, [](const auto& of_slot) { return std::ranges::all_of(of_slot, &CollectiveEnd::numbered); });
    if (!numbered && clocks.spread > kFarthestCounted) return std::nullopt;
    return clocks;
}

}  // namespace core::doctor
