#include "core/analysis/whatif/run_graph.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace core {
namespace {

constexpr std::int64_t kLeastBlocked = 1'000'000;  // ns; shorter stretches of a thread are not asked
constexpr std::int64_t kMostReturn = 200'000;      // ns from the end of a kernel to the return of who waited for it

// A member event of a collective in the graph of its rank.
struct MemberNodes {
    std::uint32_t index = 0;  // into the slot's MemberTable
    std::uint32_t begin = kNoNode;
    std::uint32_t end = kNoNode;
    EventId event = kNoEvent;
};

// One rank's graph on the run's clock, with what joins need.
struct Piece {
    NodeTimes time;
    GraphEdges edges;
    std::vector<RunNode> nodes;
    std::vector<MemberNodes> members;  // by index
    std::uint32_t sink = 0;
    std::uint64_t reversed = 0;
    std::uint64_t blocked = 0;
};

class PieceMaker {
public:
    PieceMaker(const Run& run, const MatchedRun& matches, const PartWindow& part, RunTime origin)
        : run_(run), matches_(matches), part_(part), origin_(origin) {}

    Result<Piece> make(const ChosenEvents& chosen, const JobContext& context) const {
        const Filter everything;
        const RankView view{
            .run = &run_, .slot = part_.slot, .filter = &everything, .selection = nullptr, .time = std::nullopt};
        std::function<bool(EventId)> of_rank;
        if (chosen) of_rank = [&](EventId event) { return chosen(part_.slot, event); };
        Result<RankDraft> made = build_rank_draft(view, part_.window, of_rank, ReversedLaunches::Bridged, context);
        if (!made) return std::move(made).error();
        Piece piece;
        piece.sink = made->sink;
        piece.reversed = made->reversed;
        piece.edges = std::move(made->draft.edges);
        piece.nodes.resize(made->draft.time.size());
        name_nodes(*made, piece);
        find_members(*made, piece);
        find_blocked(made->draft, piece);
        piece.time = std::move(made->draft.time);
        const RankSlot& rank = run_.rank(part_.slot);
        for (std::int64_t& time : piece.time)
            time = (rank.to_run(part_.window.range.begin + Duration{time}) - origin_).count();
        return piece;
    }

private:
    void name_nodes(const RankDraft& made, Piece& piece) const {
        made.nodes.for_each([&](EventId event, std::uint32_t begin, std::uint32_t end) {
            if (begin != kNoNode) piece.nodes[begin] = {.event = event, .of = NodeOf::OtherThread, .is_end = false};
            if (end != kNoNode) piece.nodes[end] = {.event = event, .of = NodeOf::OtherThread, .is_end = true};
        });
        for (const ThreadChain& chain : made.chains) {
            const NodeOf of = chain.has_steps      ? NodeOf::MainThread
                              : chain.has_backward ? NodeOf::Backward
                                                   : NodeOf::OtherThread;
            for (std::uint32_t node = chain.first_node; node < chain.last_node; ++node) piece.nodes[node].of = of;
        }
        for (const StreamQueue& queue : made.queues) {
            for (const StreamEvent& e : queue.events) {
                piece.nodes[e.begin_node] = {.event = e.event, .of = NodeOf::Stream, .is_end = false};
                piece.nodes[e.end_node] = {.event = e.event, .of = NodeOf::Stream, .is_end = true};
            }
        }
    }

    // Those that lie in the window whole and are one event each.
    void find_members(const RankDraft& made, Piece& piece) const {
        const std::span<const MemberEvent> events = matches_.ranks[part_.slot].events;
        const RankRange window = part_.window.range;
        std::vector<std::pair<EventId, std::uint32_t>> by_event;
        for (std::uint32_t i = 0; i < events.size(); ++i)
            if (events[i].parts == 1 && events[i].start >= window.begin && events[i].end() <= window.end)
                by_event.emplace_back(events[i].event, i);
        std::ranges::sort(by_event);
        for (const StreamQueue& queue : made.queues) {
            for (const StreamEvent& e : queue.events) {
                const auto it =
                    std::ranges::lower_bound(by_event, e.event, {}, [](const auto& pair) { return pair.first; });
                if (it == by_event.end() || it->first != e.event) continue;
                piece.members.push_back({it->second, e.begin_node, e.end_node, e.event});
            }
        }
        std::ranges::sort(piece.members, {}, &MemberNodes::index);
    }

