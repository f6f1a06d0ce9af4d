#include "core/ingest/load/place_logs.hpp"

#include "core/ingest/load/identify_ranks.hpp"

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

}  // namespace

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

}  // namespace core
