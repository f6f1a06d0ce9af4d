#include "core/analysis/findings/finding_replays.hpp"

#include "core/analysis/engine/host_calls.hpp"
#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/findings/find_inefficiency.hpp"
#include "core/analysis/findings/find_parallel.hpp"
#include "core/analysis/findings/finding_thresholds.hpp"
#include "core/analysis/whatif/given_change.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace core {
namespace {

constexpr float kHalf = 0.5F;

bool has(std::span<const std::uint32_t> slots, std::uint32_t slot) {
    return std::ranges::find(slots, slot) != slots.end();
}

}  // namespace

bool is_cause(FindingKind kind) {
    return kind == FindingKind::LateRank || kind == FindingKind::UnevenWork || kind == FindingKind::StageImbalance;
}

FindingReplays::FindingReplays(const Run& run, const Diagnosis& diagnosis, std::span<const Partial* const> partials,
                               const JobContext& context)
    : run_(run),
      diagnosis_(diagnosis),
      waits_(*diagnosis.waits),
      graph_(*diagnosis.graph),
      partials_(partials),
      context_(context),
      has_launches_(std::ranges::any_of(graph_.graph.edges,
                                        [](const GraphEdge& edge) { return edge.kind == EdgeKind::Launch; })) {}

Result<std::int64_t> FindingReplays::length_under(const Change& change) const {
    const Result<NodeTimes> times = replay_times(graph_.graph, weights_under(graph_, change, {}), context_);
    if (!times) return times.error();
    return (*times)[graph_.sink];
}

Result<std::optional<Replay>> FindingReplays::replay(FindingKind kind, std::span<const std::uint32_t> slots) const {
    if (kind == FindingKind::LateRank || kind == FindingKind::UnevenWork)
        return std::optional(Replay{diagnosis_.late.saved, diagnosis_.late.saved,
                                    slots.size() == 1 ? "the rank like its peers" : "these ranks like their peers"});
    if (kind == FindingKind::StageImbalance)
        return std::optional(
            Replay{diagnosis_.saved_balanced, diagnosis_.saved_balanced, "every stage computes as long as the mean"});
    if (kind == FindingKind::FewMicrobatches) return replay_few_microbatches();
    std::optional<Mended> mended = mend(kind, slots);
    if (!mended || !changes_anything(mended->change)) return std::optional<Replay>{};
    const auto save = [&](const Change& change) -> Result<std::int64_t> {
        const Result<std::int64_t> length = length_under(change);
        if (!length) return length.error();
        return std::max<std::int64_t>(graph_.length() - *length, 0);
    };
    const Result<std::int64_t> alone = save(mended->change);
    if (!alone) return alone.error();
    const std::string_view causes = diagnosis_.name_causes();
    if (causes.empty()) return std::optional(Replay{*alone, *alone, std::move(mended->how)});
    const bool mends_causes = kind == FindingKind::UnbalancedKernels;
    const Result<std::int64_t> both = mends_causes ? alone : save(after_causes(std::move(mended->change)));
    if (!both) return both.error();
    const std::int64_t beyond = std::max<std::int64_t>(*both - diagnosis_.saved_by_causes(), 0);
    return std::optional(Replay{beyond, mends_causes ? beyond : *alone, mended->how + "; once " + std::string(causes)});
}

// By theory, of what is left once ranks are alike and stages even.
Result<std::optional<Replay>> FindingReplays::replay_few_microbatches() const {
    const std::int64_t saved = diagnosis_.saved_by_more_microbatches();
    return std::optional(Replay{saved, saved, "by theory, with four times the microbatches"});
}

// A factor of edges that all take no time, or of none, is of work that the graph does not have.
bool FindingReplays::changes_anything(const Change& change) const {
    if (change.factor.empty()) return change.scales != Scales{} || !change.launch_gaps || !change.syncs || change.peers;
    for (std::size_t e = 0; e < change.factor.size(); ++e)
        if (change.factor[e] != 1 && graph_.graph.edges[e].weight > 0) return true;
    return false;
}

