#include "core/analysis/whatif/typical.hpp"

#include "core/analysis/engine/rounding.hpp"

#include <algorithm>
#include <unordered_map>

namespace core {
namespace {

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
    hash ^= value + 0x9E3779B97F4A7C15ull + (hash << 6) + (hash >> 2);
    hash *= 0xFF51AFD7ED558CCDull;
    return hash ^ (hash >> 32);
}

std::uint64_t hash_of(std::string_view text) { return std::hash<std::string_view>{}(text); }

// Where a rank is in its steps and between its collectives, by the host's time: events belong where they were launched.
class Stretches {
public:
    Stretches(const Run& run, const Waits& waits, const RunGraph& graph, const GraphPart& part, TypicalOver over)
        : trace_(run.rank(part.slot).trace()), over_(over) {
        for (const Step& step : trace_.steps) steps_.push_back({step.range.begin, step.number, {}, 0});
        std::ranges::stable_sort(steps_, {}, &StepPlace::begin);
        if (steps_.empty() || over_ == TypicalOver::Ranks) steps_.insert(steps_.begin(), {RankTime::min(), -1, {}, 0});
        const MatchedRun& matches = *waits.matched;
        for (const std::uint32_t number : graph.collective_of_join) {
            const Collective& c = matches.collectives[number];
            for (const MemberRef ref : matches.members_of(c)) {
                if (ref.slot != part.slot) continue;
                const MemberEvent& member = matches.member(ref);
                if (StepPlace* const step = find(launch_of(member.event)))
                    step->collectives.push_back({launch_of(member.event), kind_of(matches, c, member)});
            }
        }
        for (StepPlace& step : steps_) {
            std::ranges::stable_sort(step.collectives, {}, &Boundary::at);
            step.sequence = over_ == TypicalOver::Ranks ? mixed(1, static_cast<std::uint64_t>(step.number)) : 1;
            for (const Boundary& boundary : step.collectives) step.sequence = mixed(step.sequence, boundary.kind);
        }
    }

    RankTime launch_of(EventId event) const {
        const EventId call = trace_.has(event, kGpuEvent) ? trace_.parent[index_of(event)] : kNoEvent;
        return trace_.start[index_of(call == kNoEvent ? event : call)];
    }

    // 0: nowhere that has peers.
    std::uint64_t stretch_of(RankTime at) const {
        const StepPlace* const step = find(at);
        if (!step) return 0;
        const auto after = std::ranges::upper_bound(step->collectives, at, {}, &Boundary::at);
        return mixed(step->sequence, static_cast<std::uint64_t>(after - step->collectives.begin()) + 7);
    }
    // The sequences of the steps that events lie in, one per step.
    std::vector<std::uint64_t> sequences() const {
        std::vector<std::uint64_t> all;
        for (const StepPlace& step : steps_) all.push_back(step.sequence);
        return all;
    }
    std::uint64_t sequence_of(RankTime at) const {
        const StepPlace* const step = find(at);
        return step ? step->sequence : 0;
    }

private:
    struct Boundary {
        RankTime at;
        std::uint64_t kind;
    };
    struct StepPlace {
        RankTime begin;
        std::int64_t number;
        std::vector<Boundary> collectives;
        std::uint64_t sequence;
    };

    static std::uint64_t kind_of(const MatchedRun& matches, const Collective& c, const MemberEvent& member) {
        const RunGroup& group = matches.groups[c.group];
        std::uint64_t kind = mixed(hash_of(group.description), c.count + c.absent);
        kind = mixed(kind, static_cast<std::uint64_t>(is_pairwise(c.operation) ? member.operation : c.operation));
        return has_equal_bytes(c.operation) ? mixed(kind, static_cast<std::uint64_t>(member.in_bytes)) : kind;
    }

    StepPlace* find(RankTime at) {
        const auto it = std::ranges::upper_bound(steps_, at, {}, &StepPlace::begin);
        return it == steps_.begin() ? nullptr : &*std::prev(it);
    }
    const StepPlace* find(RankTime at) const { return const_cast<Stretches*>(this)->find(at); }

    const RankTrace& trace_;
    TypicalOver over_;
    std::vector<StepPlace> steps_;
};

struct Place {
    std::uint64_t key;  // the same event on every peer
    std::uint64_t sequence;  // peers
};

// The key of each node of a part, 0 where it has none.
std::vector<Place> place_nodes(const Run& run, const RunGraph& graph, std::size_t p, const Stretches& stretches) {
    const RankSlot& rank = run.rank(graph.parts[p].slot);
    const RankTrace& trace = rank.trace();
    const std::uint32_t first = graph.parts[p].first_node;
    const std::uint32_t last = p + 1 < graph.parts.size() ? graph.parts[p + 1].first_node : graph.first_join;
    std::vector<Place> places(last - first, Place{0, 0});
    std::unordered_map<std::uint64_t, std::uint64_t> ordinals;
    for (std::uint32_t node = first; node < last; ++node) {
        const RunNode& of = graph.nodes[node];
        if (of.event == kNoEvent) continue;
        const RankTime at = of.of == NodeOf::Stream ? stretches.launch_of(of.event)
                            : of.is_end             ? trace.end(of.event)
                                                    : trace.start[index_of(of.event)];
        const std::uint64_t stretch = stretches.stretch_of(at);
        if (stretch == 0) continue;
        const InternedName name = (*rank.names)[index_of(trace.name[index_of(of.event)])];
        const std::uint64_t what =
            mixed(mixed(stretch, index_of(name)), static_cast<std::uint64_t>(of.of) * 2 + (of.is_end ? 1 : 0));
        places[node - first] = {mixed(what, ++ordinals[what]), stretches.sequence_of(at)};
    }
    return places;
}

// Edges of which a node has one.
bool can_be_typical(EdgeKind kind) {
    return kind == EdgeKind::Run || kind == EdgeKind::Transfer || kind == EdgeKind::Thread ||
           kind == EdgeKind::Launch || kind == EdgeKind::HandOver || kind == EdgeKind::StreamOrder;
}

struct Sample {
    std::uint64_t key;
    std::uint32_t edge;
};

}  // namespace

