#include "core/analysis/critical_path/critical_path_replays.hpp"

#include <algorithm>
#include <utility>

namespace core {
namespace {

constexpr std::int64_t kMostPlacementGap = 10'000;  // ns from the end of one node to the begin of the next on its lane

}  // namespace

ReplayOrder::ReplayOrder(const ReplayEdges& edges, std::span<const StreamQueue> queues)
    : edges_(edges), queues_(queues), place_(edges.source.size(), kNoReplay) {
    collect_nodes();
    for (std::uint32_t r = 0; r < place_.size(); ++r)
        if (place_[r] != kNoReplay) find_ends(r);
    for (const StreamQueue& queue : queues_) {
        std::vector<std::uint32_t>& counted = counted_.emplace_back(queue.events.size(), 0);
        for (std::size_t k = 0; k < counted.size(); ++k) {
            const bool counts = !is_foreign(queue.events[queue.by_end[k]]);
            counted[k] = counts ? static_cast<std::uint32_t>(k + 1) : k > 0 ? counted[k - 1] : 0;
        }
    }
}

void ReplayOrder::collect_nodes() {
    for (const StreamQueue& queue : queues_) {
        for (const StreamEvent& e : queue.events) {
            if (!is_known(e)) continue;
            std::uint32_t& place = place_[e.replay];
            if (place == kNoReplay) {
                place = static_cast<std::uint32_t>(replays_.size());
                replays_.emplace_back();
            }
            replays_[place].nodes.emplace_back(e.event, &e);
        }
    }
    for (Replay& replay : replays_) std::ranges::sort(replay.nodes);
}

void ReplayOrder::find_ends(std::uint32_t r) {
    Replay& replay = replays_[place_[r]];
    std::vector<EventId> waiting, awaited;
    for (const ReplayEdge& edge : edges_.of_replay(r)) {
        if (!find_node(replay, edge.from) || !find_node(replay, edge.to)) continue;
        waiting.push_back(edge.to);
        awaited.push_back(edge.from);
    }
    std::ranges::sort(waiting);
    std::ranges::sort(awaited);
    for (const auto& [event, node] : replay.nodes) {
        if (!std::ranges::binary_search(awaited, event)) replay.last.push_back(node);
        if (std::ranges::binary_search(waiting, event)) continue;
        if (!replay.first || node->begin < replay.first->begin) replay.first = node;
    }
}

bool ReplayOrder::is_foreign(const StreamEvent& e) const {
    if (!is_known(e)) return false;
    const StreamEvent* const first = replays_[place_[e.replay]].first;
    return first && first->stream != e.stream;
}

const StreamEvent* ReplayOrder::find_node(const Replay& replay, EventId event) const {
    const auto at = std::ranges::lower_bound(replay.nodes, event, {}, [](const auto& node) { return node.first; });
    return at != replay.nodes.end() && at->first == event ? at->second : nullptr;
}

void ReplayOrder::add_before(const StreamQueue& queue, const StreamEvent& e, Waits& waits) const {
    const auto q = static_cast<std::size_t>(&queue - queues_.data());
    const std::size_t ended = queue.count_ended_before(static_cast<std::size_t>(&e - queue.events.data()));
    if (ended == 0 || counted_[q][ended - 1] == 0) return;
    const StreamEvent& before = queue.events[queue.by_end[counted_[q][ended - 1] - 1]];
    if (!is_known(before)) {
        waits.on_stream = &before;
    } else if (before.replay != e.replay) {
        waits.after_replay = before.replay;
    }
}

std::vector<const StreamEvent*> ReplayOrder::find_predecessors(const StreamEvent& e) const {
    const Replay& replay = replays_[place_[e.replay]];
    const std::span<const ReplayEdge> all = edges_.of_replay(e.replay);
    std::vector<const StreamEvent*> found;
    for (auto at = std::ranges::lower_bound(all, e.event, {}, &ReplayEdge::to); at != all.end() && at->to == e.event;
         ++at)
        if (const StreamEvent* const node = find_node(replay, at->from)) found.push_back(node);
    return found;
}

ReplayOrder::Waits ReplayOrder::waits_of(const StreamQueue& queue, std::size_t i) const {
    const StreamEvent& e = queue.events[i];
    Waits waits;
    if (!is_known(e)) {
        add_before(queue, e, waits);
        return waits;
    }
    waits.in_graph = find_predecessors(e);
    const Replay& replay = replays_[place_[e.replay]];
    if (waits.in_graph.empty() && replay.first) add_before(queues_[replay.first->stream], *replay.first, waits);
    const StreamEvent* const before = queue.find_before(i);
    if (!before || before->replay != e.replay || e.begin - before->end > kMostPlacementGap) return waits;
    const auto ends_later = [&](const StreamEvent* other) { return other == before || other->end > before->end; };
    if (std::ranges::none_of(waits.in_graph, ends_later)) waits.placed_after = before;
    return waits;
}

}  // namespace core
