#include "core/graphs/replay_edges.hpp"

#include "core/index/graph_sources.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace core {
namespace {

constexpr std::uint64_t kMostPassedOver = 1'000'000;
constexpr std::string_view kCallback = "graph_host_node", kEventRecord = "graph_event_node";

// Nodes of one graph; before[i]: nodes that node i waits for, as positions in `keys`.
struct Plan {
    std::vector<std::uint64_t> keys;  // sorted
    std::vector<std::vector<std::uint32_t>> before;
    EdgeSource source = EdgeSource::Unknown;
};

class EdgeFinder {
public:
    EdgeFinder(const RankIndex& rank, const JobContext& job)
        : trace_(rank.trace()), sources_(graph_sources_of(rank)), job_(job) {}

    std::shared_ptr<const ReplayEdges> run() && {
        made_ = std::make_shared<ReplayEdges>();
        made_->replays = find_replays(trace_, job_);
        const std::size_t count = made_->replays.replays.size();
        made_->source.assign(count, EdgeSource::Unknown);
        made_->first.assign(count + 1, 0);
        if (job_.checkpoint()) return nullptr;
        if (count == 0) return std::move(made_);
        collect_others();
        place_others();
        std::ranges::sort(made_->others, {}, &OtherNode::event);
        collect_arrows();
        collect_graph_data();
        if (job_.checkpoint()) return nullptr;
        for (auto& [graph, plan] : plans_) finish(graph, plan);
        for (std::uint32_t r = 0; r < count; ++r) {
            if (job_.checkpoint()) return nullptr;
            add_edges(r);
            made_->first[r + 1] = static_cast<std::uint32_t>(made_->edges.size());
        }
        return std::move(made_);
    }

private:
    std::optional<std::uint64_t> key_of(EventId e) const {
        return find_node_key(trace_.integer(Arg::GraphId, e), trace_.integer(Arg::GraphNodeId, e));
    }

    void collect_others() {
        std::vector<std::int8_t> kinds;  // 1: callbacks, 0: records, -1: neither
        for (const CategoryEntry& category : trace_.categories) {
            const std::string_view text = trace_.text(category.text);
            kinds.push_back(text == kCallback ? 1 : text == kEventRecord ? 0 : -1);
        }
        if (std::ranges::all_of(kinds, [](std::int8_t kind) { return kind < 0; })) return;
        for (std::uint32_t e = 0; e < trace_.size(); ++e) {
            const std::int8_t kind = kinds[trace_.category[e]];
            if (kind >= 0) made_->others.push_back({.event = EventId{e}, .is_callback = kind == 1});
        }
    }

    // Replays by launch; then callbacks that lost their correlation, which the profiler loses where replays queue up.
    void place_others() {
        std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> of_launch;  // by graph and correlation
        std::map<std::int64_t, std::vector<std::uint32_t>> of_graph;
        const GraphReplays& replays = made_->replays;
        for (std::uint32_t r = 0; r < replays.replays.size(); ++r) {
            const EventId node = replays.nodes_of(replays.replays[r]).front();
            of_graph[replays.replays[r].graph].push_back(r);
            if (const auto correlation = trace_.integer(Arg::Correlation, node); correlation && *correlation != 0)
                of_launch.try_emplace({replays.replays[r].graph, *correlation}, r);
        }
        std::set<std::pair<std::uint32_t, std::uint64_t>> has;  // replay, key
        std::vector<OtherNode*> lost;
        for (OtherNode& other : made_->others) {
            const std::int64_t graph = trace_.integer(Arg::GraphId, other.event).value_or(0);
            const std::int64_t correlation = trace_.integer(Arg::Correlation, other.event).value_or(0);
            const auto found = of_launch.find({graph, correlation});
            if (correlation != 0 && found != of_launch.end()) {
                other.replay = found->second;
                if (const auto key = key_of(other.event)) has.emplace(other.replay, *key);
            } else {
                lost.push_back(&other);
            }
        }
        for (OtherNode* const other : lost) {
            const std::int64_t graph = trace_.integer(Arg::GraphId, other->event).value_or(0);
            const auto key = key_of(other->event);
            if (graph != 0 && key) other->replay = guess_replay(*other, of_graph[graph], *key, has);
            if (other->replay == kNoReplay)
                ++made_->unplaced;
            else
                has.emplace(other->replay, *key);
        }
    }

