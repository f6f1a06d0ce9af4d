#include "core/ingest/load/node_annotations.hpp"

#include "core/index/graph_replays.hpp"
#include "core/index/graph_sources.hpp"
#include "core/ingest/load/identify_ranks.hpp"
#include "core/ingest/pickle/read_json_tree.hpp"
#include "core/ingest/source/byte_source.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace core {
namespace {

constexpr std::uintmax_t kMostBytes = std::uintmax_t{256} << 20;
constexpr std::size_t kMostFiles = 4096;
constexpr int kNodeBits = 32;

// {"98784247808": …
bool begins_like_stacks(const std::filesystem::path& path) {
    const Result<std::unique_ptr<ByteSource>> source = open_bytes(path);
    std::array<char, 32> begin{};
    const Result<std::size_t> read = source ? (*source)->read(begin) : Result<std::size_t>(std::size_t{0});
    if (!read) return false;
    std::string_view text(begin.data(), *read);
    for (const std::string_view skipped : {"{", "\""}) {
        text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
        if (!text.starts_with(skipped)) return false;
        text.remove_prefix(1);
    }
    return !text.empty() && text.front() >= '0' && text.front() <= '9';
}

bool may_be_annotations(const std::filesystem::path& path) {
    const std::string name = path.filename().string();
    std::error_code unknown;
    return (name.ends_with(".pkl") || name.ends_with(".pickle")) &&
           std::filesystem::file_size(path, unknown) <= kMostBytes && !unknown;
}

bool may_be_stacks(const std::filesystem::path& path) {
    const std::string name = path.filename().string();
    std::error_code unknown;
    return name.find("stack") != std::string::npos && (name.ends_with(".json") || name.ends_with(".json.gz")) &&
           std::filesystem::file_size(path, unknown) <= kMostBytes && !unknown && begins_like_stacks(path);
}

// The name in a list of annotations: that of the last dictionary that has one, or the last text. Two old spellings have
// {"str": text} and texts alone.
std::string region_of(const ValueTree& tree, ValueId annotations) {
    std::string region;
    for (const ValueId one : tree.items(annotations)) {
        if (const std::optional<std::string_view> text = tree.text(one)) region = *text;
        for (const std::string_view key : {"str", "name"})
            if (const std::optional<ValueId> value = tree.find(one, key))
                if (const std::optional<std::string_view> text = tree.text(*value)) region = *text;
    }
    return region;
}

std::shared_ptr<const NodeRegions> regions_of(const ValueTree& tree) {
    auto regions = std::make_shared<NodeRegions>();
    const std::span<const ValueId> pairs = tree.items(tree.root());
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
        const std::optional<std::int64_t> key = tree.integer(pairs[i]);
        if (!key || *key >> kNodeBits <= 0 || tree.kind(pairs[i + 1]) != ValueKind::List) return nullptr;
        (*regions)[static_cast<std::uint64_t>(*key)] = region_of(tree, pairs[i + 1]);
    }
    return regions->empty() ? nullptr : regions;
}

std::optional<std::int64_t> integer_of(const ValueTree& tree, ValueId node, std::string_view key) {
    const std::optional<ValueId> value = tree.find(node, key);
    return value ? tree.integer(*value) : std::nullopt;
}

std::optional<std::uint64_t> key_of_node(const ValueTree& tree, ValueId node) {
    const std::optional<std::int64_t> both = integer_of(tree, node, "tools_id");
    if (both && *both >> kNodeBits > 0) return static_cast<std::uint64_t>(*both);
    return find_node_key(integer_of(tree, node, "graph_id"), integer_of(tree, node, "node_id"));
}

// {"exec_graph_id": 23, "nodes": [{"index": 0, "tools_id": …, "dependencies": [indices]}]}
std::shared_ptr<const NodeGraphs> graphs_of(const ValueTree& tree) {
    const std::optional<std::int64_t> graph = integer_of(tree, tree.root(), "exec_graph_id");
    const std::optional<ValueId> nodes = tree.find(tree.root(), "nodes");
    if (!graph || *graph <= 0 || !nodes || tree.kind(*nodes) != ValueKind::List) return nullptr;
    std::map<std::int64_t, std::uint64_t> keys;  // by index
    for (const ValueId node : tree.items(*nodes)) {
        if (tree.kind(node) != ValueKind::Dictionary) return nullptr;
        const std::optional<std::int64_t> index = integer_of(tree, node, "index");
        const std::optional<std::uint64_t> key = key_of_node(tree, node);
        if (!index || !key || !keys.emplace(*index, *key).second) return nullptr;
    }
    auto made = std::make_shared<NodeGraphs>();
    std::vector<GraphDataNode>& all = (*made)[*graph];
    for (const ValueId node : tree.items(*nodes)) {
        GraphDataNode one{.key = *key_of_node(tree, node)};
        const std::optional<ValueId> before = tree.find(node, "dependencies");
        if (!before || (tree.kind(*before) != ValueKind::List && tree.kind(*before) != ValueKind::Tuple))
            return nullptr;
        for (const ValueId index : tree.items(*before)) {
            const auto found = keys.find(tree.integer(index).value_or(-1));
            if (found == keys.end()) return nullptr;
            one.before.push_back(found->second);
        }
        all.push_back(std::move(one));
    }
    return all.empty() ? nullptr : made;
}

