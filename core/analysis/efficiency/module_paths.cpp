#include "core/analysis/efficiency/module_paths.hpp"

#include "core/analysis/engine/call_tree.hpp"
#include "core/graphs/graph_attribution.hpp"
#include "core/index/graph_sources.hpp"

#include <map>
#include <unordered_map>

namespace core {
namespace {

constexpr std::string_view kModulePrefix = "nn.Module: ";
constexpr std::string_view kEngine = "autograd::engine::evaluate_function";
constexpr std::size_t kFewestLayers = 4;

// Whatever a trace holds, paths take a bounded amount of memory: what is beyond counts to the module around it.
constexpr std::uint32_t kMostDepth = 999;
constexpr std::size_t kMostNodes = 100'000;
constexpr std::size_t kMostLetters = 2'000;

bool is_module(const RankTrace& trace, EventId e) {
    return trace.category_kind(e) == Category::PythonFunction && trace.name_text(e).starts_with(kModulePrefix);
}

bool is_part_of_model(const RankTrace& trace, EventId e) {
    if (trace.category_kind(e) != Category::UserAnnotation || trace.has(e, kStepMark)) return false;
    const std::string_view name = trace.name_text(e);
    return !name.starts_with("Optimizer.") && !name.starts_with("nccl:") &&
           !name.starts_with("DistributedDataParallel.forward") && !name.starts_with("ProfilerStep#");
}

class PathFinder {
public:
    PathFinder(const RankTrace& trace, bool by_module, ModulePaths& paths)
        : trace_(trace), by_module_(by_module), paths_(paths) {}

    // False if cancelled.
    bool find(const JobContext& context) {
        const std::vector<EventId> order = collect_parents_first(trace_);
        paths_.of_event.assign(trace_.size(), kNoModule);
        const SparseColumn<std::int64_t> numbers = trace_.integers(Arg::SequenceNumber);
        std::vector<std::int64_t> number_of(trace_.size(), -1);
        for (std::size_t i = 0; i < numbers.size(); ++i) number_of[index_of(numbers.events[i])] = numbers.values[i];
        for (std::size_t i = 0; i < order.size(); ++i) {
            if (i % kEventsBetweenChecks == 0 && context.cancelled()) return false;
            enter(order[i]);
        }
        struct First {
            RankTime start;
            std::uint32_t node;
        };
        std::unordered_map<std::int64_t, First> forward;  // by sequence number: the first operator with a path
        for (std::uint32_t e = 0; e < trace_.size(); ++e) {
            if (number_of[e] < 0 || paths_.of_event[e] == kNoModule || is_engine(EventId{e})) continue;
            const auto [at, is_new] = forward.try_emplace(number_of[e], First{trace_.start[e], paths_.of_event[e]});
            if (!is_new && trace_.start[e] < at->second.start) at->second = {trace_.start[e], paths_.of_event[e]};
        }
        for (const EventId e : order) {
            std::uint32_t& node = paths_.of_event[index_of(e)];
            if (node != kNoModule) continue;
            const EventId parent = trace_.parent[index_of(e)];
            if (parent != kNoEvent) node = paths_.of_event[index_of(parent)];
            if (node != kNoModule || number_of[index_of(e)] < 0 || !is_engine(e)) continue;
            const auto found = forward.find(number_of[index_of(e)]);
            if (found != forward.end()) node = found->second.node;
        }
        return true;
    }

private:
    bool is_engine(EventId e) const { return trace_.name_text(e).starts_with(kEngine); }