    // Waits that no call in the trace tells of, as where an allocator frees memory that a collective still uses: a long
    // stretch of a thread that a collective's kernel covers, and that ends with it.
    void find_blocked(const GraphDraft& draft, Piece& piece) const {
        std::vector<const MemberNodes*> by_end;
        for (const MemberNodes& member : piece.members) by_end.push_back(&member);
        std::ranges::sort(by_end, {}, [&](const MemberNodes* member) { return draft.time[member->end]; });
        const std::size_t count = piece.edges.size();
        for (std::size_t i = 0; i < count; ++i) {
            const GraphEdge edge = piece.edges[i];
            if (edge.kind != EdgeKind::Thread || edge.weight < kLeastBlocked) continue;
            const std::int64_t begin = draft.time[edge.from], end = draft.time[edge.to];
            const auto after = std::ranges::upper_bound(
                by_end, end, {}, [&](const MemberNodes* member) { return draft.time[member->end]; });
            if (after == by_end.begin()) continue;
            const MemberNodes& last = **std::prev(after);
            const bool covers = draft.time[last.begin] - begin <= (end - begin) / 10;
            if (!covers || end - draft.time[last.end] > std::min(kMostReturn, (end - begin) / 10)) continue;
            piece.edges[i].weight = std::max<std::int64_t>(draft.time[last.begin] - begin, 0);
            piece.edges.push_back(
                {last.end, edge.to, 0, edge.event, EdgeKind::Sync, BoundBy::SyncDelay, true, edge.chosen});
            ++piece.blocked;
        }
    }

    const Run& run_;
    const MatchedRun& matches_;
    const PartWindow& part_;
    RunTime origin_;
};

class Joiner {
public:
    Joiner(const Waits& waits, std::vector<Piece>& pieces, RunGraph& graph)
        : waits_(waits), matches_(*waits.matched), pieces_(pieces), graph_(graph) {}

    // Puts the parts' nodes and edges behind one another, then the joins, then the end.
    void join(NodeTimes& time, GraphEdges& edges) {
        std::size_t nodes = 1, links = 0, members = 0;
        for (const Piece& piece : pieces_) {
            nodes += piece.time.size();
            links += piece.edges.size() + 2;
            members += piece.members.size();
        }
        time.reserve(nodes + members / 2 + 1);
        graph_.nodes.reserve(nodes);
        edges.reserve(links + 2 * members);
        time.push_back(0);
        graph_.nodes.emplace_back();
        piece_of_slot_.assign(matches_.ranks.size(), pieces_.size());
        for (std::size_t p = 0; p < pieces_.size(); ++p) {
            piece_of_slot_[graph_.parts[p].slot] = p;
            add_piece(p, time, edges);
        }
        graph_.first_join = static_cast<std::uint32_t>(time.size());
        for (std::uint32_t c = 0; c < matches_.collectives.size(); ++c) join_collective(c, time, edges);
        graph_.sink = static_cast<std::uint32_t>(time.size());
        time.push_back(std::ranges::max(time));
        for (std::size_t p = 0; p < pieces_.size(); ++p) {
            const std::uint32_t sink = graph_.parts[p].first_node + pieces_[p].sink;
            edges.push_back({sink, graph_.sink, 0, kNoEvent, EdgeKind::Tail, BoundBy::Unknown, false, false});
        }
        drop_held(edges);
    }

private:
    void add_piece(std::size_t p, NodeTimes& time, GraphEdges& edges) {
        Piece& piece = pieces_[p];
        const auto first = static_cast<std::uint32_t>(time.size());
        graph_.parts[p].first_node = first;
        graph_.reversed += piece.reversed;
        graph_.blocked += piece.blocked;
        time.insert(time.end(), piece.time.begin(), piece.time.end());
        graph_.nodes.insert(graph_.nodes.end(), piece.nodes.begin(), piece.nodes.end());
        edges.push_back({.from = 0, .to = first, .weight = piece.time[0], .kind = EdgeKind::Outside});
        for (GraphEdge edge : piece.edges) {
            edge.from += first;
            edge.to += first;
            edges.push_back(edge);
        }
        piece.edges = {};
        piece.nodes = {};
    }

