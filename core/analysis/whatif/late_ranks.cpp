#include "core/analysis/whatif/late_ranks.hpp"

#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/whatif/change.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace core {
namespace {

constexpr std::size_t kMostNamed = 64;
constexpr double kLeastKept = 0.05;  // of what all save: a rank that adds less is not named
// A rank of those that are late by turns stands out in its step, and in no more than half of them.
constexpr std::int64_t kStandsOut = 2;

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
        LateRanks late;
        late.length = graph_.length();
        std::vector<std::uint32_t> named = collect_candidates();
        if (named.empty()) return late;
        Result<std::int64_t> saved = save(named);
        if (!saved) return saved.error();
        if (is_too_little(*saved)) return late;
        if (const Result<bool> done = leave_out_innocents(named, *saved); !done) return done.error();
        saved = save(named);
        if (!saved) return saved.error();
        if (is_too_little(*saved)) return late;
        late.saved = *saved;
        late.by_turns = are_late_by_turns(named);
        for (const std::uint32_t part : named) {
            const Result<std::int64_t> alone = save({part});
            if (!alone) return alone.error();
            late.slots.push_back(graph_.parts[part].slot);
            late.excess.push_back(excess_[part]);
            late.saved_alone.push_back(std::max<std::int64_t>(*alone, 0));
        }
        return late;
    }

private:
    bool is_too_little(std::int64_t saved) const {
        return static_cast<double>(saved) < kLeastSaved * static_cast<double>(graph_.length());
    }

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

    // Those with an excess that could matter; what it is worth the replay tells.
    std::vector<std::uint32_t> collect_candidates() const {
        std::vector<std::uint32_t> candidates;
        const auto matters = [&](std::int64_t time) {
            return static_cast<double>(time) >= kLeastSaved / 2 * static_cast<double>(graph_.length());
        };
        for (std::uint32_t p = 0; p < excess_.size(); ++p) {
            if (suspects_.left_out[p]) continue;
            if (suspects_.examined[p] || std::ranges::any_of(excess_[p].time, matters)) candidates.push_back(p);
        }
        std::ranges::stable_sort(candidates, std::greater{}, [&](std::uint32_t p) { return excess_[p].total(); });
        if (candidates.size() > kMostNamed) candidates.resize(kMostNamed);
        return candidates;
    }

    // Drops ranks, the least excess first, that all the others save as much without.
    Result<bool> leave_out_innocents(std::vector<std::uint32_t>& named, std::int64_t saved) const {
        const auto least = static_cast<std::int64_t>(static_cast<double>(saved) * (1 - kLeastKept));
        for (std::size_t i = named.size(); i-- > 0 && named.size() > 1;) {
            std::vector<std::uint32_t> others = named;
            others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
            const Result<std::int64_t> without = save(others);
            if (!without) return without.error();
            if (*without >= least) named = std::move(others);
        }
        return true;
    }

    bool are_late_by_turns(const std::vector<std::uint32_t>& named) const {
        if (named.size() < 2 || steps_.numbers.size() < 3) return false;
        const std::int64_t step = graph_.length() / static_cast<std::int64_t>(steps_.numbers.size());
        std::map<std::uint32_t, std::size_t> turns;  // steps in which a part stands out
        std::size_t counted = 0;
        for (std::uint32_t s = 0; s < steps_.numbers.size(); ++s) {
            std::vector<std::pair<std::int64_t, std::uint32_t>> of_step;
            for (const std::uint32_t part : named) {
                const auto it = of_steps_.find({s, part});
                of_step.emplace_back(it == of_steps_.end() ? 0 : it->second, part);
            }
            std::ranges::sort(of_step, std::greater{});
            if (static_cast<double>(of_step[0].first) < kLeastSaved * static_cast<double>(step)) continue;
            ++counted;
            if (of_step[0].first >= kStandsOut * of_step[1].first) ++turns[of_step[0].second];
        }
        if (counted < 3) return false;
        const std::size_t standing_out =
            std::accumulate(turns.begin(), turns.end(), std::size_t{0},
                            [](std::size_t sum, const auto& turn) { return sum + turn.second; });
        const auto most = std::ranges::max_element(turns, {}, [](const auto& turn) { return turn.second; });
        return standing_out * 2 > counted && turns.size() > 1 && most->second * 2 <= counted;
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
