#include "core/analysis/whatif/late_ranks.hpp"

#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/whatif/change.hpp"
#include "core/analysis/whatif/late_choice.hpp"

#include <algorithm>
#include <map>

namespace core {
namespace {

std::optional<ExcessOf> excess_of(const GraphEdge& edge) {
    switch (edge.kind) {
        case EdgeKind::Run:
            if (edge.bound_by == BoundBy::Compute) return ExcessOf::Compute;
            if (edge.bound_by == BoundBy::Memory) return ExcessOf::Memory;
            return std::nullopt;
        case EdgeKind::Thread:
        case EdgeKind::HandOver:
        case EdgeKind::Launch:
            return ExcessOf::Host;
        default:
            return std::nullopt;
    }
}

class LateFinder {
public:
    LateFinder(const Run& run, const RunGraph& graph, const Partners& partners, const Suspects& suspects,
               const JobContext& context)
        : graph_(graph),
          partners_(partners),
          suspects_(suspects),
          context_(context),
          steps_(find_edge_steps(run, graph)) {}

    Result<LateRanks> find() {
        collect_excess();
        LateEvidence evidence{.slots = {},
                              .excess = std::move(excess_),
                              .of_steps = std::move(of_steps_),
                              .steps = steps_.numbers.size(),
                              .length = graph_.length(),
                              .suspects = suspects_,
                              .save = [this](const std::vector<std::uint32_t>& named) { return save(named); }};
        for (const GraphPart& part : graph_.parts) evidence.slots.push_back(part.slot);
        return choose_late_ranks(evidence);
    }

private:
    Result<std::int64_t> save(const std::vector<std::uint32_t>& named) const {
        std::vector<bool> parts(graph_.parts.size(), false);
        for (const std::uint32_t part : named) parts[part] = true;
        const Change change = change_to(make_typical(graph_, partners_, parts));
        const Result<NodeTimes> times = replay_times(graph_.graph, weights_under(graph_, change, {}), context_);
        if (!times) return times.error();
        return graph_.length() - (*times)[graph_.sink];
    }

    void add(std::uint32_t part, std::uint32_t edge, std::int64_t time, bool removed) {
        const std::optional<ExcessOf> what = excess_of(graph_.graph.edges[edge]);
        if (!what || time == 0) return;
        std::int64_t& sum = excess_[part].time[static_cast<std::size_t>(*what)];
        sum = clamped(Wide{sum} + time);
        if (time > worst_[part]) {
            worst_[part] = time;
            excess_[part].worst = graph_.graph.edges[edge].event;
        }
        if (removed) excess_[part].removed = clamped(Wide{excess_[part].removed} + time);
        std::int64_t& of_step = of_steps_[{steps_.of_edge[edge], part}];
        of_step = clamped(Wide{of_step} + time);
    }

    void collect_excess() {
        excess_.resize(graph_.parts.size());
        worst_.assign(graph_.parts.size(), 0);
        std::vector<std::int64_t> values;
        for (std::size_t g = 0; g < partners_.groups(); ++g) {
            const std::size_t peers = partners_.parts_of[partners_.sequence[g]].size();
            if (peers < 2) continue;
            const std::uint32_t first = partners_.first[g], last = partners_.first[g + 1];
            const std::size_t count = last - first;
            const bool has_partners = (count - 1) * 2 >= peers - 1;
            values.clear();
            for (std::uint32_t i = first; i < last; ++i)
                values.push_back(graph_.graph.edges[partners_.edges[i]].weight);
            const std::int64_t middle = has_partners ? take_median(values) : 0;
            for (std::uint32_t i = first; i < last; ++i) {
                const std::uint32_t e = partners_.edges[i];
                add(partners_.part[i], e, graph_.graph.edges[e].weight - middle, !has_partners);
            }
        }
    }

    const RunGraph& graph_;
    const Partners& partners_;
    const Suspects& suspects_;
    const JobContext& context_;
    EdgeSteps steps_;
    std::vector<RankExcess> excess_;  // by part
    std::vector<std::int64_t> worst_;  // by part: the longest single excess
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> of_steps_;  // by step index and part
};

}  // namespace

std::int64_t RankExcess::total() const {
    Wide sum = 0;
    for (const std::int64_t one : time) sum += one;
    return clamped(sum);
}

Result<LateRanks> find_late_ranks(const Run& run, const RunGraph& graph, const Partners& partners,
                                  const Suspects& suspects, const JobContext& context) {
    if (graph.parts.size() < 2) {
        LateRanks alone;
        alone.length = graph.length();
        return alone;
    }
    return LateFinder(run, graph, partners, suspects, context).find();
}

}  // namespace core
