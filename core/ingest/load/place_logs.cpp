#include "core/ingest/load/place_logs.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace core {
namespace {

// Ranks of the job: as the traces state, else as many as are here where none states it.
std::int64_t world_size(std::span<const RankSlot> traces) {
    std::set<std::int32_t> numbers;
    std::int64_t stated = 0;
    for (const RankSlot& rank : traces) {
        numbers.insert(rank.key.number);
        stated = std::max<std::int64_t>(stated, rank.trace().info.world_size.value_or(0));
    }
    return stated > 0 ? stated : std::ssize(numbers);
}

bool has_process(const RankTrace& trace, std::string_view pid) {
    return std::ranges::any_of(trace.processes, [&](const Process& process) {
        return process.device < 0 && process.track_count > 0 && trace.text(process.pid) == pid;
    });
}

// `traces`: the run's other ranks, with their numbers. Absent: undecided.
std::optional<std::int32_t> find_rank_of_log(const RankTrace& source, std::span<const RankSlot> traces) {
    const NcclFacts& facts = source.info.nccl;
    const NcclCommunicator* const largest = largest_communicator(facts);
    if (largest != nullptr && source.info.rank && largest->size == world_size(traces)) return largest->rank;
    std::set<std::int32_t> of_process;
    if (facts.process >= 0) {
        const std::string pid = std::to_string(facts.process);
        for (const RankSlot& rank : traces)
            if (has_process(rank.trace(), pid)) of_process.insert(rank.key.number);
    }
    if (of_process.size() == 1) return *of_process.begin();
    return find_rank_in_name(source.info.path.filename().string());
}

}  // namespace

void place_logs(RunParts& parts, std::vector<RankClaim>& claims) {
    std::vector<RankSlot> traces;
    std::vector<RankClaim> claims_of_traces;
    for (std::size_t i = 0; i < claims.size(); ++i) {
        if (claims[i].is_log) continue;
        traces.push_back(parts.ranks[i]);
        claims_of_traces.push_back(claims[i]);
    }
    if (traces.empty() || traces.size() == claims.size()) return;
    Diagnostics said_later;
    apply_identities(identify_ranks(claims_of_traces, said_later), traces);
    std::vector<RankSlot> shown;
    std::vector<RankClaim> shown_claims;
    for (std::size_t i = 0; i < claims.size(); ++i) {
        const RankTrace& trace = parts.ranks[i].trace();
        if (claims[i].is_log) claims[i].stated = find_rank_of_log(trace, traces);
        if (claims[i].is_log && trace.size() == 0) {
            if (!claims[i].stated && is_nccl_source(trace.info.trace_name))
                parts.diagnostics.add("nccl-rank-unknown", claims[i].path.filename().string() + ": process " +
                                                               std::to_string(trace.info.nccl.process));
            parts.companions.push_back({.index = parts.ranks[i].index, .rank = claims[i].stated});
            continue;
        }
        shown.push_back(std::move(parts.ranks[i]));
        shown_claims.push_back(std::move(claims[i]));
    }
    parts.ranks = std::move(shown);
    claims = std::move(shown_claims);
}

}  // namespace core
