// Replays of CUDA and HIP graphs, by graph.

#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/operators/operator_analyses.hpp"
#include "core/graphs/graph_list.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace core::graphs {
namespace {

std::vector<Column> replay_columns() {
    return {{"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
            {"graph", Unit::Text, Role::Key, Facet::None, "as in the main table"},
            {"replay", Unit::Count, Role::Key, Facet::None, "its place among the graph's replays, from 0"},
            {"event", Unit::Event, Role::Info, Facet::None, "the launch; absent if it was not recorded"},
            {"step", Unit::Step, Role::Info, Facet::Step, "of the launch; absent outside of all"},
            {"start", Unit::Ns, Role::Info, Facet::None, "of its first node, from the run's earliest event"},
            {"nodes", Unit::Count, Role::Measure, Facet::None, "GPU events of it"},
            {"lacks", Unit::Count, Role::Measure, Facet::None, "nodes that were not recorded"},
            {"gpu_time", Unit::Ns, Role::Measure, Facet::None, "sum of the nodes' durations"},
            {"span", Unit::Ns, Role::Measure, Facet::None, "first start to last end; at least, where nodes lack"},
            {"gap", Unit::Ns, Role::Measure, Facet::None, "part of the span in which no node runs"}};
}

std::vector<Column> attribution_columns() {
    return {{"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
            {"attribution", Unit::Text, Role::Key, Facet::None,
             "how operators of GPU events are known: launched, annotated, captured, captured by order, around, none"},
            {"events", Unit::Count, Role::Measure, Facet::None, "GPU events, of replays or not", true},
            {"gpu_time", Unit::Ns, Role::Measure, Facet::None, "sum of their durations", true},
            {"share", Unit::Ratio, Role::Measure, Facet::None, "of the rank's"}};
}

void add_attributions(const RankView& view, const GraphAttribution& known, Table& table) {
    std::map<Attribution, std::pair<std::int64_t, Wide>> sums;
    Wide all = 0;
    for (const EventId e : view.gpu_events()) {
        auto& [events, time] = sums[known.of(e)];
        ++events;
        time += view.visible(e).length().count();
        all += view.visible(e).length().count();
    }
    for (const auto& [how, sum] : sums)
        table.add_row({view.key(), name_of(how), sum.first, clamped(sum.second), ratio_cell(sum.second, all)});
}

struct Sums {
    std::int64_t replays = 0, lacking = 0;
    Wide nodes = 0, gpu = 0, span = 0, gap = 0, call = 0;
};

std::string name_of_graph(const ListedGraph& graph, std::size_t place) {
    return graph.id != 0 ? std::to_string(graph.id) : "#" + std::to_string(place + 1);
}

std::string_view certainty_of(const GraphTemplate& made) {
    if (made.certainty == Certainty::Certain) return "certain";
    if (made.certainty == Certainty::Probable) return "probable";
    return made.is_annotated ? "annotated" : "undecided";
}

std::string reason_of(const GraphTemplate& made) {
    std::string text = made.reason;
    if (made.missing.empty()) return text;
    text += ": ";
    for (std::size_t i = 0; i < made.missing.size(); ++i) text += (i > 0 ? ", " : "") + made.missing[i];
    return text;
}

// A replay passes if any of its nodes does.
bool passes(const RankView& view, std::span<const EventId> nodes) {
    return std::ranges::any_of(nodes, [&](EventId e) { return view.passes(e); });
}

}  // namespace

std::vector<Column> columns() {
    return {{"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
            {"graph", Unit::Text, Role::Key, Facet::None, "id of the executable graph; #n where it is not recorded"},
            {"replays", Unit::Count, Role::Measure, Facet::None, "how often it ran", true},
            {"nodes", Unit::Count, Role::Measure, Facet::None, "GPU events of all replays", true},
            {"whole", Unit::Count, Role::Info, Facet::None,
             "nodes of a whole replay: calls of the capture, else what most of at least three replays have"},
            {"lacking", Unit::Count, Role::Measure, Facet::None, "replays that lack nodes", true},
            {"gpu_time", Unit::Ns, Role::Measure, Facet::None, "sum of the nodes' durations", true},
            {"span", Unit::Ns, Role::Measure, Facet::None, "first start to last end, summed over replays", true},
            {"gap", Unit::Ns, Role::Measure, Facet::None, "part of the span in which no node of the replay runs", true},
            {"call_time", Unit::Ns, Role::Measure, Facet::None, "duration of the launching calls", true},
            {"size", Unit::Count, Role::Info, Facet::None, "that the capture is for; absent if unknown"},
            {"template", Unit::Text, Role::Info, Facet::None,
             "how the operators of its nodes are known: certain, probable, annotated, or undecided"},
            {"reason", Unit::Text, Role::Info, Facet::None, "why it is not certain"}};
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext& context) {
    const std::shared_ptr<const GraphAttribution> known = graph_attribution_of(*view.rank().index, context);
    if (!known) return cancelled_error();
    const RankTrace& trace = view.trace();
    const GraphList list = list_graphs(trace, *known);
    std::vector<Sums> sums(list.graphs.size());
    std::vector<std::int64_t> next(list.graphs.size(), 0);
    Partial partial{{{"main", Table(columns())},
                     {"replays", Table(replay_columns())},
                     {"attribution", Table(attribution_columns())}},
                    {},
                    {},
                    view.collect_excluded()};
    if (!list.graphs.empty()) add_attributions(view, *known, partial.tables[2].table);
    for (const ReplayTimes& one : list.replays) {
        if (context.cancelled()) return cancelled_error();
        const GraphReplay& replay = known->replays.replays[one.replay];
        const std::span<const EventId> nodes = known->replays.nodes_of(replay);
        const std::int64_t place = next[one.graph]++;
        if (!passes(view, nodes)) continue;
        Sums& sum = sums[one.graph];
        ++sum.replays;
        sum.lacking += one.lacks > 0 ? 1 : 0;
        sum.nodes += replay.count;
        sum.gpu += one.gpu_ns;
        sum.span += one.span_ns;
        sum.gap += one.gap_ns;
        if (replay.call != kNoEvent) sum.call += trace.duration[index_of(replay.call)].count();
        const Step* const step = trace.step_of(nodes.front());
        const EventId first = *std::ranges::min_element(nodes, {}, [&](EventId e) { return trace.start[index_of(e)]; });
        const std::string name = name_of_graph(list.graphs[one.graph], one.graph);
        partial.tables[1].table.add_row(
            {view.key(), std::string_view(name), place,
             replay.call == kNoEvent ? Cell{} : Cell{static_cast<std::int64_t>(index_of(replay.call))},
             step ? Cell{step->number} : Cell{}, view.since_origin(trace.start[index_of(first)]).count(),
             std::int64_t{replay.count}, std::int64_t{one.lacks}, one.gpu_ns, one.span_ns, one.gap_ns});
    }
    for (std::size_t g = 0; g < sums.size(); ++g) {
        const Sums& sum = sums[g];
        if (sum.replays == 0) continue;
        const GraphTemplate& made = known->templates[list.graphs[g].first_template];
        const std::string name = name_of_graph(list.graphs[g], g), reason = reason_of(made);
        partial.tables.front().table.add_row(
            {view.key(), std::string_view(name), sum.replays, clamped(sum.nodes),
             list.graphs[g].nodes > 0 ? Cell{std::int64_t{list.graphs[g].nodes}} : Cell{}, sum.lacking,
             clamped(sum.gpu), clamped(sum.span), clamped(sum.gap), clamped(sum.call),
             made.size >= 0 ? Cell{made.size} : Cell{}, certainty_of(made),
             reason.empty() ? Cell{} : Cell{std::string_view(reason)}});
    }
    return partial;
}

constexpr std::string_view kGpuTime[] = {"gpu_time"};
constexpr SecondaryTable kTables[] = {{"replays", replay_columns}, {"attribution", attribution_columns}};

}  // namespace core::graphs

namespace core {

constinit const Analysis kGraphs{
    .id = "graphs",
    .title = "Graphs",
    .summary = "Replays of CUDA and HIP graphs: nodes, gaps, what is missing, and how their operators are known.",
    .definition = R"(
A replay is one launch of a graph (cudaGraphLaunch, hipGraphLaunch) with the GPU events it ran, its nodes. Replays are
of one graph if their events carry its id, else if one capture explains them, else if their nodes have the same names.
gap is the part of a replay's span in which none of its nodes runs: no host can shorten it.

The operators of nodes are those of the calls that were captured, found in traces of captures next to the run (or in
the rank's own trace, or by --capture-folder): the k-th call between BeginCapture and EndCapture is the k-th node, by
node ids where all have one, else by time. certain: the names agree on every node. probable: calls do not name their
kernels and are as many as nodes; or nodes are in the order of the calls with some of either missing, as far as there
is only one way; or the same names are in another order; or the capture is of another rank. Records of the creation
of nodes (Nsight Systems) are certain and come before all of these. annotated: nodes carry the
region they were captured in. undecided: else, or where captures fit that differ. Among several that fit, the size that
the step states chooses the least one that is large enough, then the place of the launch in the step; captures that
differ in shapes alone give operators without shapes.

The table attribution sums GPU time by how its operators are known: launched by a call of its own; captured (certain)
or captured by order (probable); annotated; around: only the launch of the graph is known, whose operator is not the
kernel's; none.

A replay lacks nodes where its capture has more calls, or where most of at least three replays of the graph have more.
)",
    .chart = {.kind = ChartKind::Bars, .category = "graph", .measures = graphs::kGpuTime},
    .comparable = true,
    .rank = graphs::rank,
    .columns = graphs::columns,
    .tables = graphs::kTables,
    .lead = "gpu_time",
    .made_of = "graph launches",
};

}  // namespace core
