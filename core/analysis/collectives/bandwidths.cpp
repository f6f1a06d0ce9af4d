#include "core/analysis/collectives/bandwidths.hpp"

namespace core {
namespace {

// Bytes that one member contributes to S.
std::optional<std::int64_t> member_size(const MemberEvent& member, Operation operation, std::optional<std::int64_t> n) {
    const auto known = [](std::int64_t bytes) {
        return bytes == kNoBytes ? std::nullopt : std::optional<std::int64_t>(bytes);
    };
    switch (operation) {
        case Operation::AllGather: {
            if (const auto out = known(member.out_bytes)) return out;
            std::int64_t all = 0;
            if (!n || member.in_bytes == kNoBytes || __builtin_mul_overflow(member.in_bytes, *n, &all))
                return std::nullopt;
            return all;
        }
        case Operation::AllToAll:
        case Operation::Gather:
        case Operation::Scatter:
        case Operation::Recv: {
            const std::int64_t most = std::max(member.in_bytes, member.out_bytes);
            return known(most);
        }
        default:
            return known(member.in_bytes);
    }
}

}  // namespace

double bus_factor(Operation operation, std::int64_t n) {
    const double count = static_cast<double>(n);
    switch (operation) {
        case Operation::AllReduce:
            return 2 * (count - 1) / count;
        case Operation::AllGather:
        case Operation::ReduceScatter:
        case Operation::AllToAll:
        case Operation::Gather:
        case Operation::Scatter:
            return (count - 1) / count;
        default:
            return 1;
    }
}

std::optional<std::int64_t> members_in_group(const MatchedRun& run, const Collective& c) {
    const RunGroup& group = run.groups[c.group];
    if (c.by == MatchedBy::Pair) return 2;
    if (c.group != 0 && group.size > 0) return group.size;
    if (!group.members.empty()) return static_cast<std::int64_t>(group.members.size());
    const std::int64_t world = run.cohorts[c.cohort].world_size;
    const auto here = static_cast<std::int64_t>(run.cohorts[c.cohort].slots.size());
    const std::int64_t all = world > 0 ? world : here;  // unstated: as many as are here
    return all == c.count ? std::optional(all) : std::nullopt;
}

std::optional<std::int64_t> size_of(const MatchedRun& run, const Collective& c) {
    const std::optional<std::int64_t> n = members_in_group(run, c);
    std::optional<std::int64_t> size;
    for (const MemberRef ref : run.members_of(c)) {
        const std::optional<std::int64_t> one = member_size(run.member(ref), c.operation, n);
        if (one && (!size || *one > *size)) size = one;
    }
    return size;
}

BusBandwidth bandwidth_of(const Waits& waits, std::uint32_t collective) {
    const MatchedRun& run = *waits.matched;
    const Collective& c = run.collectives[collective];
    BusBandwidth bandwidth;
    bandwidth.bytes = size_of(run, c);
    bandwidth.members = members_in_group(run, c);
    const std::optional<std::int64_t> transfer = waits.find_transfer(collective);
    if (!transfer || *transfer <= 0 || !bandwidth.bytes) return bandwidth;
    bandwidth.algorithm = static_cast<double>(*bandwidth.bytes) * 1e9 / static_cast<double>(*transfer);
    if (bandwidth.members && *bandwidth.members > 1)
        bandwidth.bus = *bandwidth.algorithm * bus_factor(c.operation, *bandwidth.members);
    return bandwidth;
}

}  // namespace core
