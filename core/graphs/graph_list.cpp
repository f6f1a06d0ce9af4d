#include "core/graphs/graph_list.hpp"

#include "core/base/format.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace core {
namespace {

constexpr std::uint32_t kFewestAlike = 3;  // replays of one length, for shorter ones to lack nodes

void measure(const RankTrace& trace, std::span<const EventId> nodes, ReplayTimes& times) {
    std::vector<RankRange> ranges;
    for (const EventId e : nodes) {
        ranges.push_back(trace.range(e));
        times.gpu_ns += trace.duration[index_of(e)].count();
    }
    std::ranges::sort(ranges, {}, [](const RankRange& range) { return std::pair(range.begin, range.end); });
    RankTime end = ranges.front().begin;
    for (const RankRange& range : ranges) {
        if (range.begin > end) times.gap_ns += (range.begin - end).count();
        end = std::max(end, range.end);
    }
    times.span_ns = (end - ranges.front().begin).count();
}

// Nodes of a whole replay: as many as its capture has calls, else as most of at least three replays have.
void find_whole(const GraphAttribution& known, GraphList& list) {
    std::vector<std::map<std::uint32_t, std::uint32_t>> lengths(list.graphs.size());
    for (const ReplayTimes& one : list.replays) ++lengths[one.graph][known.replays.replays[one.replay].count];
    for (std::size_t g = 0; g < list.graphs.size(); ++g) {
        const auto most = std::ranges::max_element(
            lengths[g], {}, [](const auto& entry) { return std::pair(entry.second, entry.first); });
        const GraphTemplate& made = known.templates[list.graphs[g].first_template];
        list.graphs[g].nodes = most->first;
        if (made.capture >= 0 && made.certainty != Certainty::Undecided)
            list.graphs[g].nodes = std::max(most->first, made.dispatches);
        else if (most->second < kFewestAlike)
            list.graphs[g].nodes = 0;
    }
    for (ReplayTimes& one : list.replays) {
        const std::uint32_t whole = list.graphs[one.graph].nodes, own = known.replays.replays[one.replay].count;
        one.lacks = own < whole ? whole - own : 0;
    }
}

struct Shares {
    std::size_t replays = 0, graphs = 0, captured_graphs = 0;
    std::int64_t gpu_ns = 0, captured_ns = 0, certain_ns = 0;
};

void add_shares(const RankSlot& rank, Shares& sum) {
    const std::shared_ptr<const GraphAttribution> known = graph_attribution_of(*rank.index, {});
    const RankTrace& trace = rank.trace();
    if (known->replays.replays.empty()) return;
    const GraphList list = list_graphs(trace, *known);
    sum.replays += list.replays.size();
    sum.graphs += list.graphs.size();
    for (const ListedGraph& graph : list.graphs)
        sum.captured_graphs += known->templates[graph.first_template].certainty != Certainty::Undecided ? 1 : 0;
    for (const EventId e : trace.gpu_events) {
        const std::int64_t time = trace.duration[index_of(e)].count();
        sum.gpu_ns += time;
        const Attribution how = known->of(e);
        if (how == Attribution::Captured || how == Attribution::CapturedByOrder) sum.captured_ns += time;
        if (how == Attribution::Captured) sum.certain_ns += time;
    }
}

}  // namespace

GraphList list_graphs(const RankTrace& trace, const GraphAttribution& known) {
    GraphList list;
    std::map<std::tuple<std::int64_t, std::int64_t, std::uint32_t>, std::uint32_t> numbers;
    for (std::uint32_t r = 0; r < known.replays.replays.size(); ++r) {
        const GraphReplay& replay = known.replays.replays[r];
        const std::uint32_t own = known.template_of[r];
        const std::int64_t capture = replay.graph != 0 ? -1 : known.templates[own].capture;
        const std::tuple key(replay.graph, capture, replay.graph != 0 || capture >= 0 ? 0 : own);
        const auto [at, is_new] = numbers.try_emplace(key, static_cast<std::uint32_t>(list.graphs.size()));
        if (is_new) list.graphs.push_back({.id = replay.graph, .first_template = own});
        ++list.graphs[at->second].replays;
        ReplayTimes times{.replay = r, .graph = at->second};
        measure(trace, known.replays.nodes_of(replay), times);
        list.replays.push_back(times);
    }
    find_whole(known, list);
    return list;
}

std::string describe_graphs(const Run& run) {
    Shares sum;
    for (const RankSlot& rank : run.ranks()) add_shares(rank, sum);
    if (sum.replays == 0) return {};
    std::string text = format_plural(sum.replays, "replay", "replays") + " of " +
                       format_plural(sum.graphs, "graph", "graphs") + ", " + format_count(sum.captured_graphs) +
                       " with capture";
    if (sum.captured_ns == 0) return text;
    text += "; " + format_ratio(static_cast<double>(sum.captured_ns) / static_cast<double>(sum.gpu_ns)) +
            " of GPU time through captures, ";
    if (sum.certain_ns == sum.captured_ns) return text + "all certain";
    if (sum.certain_ns == 0) return text + "all probable";
    return text + format_ratio(static_cast<double>(sum.certain_ns) / static_cast<double>(sum.captured_ns)) +
           " of that certain";
}

}  // namespace core
