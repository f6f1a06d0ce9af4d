#pragma once
// The findings of a run as they are shown: costing no more than a replay without them saves, symptoms folded below
// their causes, the gravest first.

#include "core/analysis/findings/find_culprits.hpp"
#include "core/analysis/findings/finding_replays.hpp"

#include <span>
#include <string>
#include <string_view>

namespace core::findings {

struct RankFacts {
    std::int64_t rank, window, exposed, exposed_wait;
    std::uint32_t slot;
    std::string device;  // its name; empty if the trace does not say
    std::int32_t capture() const { return RankKey::unpacked(rank).capture; }
};

std::string_view severity_of(std::int64_t gain, std::int64_t window);
// Whether the gain is more than nothing, and at least the least share of the window.
bool is_worth_telling(std::int64_t gain, std::int64_t window, const Params&);
bool is_grave(FindingKind);

struct OrderingOfFindings {
    const Run& run;
    const Params& params;
    const Diagnosis& diagnosis;
    std::span<const RankFacts> ranks;  // with GPU work
};

// Orders the first table, and moves rows of it to new tables: `explained`, which vanish with a cause, and `minor`,
// whose replay saves less than the least. replays: null where there is no graph. Fails if cancelled.
Result<bool> order_findings(const OrderingOfFindings&, const FindingReplays* replays, std::span<const Culprit>,
                            Answer&);

}  // namespace core::findings
