#include "core/analysis/whatif/pipeline_stages.hpp"

#include "core/analysis/engine/rounding.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace core {
namespace {

class ChainFinder {
public:
    explicit ChainFinder(const MatchedRun& matches) : matches_(matches), next_(matches.ranks.size()) {
        for (const Collective& c : matches.collectives) {
            if (!is_pairwise(c.operation) || c.count != 2 || !may_be_pipeline(matches.groups[c.group].axis)) continue;
            const std::uint32_t a = matches.members[c.first].slot, b = matches.members[c.first + 1].slot;
            if (a == b) continue;
            next_[a].insert(b);
            next_[b].insert(a);
        }
    }

    PipelineStages find() {
        PipelineStages found{.stage = std::vector<std::uint32_t>(next_.size(), kNoStage),
                             .stages = std::vector<std::uint32_t>(next_.size(), 0),
                             .pipeline = std::vector<std::uint32_t>(next_.size(), 0)};
        std::vector<bool> seen(next_.size(), false);
        for (std::uint32_t slot = 0; slot < next_.size(); ++slot)
            if (!seen[slot] && !next_[slot].empty()) number(collect(slot, seen), found);
        return found;
    }

private:
    static bool may_be_pipeline(GroupAxis axis) { return axis == GroupAxis::None || axis == GroupAxis::Pipeline; }

    std::vector<std::uint32_t> collect(std::uint32_t slot, std::vector<bool>& seen) const {
        std::vector<std::uint32_t> chain{slot};
        seen[slot] = true;
        for (std::size_t i = 0; i < chain.size(); ++i) {
            for (const std::uint32_t other : next_[chain[i]]) {
                if (seen[other]) continue;
                seen[other] = true;
                chain.push_back(other);
            }
        }
        return chain;
    }

    void number(std::vector<std::uint32_t> chain, PipelineStages& found) {
        const auto is_meshed = [&](std::uint32_t slot) { return next_[slot].size() > 2; };
        if (std::ranges::any_of(chain, is_meshed)) return;
        std::ranges::sort(chain, {}, [&](std::uint32_t slot) { return matches_.ranks[slot].rank; });
        const std::uint32_t pipeline = ++pipelines_;
        for (std::size_t i = 0; i < chain.size(); ++i) {
            found.stage[chain[i]] = static_cast<std::uint32_t>(i + 1);
            found.stages[chain[i]] = static_cast<std::uint32_t>(chain.size());
            found.pipeline[chain[i]] = pipeline;
        }
    }

    const MatchedRun& matches_;
    std::vector<std::set<std::uint32_t>> next_;
    std::uint32_t pipelines_ = 0;
};

bool is_compute(const GraphEdge& edge) { return edge.kind == EdgeKind::Run && edge.bound_by == BoundBy::Compute; }

// Messages from the first stage to the next, of the pipelines that have most.
std::int64_t count_microbatches(const Run& run, const Waits& waits, const RunGraph& graph, const StageWork& work,
                                std::int64_t steps) {
    std::map<std::uint32_t, std::int64_t> sent;  // by slot of a first stage
    const MatchedRun& matches = *waits.matched;
    for (const std::uint32_t number : graph.collective_of_join) {
        const Collective& c = matches.collectives[number];
        if (!is_pairwise(c.operation)) continue;
        for (const MemberRef ref : matches.members_of(c)) {
            const auto part = std::ranges::find(graph.parts, ref.slot, &GraphPart::slot);
            if (part == graph.parts.end()) continue;
            const auto p = static_cast<std::size_t>(part - graph.parts.begin());
            const bool in_step = run.rank(ref.slot).trace().step_of(matches.member(ref).event) != nullptr;
            if (work.of_part[p] == 1 && matches.member(ref).operation == Operation::Send && in_step) ++sent[ref.slot];
        }
    }
    std::int64_t most = 0;
    for (const auto& [slot, count] : sent) most = std::max(most, count);
    return most / std::max<std::int64_t>(steps, 1);
}

}  // namespace

PipelineStages find_pipeline_stages(const MatchedRun& matches) { return ChainFinder(matches).find(); }

std::int64_t StageWork::mean() const {
    Wide sum = 0;
    for (const std::int64_t one : work) sum += one;
    return work.empty() ? 0 : rounded_mean(sum, static_cast<std::int64_t>(work.size()));
}

std::size_t StageWork::longest() const {
    return static_cast<std::size_t>(std::ranges::max_element(work) - work.begin());
}

double StageWork::theory() const {
    if (stages < 2 || microbatches < 1) return 0;
    return (stages - 1.0) / (static_cast<double>(microbatches) + stages - 1.0);
}

StageWork measure_stages(const Run& run, const Waits& waits, const RunGraph& graph, const std::vector<bool>& left_out,
                         std::int64_t steps) {
    StageWork found;
    const PipelineStages stages = find_pipeline_stages(*waits.matched);
    for (const GraphPart& part : graph.parts) {
        const std::uint32_t count = stages.stages[part.slot];
        if (count < 2 || (found.stages != 0 && count != found.stages)) return {};
        found.stages = count;
        found.of_part.push_back(stages.stage[part.slot]);
    }
    if (found.stages == 0) return {};
    std::vector<std::int64_t> of_part(graph.parts.size(), 0);
    for (const GraphEdge& edge : graph.graph.edges)
        if (const std::size_t p = graph.part_of(edge); p < of_part.size() && is_compute(edge))
            of_part[p] = clamped(Wide{of_part[p]} + edge.weight);
    double busy = 0;
    for (std::uint32_t stage = 1; stage <= found.stages; ++stage) {
        std::vector<std::int64_t> all, healthy;
        for (std::size_t p = 0; p < of_part.size(); ++p) {
            if (found.of_part[p] != stage) continue;
            all.push_back(of_part[p]);
            if (!left_out[p]) healthy.push_back(of_part[p]);
        }
        if (all.empty()) return {};
        found.work.push_back(take_median(healthy.empty() ? all : healthy));
    }
    for (const std::int64_t time : of_part) busy += static_cast<double>(time);
    const double whole = static_cast<double>(graph.length()) * static_cast<double>(of_part.size());
    found.bubble = whole > 0 ? 1 - busy / whole : 0;
    found.microbatches = count_microbatches(run, waits, graph, found, steps);
    return found;
}

std::vector<float> balance_stages(const RunGraph& graph, const StageWork& work) {
    std::vector<float> factors(graph.graph.edges.size(), 1);
    const auto mean = static_cast<double>(work.mean());
    for (std::size_t e = 0; e < factors.size(); ++e) {
        const GraphEdge& edge = graph.graph.edges[e];
        const std::size_t p = graph.part_of(edge);
        if (p >= work.of_part.size() || !is_compute(edge)) continue;
        const auto own = static_cast<double>(work.work[work.of_part[p] - 1]);
        if (own > 0) factors[e] = static_cast<float>(mean / own);
    }
    return factors;
}

}  // namespace core