// The change on top of what mends the causes.
Change FindingReplays::after_causes(Change change) const {
    Change causes = diagnosis_.mend_causes();
    change.typical = std::move(causes.typical);
    change.peers = std::move(causes.peers);
    if (change.factor.empty()) {
        change.factor = std::move(causes.factor);
    } else {
        for (std::size_t e = 0; e < causes.factor.size(); ++e) change.factor[e] *= causes.factor[e];
    }
    return change;
}

// Ranks that are late, and these in what they compute.
Change FindingReplays::compute_like_peers(std::span<const std::uint32_t> slots) const {
    std::vector<std::uint32_t> named = diagnosis_.late.slots;
    named.insert(named.end(), slots.begin(), slots.end());
    Change change = change_to(make_typical(graph_, diagnosis_.partners, diagnosis_.name(named)));
    for (std::uint32_t e = 0; e < change.typical.size(); ++e) {
        const GraphEdge& edge = graph_.graph.edges[e];
        const std::size_t part = graph_.part_of(edge);
        if (edge.bound_by != BoundBy::Compute && part < graph_.parts.size() &&
            !has(diagnosis_.late.slots, graph_.parts[part].slot))
            change.typical[e] = false;
    }
    return change;
}

// Transfers of collectives that are small on all members, and those that join nothing by their own size.
std::vector<float> FindingReplays::factor_of_small_messages() const {
    const MatchedRun& matches = *waits_.matched;
    std::set<std::pair<std::uint32_t, EventId>> small;
    std::vector<bool> all_small(matches.collectives.size(), true);
    for (std::uint32_t c = 0; c < all_small.size(); ++c) {
        for (const MemberRef ref : matches.members_of(matches.collectives[c])) {
            const MemberEvent& member = matches.member(ref);
            if (member.in_bytes > thresholds::kSmallMessageBytes)
                all_small[c] = false;
            else
                small.emplace(ref.slot, member.event);
        }
    }
    std::vector<float> all(graph_.graph.edges.size(), 1);
    for (std::uint32_t e = 0; e < all.size(); ++e) {
        const GraphEdge& edge = graph_.graph.edges[e];
        if (edge.kind == EdgeKind::Transfer && all_small[graph_.collective_of(edge.from)]) all[e] = 0;
        if (edge.kind == EdgeKind::Run && has_owner(edge) &&
            small.contains({graph_.parts[graph_.part_of(edge)].slot, edge.event}))
            all[e] = 0;
    }
    return all;
}

std::vector<float> FindingReplays::factor_if_mended(FindingKind kind, std::span<const std::uint32_t> slots) const {
    std::map<std::uint32_t, std::vector<float>> of_slots;
    for (const std::uint32_t slot : slots) of_slots[slot] = factors_if_mended(kind, run_, slot, context_);
    std::vector<float> all(graph_.graph.edges.size(), 1);
    for (std::uint32_t e = 0; e < all.size(); ++e) {
        const GraphEdge& edge = graph_.graph.edges[e];
        if (edge.kind != EdgeKind::Run || !has_owner(edge)) continue;
        const auto of_slot = of_slots.find(graph_.parts[graph_.part_of(edge)].slot);
        if (of_slot != of_slots.end()) all[e] = of_slot->second[index_of(edge.event)];
    }
    return all;
}

// Empty: no transfer would change.
std::vector<float> FindingReplays::factor_of_transfers(FindingKind kind) const {
    const std::vector<float> left = transfers_if_mended(kind, partials_, run_);
    if (left.empty()) return {};
    std::map<std::pair<std::uint32_t, EventId>, float> of_members;  // for those that join nothing
    for (std::uint32_t c = 0; c < left.size(); ++c)
        for (const MemberRef ref : waits_.matched->members_of(waits_.matched->collectives[c]))
            if (left[c] != 1) of_members[{ref.slot, waits_.matched->member(ref).event}] = left[c];
    std::vector<float> all(graph_.graph.edges.size(), 1);
    for (std::uint32_t e = 0; e < all.size(); ++e) {
        const GraphEdge& edge = graph_.graph.edges[e];
        if (edge.kind == EdgeKind::Transfer) all[e] = left[graph_.collective_of(edge.from)];
        if (edge.kind != EdgeKind::Run || !has_owner(edge)) continue;
        const auto own = of_members.find({graph_.parts[graph_.part_of(edge)].slot, edge.event});
        if (own != of_members.end()) all[e] = own->second;
    }
    return all;
}

