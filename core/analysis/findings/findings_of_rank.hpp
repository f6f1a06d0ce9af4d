#pragma once
// Causes of lost time that show on one rank alone: the input of `findings`.

#include "core/analysis/engine/analysis.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace core {

enum class FindingKind : std::uint8_t {
    ExposedCommunication,
    ExposedCopies,
    Idle,
    LowOverlap,
    ShortKernels,
    HostSyncs,
    Allocations,
    NoTensorCores,
    SmallMessages,
    UnusedMemory,
    LowPrecisionUnused,
    SlowMatrix,
    BadShapes,
    Recompute,
    SlackHigh,  // this and the next two have no gain
    NearLimit,
    Uncounted,
    UnbalancedKernels,  // from here on: show between ranks
    LastBucket,
    PrefetchLate,
    BubbleExcess,
    ExpertImbalance,
    LateRank,
    UnevenWork,
    StageImbalance,
    FewMicrobatches,
    Desynchronised,
    Incomplete,
    OutOfMemory,  // of a memory snapshot, which has no GPU work
    ClocksLowRank,  // from here on: of logs of GPUs, without a gain
    ClocksLowAll,
    GpuErrors,
    PcieNarrow,
    MemoryClockLow,
};
inline constexpr std::size_t kFindingKinds = 34;

// An analysis that shows more of a finding.
struct FindingLink {
    std::string_view label;     // "What delays it"
    std::string_view analysis;  // id
};

struct FindingRule {
    std::string_view id;         // "exposed-communication": stable
    std::string_view title;      // "Communication is exposed": begins a sentence that says on which ranks
    std::string_view certainty;  // measured, likely or possible
    std::string_view advice;     // without the names of analyses
    std::span<const FindingLink> links = {};
};
// "See straggler-causes (what delays it) and wait-by-step (when it was late)."; empty without links.
std::string format_links(std::span<const FindingLink>);
const FindingRule& rule_of(FindingKind);
const FindingRule* find_finding_rule(std::string_view id);  // null: no such finding
std::optional<FindingKind> find_finding_kind(std::string_view id);

struct Finding {
    FindingKind kind;
    std::int64_t gain;            // ns: no more than this can be gained
    std::string evidence;
    std::vector<EventId> events;  // the worst first; a few
    std::int64_t window = 0;      // ns: what the gain is a share of, where that is more than the window of GPU work
    std::vector<RankRange> places = {};  // of the events, where the evidence are gaps: those before them; else empty
    std::optional<RankRange> gap = {};  // the worst one, where the evidence is a gap rather than an event
    std::string_view advice = {};       // where it depends on what the rank has; empty: the rule's
    std::string_view risk = {};         // severity of what has no gain and is told in any case; empty: it has one
};

// A view through the filter's terms on step, stream and time alone: the others would take work away that explains
// things.
Result<RankView> view_for_findings(const RankView&, const JobContext&);

// A matrix kernel in single precision without tensor cores, by its name.
bool is_simt_matrix_kernel(std::string_view name);

// All that there is, however small. Fails when cancelled.
Result<std::vector<Finding>> find_on_rank(const RankView& for_findings, const JobContext&);

}  // namespace core
