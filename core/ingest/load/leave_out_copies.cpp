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

bool are_copies(const RankTrace& a, const RankTrace& b) {
    if (!are_alike(a, b) || a.info.metadata_json != b.info.metadata_json) return false;
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

}  // namespace

void leave_out_copies(RunParts& parts, std::vector<RankClaim>& claims) {
    const std::vector<bool> copies = find_copies(parts, claims, parts.diagnostics);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < claims.size(); ++i) {
        if (copies[i]) continue;
        if (kept != i) {
            parts.ranks[kept] = std::move(parts.ranks[i]);
            claims[kept] = std::move(claims[i]);
        }
        ++kept;
    }
    parts.ranks.erase(parts.ranks.begin() + static_cast<std::ptrdiff_t>(kept), parts.ranks.end());
    claims.erase(claims.begin() + static_cast<std::ptrdiff_t>(kept), claims.end());
}

}  // namespace core
