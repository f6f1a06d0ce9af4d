#include "core/analysis/engine/event_graph.hpp"

#include "core/analysis/engine/rounding.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace core {
namespace {

constexpr std::array<std::string_view, kBoundBy> kBoundByNames = {
    "cpu",    "data_loading", "host_other", "launch_delay",  "compute", "communication",
    "memory", "kernel_delay", "sync_delay", "host_callback", "unknown"};

constexpr std::array<std::string_view, kEdgeKinds> kLinkNames = {
    "gpu event", "stream order", "stream wait", "inside a graph", "placement", "synchronisation", "launch",
    "thread",    "hand-over",    "(outside)",   "(end)",          "arrival",   "transfer"};

constexpr std::size_t kNodesBetweenChecks = 1 << 16;
constexpr std::uint32_t kNoEdge = 0xFFFFFFFFu;

class Settling {
public:
    Settling(NodeTimes time, GraphEdges edges, const JobContext& context, MovedNodes* moved)
        : edges_(std::move(edges)), context_(context), moved_(moved) {
        graph_.time = std::move(time);
    }

    Result<EventGraph> run() && {
        hang_on_source([&](const GraphEdge&) { return true; });
        if (context_.cancelled() || !order_nodes()) return cancelled_error();
        drop_circles();
        group_by_target();
        if (context_.cancelled()) return cancelled_error();
        for (const std::uint32_t node : graph_.order) {
            if (node == 0) continue;
            move_behind(node);
            stretch_last(node);
        }
        return std::move(graph_);
    }

private:
    std::size_t nodes() const { return graph_.time.size(); }

    // Adds an edge from the source to every node without a counted edge.
    template <class Counts>
    void hang_on_source(const Counts& counts) {
        std::vector<bool> reached(nodes(), false);
        for (const GraphEdge& edge : edges_)
            if (counts(edge)) reached[edge.to] = true;
        for (std::uint32_t node = 1; node < nodes(); ++node) {
            if (reached[node]) continue;
            edges_.push_back({.from = 0, .to = node, .kind = EdgeKind::Outside});
        }
    }

    // Topological order: repeatedly removes the last found node without unfinished predecessors, so that chains stay
    // together and neighbours in memory are visited one after another. In a cycle the earliest node goes first.
    bool order_nodes() {
        NodeNumbers waits(nodes(), 0), first(nodes() + 1, 0), targets(edges_.size());
        for (const GraphEdge& edge : edges_) {
            ++waits[edge.to];
            ++first[edge.from + 1];
        }
        std::partial_sum(first.begin(), first.end(), first.begin());
        // Afterwards first[n] is the end of the targets of n, and first[n - 1] their begin.
        for (const GraphEdge& edge : edges_) targets[first[edge.from]++] = edge.to;

        NodeNumbers& order = graph_.order;
        order.reserve(nodes());
        std::vector<bool> taken(nodes(), false);
        std::vector<std::uint32_t> ready, by_time;
        std::size_t earliest = 0;
        const auto take = [&](std::uint32_t node) {
            taken[node] = true;
            ready.push_back(node);
        };
        take(0);
        while (order.size() < nodes()) {
            if (ready.empty()) {
                if (by_time.empty()) by_time = nodes_by_time();
                while (taken[by_time[earliest]]) ++earliest;
                take(by_time[earliest]);
            }
            if (order.size() % kNodesBetweenChecks == 0 && context_.cancelled()) return false;
            const std::uint32_t node = ready.back();
            ready.pop_back();
            order.push_back(node);
            for (std::uint32_t i = node == 0 ? 0 : first[node - 1]; i < first[node]; ++i) {
                if (--waits[targets[i]] == 0 && !taken[targets[i]]) take(targets[i]);
            }
        }
        return true;
    }

    std::vector<std::uint32_t> nodes_by_time() const {
        std::vector<std::uint32_t> all(nodes());
        std::iota(all.begin(), all.end(), 0u);
        std::ranges::stable_sort(all, {}, [&](std::uint32_t node) { return graph_.time[node]; });
        return all;
    }

    void drop_circles() {
        NodeNumbers place(nodes());
        for (std::uint32_t i = 0; i < nodes(); ++i) place[graph_.order[i]] = i;
        const auto leads_back = [&](const GraphEdge& edge) { return place[edge.from] >= place[edge.to]; };
        if (std::erase_if(edges_, leads_back) > 0) hang_on_source([](const GraphEdge&) { return true; });
    }

    // By target, then kind; edges alike keep their order.
    void group_by_target() {
        graph_.first.assign(nodes() + 1, 0);
        for (const GraphEdge& edge : edges_) ++graph_.first[edge.to + 1];
        std::partial_sum(graph_.first.begin(), graph_.first.end(), graph_.first.begin());
        NodeNumbers next(graph_.first.begin(), graph_.first.end() - 1);
        graph_.edges.resize(edges_.size());
        for (const GraphEdge& edge : edges_) graph_.edges[next[edge.to]++] = edge;
        edges_ = {};
        for (std::uint32_t node = 0; node < nodes(); ++node) {
            if (graph_.first[node + 1] - graph_.first[node] < 2) continue;
            const std::span of_node =
                std::span(graph_.edges).subspan(graph_.first[node], graph_.first[node + 1] - graph_.first[node]);
            if (!std::ranges::is_sorted(of_node, {}, &GraphEdge::kind))
                std::ranges::stable_sort(of_node, {}, &GraphEdge::kind);
        }
    }

