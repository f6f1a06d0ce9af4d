#pragma once
// Allocations and frees of a trace taken with profile_memory=True, by device, and what is in use at their peak by the
// place that allocated it: the basis of memory-timeline and of the words on a peak.

#include "core/analysis/engine/analysis.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace core {

// One allocation (bytes > 0) or free.
struct MemoryChange {
    EventId event = kNoEvent;
    std::int64_t bytes = 0;
    std::optional<std::int64_t> address;
    std::optional<std::int64_t> allocated, reserved;  // totals after the change
    NameId cause = kNoName;  // innermost operator around it
    NameId call = kNoName;   // outermost operator inside `frame`, or of all
    NameId frame = kNoName;  // the nearest Python call of user code around it
};

using MemoryChanges = std::vector<MemoryChange>;

// By device ("CPU", "GPU 0"), those that pass the filter, in order.
Result<std::map<std::string, MemoryChanges>> collect_memory_changes(const RankView&, const JobContext&);

struct MemorySite {
    std::string site;  // "cross_entropy_loss · loss.py:22"; without Python calls the operator alone
    std::int64_t bytes = 0, blocks = 0, largest = 0;
};

struct MemorySites {
    std::int64_t all = 0;           // bytes in use at the peak, if totals are recorded, else of these sites
    std::vector<MemorySite> sites;  // by bytes, largest first
};

// Empty without addresses, which alone say what is freed. O(changes).
MemorySites find_sites_at_peak(const RankTrace&, const MemoryChanges&);

}  // namespace core
