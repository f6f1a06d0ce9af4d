#include "core/analysis/critical_path/critical_path.hpp"

#include "core/analysis/critical_path/critical_path_graph.hpp"
#include "core/analysis/engine/rounding.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace core::critical_path {
namespace {

// Parameters of the row, in percent.
enum Scale : std::size_t { kChosen, kCpu, kCompute, kCommunication, kMemory, kLaunchDelay };
constexpr std::int64_t kAsItIs = 100;

std::int64_t percent_of(const GraphEdge& edge, const Params& params) {
    const bool takes_time = is_work(edge.bound_by) || edge.bound_by == BoundBy::HostOther;
    if (edge.chosen && takes_time) return params[kChosen];
    switch (edge.bound_by) {
        case BoundBy::Cpu:
            return params[kCpu];
        case BoundBy::Compute:
            return params[kCompute];
        case BoundBy::Communication:
            return params[kCommunication];
        case BoundBy::Memory:
            return params[kMemory];
        case BoundBy::LaunchDelay:
            return params[kLaunchDelay];
        case BoundBy::HostCallback:
            return params[kHostCallback];
        default:
            return kAsItIs;
    }
}

std::vector<std::int64_t> scaled_weights(const EventGraph& graph, const Params& params) {
    std::vector<std::int64_t> weights;
    weights.reserve(graph.edges.size());
    for (const GraphEdge& edge : graph.edges) {
        const bool is_cut = edge.kind == EdgeKind::Placement && params[kGraphLanes] == 1;
        weights.push_back(is_cut ? kCutEdge : rounded_mean(Wide{edge.weight} * percent_of(edge, params), kAsItIs));
    }
    return weights;
}

// A stretch of the path bound by one event.
struct Piece {
    EventId event;
    BoundBy bound_by;
    std::int64_t begin;  // from the window's begin
    std::int64_t length;
};

std::vector<Piece> collect_pieces(const EventGraph& graph, const LongestPath& path,
                                  std::span<const std::int64_t> weights) {
    std::vector<Piece> pieces;
    std::int64_t at = 0;
    for (const std::uint32_t i : path.edges) {
        const GraphEdge& edge = graph.edges[i];
        if (weights[i] == 0) continue;
        const bool same =
            !pieces.empty() && pieces.back().event == edge.event && pieces.back().bound_by == edge.bound_by;
        if (same)
            pieces.back().length += weights[i];
        else
            pieces.push_back({edge.event, edge.bound_by, at, weights[i]});
        at = clamped(Wide{at} + weights[i]);
    }
    return pieces;
}

using Times = std::array<std::int64_t, kBoundBy>;
Times times_of(std::span<const Piece> pieces) {
    Times times{};
    for (const Piece& piece : pieces) {
        std::int64_t& time = times[static_cast<std::size_t>(piece.bound_by)];
        time = clamped(Wide{time} + piece.length);
    }
    return times;
}

std::vector<Column> replay_columns() {
    return {{"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
            {"start", Unit::Ns, Role::Info, Facet::None, "of the window, from the run's earliest event"},
            {"length", Unit::Ns, Role::Measure, Facet::None, "of the window, and of the path"},
            {"replayed", Unit::Ns, Role::Measure, Facet::None, "length of the longest path with the factors applied"},
            {"gain", Unit::Ns, Role::Measure, Facet::None, "length - replayed; no more than this can be gained"},
            {"gain_share", Unit::Ratio, Role::Measure, Facet::None, "gain / length"}};
}

std::vector<Column> name_columns() {
    return {{"name", Unit::Text, Role::Key, Facet::Operator, "of the event; empty where the trace has none"},
            {"bound_by", Unit::Text, Role::Key, Facet::None, "as in the main table"},
            {"count", Unit::Count, Role::Measure, Facet::None, "stretches of the path"},
            {"time", Unit::Ns, Role::Measure, Facet::None, "on the path"},
            {"share", Unit::Ratio, Role::Measure, Facet::None, "of the window"}};
}

std::vector<Column> link_columns() {
    return {{"link", Unit::Text, Role::Key, Facet::None, "what had to wait for what"},
            {"guessed", Unit::Text, Role::Key, Facet::None, "yes: the trace does not say it, it only fits"},
            {"count", Unit::Count, Role::Measure, Facet::None, "in the window"},
            {"on_path", Unit::Count, Role::Measure, Facet::None, "on the critical path"}};
}

std::vector<Column> piece_columns() {
    return {{"position", Unit::Count, Role::Key, Facet::None, "along the path, from 1"},
            {"event", Unit::Event, Role::Info, Facet::None, "whose time it is; absent where the trace has none"},
            {"name", Unit::Text, Role::Info, Facet::Operator, "of the event"},
            {"track", Unit::Text, Role::Info, Facet::None, "thread or stream of the event"},
            {"start",
             Unit::Ns,
             Role::Measure,
             Facet::None,
             "of the stretch, from the run's earliest event",
             false,
             {},
             Better::Neither},
            {"duration", Unit::Ns, Role::Measure, Facet::None, "of the stretch; all add up to the window"},
            {"bound_by", Unit::Text, Role::Info, Facet::None, "as in the main table"}};
}

class Report {
public:
    Report(const RankView& view, const PathWindow& window, Partial& partial)
        : view_(view), trace_(view.trace()), window_(window), partial_(partial) {}

    void add_times(const Times& times, const Times& replayed) {
        for (std::size_t i = 0; i < kBoundBy; ++i) {
            if (times[i] == 0 && replayed[i] == 0) continue;
            table(0).add_row({name_of(static_cast<BoundBy>(i)), times[i], share(times[i]), replayed[i]});
        }
    }

    void add_replay(std::int64_t replayed) {
        const std::int64_t gain = clamped(Wide{length()} - replayed);
        table(1).add_row(
            {view_.key(), view_.since_origin(window_.range.begin).count(), length(), replayed, gain, share(gain)});
    }

    void add_names(std::span<const Piece> pieces) {
        struct Sum {
            std::int64_t count = 0, time = 0;
        };
        std::map<std::pair<std::string_view, BoundBy>, Sum> sums;
        for (const Piece& piece : pieces) {
            Sum& sum = sums[{name_of_event(piece), piece.bound_by}];
            ++sum.count;
            sum.time += piece.length;
        }
        std::vector<decltype(sums)::const_iterator> order;
        for (auto it = sums.begin(); it != sums.end(); ++it) order.push_back(it);
        std::ranges::stable_sort(order, std::greater{}, [](const auto& it) { return it->second.time; });
        for (const auto& it : order) {
            table(2).add_row({it->first.first, name_of(it->first.second), it->second.count, it->second.time,
                              share(it->second.time)});
        }
    }

    void add_links(const EventGraph& graph, const LongestPath& path) {
        std::array<std::array<std::int64_t, 2>, kEdgeKinds> count{}, on_path{};
        const auto add = [&](auto& counts, const GraphEdge& edge) {
            ++counts[static_cast<std::size_t>(edge.kind)][edge.guessed ? 1 : 0];
        };
        for (const GraphEdge& edge : graph.edges) add(count, edge);
        for (const std::uint32_t i : path.edges) add(on_path, graph.edges[i]);
        for (std::size_t kind = 0; kind < kEdgeKinds; ++kind) {
            for (const bool guessed : {false, true}) {
                if (count[kind][guessed] == 0) continue;
                table(3).add_row({name_of(static_cast<EdgeKind>(kind)), guessed ? "yes" : "no", count[kind][guessed],
                                  on_path[kind][guessed]});
            }
        }
    }

    void add_pieces(std::span<const Piece> pieces) {
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            const Piece& piece = pieces[i];
            const bool has_event = piece.event != kNoEvent;
            const RankTime begin = window_.range.begin + Duration{piece.begin};
            table(4).add_row({static_cast<std::int64_t>(i + 1),
                              has_event ? Cell{static_cast<std::int64_t>(index_of(piece.event))} : Cell{},
                              has_event ? Cell{trace_.name_text(piece.event)} : Cell{},
                              has_event ? Cell{trace_.text(trace_.track_of(piece.event).name)} : Cell{},
                              view_.since_origin(begin).count(), piece.length, name_of(piece.bound_by)});
            if (has_event) {
                partial_.marks.push_back(
                    {{static_cast<std::uint32_t>(view_.slot), piece.event}, std::string(name_of(piece.bound_by))});
            }
        }
    }

private:
    std::int64_t length() const { return (window_.shown_end - window_.range.begin).count(); }
    Cell share(std::int64_t time) const { return ratio_cell(Wide{time}, Wide{length()}); }
    Table& table(std::size_t i) { return partial_.tables[i].table; }
    std::string_view name_of_event(const Piece& piece) const {
        return piece.event == kNoEvent ? std::string_view() : trace_.name_text(piece.event);
    }

    const RankView& view_;
    const RankTrace& trace_;
    const PathWindow& window_;
    Partial& partial_;
};

// True for the first rank in the filter.
bool is_chosen_rank(const RankView& view) {
    const auto ranks = view.run->ranks();
    const auto takes = [&](const RankSlot& rank) { return view.filter->accepts_rank(rank.key); };
    return std::ranges::find_if(ranks, takes) - ranks.begin() == static_cast<std::ptrdiff_t>(view.slot);
}

Result<std::function<bool(EventId)>> make_choice(const RankView& view, const Params& params,
                                                 const JobContext& context) {
    if (params[kChosen] == kAsItIs) return std::function<bool(EventId)>();
    Result<SelectionPtr> selection = view.build_selection_of_all_steps(context);
    if (!selection) return std::move(selection).error();
    return std::function<bool(EventId)>(
        [chosen = *std::move(selection)](EventId event) { return chosen->passes(event); });
}

Result<LongestPath> replay(const CriticalGraph& built, std::span<const std::int64_t> weights,
                           const JobContext& context) {
    return find_longest_path(built.graph, weights, built.sink, context);
}

// The path as recorded.
struct FoundPath {
    CriticalGraph built;
    LongestPath path;
    std::vector<Piece> pieces;
};

Result<FoundPath> find_path(const RankView& view, const PathWindow& window, const std::function<bool(EventId)>& chosen,
                            const Params& as_it_is, const JobContext& context) {
    Result<CriticalGraph> built = build_critical_graph(view, window, chosen, context);
    if (!built) return std::move(built).error();
    std::vector<std::int64_t> weights = scaled_weights(built->graph, as_it_is);
    Result<LongestPath> path = replay(*built, weights, context);
    if (path && window.shown_end < window.range.end) {
        cut_at(*built, *path, (window.shown_end - window.range.begin).count());
        weights = scaled_weights(built->graph, as_it_is);
        path = replay(*built, weights, context);
    }
    if (!path) return std::move(path).error();
    std::vector<Piece> pieces = collect_pieces(built->graph, *path, weights);
    return FoundPath{.built = *std::move(built), .path = *std::move(path), .pieces = std::move(pieces)};
}

}  // namespace

