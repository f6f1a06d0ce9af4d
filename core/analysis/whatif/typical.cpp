#include "core/analysis/whatif/typical.hpp"

#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/whatif/pipeline_stages.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace core {
namespace {

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
    hash ^= value + 0x9E3779B97F4A7C15ull + (hash << 6) + (hash >> 2);
    hash *= 0xFF51AFD7ED558CCDull;
    return hash ^ (hash >> 32);
}

std::uint64_t hash_of(std::string_view text) { return std::hash<std::string_view>{}(text); }

// Locates times in a rank's steps and between its collectives, by the host's time: events belong where they were
// launched.
class Stretches {
public:
    // stage: ranks of other stages are no peers, even where they call the same collectives.
    Stretches(const Run& run, const Waits& waits, const GraphPart& part, TypicalOver over, std::uint64_t stage)
        : trace_(run.rank(part.slot).trace()), over_(over) {
        for (const Step& step : trace_.steps) steps_.push_back({step.range.begin, step.number, {}, 0});
        std::ranges::stable_sort(steps_, {}, &StepPlace::begin);
        if (steps_.empty() || over_ == TypicalOver::Ranks) steps_.insert(steps_.begin(), {RankTime::min(), -1, {}, 0});
        // All that were launched in the window, whether they join ranks or not: what joins depends on times, which
        // differ between peers, the order of launches does not.
        const MatchedRun& matches = *waits.matched;
        const std::span<const MemberEvent> members = matches.ranks[part.slot].events;
        for (std::uint32_t i = 0; i < members.size(); ++i) {
            const RankTime at = launch_of(members[i].event);
            if (at < part.window.range.begin || at >= part.window.range.end) continue;
            const Collective& c = matches.collectives[matches.collective_of({part.slot, i})];
            // Not all members recorded it, as at the ends of a window: it would tell equal ranks apart.
            if (c.count < 2 || c.missing > 0) continue;
            if (StepPlace* const step = find(at)) step->collectives.push_back({at, kind_of(matches, c, members[i])});
        }
        for (StepPlace& step : steps_) {
            std::ranges::stable_sort(step.collectives, {}, &Boundary::at);
            step.sequence = over_ == TypicalOver::Ranks ? mixed(1, static_cast<std::uint64_t>(step.number)) : 1;
            step.sequence = mixed(step.sequence, stage);
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
    std::uint64_t key;  // the same event on every peer; 0: none
    std::uint64_t sequence;  // peers
    std::uint64_t stretch;
};

// The nodes of all parts with their keys.
class Places {
public:
    Places(const Run& run, const Waits& waits, const RunGraph& graph, TypicalOver over)
        : run_(run), graph_(graph), of_parts_(graph.parts.size()) {
        const PipelineStages stages = find_pipeline_stages(*waits.matched);
        for (std::uint32_t p = 0; p < graph.parts.size(); ++p) {
            const Stretches stretches(run, waits, graph.parts[p], over, stages.stage[graph.parts[p].slot]);
            for (const std::uint64_t sequence : stretches.sequences()) peers_[sequence].push_back(p);
            place_nodes(p, stretches);
        }
        match_renamed_kernels();
    }

    const Place* find(std::uint32_t node) const {
        const std::size_t p = graph_.part_of(node);
        if (p >= of_parts_.size()) return nullptr;
        const Place& place = of_parts_[p][node - graph_.parts[p].first_node];
        return place.key == 0 ? nullptr : &place;
    }
    const std::map<std::uint64_t, std::vector<std::uint32_t>>& peers() const { return peers_; }

private:
    using Ordinals = std::unordered_map<std::uint64_t, std::uint64_t>;

    void place_nodes(std::size_t p, const Stretches& stretches) {
        const RankSlot& rank = run_.rank(graph_.parts[p].slot);
        const RankTrace& trace = rank.trace();
        const std::uint32_t first = graph_.parts[p].first_node;
        const std::uint32_t last = p + 1 < graph_.parts.size() ? graph_.parts[p + 1].first_node : graph_.first_join;
        of_parts_[p].assign(last - first, Place{0, 0, 0});
        Ordinals ordinals;
        for (std::uint32_t node = first; node < last; ++node) {
            const RunNode& of = graph_.nodes[node];
            if (of.event == kNoEvent) continue;
            const RankTime at = of.of == NodeOf::Stream ? stretches.launch_of(of.event)
                                : of.is_end             ? trace.end(of.event)
                                                        : trace.start[index_of(of.event)];
            const std::uint64_t stretch = stretches.stretch_of(at);
            if (stretch == 0) continue;
            const InternedName name = (*rank.names)[index_of(trace.name[index_of(of.event)])];
            const std::uint64_t what = mixed(mixed(stretch, index_of(name)), kind_of(of));
            of_parts_[p][node - first] = {mixed(what, ++ordinals[what]), stretches.sequence_of(at), stretch};
        }
    }

    static std::uint64_t kind_of(const RunNode& node) {
        return static_cast<std::uint64_t>(node.of) * 2 + (node.is_end ? 1 : 0);
    }

    // A library may pick other kernels for the same work on another GPU: kernels that most peers do not have by name
    // are counted through together. Those of a rank that does more work are left over.
    void match_renamed_kernels() {
        std::unordered_map<std::uint64_t, std::uint32_t> found;  // by key: nodes
        for (const std::vector<Place>& places : of_parts_)
            for (const Place& place : places)
                if (place.key != 0) ++found[place.key];
        for (std::size_t p = 0; p < of_parts_.size(); ++p) {
            Ordinals ordinals;
            for (std::size_t i = 0; i < of_parts_[p].size(); ++i) {
                Place& place = of_parts_[p][i];
                const RunNode& node = graph_.nodes[graph_.parts[p].first_node + i];
                if (place.key == 0 || node.of != NodeOf::Stream) continue;
                if (std::size_t{found[place.key]} * 2 >= peers_.at(place.sequence).size()) continue;
                const std::uint64_t what = mixed(mixed(place.stretch, kRenamed), kind_of(node));
                place.key = mixed(what, ++ordinals[what]);
            }
        }
    }

    static constexpr std::uint64_t kRenamed = 0x52454E414D454421ull;

    const Run& run_;
    const RunGraph& graph_;
    std::vector<std::vector<Place>> of_parts_;
    std::map<std::uint64_t, std::vector<std::uint32_t>> peers_;  // by sequence, a part once for each of its steps
};

// Edges of which a node has one.
bool can_be_typical(EdgeKind kind) {
    return kind == EdgeKind::Run || kind == EdgeKind::Transfer || kind == EdgeKind::Thread ||
           kind == EdgeKind::Launch || kind == EdgeKind::HandOver || kind == EdgeKind::StreamOrder;
}

// Edges that go with an event that peers do not have: its own time, and what it adds to its thread or stream.
bool can_be_removed(EdgeKind kind) {
    return kind == EdgeKind::Run || kind == EdgeKind::Thread || kind == EdgeKind::Launch;
}

struct Sample {
    std::uint64_t key;
    std::uint32_t edge;
    std::uint32_t sequence;
};

void count_kept(const RunGraph& graph, std::uint32_t edge, Typical& typical) {
    const std::int64_t weight = graph.graph.edges[edge].weight;
    if (weight <= 0) return;
    ++typical.kept;
    typical.kept_time = clamped(Wide{typical.kept_time} + weight);
}

Typical start_typical(const RunGraph& graph) {
    Typical typical;
    typical.weights = recorded_weights(graph);
    typical.known.assign(typical.weights.size(), false);
    return typical;
}

}  // namespace

Result<Partners> find_partners(const Run& run, const Waits& waits, const RunGraph& graph, TypicalOver over,
                               const JobContext& context) {
    const Places places(run, waits, graph, over);
    if (context.cancelled()) return cancelled_error();
    Partners partners;
    std::unordered_map<std::uint64_t, std::uint32_t> number_of;
    for (const auto& [sequence, parts] : places.peers()) {
        number_of.emplace(sequence, static_cast<std::uint32_t>(partners.parts_of.size()));
        partners.parts_of.push_back(parts);
    }
    std::vector<Sample> samples;
    for (std::uint32_t e = 0; e < graph.graph.edges.size(); ++e) {
        const GraphEdge& edge = graph.graph.edges[e];
        if (!can_be_typical(edge.kind)) continue;
        const Place* const place = places.find(edge.to);
        if (!place)
            partners.alone.push_back(e);
        else
            samples.push_back(
                {mixed(place->key, static_cast<std::uint64_t>(edge.kind)), e, number_of.at(place->sequence)});
    }
    if (context.cancelled()) return cancelled_error();
    std::ranges::sort(samples, {}, [](const Sample& sample) { return std::pair(sample.key, sample.edge); });
    partners.edges.reserve(samples.size());
    partners.part.reserve(samples.size());
    for (std::size_t i = 0; i < samples.size(); ++i) {
        if (i == 0 || samples[i].key != samples[i - 1].key) {
            partners.first.push_back(static_cast<std::uint32_t>(i));
            partners.sequence.push_back(samples[i].sequence);
        }
        partners.edges.push_back(samples[i].edge);
        partners.part.push_back(static_cast<std::uint32_t>(graph.part_of(graph.graph.edges[samples[i].edge].to)));
    }
    partners.first.push_back(static_cast<std::uint32_t>(samples.size()));
    return partners;
}

Typical make_all_typical(const RunGraph& graph, const Partners& partners) {
    Typical typical = start_typical(graph);
    for (const std::uint32_t e : partners.alone) count_kept(graph, e, typical);
    std::vector<std::int64_t> values;
    for (std::size_t g = 0; g < partners.groups(); ++g) {
        const std::span<const std::uint32_t> edges =
            std::span(partners.edges).subspan(partners.first[g], partners.first[g + 1] - partners.first[g]);
        const std::size_t others = partners.parts_of[partners.sequence[g]].size() - 1;
        if (others == 0 || (edges.size() - 1) * 2 < others) {
            for (const std::uint32_t e : edges) count_kept(graph, e, typical);
            continue;
        }
        values.clear();
        for (const std::uint32_t e : edges) values.push_back(graph.graph.edges[e].weight);
        const std::int64_t middle = take_median(values);
        for (const std::uint32_t e : edges) {
            typical.weights[e] = middle;
            typical.known[e] = true;
        }
    }
    return typical;
}

Typical make_typical(const RunGraph& graph, const Partners& partners, const std::vector<bool>& named) {
    Typical typical = start_typical(graph);
    std::vector<std::size_t> others_of;  // by sequence
    std::vector<bool> all_named;  // by sequence
    for (const std::vector<std::uint32_t>& parts : partners.parts_of) {
        others_of.push_back(
            static_cast<std::size_t>(std::ranges::count_if(parts, [&](std::uint32_t p) { return !named[p]; })));
        all_named.push_back(others_of.back() == 0 && parts.size() > 1);
        if (all_named.back()) others_of.back() = parts.size() - 1;
    }
    for (const std::uint32_t e : partners.alone)
        if (named[graph.part_of(graph.graph.edges[e].to)]) count_kept(graph, e, typical);
    std::vector<std::int64_t> values;
    std::vector<std::uint32_t> own;
    for (std::size_t g = 0; g < partners.groups(); ++g) {
        values.clear();
        own.clear();
        for (std::uint32_t i = partners.first[g]; i < partners.first[g + 1]; ++i) {
            if (named[partners.part[i]])
                own.push_back(partners.edges[i]);
            else
                values.push_back(graph.graph.edges[partners.edges[i]].weight);
        }
        if (own.empty()) continue;
        const std::size_t others = others_of[partners.sequence[g]];
        std::size_t count = values.size();
        if (all_named[partners.sequence[g]]) {
            for (const std::uint32_t e : own) values.push_back(graph.graph.edges[e].weight);
            count = own.size() - 1;
        }
        const bool has_partners = others > 0 && count * 2 >= others;
        const std::int64_t middle = has_partners ? take_median(values) : 0;
        for (const std::uint32_t e : own) {
            const bool removed = others > 0 && !has_partners && can_be_removed(graph.graph.edges[e].kind);
            if (has_partners || removed) {
                typical.weights[e] = middle;
                typical.known[e] = true;
            } else {
                count_kept(graph, e, typical);
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