    void enter(EventId e) {
        std::vector<ModuleNode>& nodes = paths_.nodes;
        const EventId parent = trace_.parent[index_of(e)];
        std::uint32_t node = parent == kNoEvent ? kNoModule : paths_.of_event[index_of(parent)];
        const bool is_part = by_module_ ? is_module(trace_, e) : is_part_of_model(trace_, e);
        const std::uint32_t depth = node == kNoModule ? 0 : nodes[node].depth;
        if (is_part && depth < kMostDepth) {
            const std::string_view name = trace_.name_text(e).substr(by_module_ ? kModulePrefix.size() : 0);
            const std::size_t letters = (node == kNoModule ? 0 : nodes[node].letters + 1) + name.size();
            const auto known = known_.find({node, trace_.name[index_of(e)]});
            if (known != known_.end()) {
                node = known->second;
            } else if (nodes.size() < kMostNodes && letters <= kMostLetters) {
                known_.emplace(std::pair{node, trace_.name[index_of(e)]}, static_cast<std::uint32_t>(nodes.size()));
                nodes.push_back({.parent = node, .name = std::string(name), .depth = depth + 1, .letters = letters});
                node = static_cast<std::uint32_t>(nodes.size() - 1);
            }
            if (node != kNoModule) paths_.calls.push_back({e, node});
        }
        paths_.of_event[index_of(e)] = node;
    }

    const RankTrace& trace_;
    bool by_module_;
    ModulePaths& paths_;
    std::map<std::pair<std::uint32_t, NameId>, std::uint32_t> known_;
};

struct PathsOfModules : ModulePaths {
    static constexpr bool kByModule = true;
};
struct PathsOfAnnotations : ModulePaths {
    static constexpr bool kByModule = false;
};

template <class Kind>
std::shared_ptr<const ModulePaths> paths_of(const RankIndex& rank, const JobContext& context) {
    return derived_with_graphs(rank).get<Kind>([&]() -> std::shared_ptr<const Kind> {
        const std::shared_ptr<const GraphAttribution> graphs = graph_attribution_of(rank, context);
        auto made = std::make_shared<Kind>();
        if (!graphs || !PathFinder(graphs->trace(), Kind::kByModule, *made).find(context)) return nullptr;
        // Nodes of a graph that no module launched are in the module that replays it.
        for (const EventId e : graphs->replays.nodes) {
            const EventId launch = rank.trace().parent[index_of(e)];
            std::uint32_t& node = made->of_event[index_of(e)];
            if (node == kNoModule && launch != kNoEvent) node = made->of_event[index_of(launch)];
        }
        return made;
    });
}

}  // namespace

std::string ModulePaths::text_of(std::uint32_t node) const {
    std::string text = nodes[node].name;
    for (std::uint32_t at = nodes[node].parent; at != kNoModule; at = nodes[at].parent)
        text.insert(0, nodes[at].name + "/");
    return text;
}

std::shared_ptr<const ModulePaths> module_paths_of(const RankIndex& rank, ModuleSource source,
                                                   const JobContext& context) {
    std::shared_ptr<const ModulePaths> found;
    if (source != ModuleSource::Annotations) {
        found = paths_of<PathsOfModules>(rank, context);
        if (!found) return nullptr;
    }
    if (source == ModuleSource::Annotations || (source == ModuleSource::Auto && found->nodes.empty()))
        found = paths_of<PathsOfAnnotations>(rank, context);
    return found;
}

std::string class_of_module(const std::string& name) {
    const std::size_t bar = name.rfind('_');
    const bool numbered = bar != std::string::npos && bar + 1 < name.size() &&
                          name.find_first_not_of("0123456789", bar + 1) == std::string::npos;
    return numbered ? name.substr(0, bar) : name;
}

std::vector<std::uint32_t> find_layers(const ModulePaths& paths) {
    std::map<std::pair<std::uint32_t, std::string>, std::size_t> siblings;
    for (const ModuleNode& node : paths.nodes) ++siblings[{node.parent, class_of_module(node.name)}];
    std::vector<std::uint32_t> layer(paths.nodes.size(), kNoModule);
    for (std::uint32_t n = 0; n < layer.size(); ++n) {
        const ModuleNode& node = paths.nodes[n];
        if (node.parent != kNoModule) layer[n] = layer[node.parent];
        if (layer[n] == kNoModule && siblings[{node.parent, class_of_module(node.name)}] >= kFewestLayers) layer[n] = n;
    }
    return layer;
}

}  // namespace core
