#include "core/index/graph_replays.hpp"

#include "core/store/launch_names.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace core {
namespace {

constexpr int kNodeBits = 32;

class ReplayFinder {
public:
    ReplayFinder(const RankTrace& trace, const JobContext& job)
        : trace_(trace),
          job_(job),
          graphs_(trace.integers(Arg::GraphId)),
          node_ids_(trace.integers(Arg::GraphNodeId)) {}

    GraphReplays run() && {
        collect_launched();
        collect_others();
        if (found_.empty()) return {};
        std::ranges::stable_sort(found_, {}, [&](const Found& one) { return start_of_first(one); });
        GraphReplays made;
        made.of_event.assign(trace_.size(), kNoReplay);
        for (Found& one : found_) {
            order_nodes(one);
            one.replay.first = static_cast<std::uint32_t>(made.nodes.size());
            one.replay.count = static_cast<std::uint32_t>(one.nodes.size());
            for (const EventId e : one.nodes)
                made.of_event[index_of(e)] = static_cast<std::uint32_t>(made.replays.size());
            made.nodes.insert(made.nodes.end(), one.nodes.begin(), one.nodes.end());
            made.replays.push_back(one.replay);
        }
        return made;
    }

private:
    struct Found {
        GraphReplay replay;
        std::vector<EventId> nodes;
    };

    std::int64_t graph_of(EventId e) const {
        const std::int64_t* const graph = graphs_.find(e);
        return graph ? *graph : 0;
    }

    void collect_launched() {
        std::vector<std::int8_t> is_graph(trace_.names.size(), -1);
        for (std::size_t k = 0; k < trace_.launch_calls.size(); ++k) {
            if (k % kEventsBetweenChecks == 0 && job_.checkpoint()) return;
            const EventId call = trace_.launch_calls[k];
            std::int8_t& known = is_graph[index_of(trace_.name[index_of(call)])];
            if (known < 0) known = launch_kind(trace_.name_text(call)) == LaunchKind::Graph ? 1 : 0;
            if (known == 0) continue;
            const std::span<const EventId> nodes = trace_.launched_by(call);
            if (nodes.empty()) continue;
            Found one{.replay = {.call = call}, .nodes = {nodes.begin(), nodes.end()}};
            for (const EventId e : nodes)
                if (one.replay.graph == 0) one.replay.graph = graph_of(e);
            found_.push_back(std::move(one));
        }
    }

    // Events with a graph's id whose launch has another name, or is not here.
    void collect_others() {
        std::map<std::tuple<EventId, std::int64_t, std::int64_t>, Found> others;
        for (std::size_t i = 0; i < graphs_.size(); ++i) {
            const EventId e = graphs_.events[i];
            if (graphs_.values[i] == 0 || !trace_.has(e, kGpuEvent)) continue;
            const EventId call = trace_.parent[index_of(e)];
            if (call != kNoEvent && launch_kind(trace_.name_text(call)) == LaunchKind::Graph) continue;
            const std::int64_t correlation = trace_.integer(Arg::Correlation, e).value_or(0);
            Found& one = others[{call, graphs_.values[i], correlation}];
            one.replay.call = call;
            one.replay.graph = graphs_.values[i];
            one.nodes.push_back(e);
        }
        for (auto& [key, one] : others) found_.push_back(std::move(one));
    }

    RankTime start_of_first(const Found& one) const {
        RankTime first = RankTime::max();
        for (const EventId e : one.nodes) first = std::min(first, trace_.start[index_of(e)]);
        return first;
    }

    void order_nodes(Found& one) const {
        std::vector<std::pair<std::uint64_t, EventId>> keys;
        for (const EventId e : one.nodes) {
            const std::int64_t* const graph = graphs_.find(e);
            const std::int64_t* const node = node_ids_.find(e);
            const auto value = [](const std::int64_t* number) {
                return number ? std::optional(*number) : std::nullopt;
            };
            if (const auto key = find_node_key(value(graph), value(node))) keys.emplace_back(*key, e);
        }
        std::ranges::sort(keys);
        const auto same_key = [](const auto& a, const auto& b) { return a.first == b.first; };
        one.replay.by_id = keys.size() == one.nodes.size() && std::ranges::adjacent_find(keys, same_key) == keys.end();
        if (one.replay.by_id)
            for (std::size_t i = 0; i < keys.size(); ++i) one.nodes[i] = keys[i].second;
        else
            std::ranges::sort(one.nodes, {}, [&](EventId e) {
                return std::pair(trace_.start[index_of(e)], trace_.order[index_of(e)]);
            });
    }

    const RankTrace& trace_;
    const JobContext& job_;
    const SparseColumn<std::int64_t> graphs_, node_ids_;
    std::vector<Found> found_;
};

}  // namespace

GraphReplays find_replays(const RankTrace& trace, const JobContext& job) { return ReplayFinder(trace, job).run(); }

std::optional<std::uint64_t> find_node_key(std::optional<std::int64_t> graph, std::optional<std::int64_t> node) {
    if (!graph || !node || *graph <= 0 || *node < 0 || *graph >> kNodeBits != 0) return std::nullopt;
    if (*node >> kNodeBits == 0)
        return static_cast<std::uint64_t>(*graph) << kNodeBits | static_cast<std::uint64_t>(*node);
    return *node >> kNodeBits == *graph ? std::optional(static_cast<std::uint64_t>(*node)) : std::nullopt;
}

}  // namespace core