std::vector<Column> columns() {
    return {{"bound_by", Unit::Text, Role::Key, Facet::None, "what the path waits for"},
            {"time", Unit::Ns, Role::Measure, Facet::None, "on the critical path; all rows add up to the window"},
            {"share", Unit::Ratio, Role::Measure, Facet::None, "of the window"},
            {"replayed", Unit::Ns, Role::Measure, Facet::None,
             "on the longest path with the factors applied; time where there are none"}};
}

const SecondaryTable kTablesOfOne[4] = {
    {"what-if", replay_columns}, {"names", name_columns}, {"links", link_columns}, {"path", piece_columns}};

namespace {

Partial empty_partial() {
    return {{{"main", Table(columns())},
             {"what-if", Table(replay_columns())},
             {"names", Table(name_columns())},
             {"links", Table(link_columns())},
             {"path", Table(piece_columns())}},
            {},
            {},
            {}};
}

}  // namespace

Result<Partial> rank_of_one(const RankView& view, const Params& params, const JobContext& context) {
    Partial partial = empty_partial();
    if (!is_chosen_rank(view)) return partial;
    const std::optional<PathWindow> window = find_path_window(view);
    if (!window) {
        partial.excluded.push_back({"ranks that did nothing in the window", 1});
        return partial;
    }
    const Result<std::function<bool(EventId)>> chosen = make_choice(view, params, context);
    if (!chosen) return chosen.error();
    const Result<FoundPath> found = find_path(view, *window, *chosen, Params(params.size(), kAsItIs), context);
    if (!found) return found.error();
    const EventGraph& graph = found->built.graph;
    const std::vector<std::int64_t> weights = scaled_weights(graph, params);
    const Result<LongestPath> scaled = replay(found->built, weights, context);
    if (!scaled) return scaled.error();

    Report report(view, *window, partial);
    report.add_times(times_of(found->pieces), times_of(collect_pieces(graph, *scaled, weights)));
    report.add_replay(scaled->length);
    report.add_names(found->pieces);
    report.add_links(graph, found->path);
    report.add_pieces(found->pieces);
    if (found->built.reversed > 0)
        partial.excluded.push_back({"launches whose GPU work began before the call", found->built.reversed});
    return partial;
}

// Only the first rank has a path. Another partial may remain from before it arrived.
Result<Answer> merge_of_one(std::span<const Partial* const> partials) {
    const auto has_rows = [](const Partial* partial) { return partial->main().rows() > 0; };
    const auto it = std::ranges::find_if(partials, has_rows);
    Answer answer = it == partials.end() ? empty_partial() : **it;
    answer.excluded.clear();
    return answer;
}

}  // namespace core::critical_path

namespace core {

Result<std::vector<PathStretch>> collect_critical_path(const RankView& view, const JobContext& context) {
    using namespace critical_path;
    std::vector<PathStretch> stretches;
    const std::optional<PathWindow> window = find_path_window(view);
    if (!window) return stretches;
    const Result<FoundPath> found = find_path(view, *window, {}, Params(kGraphLanes + 1, kAsItIs), context);
    if (!found) return found.error();
    for (const Piece& piece : found->pieces) {
        const RankTime begin = window->range.begin + Duration{piece.begin};
        stretches.push_back({piece.event, name_of(piece.bound_by), {begin, begin + Duration{piece.length}}});
    }
    return stretches;
}

}  // namespace core