    RankRange span_of(std::uint32_t replay) const {
        RankRange span{RankTime::max(), RankTime::min()};
        for (const EventId e : made_->replays.nodes_of(made_->replays.replays[replay]))
            span = {std::min(span.begin, trace_.start[index_of(e)]), std::max(span.end, trace_.end(e))};
        return span;
    }

    // The replay that lacks the node and spans its begin, else the last that began before; kNoReplay if two span it.
    std::uint32_t guess_replay(const OtherNode& other, std::span<const std::uint32_t> replays, std::uint64_t key,
                               const std::set<std::pair<std::uint32_t, std::uint64_t>>& has) {
        const RankTime start = trace_.start[index_of(other.event)];
        // By the start of the first node; the nearest before are enough, as replays of one graph do not overlap.
        const auto begin_of = [&](std::uint32_t r) { return spans_.try_emplace(r, span_of(r)).first->second.begin; };
        auto after = std::ranges::partition_point(replays, [&](std::uint32_t r) { return begin_of(r) <= start; });
        std::uint32_t last = kNoReplay, spanning = kNoReplay;
        constexpr int kMostTried = 4;
        for (int tried = 0; after != replays.begin() && tried < kMostTried; ++tried) {
            const std::uint32_t r = *--after;
            if (has.contains({r, key})) continue;
            if (last == kNoReplay) last = r;
            if (spans_.at(r).end <= start) continue;
            if (spanning != kNoReplay) return kNoReplay;
            spanning = r;
        }
        return spanning != kNoReplay ? spanning : last;
    }

    // Arrows between two nodes of one graph.
    void collect_arrows() {
        const SparseColumn<std::int64_t> graphs = trace_.integers(Arg::GraphId);
        for (std::size_t k = 0; k < trace_.flows.size(); ++k) {
            if (k % kEventsBetweenChecks == 0 && job_.checkpoint()) return;
            const Flow& arrow = trace_.flows[k];
            const std::int64_t *const from = graphs.find(arrow.from), *const to = graphs.find(arrow.to);
            if (!from || !to || *from == 0 || *from != *to) continue;
            const auto first = key_of(arrow.from), then = key_of(arrow.to);
            if (first && then && *first != *then) links_[*from].emplace_back(*then, *first);
        }
        for (auto& [graph, links] : links_) plans_[graph].source = EdgeSource::Arrows;
    }

    void collect_graph_data() {
        if (!sources_ || !sources_->nodes) return;
        for (const auto& [graph, nodes] : *sources_->nodes) {
            links_[graph].clear();  // graph data has every edge; arrows lack nodes that are not drawn
            for (const GraphDataNode& node : nodes) {
                links_[graph].emplace_back(node.key, node.key);
                for (const std::uint64_t before : node.before) links_[graph].emplace_back(node.key, before);
            }
            plans_[graph].source = EdgeSource::GraphData;
        }
    }

    void finish(std::int64_t graph, Plan& plan) {
        std::vector<std::pair<std::uint64_t, std::uint64_t>>& links = links_[graph];
        for (const auto& [to, from] : links) {
            plan.keys.push_back(to);
            plan.keys.push_back(from);
        }
        std::ranges::sort(plan.keys);
        plan.keys.erase(std::ranges::unique(plan.keys).begin(), plan.keys.end());
        std::ranges::sort(links);
        links.erase(std::ranges::unique(links).begin(), links.end());
        plan.before.resize(plan.keys.size());
        for (const auto& [to, from] : links)
            if (to != from) plan.before[*place_of(plan, to)].push_back(*place_of(plan, from));
    }
    static std::optional<std::uint32_t> place_of(const Plan& plan, std::uint64_t key) {
        const auto at = std::ranges::lower_bound(plan.keys, key);
        if (at == plan.keys.end() || *at != key) return std::nullopt;
        return static_cast<std::uint32_t>(at - plan.keys.begin());
    }