Result<Typical> find_typical(const Run& run, const Waits& waits, const RunGraph& graph, TypicalOver over,
                             const JobContext& context) {
    Typical typical;
    typical.weights = recorded_weights(graph);
    typical.known.assign(typical.weights.size(), false);
    std::unordered_map<std::uint64_t, std::size_t> peers;  // by sequence
    std::vector<std::vector<Place>> places;
    for (std::size_t p = 0; p < graph.parts.size(); ++p) {
        if (context.cancelled()) return cancelled_error();
        const Stretches stretches(run, waits, graph, graph.parts[p], over);
        for (const std::uint64_t sequence : stretches.sequences()) ++peers[sequence];
        places.push_back(place_nodes(run, graph, p, stretches));
    }
    std::vector<Sample> samples;
    std::unordered_map<std::uint64_t, std::uint64_t> sequence_of_key;
    const auto place_of = [&](const GraphEdge& edge) -> const Place* {
        if (!can_be_typical(edge.kind)) return nullptr;
        const std::size_t p = graph.part_of(edge.to);
        if (p >= graph.parts.size()) return nullptr;
        const Place& place = places[p][edge.to - graph.parts[p].first_node];
        return place.key == 0 ? nullptr : &place;
    };
    for (std::uint32_t e = 0; e < graph.graph.edges.size(); ++e) {
        const GraphEdge& edge = graph.graph.edges[e];
        const Place* const place = place_of(edge);
        if (!place) {
            if (edge.weight > 0 && can_be_typical(edge.kind)) {
                ++typical.kept;
                typical.kept_time = clamped(Wide{typical.kept_time} + edge.weight);
            }
            continue;
        }
        samples.push_back({mixed(place->key, static_cast<std::uint64_t>(edge.kind)), e});
    }
    std::ranges::sort(samples, {}, [](const Sample& sample) { return std::pair(sample.key, sample.edge); });
    std::vector<std::int64_t> values;
    for (std::size_t i = 0; i < samples.size();) {
        if (context.cancelled()) return cancelled_error();
        std::size_t last = i;
        values.clear();
        for (; last < samples.size() && samples[last].key == samples[i].key; ++last)
            values.push_back(graph.graph.edges[samples[last].edge].weight);
        const Place* const place = place_of(graph.graph.edges[samples[i].edge]);
        const std::size_t others = peers[place->sequence] - 1, partners = values.size() - 1;
        const bool known = others > 0 && partners * 2 >= others;
        const std::int64_t middle = take_median(values);
        for (; i < last; ++i) {
            const std::uint32_t e = samples[i].edge;
            if (known) {
                typical.weights[e] = middle;
                typical.known[e] = true;
            } else if (graph.graph.edges[e].weight > 0) {
                ++typical.kept;
                typical.kept_time = clamped(Wide{typical.kept_time} + graph.graph.edges[e].weight);
            }
        }
    }
    return typical;
}

EdgeSteps find_edge_steps(const Run& run, const RunGraph& graph) {
    EdgeSteps steps;
    for (const GraphPart& part : graph.parts)
        for (const Step& step : run.rank(part.slot).trace().steps) steps.numbers.push_back(step.number);
    std::ranges::sort(steps.numbers);
    steps.numbers.erase(std::ranges::unique(steps.numbers).begin(), steps.numbers.end());
    steps.of_edge.assign(graph.graph.edges.size(), kNoStepIndex);
    for (std::uint32_t e = 0; e < steps.of_edge.size(); ++e) {
        const GraphEdge& edge = graph.graph.edges[e];
        const std::size_t p = graph.part_of(edge);
        if (p >= graph.parts.size()) continue;
        const RunNode& node = graph.nodes[graph.part_of(edge.to) < graph.parts.size() ? edge.to : edge.from];
        if (node.event == kNoEvent) continue;
        const Step* const step = run.rank(graph.parts[p].slot).trace().step_of(node.event);
        if (!step) continue;
        steps.of_edge[e] =
            static_cast<std::uint32_t>(std::ranges::lower_bound(steps.numbers, step->number) - steps.numbers.begin());
    }
    return steps;
}

}  // namespace core