    // All that leads to the node has its place already.
    void move_behind(std::uint32_t node) {
        std::int64_t& time = graph_.time[node];
        std::int64_t ready = time;
        for (std::uint32_t i = graph_.first[node]; i < graph_.first[node + 1]; ++i)
            ready = std::max(ready, graph_.time[graph_.edges[i].from]);
        if (moved_ && ready > time) {
            ++moved_->count;
            moved_->sum = clamped(Wide{moved_->sum} + ready - time);
            moved_->most = std::max(moved_->most, ready - time);
        }
        time = ready;
        for (std::uint32_t i = graph_.first[node]; i < graph_.first[node + 1]; ++i) {
            GraphEdge& edge = graph_.edges[i];
            edge.weight = std::min(edge.weight, time - graph_.time[edge.from]);
        }
    }

    std::int64_t slack_of(const GraphEdge& edge) const {
        return graph_.time[edge.to] - graph_.time[edge.from] - edge.weight;
    }

    void stretch_last(std::uint32_t node) {
        const auto begin = graph_.edges.begin() + graph_.first[node];
        const auto end = graph_.edges.begin() + graph_.first[node + 1];
        const auto slack = [&](const GraphEdge& edge) { return slack_of(edge); };
        const auto last = std::ranges::min_element(begin, end, {}, slack);
        const std::int64_t rest = slack_of(*last);
        last->weight += rest;
        if (last->kind != EdgeKind::Sync) return;
        // A call returns equally long after each other event it waits for.
        for (auto it = begin; it != end; ++it)
            if (it != last && it->kind == EdgeKind::Sync)
                it->weight = std::min(last->weight, it->weight + slack_of(*it));
    }

    GraphEdges edges_;
    const JobContext& context_;
    MovedNodes* moved_;
    EventGraph graph_;
};

struct Way {
    std::int64_t length = 0;
    std::int64_t work = 0;
    std::uint32_t last = kNoEdge;
};

std::int64_t added(std::int64_t a, std::int64_t b) { return clamped(Wide{a} + b); }

Way find_longest_way(const EventGraph& graph, std::span<const std::int64_t> weights, std::span<const Way> ways,
                     std::uint32_t node) {
    Way best;
    for (std::uint32_t i = graph.first[node]; i < graph.first[node + 1]; ++i) {
        if (weights[i] == kCutEdge) continue;
        const GraphEdge& edge = graph.edges[i];
        const Way& before = ways[edge.from];
        const std::int64_t length = added(before.length, weights[i]);
        const std::int64_t work = is_work(edge.bound_by) ? added(before.work, weights[i]) : before.work;
        if (best.last != kNoEdge && std::pair(length, work) <= std::pair(best.length, best.work)) continue;
        best = {.length = length, .work = work, .last = i};
    }
    return best;
}

}  // namespace

bool is_work(BoundBy bound_by) {
    switch (bound_by) {
        case BoundBy::Cpu:
        case BoundBy::DataLoading:
        case BoundBy::Compute:
        case BoundBy::Communication:
        case BoundBy::Memory:
        case BoundBy::HostCallback:
            return true;
        default:
            return false;
    }
}

std::string_view name_of(BoundBy bound_by) { return kBoundByNames[static_cast<std::size_t>(bound_by)]; }
std::string_view name_of(EdgeKind kind) { return kLinkNames[static_cast<std::size_t>(kind)]; }

Result<EventGraph> finish_graph(NodeTimes time, GraphEdges edges, const JobContext& context, MovedNodes* moved) {
    return Settling(std::move(time), std::move(edges), context, moved).run();
}

Result<NodeTimes> replay_times(const EventGraph& graph, std::span<const std::int64_t> weights,
                               const JobContext& context) {
    NodeTimes times(graph.time.size(), 0);
    for (std::size_t i = 0; i < graph.order.size(); ++i) {
        if (i % kNodesBetweenChecks == 0 && context.cancelled()) return cancelled_error();
        const std::uint32_t node = graph.order[i];
        std::int64_t reached = 0;
        for (std::uint32_t e = graph.first[node]; e < graph.first[node + 1]; ++e)
            if (weights[e] != kCutEdge) reached = std::max(reached, added(times[graph.edges[e].from], weights[e]));
        times[node] = reached;
    }
    return times;
}

Result<LongestPath> find_longest_path(const EventGraph& graph, std::span<const std::int64_t> weights,
                                      std::uint32_t target, const JobContext& context) {
    std::vector<Way> ways(graph.time.size());
    for (std::size_t i = 0; i < graph.order.size(); ++i) {
        if (i % kNodesBetweenChecks == 0 && context.cancelled()) return cancelled_error();
        ways[graph.order[i]] = find_longest_way(graph, weights, ways, graph.order[i]);
    }
    LongestPath path{ways[target].length, {}};
    for (std::uint32_t node = target; ways[node].last != kNoEdge; node = graph.edges[path.edges.back()].from)
        path.edges.push_back(ways[node].last);
    std::ranges::reverse(path.edges);
    return path;
}

}  // namespace core
