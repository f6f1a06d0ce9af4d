#include "core/ingest/load/leave_out_copies.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace core {
namespace {

bool are_alike(const RankTrace& a, const RankTrace& b) {
    return a.size() == b.size() && a.window == b.window && a.info.json_bytes == b.info.json_bytes &&
           a.info.base_time_ns == b.info.base_time_ns && a.info.rank == b.info.rank && a.info.host == b.info.host;
}

// The same processes and threads: ranks that do the same at the same times are told apart by these alone.
bool are_of_one_process(const RankTrace& a, const RankTrace& b) {
    const auto pids = [](const RankTrace& x, const RankTrace& y) {
        return std::ranges::equal(x.processes, y.processes,
                                  [&](const Process& p, const Process& q) { return x.text(p.pid) == y.text(q.pid); });
    };
    return pids(a, b) && std::ranges::equal(a.tracks, b.tracks, [&](const Track& s, const Track& t) {
               return a.text(s.tid) == b.text(t.tid);
           });
}

bool are_copies(const RankTrace& a, const RankTrace& b) {
    if (!are_alike(a, b) || !are_of_one_process(a, b) || a.info.metadata_json != b.info.metadata_json) return false;
    if (!std::ranges::equal(a.start, b.start) || !std::ranges::equal(a.duration, b.duration)) return false;
    for (std::size_t e = 0; e < a.size(); ++e)
        if (a.name_text(static_cast<EventId>(e)) != b.name_text(static_cast<EventId>(e))) return false;
    return true;
}

// For each claim whether it is a copy of an earlier one of its rank.
std::vector<bool> find_copies(const RunParts& parts, std::span<const RankClaim> claims, Diagnostics& diagnostics) {
    Diagnostics said_later;
    const std::vector<RankIdentity> identities = identify_ranks(claims, said_later);
    std::map<std::int32_t, std::vector<std::size_t>> kept;
    std::vector<bool> copies(claims.size(), false);
    for (std::size_t i = 0; i < claims.size(); ++i) {
        const RankTrace& trace = parts.ranks[i].trace();
        if (claims[i].is_dump || claims[i].is_one_of_several || trace.size() == 0) continue;
        std::vector<std::size_t>& of_rank = kept[identities[i].key.number];
        const auto original = std::ranges::find_if(
            of_rank, [&](std::size_t other) { return are_copies(parts.ranks[other].trace(), trace); });
        copies[i] = original != of_rank.end();
        if (copies[i])
            diagnostics.add("rank-copy", claims[i].path.filename().string() + " is a copy of " +
                                             claims[*original].path.filename().string());
        else
            of_rank.push_back(i);
    }
    return copies;
}

// Sums over all events, so that their order does not matter: tools that merge files renumber processes, and tracks
// stand in the order of these. Times count from the first event, as some of these tools move them.
std::uint64_t sum_of_events(const RankTrace& trace) {
    std::vector<std::uint64_t> hash_of_name(trace.names.size(), 0);
    std::uint64_t sum = 0;
    for (std::size_t e = 0; e < trace.size(); ++e) {
        std::uint64_t& name = hash_of_name[index_of(trace.name[e])];
        if (name == 0) name = hash_text(trace.text(trace.name[e])) | 1;
        std::uint64_t mixed = name;
        for (const std::int64_t time : {(trace.start[e] - trace.window.begin).count(), trace.duration[e].count()}) {
            mixed = (mixed ^ static_cast<std::uint64_t>(time)) * 0x9e3779b97f4a7c15u;
            mixed ^= mixed >> 29;
        }
        sum += mixed;
    }
    return sum;
}

// For each claim whether it is a rank of a file that holds several, and the same as a file of its own.
std::vector<bool> find_merged(const RunParts& parts, std::span<const RankClaim> claims, Diagnostics& diagnostics) {
    std::vector<bool> merged(claims.size(), false);
    std::map<std::size_t, std::vector<std::size_t>> own_files;  // by number of events
    for (std::size_t i = 0; i < claims.size(); ++i)
        if (!claims[i].is_dump && !claims[i].is_one_of_several && parts.ranks[i].trace().size() > 0)
            own_files[parts.ranks[i].trace().size()].push_back(i);
    std::map<std::size_t, std::uint64_t> sums;
    const auto sum_of = [&](std::size_t i) {
        const auto [at, is_new] = sums.try_emplace(i, 0);
        if (is_new) at->second = sum_of_events(parts.ranks[i].trace());
        return at->second;
    };
    std::vector<bool> taken(claims.size(), false);
    for (std::size_t i = 0; i < claims.size(); ++i) {
        if (!claims[i].is_one_of_several) continue;
        const auto of_size = own_files.find(parts.ranks[i].trace().size());
        if (of_size == own_files.end()) continue;
        const auto source = std::ranges::find_if(of_size->second, [&](std::size_t other) {
            return !taken[other] &&
                   parts.ranks[other].trace().window.length() == parts.ranks[i].trace().window.length() &&
                   sum_of(other) == sum_of(i);
        });
        if (source == of_size->second.end()) continue;
        merged[i] = taken[*source] = true;
        diagnostics.add("rank-copy", "a rank of " + claims[i].path.filename().string() + " is a copy of " +
                                         claims[*source].path.filename().string());
    }
    return merged;
}

// Marks launchers, schedulers and front ends: they write a trace as well, but state no rank.
std::vector<bool> find_strangers(const RunParts& parts, std::span<const RankClaim> claims, Diagnostics& diagnostics) {
    std::vector<bool> strangers(claims.size(), false);
    std::int64_t world = 0;
    for (const RankSlot& rank : parts.ranks)
        world = std::max<std::int64_t>(world, rank.trace().info.world_size.value_or(0));
    const bool any_work =
        std::ranges::any_of(parts.ranks, [](const RankSlot& rank) { return !rank.trace().gpu_events.empty(); });
    if (world == 0 || !any_work) return strangers;
    Diagnostics said_later;
    const std::vector<RankIdentity> identities = identify_ranks(claims, said_later);
    for (std::size_t i = 0; i < claims.size(); ++i) {
        strangers[i] = !claims[i].is_dump && !claims[i].is_one_of_several && identities[i].key.number >= world &&
                       parts.ranks[i].trace().gpu_events.empty() && parts.ranks[i].trace().size() > 0;
        if (strangers[i])
            diagnostics.add("no-rank", claims[i].path.filename().string() + ": no rank of " + std::to_string(world) +
                                           ", and no GPU work");
    }
    return strangers;
}

void leave_out(const std::vector<bool>& left_out, RunParts& parts, std::vector<RankClaim>& claims) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < claims.size(); ++i) {
        if (left_out[i]) continue;
        if (kept != i) {
            parts.ranks[kept] = std::move(parts.ranks[i]);
            claims[kept] = std::move(claims[i]);
        }
        ++kept;
    }
    parts.ranks.erase(parts.ranks.begin() + static_cast<std::ptrdiff_t>(kept), parts.ranks.end());
    claims.erase(claims.begin() + static_cast<std::ptrdiff_t>(kept), claims.end());
}

}  // namespace

void leave_out_copies(RunParts& parts, std::vector<RankClaim>& claims) {
    leave_out(find_merged(parts, claims, parts.diagnostics), parts, claims);
    leave_out(find_copies(parts, claims, parts.diagnostics), parts, claims);
}

void leave_out_strangers(RunParts& parts, std::vector<RankClaim>& claims) {
    leave_out(find_strangers(parts, claims, parts.diagnostics), parts, claims);
}

}  // namespace core