std::optional<FindingReplays::Mended> FindingReplays::mend(FindingKind kind,
                                                           std::span<const std::uint32_t> slots) const {
    if (kind == FindingKind::UnbalancedKernels)
        return Mended{compute_like_peers(slots), "compute kernels as on the peers"};
    if (std::optional<Mended> mended = mend_host(kind)) return mended;
    if (std::optional<Mended> mended = mend_kernels(kind, slots)) return mended;
    return mend_transfers(kind);
}

std::optional<FindingReplays::Mended> FindingReplays::mend_host(FindingKind kind) const {
    if (!has_launches_) return std::nullopt;
    switch (kind) {
        case FindingKind::Idle:
        case FindingKind::ShortKernels:
            return Mended{{.launch_gaps = false}, "GPU work waits for no launch"};
        case FindingKind::HostSyncs:
            return Mended{{.syncs = false}, "no call waits for GPU work"};
        case FindingKind::Allocations: {
            const auto allocating = [&](const GraphEdge& one) {
                return one.kind == EdgeKind::Thread && allocates(kind_of_call(trace_of(one).name_text(one.event)));
            };
            return Mended{{.factor = factor_where(0, allocating)}, "allocating calls take no time"};
        }
        default:
            return std::nullopt;
    }
}

std::optional<FindingReplays::Mended> FindingReplays::mend_kernels(FindingKind kind,
                                                                   std::span<const std::uint32_t> slots) const {
    switch (kind) {
        case FindingKind::NoTensorCores: {
            const auto slow = [&](const GraphEdge& one) {
                return one.kind == EdgeKind::Run && has(slots, graph_.parts[graph_.part_of(one)].slot) &&
                       is_simt_matrix_kernel(trace_of(one).name_text(one.event));
            };
            return Mended{{.factor = factor_where(kHalf, slow)}, "these kernels take half their time"};
        }
        case FindingKind::LowPrecisionUnused:
            return Mended{{.factor = factor_if_mended(kind, slots)},
                          "matrix kernels in fp32 are as much faster as the peak of 16 bits is"};
        case FindingKind::SlowMatrix:
        case FindingKind::BadShapes:
            return Mended{{.factor = factor_if_mended(kind, slots)}, "these kernels take no longer than their floor"};
        case FindingKind::Recompute:
            return Mended{{.factor = factor_if_mended(kind, slots)}, "kernels of recomputed operators take no time"};
        case FindingKind::ExposedCopies:
            return Mended{{.scales = {.memory = 0}}, "copies take no time"};
        default:
            return std::nullopt;
    }
}

std::optional<FindingReplays::Mended> FindingReplays::mend_transfers(FindingKind kind) const {
    switch (kind) {
        case FindingKind::ExposedCommunication:
        case FindingKind::LowOverlap:
            return Mended{{.scales = {.communication = 0}}, "transfers take no time"};
        case FindingKind::LastBucket:
            return Mended{{.factor = factor_of_transfers(kind)}, "transfers of last buckets take no time"};
        case FindingKind::PrefetchLate:
            return Mended{{.factor = factor_of_transfers(kind)}, "transfers of late all-gathers take no time"};
        case FindingKind::ExpertImbalance:
            return Mended{{.factor = what_if::ParallelFactors(waits_, graph_).of_experts()},
                          "transfers of all-to-alls take as long as with even amounts"};
        case FindingKind::SmallMessages:
            return Mended{{.factor = factor_of_small_messages()}, "small transfers take no time"};
        default:
            return std::nullopt;
    }
}

}  // namespace core