    // Nodes without an event are passed over: their predecessors take their place.
    void add_edges(std::uint32_t replay) {
        const GraphReplay& one = made_->replays.replays[replay];
        const auto found = plans_.find(one.graph);
        if (one.graph == 0 || !one.by_id || found == plans_.end()) return;
        const Plan& plan = found->second;
        made_->source[replay] = plan.source;
        events_.assign(plan.keys.size(), kNoEvent);
        const auto add = [&](EventId e) {
            if (const auto key = key_of(e))
                if (const auto place = place_of(plan, *key)) events_[*place] = e;
        };
        for (const EventId e : made_->replays.nodes_of(one)) add(e);
        for (const EventId e : others_of(replay)) add(e);
        passed_over_ = 0;
        for (std::uint32_t place = 0; place < plan.keys.size(); ++place)
            if (events_[place] != kNoEvent) add_edges_to(plan, place);
        if (passed_over_ > kMostPassedOver) {  // too costly; half of the edges would mislead more than none
            made_->edges.resize(made_->first[replay]);
            made_->source[replay] = EdgeSource::Unknown;
        }
        std::ranges::sort(made_->edges.begin() + made_->first[replay], made_->edges.end(), {},
                          [](const ReplayEdge& edge) { return std::pair(edge.to, edge.from); });
    }

    void add_edges_to(const Plan& plan, std::uint32_t place) {
        std::vector<std::uint32_t> open(plan.before[place].begin(), plan.before[place].end());
        std::set<std::uint32_t> passed;
        while (!open.empty()) {
            const std::uint32_t from = open.back();
            open.pop_back();
            if (from == place) continue;
            if (events_[from] != kNoEvent) {
                made_->edges.push_back({events_[from], events_[place]});
                continue;
            }
            if (passed.insert(from).second) open.insert(open.end(), plan.before[from].begin(), plan.before[from].end());
        }
    }

    std::vector<EventId> others_of(std::uint32_t replay) {
        if (others_of_.empty())
            for (const OtherNode& other : made_->others) others_of_.emplace(other.replay, other.event);
        std::vector<EventId> events;
        for (auto [at, end] = others_of_.equal_range(replay); at != end; ++at) events.push_back(at->second);
        return events;
    }

    const RankTrace& trace_;
    GraphSourcesPtr sources_;
    const JobContext& job_;
    std::shared_ptr<ReplayEdges> made_;
    std::map<std::int64_t, Plan> plans_;  // by graph
    std::map<std::int64_t, std::vector<std::pair<std::uint64_t, std::uint64_t>>> links_;  // (to, from) by graph
    std::map<std::uint32_t, RankRange> spans_;  // by replay
    std::multimap<std::uint32_t, EventId> others_of_;  // by replay
    std::vector<EventId> events_;  // of one replay, by place
    std::uint64_t passed_over_ = 0;  // steps past nodes without an event, in one replay
};

}  // namespace

const OtherNode* ReplayEdges::find_other(EventId e) const {
    const auto at = std::ranges::lower_bound(others, e, {}, &OtherNode::event);
    return at != others.end() && at->event == e ? &*at : nullptr;
}

std::uint32_t ReplayEdges::replay_of(EventId e) const {
    if (const std::uint32_t replay = replays.replay_of(e); replay != kNoReplay) return replay;
    const OtherNode* const other = find_other(e);
    return other ? other->replay : kNoReplay;
}

std::shared_ptr<const ReplayEdges> replay_edges_of(const RankIndex& rank, const JobContext& job) {
    const std::shared_ptr<const ReplayEdges> made =
        derived_with_graphs(rank).get<ReplayEdges>([&] { return EdgeFinder(rank, job).run(); });
    return made ? made : std::make_shared<const ReplayEdges>();
}

}  // namespace core
