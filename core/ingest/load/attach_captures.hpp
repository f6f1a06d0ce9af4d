#pragma once
// Traces of how graphs were captured, among the files of a run: they are not ranks, windows or steps of it, but say
// what the ranks' replays run. Recognised by their contents; alone they are traces like others.

#include "core/index/run.hpp"
#include "core/ingest/load/identify_ranks.hpp"

#include <optional>
#include <span>
#include <vector>

namespace core {

struct FoundCapture {
    RankIndexPtr index;
    std::optional<int> rank;  // as the file states, or its name; absent: neither
};

// Takes them out of the ranks and their claims, if anything else is left.
std::vector<FoundCapture> take_captures(RunParts&, std::vector<RankClaim>&);
// Gives each rank those of its own number; where a rank has none, those of the others. Ranks have their numbers.
void attach_captures(std::span<const FoundCapture>, std::span<const RankSlot>);

}  // namespace core
