#include "core/analysis/hangs/late_peers.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <utility>

namespace core::hangs {
namespace {

struct PeerCall {
    bool sends = false;
    std::size_t from = 0, to = 0;  // positions in the group
};

// "send 0->3", "recv 1<-0".
std::optional<PeerCall> parse_peer_call(std::string_view operation) {
    const bool sends = operation.starts_with("send ");
    if (!sends && !operation.starts_with("recv ")) return std::nullopt;
    const char* const end = operation.data() + operation.size();
    std::size_t self = 0, other = 0;
    const auto [middle, first_error] = std::from_chars(operation.data() + 5, end, self);
    if (first_error != std::errc{} || end - middle < 3) return std::nullopt;
    if (std::string_view(middle, 2) != (sends ? "->" : "<-")) return std::nullopt;
    if (std::from_chars(middle + 2, end, other).ec != std::errc{}) return std::nullopt;
    return sends ? PeerCall{.sends = true, .from = self, .to = other}
                 : PeerCall{.sends = false, .from = other, .to = self};
}

// The calls of one side of a pair, in the order of their records.
struct Side {
    std::vector<const RecordedCall*> pending;
    std::size_t all = 0;
};

struct Pair {
    std::uint32_t group;
    std::size_t from, to;
    auto operator<=>(const Pair&) const = default;
};

struct Posted {
    Side sends, receives;
};

using Numbers = std::set<std::pair<std::uint32_t, std::int64_t>>;

// Group and number of the sends, receives and batches of a rank that are completed.
Numbers collect_completed(const RecordedRank& rank) {
    Numbers completed;
    for (const RecordedCall& call : rank.calls)
        if (call.is_peer_to_peer && call.progress == CallProgress::Completed)
            completed.emplace(call.group, call.number);
    return completed;
}

std::map<Pair, Posted> collect_pairs(const RecordedJob& job) {
    std::map<Pair, Posted> pairs;
    for (const RecordedRank& rank : job.ranks) {
        const Numbers completed = collect_completed(rank);
        for (const RecordedCall& call : rank.calls) {
            if (!call.is_peer_to_peer || call.group >= job.groups.size()) continue;
            const std::optional<PeerCall> peer = parse_peer_call(call.operation);
            if (!peer) continue;
            Posted& posted = pairs[{call.group, peer->from, peer->to}];
            Side& side = peer->sends ? posted.sends : posted.receives;
            ++side.all;
            if (!completed.contains({call.group, call.number})) side.pending.push_back(&call);
        }
    }
    return pairs;
}

const RecordedRank* find_rank(const RecordedJob& job, std::int32_t number) {
    const auto at = std::ranges::find(job.ranks, number, &RecordedRank::number);
    return at == job.ranks.end() ? nullptr : &*at;
}

// Whether `rank`, which has `made` these calls of a pair, has not come to what its partner waits in.
bool is_late(const RecordedRank& rank, const Side& made, const RecordedRank& partner, const Side& waits) {
    if (waits.pending.size() <= made.pending.size() || rank.before_unread || rank.before_unplaced) return false;
    if (!rank.lost_calls && !partner.lost_calls) return waits.all > made.all;
    if (!rank.lost_calls || rank.calls.empty()) return true;
    const std::int64_t earliest = std::ranges::min_element(rank.calls, {}, &RecordedCall::created_ns)->created_ns;
    const auto would_be_here =
        std::ranges::count_if(waits.pending, [&](const RecordedCall* call) { return call->created_ns >= earliest; });
    return static_cast<std::size_t>(would_be_here) > made.pending.size();
}

}  // namespace

std::vector<LatePeer> find_late_peers(const RecordedJob& job) {
    std::vector<LatePeer> found;
    for (const auto& [pair, posted] : collect_pairs(job)) {
        const std::vector<std::int32_t>& members = job.groups[pair.group].members;
        if (pair.from >= members.size() || pair.to >= members.size() || pair.from == pair.to) continue;
        const RecordedRank* const sender = find_rank(job, members[pair.from]);
        const RecordedRank* const receiver = find_rank(job, members[pair.to]);
        if (!sender || !receiver) continue;
        const auto add = [&](const RecordedRank& late, const RecordedRank& waits, const Side& side) {
            found.push_back(
                {.group = pair.group, .late = late.number, .waits = waits.number, .call = side.pending.back()});
        };
        if (is_late(*receiver, posted.receives, *sender, posted.sends)) add(*receiver, *sender, posted.sends);
        if (is_late(*sender, posted.sends, *receiver, posted.receives)) add(*sender, *receiver, posted.receives);
    }
    return found;
}

}  // namespace core::hangs
