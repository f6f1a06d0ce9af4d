#include "core/graphs/describe_node.hpp"

#include "core/base/format.hpp"
#include "core/graphs/graph_attribution.hpp"
#include "core/index/graph_sources.hpp"
#include "core/store/event_above.hpp"

#include <algorithm>
#include <utility>

namespace core {
namespace {

std::string place_of(const GraphAttribution& known, std::uint32_t r, EventId e) {
    const GraphReplay& replay = known.replays.replays[r];
    const std::span<const EventId> nodes = known.replays.nodes_of(replay);
    const auto ordinal = static_cast<std::uint64_t>(std::ranges::find(nodes, e) - nodes.begin());
    std::string text = format_count(ordinal + 1) + " of " + format_count(nodes.size());
    if (replay.graph != 0) text += ", graph " + std::to_string(replay.graph);
    return text + ", replay " + format_count(std::uint64_t{r} + 1) + " of " +
           format_count(known.replays.replays.size());
}

std::string source_of(const GraphTemplate& made, Attribution how) {
    if (how != Attribution::Captured && how != Attribution::CapturedByOrder) {
        if (how == Attribution::Annotated) return "annotated";
        return made.reason.empty() ? "undecided" : "undecided: " + made.reason;
    }
    std::string text(name_of(how));
    if (made.capture >= 0)
        text += made.size >= 0 ? ", from the capture of size " + std::to_string(made.size) : ", from its capture";
    return text + (made.certainty == Certainty::Certain ? " (certain)" : " (probable: " + made.reason + ")");
}

// The innermost operator, else the innermost range, with the shapes of its inputs.
std::string operator_of(const RankTrace& tree, EventId e) {
    EventId range = kNoEvent;
    for (EventId at = event_above(tree, e); at != kNoEvent; at = event_above(tree, at)) {
        const Category kind = tree.category_kind(at);
        if (kind == Category::CpuOp && !tree.has(at, kStepMark)) {
            std::string text(tree.name_text(at));
            if (const auto dims = tree.argument(Arg::InputDims, at)) text.append(" ").append(*dims);
            return text;
        }
        const bool names = kind == Category::UserAnnotation || kind == Category::PythonFunction;
        if (range == kNoEvent && names) range = at;
    }
    return range == kNoEvent ? std::string() : std::string(tree.name_text(range));
}

}  // namespace

std::optional<NodeWords> describe_node(const RankIndex& rank, EventId gpu) {
    const std::shared_ptr<const GraphAttribution> known = derived_with_graphs(rank).find<GraphAttribution>();
    if (!known) return std::nullopt;
    const std::uint32_t replay = known->replays.replay_of(gpu);
    if (replay == kNoReplay) return std::nullopt;
    const Attribution how = known->of(gpu);
    NodeWords words{.place = place_of(*known, replay, gpu)};
    if (how != Attribution::Around && how != Attribution::None) words.operator_name = operator_of(known->trace(), gpu);
    words.source = source_of(*known->template_of_replay(replay), how);
    const GraphSourcesPtr sources = graph_sources_of(rank);
    const auto key =
        find_node_key(rank.trace().integer(Arg::GraphId, gpu), rank.trace().integer(Arg::GraphNodeId, gpu));
    if (sources && sources->stacks && key)
        if (const auto found = sources->stacks->find(*key); found != sources->stacks->end())
            words.stack = found->second;
    return words;
}

std::optional<ReplayWords> describe_replay(const RankIndex& rank, EventId gpu) {
    const std::shared_ptr<const GraphAttribution> known = derived_with_graphs(rank).find<GraphAttribution>();
    const std::uint32_t r = known ? known->replays.replay_of(gpu) : kNoReplay;
    if (r == kNoReplay) return std::nullopt;
    const RankTrace& trace = rank.trace();
    const GraphReplay& replay = known->replays.replays[r];
    const std::span<const EventId> nodes = known->replays.nodes_of(replay);
    const GraphTemplate& made = *known->template_of_replay(r);
    std::string text = replay.graph != 0 ? "graph " + std::to_string(replay.graph) + ", " : "graph, ";
    text += format_plural(nodes.size(), "kernel", "kernels");
    if (made.certainty != Certainty::Undecided && made.capture >= 0)
        text += made.size >= 0 ? ", captured for size " + std::to_string(made.size) : ", captured";
    return ReplayWords{
        .first = *std::ranges::min_element(nodes, {}, [&](EventId e) { return trace.start[index_of(e)]; }),
        .last = *std::ranges::max_element(nodes, {}, [&](EventId e) { return trace.end(e); }),
        .text = std::move(text)};
}

}  // namespace core
