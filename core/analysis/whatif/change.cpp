#include "core/analysis/whatif/change.hpp"

#include "core/analysis/collectives/bandwidth_groups.hpp"
#include "core/analysis/engine/rounding.hpp"

#include <cmath>
#include <map>

namespace core {
namespace {

std::int64_t percent_of(const GraphEdge& edge, const Scales& scales) {
    const bool takes_time = is_work(edge.bound_by) || edge.bound_by == BoundBy::HostOther;
    if (edge.chosen && takes_time) return scales.chosen;
    if (edge.kind == EdgeKind::Arrival) return kAsItIs;
    switch (edge.bound_by) {
        case BoundBy::Cpu:
            return scales.cpu;
        case BoundBy::Compute:
            return scales.compute;
        case BoundBy::Communication:
            return scales.communication;
        case BoundBy::Memory:
            return scales.memory;
        case BoundBy::LaunchDelay:
            return scales.launch_delay;
        case BoundBy::HostCallback:
            return scales.host_callback;
        default:
            return kAsItIs;
    }
}

class Weigher {
public:
    Weigher(const RunGraph& run, const Change& change, const ChangeFacts& facts)
        : run_(run), change_(change), facts_(facts) {}

    std::int64_t weigh(std::uint32_t e) const {
        const GraphEdge& edge = run_.graph.edges[e];
        if (!change_.launch_gaps && is_launch_gap(edge)) return kCutEdge;
        if (!change_.syncs && edge.kind == EdgeKind::Sync) return kCutEdge;
        if (!change_.scales.placement && edge.kind == EdgeKind::Placement) return kCutEdge;
        const bool typical = !change_.typical.empty() && change_.typical[e];
        const Typical* const peers = change_.peers ? change_.peers.get() : facts_.typical;
        std::int64_t weight = typical ? peers->weights[e] : edge.weight;
        if (const std::int64_t percent = percent_of(edge, change_.scales); percent != kAsItIs)
            weight = rounded_mean(Wide{weight} * percent, kAsItIs);
        if (!change_.factor.empty() && change_.factor[e] != 1)
            weight = std::llround(static_cast<double>(weight) * static_cast<double>(change_.factor[e]));
        if (change_.link != kAsItIs && edge.bound_by == BoundBy::Communication) weight = on_link(edge, weight);
        return weight;
    }

private:
    // Launches, and the threads' own ends: GPU work alone remains.
    bool is_launch_gap(const GraphEdge& edge) const {
        if (edge.kind == EdgeKind::Launch) return true;
        if (edge.kind != EdgeKind::Tail || edge.from >= run_.first_join) return false;
        const NodeOf of = run_.nodes[edge.from].of;
        return of == NodeOf::MainThread || of == NodeOf::Backward || of == NodeOf::OtherThread;
    }

    std::int64_t on_link(const GraphEdge& edge, std::int64_t weight) const {
        double share = 1;
        if (edge.kind == EdgeKind::Transfer && !facts_.bandwidth_share.empty() && run_.is_join(edge.from))
            share = facts_.bandwidth_share[edge.from - run_.first_join];
        if (change_.link <= 0) return weight;
        const double factor = 1 - share + share * static_cast<double>(kAsItIs) / static_cast<double>(change_.link);
        return std::llround(static_cast<double>(weight) * factor);
    }

    const RunGraph& run_;
    const Change& change_;
    const ChangeFacts& facts_;
};

ChosenMembers everything(const Run& run, const Waits& waits) {
    ChosenMembers all;
    all.waits = waits_of(run);
    all.run = &run;
    all.member.assign(waits.matched->members.size(), true);
    all.collective.assign(waits.matched->collectives.size(), true);
    for (std::uint32_t c = 0; c < all.collective.size(); ++c) all.collectives.push_back(c);
    return all;
}

}  // namespace

Change change_to(Typical typical) {
    Change change{.typical = typical.known};
    change.peers = std::make_shared<const Typical>(std::move(typical));
    return change;
}

EdgeWeights weights_under(const RunGraph& run, const Change& change, const ChangeFacts& facts) {
    const Weigher weigher(run, change, facts);
    EdgeWeights weights(run.graph.edges.size());
    for (std::uint32_t e = 0; e < weights.size(); ++e) weights[e] = weigher.weigh(e);
    return weights;
}

std::vector<double> find_bandwidth_shares(const Run& run, const Waits& waits, const RunGraph& graph) {
    const ChosenMembers all = everything(run, waits);
    std::map<std::pair<std::string, Operation>, LinkLine> lines;
    for (OperationGroup& group : collect_bandwidth_groups(all))
        if (group.line.identifiable) lines[{group.group, group.operation}] = group.line;
    std::vector<double> shares;
    for (const std::uint32_t number : graph.collective_of_join) {
        const Collective& c = waits.matched->collectives[number];
        const auto line = lines.find({all.group_of(c), c.operation});
        const std::optional<std::int64_t> bytes = size_of(*waits.matched, c);
        double share = 1;
        if (line != lines.end() && bytes && *bytes > 0) {
            const double moving = static_cast<double>(*bytes) / line->second.bandwidth;
            share = moving / (line->second.alpha + moving);
        }
        shares.push_back(share);
    }
    return shares;
}

}  // namespace core