    const MemberNodes* find_nodes(MemberRef ref) const {
        const std::size_t p = piece_of_slot_[ref.slot];
        if (p == pieces_.size()) return nullptr;
        const std::vector<MemberNodes>& members = pieces_[p].members;
        const auto it = std::ranges::lower_bound(members, ref.index, {}, &MemberNodes::index);
        return it != members.end() && it->index == ref.index ? &*it : nullptr;
    }

    // A member with its nodes in the graph of the run.
    struct Member {
        std::uint32_t begin, end;
        EventId event;
        Operation operation;
    };

    // Members of parts of this graph; empty where one of them is not whole in it.
    std::vector<Member> collect_members(const Collective& c) const {
        std::vector<Member> members;
        for (const MemberRef ref : matches_.members_of(c)) {
            const std::size_t p = piece_of_slot_[ref.slot];
            if (p == pieces_.size()) continue;
            const MemberNodes* const nodes = find_nodes(ref);
            if (!nodes) return {};
            const std::uint32_t first = graph_.parts[p].first_node;
            members.push_back({.begin = first + nodes->begin,
                               .end = first + nodes->end,
                               .event = nodes->event,
                               .operation = matches_.member(ref).operation});
        }
        return members;
    }

    bool is_in_graph(const Collective& c) const {
        const auto here = [&](MemberRef ref) { return piece_of_slot_[ref.slot] < pieces_.size(); };
        return std::ranges::count_if(matches_.members_of(c), here) > 1;
    }

    void join_collective(std::uint32_t number, NodeTimes& time, GraphEdges& edges) {
        const Collective& c = matches_.collectives[number];
        if (c.count < 2 || !is_in_graph(c)) return;
        const bool is_pair = is_pairwise(c.operation) && c.count == 2 && c.doubts == 0;
        const std::optional<std::uint32_t> root = is_pair ? std::nullopt : waits_.find_pivot(number);
        const std::vector<Member> members =
            is_pair || root || waits_.times[number].counts ? collect_members(c) : std::vector<Member>{};
        bool joined = false;
        if (members.size() < 2)
            joined = false;
        else if (is_pair)
            joined = join_pair(number, members, time, edges);
        else if (root)
            joined = join_with_root(number, *root - c.first, members, time, edges);
        else
            joined = join(number, members, members, time, edges);
        ++(!joined ? graph_.joins.not_joined : is_pair ? graph_.joins.pairs : graph_.joins.joined);
    }

    // A receive waits for its send. So does a send for its receive, as messages larger than a buffer do: unless it was
    // over before the receive began, the time until then is not its own.
    bool join_pair(std::uint32_t number, std::span<const Member> both, NodeTimes& time, GraphEdges& edges) {
        std::vector<Member> receives, held;
        for (const Member& member : both) {
            if (member.operation != Operation::Send) receives.push_back(member);
            if (member.operation != Operation::Send || !ends_before_all_came(std::span(&member, 1), both, time))
                held.push_back(member);
        }
        return !ends_before_all_came(receives, both, time) && join(number, both, held, time, edges);
    }

    // Everyone waits for a root that gives, and for nobody else; a root that gathers waits for everyone.
    bool join_with_root(std::uint32_t number, std::size_t root, std::span<const Member> members, NodeTimes& time,
                        GraphEdges& edges) {
        if (members.size() != matches_.collectives[number].count)
            return false;  // of other parts: not told who is where
        if (root_gathers(matches_.collectives[number].operation)) {
            const std::span<const Member> held = members.subspan(root, 1);
            return !ends_before_all_came(held, members, time) && join(number, members, held, time, edges);
        }
        bool any = false;
        for (std::size_t i = 0; i < members.size(); ++i) {
            if (i == root) continue;
            const std::array both = {members[root], members[i]};
            const std::span<const Member> held = std::span(both).subspan(1);
            if (!ends_before_all_came(held, both, time)) any = join(number, both, held, time, edges) || any;
        }
        return any;
    }

    static bool ends_before_all_came(std::span<const Member> held, std::span<const Member> all, const NodeTimes& time) {
        std::int64_t last = 0;
        for (const Member& member : all) last = std::max(last, time[member.begin]);
        return std::ranges::any_of(held, [&](const Member& member) { return time[member.end] < last; });
    }