template <class Read>
NodeFile read_file(const std::filesystem::path& path, const JobContext& context, const Read& read) {
    const Result<std::unique_ptr<ByteSource>> source = open_bytes(path);
    return source ? read(**source, PickleLimits{}, context) : NodeFile{};
}

// Ids change at every instantiation.
bool covers_graphs(const NodeRegions& regions, const RankTrace& trace) {
    std::set<std::int64_t> graphs, annotated;
    for (const std::int64_t graph : trace.integers(Arg::GraphId).values)
        if (graph != 0) graphs.insert(graph);
    for (const auto& [key, region] : regions) annotated.insert(static_cast<std::int64_t>(key >> kNodeBits));
    return !graphs.empty() && std::ranges::includes(annotated, graphs);
}

bool shares_graphs(const NodeStacks& stacks, const RankTrace& trace) {
    std::set<std::int64_t> graphs;
    for (const std::int64_t graph : trace.integers(Arg::GraphId).values) graphs.insert(graph);
    return std::ranges::any_of(stacks, [&](const auto& entry) {
        return graphs.contains(static_cast<std::int64_t>(entry.first >> kNodeBits));
    });
}

// All nodes of the graph in the trace are in its graph data.
bool covers_nodes(std::int64_t graph, const std::vector<GraphDataNode>& nodes, const RankTrace& trace) {
    std::set<std::uint64_t> keys;
    for (const GraphDataNode& node : nodes) keys.insert(node.key);
    const SparseColumn<std::int64_t> graphs = trace.integers(Arg::GraphId);
    bool any = false;
    for (std::size_t i = 0; i < graphs.size(); ++i) {
        if (graphs.values[i] != graph) continue;
        any = true;
        const auto key = find_node_key(graph, trace.integer(Arg::GraphNodeId, graphs.events[i]));
        if (!key || !keys.contains(*key)) return false;
    }
    return any;
}

}  // namespace

NodeFile read_node_pickle(ByteSource& source, const PickleLimits& limits, const JobContext& context) {
    const Result<ValueTree> tree = read_pickle(source, limits, context);
    if (!tree || tree->kind(tree->root()) != ValueKind::Dictionary) return {};
    if (tree->find(tree->root(), "exec_graph_id")) return {.graphs = graphs_of(*tree)};
    return {.regions = regions_of(*tree)};
}

NodeFile read_node_stacks(ByteSource& source, const PickleLimits& limits, const JobContext& context) {
    const Result<ValueTree> tree = read_json_tree(source, limits, context);
    if (!tree || tree->kind(tree->root()) != ValueKind::Dictionary) return {};
    auto stacks = std::make_shared<NodeStacks>();
    const std::span<const ValueId> pairs = tree->items(tree->root());
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
        const std::optional<std::int64_t> key = tree->integer(pairs[i]);
        const std::optional<std::string_view> lines = tree->text(pairs[i + 1]);
        if (!key || *key >> kNodeBits <= 0 || !lines) return {};
        (*stacks)[static_cast<std::uint64_t>(*key)] = *lines;
    }
    return stacks->empty() ? NodeFile{} : NodeFile{.stacks = std::move(stacks)};
}

std::vector<NodeAnnotations> read_annotations(std::span<const std::filesystem::path> files, const JobContext& context) {
    std::vector<NodeAnnotations> found;
    std::size_t tried = 0;
    for (const std::filesystem::path& path : files) {
        const bool is_pickle = may_be_annotations(path);
        if ((!is_pickle && !may_be_stacks(path)) || ++tried > kMostFiles || context.cancelled()) continue;
        NodeFile read = read_file(path, context, is_pickle ? read_node_pickle : read_node_stacks);
        if (read.any()) found.push_back({path, find_rank_in_name(path.filename().string()), std::move(read)});
    }
    return found;
}

void attach_annotations(std::span<const NodeAnnotations> annotations, const Run& run) {
    for (const RankSlot& slot : run.ranks()) {
        auto graphs = std::make_shared<NodeGraphs>();
        for (const NodeAnnotations& one : annotations) {
            const bool is_for_rank = one.rank ? slot.key.number == *one.rank : run.ranks().size() == 1;
            if (!is_for_rank) continue;
            if (one.read.regions && covers_graphs(*one.read.regions, slot.trace()))
                set_node_regions(*slot.index, one.read.regions);
            if (one.read.stacks && shares_graphs(*one.read.stacks, slot.trace()))
                set_node_stacks(*slot.index, one.read.stacks);
            if (one.read.graphs)
                for (const auto& [graph, nodes] : *one.read.graphs)
                    if (covers_nodes(graph, nodes, slot.trace())) graphs->emplace(graph, nodes);
        }
        if (!graphs->empty()) set_node_graphs(*slot.index, std::move(graphs));
    }
}

}  // namespace core
