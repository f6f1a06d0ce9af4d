#include "core/query/collective_peers.hpp"

#include <algorithm>

namespace core {
namespace {

constexpr std::size_t kGpuEventsBetweenChecks = 1024;  // their keys are made of texts

// What tells one collective from all others, as far as its arguments say.
struct CollectiveKey {
    PeerMatch match = PeerMatch::Order;
    std::string_view operation;
    std::string_view group;
    std::string_view members;
    std::int64_t comms = 0;
    std::int64_t seq = 0;
    bool peer_to_peer = false;
    bool operator==(const CollectiveKey&) const = default;
};

// Its arguments stand with the kernel, else with the innermost call around its launch that has them.
EventId find_described(const RankTrace& trace, EventId kernel) {
    EventId at = kernel;
    for (int depth = 0; at != kNoEvent && depth < 64; ++depth, at = trace.parent[index_of(at)])
        if (trace.argument(Arg::CollectiveName, at) || trace.integer(Arg::Seq, at)) return at;
    return kernel;
}

CollectiveKey key_of(const RankTrace& trace, EventId kernel) {
    const EventId described = find_described(trace, kernel);
    CollectiveKey key;
    key.operation = trace.argument(Arg::CollectiveName, described).value_or(trace.name_text(kernel));
    key.group = trace.argument(Arg::GroupName, described).value_or("");
    key.members = trace.argument(Arg::GroupRanks, described).value_or("");
    key.peer_to_peer = trace.integer(Arg::IsPeerToPeer, described).value_or(0) != 0;
    const std::optional<std::int64_t> seq = trace.integer(Arg::Seq, described);
    const std::optional<std::int64_t> comms = trace.integer(Arg::CommsId, described);
    if (!seq) return key;
    key.seq = *seq;
    if (!key.members.empty() || !key.group.empty()) {
        key.match = PeerMatch::Sequence;
    } else if (comms) {
        key.match = PeerMatch::CommsId;
        key.comms = *comms;
    }
    return key;
}

bool is_collective(const RankSlot& rank, EventId event) {
    return rank.trace().has(event, kGpuEvent) && rank.index->classes().of(event) == KernelClass::Communication;
}

// How many of the same follow it on its rank; of a key without a number.
std::size_t count_after(const RankSlot& rank, EventId event, const CollectiveKey& key, const JobContext& job) {
    const RankTrace& trace = rank.trace();
    std::size_t count = 0;
    std::size_t passed = 0;
    for (auto at = trace.gpu_events.rbegin(); at != trace.gpu_events.rend() && *at != event; ++at) {
        if (++passed % kGpuEventsBetweenChecks == 0 && job.cancelled()) break;
        if (is_collective(rank, *at) && key_of(trace, *at) == key) ++count;
    }
    return count;
}

// The one that so many of the same follow; kNoEvent if there are not as many, or it was cancelled.
EventId find_from_end(const RankSlot& rank, const CollectiveKey& key, std::size_t after, const JobContext& job) {
    const RankTrace& trace = rank.trace();
    std::size_t passed = 0;
    for (auto at = trace.gpu_events.rbegin(); at != trace.gpu_events.rend(); ++at) {
        if (++passed % kGpuEventsBetweenChecks == 0 && job.cancelled()) break;
        if (is_collective(rank, *at) && key_of(trace, *at) == key && after-- == 0) return *at;
    }
    return kNoEvent;
}

}  // namespace

std::string_view name_of(PeerMatch match) {
    switch (match) {
        case PeerMatch::Sequence:
            return "by group and sequence number";
        case PeerMatch::CommsId:
            return "by communicator and sequence number";
        case PeerMatch::Order:
            return "by order from the end within the group: not certain";
        case PeerMatch::None:
            break;
    }
    return "";
}

Result<CollectivePeers> find_peers(const Run& run, EventRef ref, const JobContext& job) {
    CollectivePeers peers;
    const RankSlot& own = run.rank(ref.slot);
    if (!is_collective(own, ref.event)) return peers;
    const CollectiveKey key = key_of(own.trace(), ref.event);
    // Of several kernels with one key (a collective in parts) the same one, counted from the end.
    const std::size_t after = count_after(own, ref.event, key, job);
    for (std::uint32_t slot = 0; slot < run.ranks().size(); ++slot) {
        if (job.cancelled()) return cancelled_error();
        if (slot == ref.slot) continue;
        if (const EventId other = find_from_end(run.rank(slot), key, after, job); other != kNoEvent)
            peers.others.push_back({slot, other});
    }
    if (job.cancelled()) return cancelled_error();
    if (!peers.others.empty()) peers.match = key.match;
    return peers;
}

}  // namespace core