    // held: whose kernels end no sooner than all of them have begun.
    bool join(std::uint32_t number, std::span<const Member> all, std::span<const Member> held, NodeTimes& time,
              GraphEdges& edges) {
        std::int64_t last = 0;
        for (const Member& member : all) last = std::max(last, time[member.begin]);
        const auto node = static_cast<std::uint32_t>(time.size());
        time.push_back(last);
        graph_.collective_of_join.push_back(number);
        for (const Member& member : all)
            edges.push_back(
                {member.begin, node, 0, member.event, EdgeKind::Arrival, BoundBy::KernelDelay, false, false});
        for (const Member& member : held) {
            held_.push_back(member.end);
            const std::int64_t transfer = std::max<std::int64_t>(time[member.end] - last, 0);
            edges.push_back(
                {node, member.end, transfer, member.event, EdgeKind::Transfer, BoundBy::Communication, false, false});
        }
        return true;
    }

    // Zeroes the own link of a held kernel: its time is the transfer behind the join.
    void drop_held(GraphEdges& edges) const {
        std::vector<bool> held(graph_.sink, false), chosen(graph_.sink, false);
        for (const std::uint32_t end : held_) held[end] = true;
        for (GraphEdge& edge : edges) {
            if (edge.kind != EdgeKind::Run || !held[edge.to]) continue;
            edge.weight = 0;
            chosen[edge.to] = edge.chosen;
        }
        for (GraphEdge& edge : edges)
            if (edge.kind == EdgeKind::Transfer) edge.chosen = chosen[edge.to];
    }

    const Waits& waits_;
    const MatchedRun& matches_;
    std::vector<Piece>& pieces_;
    RunGraph& graph_;
    std::vector<std::size_t> piece_of_slot_;
    std::vector<std::uint32_t> held_;  // ends of kernels
};

RunRange hull_of(const Run& run, std::span<const PartWindow> parts) {
    RunRange hull{RunTime::max(), RunTime::min()};
    for (const PartWindow& part : parts) {
        const RunRange range = run.rank(part.slot).to_run(part.window.range);
        hull = {std::min(hull.begin, range.begin), std::max(hull.end, range.end)};
    }
    return hull;
}

}  // namespace

std::size_t RunGraph::part_of(std::uint32_t node) const {
    if (node == 0 || node >= first_join) return parts.size();
    const auto it = std::ranges::upper_bound(parts, node, {}, &GraphPart::first_node);
    return static_cast<std::size_t>(it - parts.begin()) - 1;
}

std::size_t RunGraph::part_of(const GraphEdge& edge) const {
    const std::size_t to = part_of(edge.to);
    return to < parts.size() ? to : part_of(edge.from);
}

Result<RunGraph> build_run_graph(const Run& run, const Waits& waits, std::span<const PartWindow> windows,
                                 const ChosenEvents& chosen, const JobContext& context) {
    RunGraph made;
    made.range = hull_of(run, windows);
    std::vector<Piece> pieces(windows.size());
    std::vector<std::optional<Error>> failed(windows.size());
    Executor::instance().parallel_for(
        Priority::Answer, windows.size(), Executor::instance().threads(), [&](std::size_t i) {
            Result<Piece> piece = PieceMaker(run, *waits.matched, windows[i], made.range.begin).make(chosen, context);
            if (piece)
                pieces[i] = *std::move(piece);
            else
                failed[i] = std::move(piece).error();
        });
    for (std::optional<Error>& error : failed)
        if (error) return *std::move(error);
    for (const PartWindow& window : windows) made.parts.push_back({window.slot, window.window, 0});
    NodeTimes time;
    GraphEdges edges;
    Joiner(waits, pieces, made).join(time, edges);
    pieces.clear();
    Result<EventGraph> graph = finish_graph(std::move(time), std::move(edges), context, &made.moved);
    if (!graph) return std::move(graph).error();
    made.graph = *std::move(graph);
    return made;
}

EdgeWeights recorded_weights(const RunGraph& run) {
    EdgeWeights weights;
    weights.reserve(run.graph.edges.size());
    for (const GraphEdge& edge : run.graph.edges) weights.push_back(edge.weight);
    return weights;
}

}  // namespace core
