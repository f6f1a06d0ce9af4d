#include "core/ingest/load/node_annotations.hpp"

#include "core/index/graph_sources.hpp"
#include "core/ingest/load/identify_ranks.hpp"
#include "core/ingest/pickle/read_pickle.hpp"
#include "core/ingest/source/byte_source.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace core {
namespace {

constexpr std::uintmax_t kMostBytes = std::uintmax_t{256} << 20;
constexpr std::size_t kMostFiles = 4096;
constexpr int kNodeBits = 32;

bool may_be_annotations(const std::filesystem::path& path) {
    const std::string name = path.filename().string();
    std::error_code unknown;
    return (name.ends_with(".pkl") || name.ends_with(".pickle")) &&
           std::filesystem::file_size(path, unknown) <= kMostBytes && !unknown;
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

// Null: the file is not of this kind.
std::shared_ptr<const NodeRegions> read_regions(const std::filesystem::path& path, const JobContext& context) {
    const Result<std::unique_ptr<ByteSource>> source = open_bytes(path);
    if (!source) return nullptr;
    const Result<ValueTree> tree = read_pickle(**source, {}, context);
    if (!tree || tree->kind(tree->root()) != ValueKind::Dictionary) return nullptr;
    auto regions = std::make_shared<NodeRegions>();
    const std::span<const ValueId> pairs = tree->items(tree->root());
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
        const std::optional<std::int64_t> key = tree->integer(pairs[i]);
        if (!key || *key >> kNodeBits <= 0 || tree->kind(pairs[i + 1]) != ValueKind::List) return nullptr;
        (*regions)[static_cast<std::uint64_t>(*key)] = region_of(*tree, pairs[i + 1]);
    }
    return regions->empty() ? nullptr : regions;
}

// Ids change at every instantiation.
bool covers_graphs(const NodeRegions& regions, const RankTrace& trace) {
    std::set<std::int64_t> graphs, annotated;
    for (const std::int64_t graph : trace.integers(Arg::GraphId).values)
        if (graph != 0) graphs.insert(graph);
    for (const auto& [key, region] : regions) annotated.insert(static_cast<std::int64_t>(key >> kNodeBits));
    return !graphs.empty() && std::ranges::includes(annotated, graphs);
}

}  // namespace

std::vector<NodeAnnotations> read_annotations(std::span<const std::filesystem::path> files, const JobContext& context) {
    std::vector<NodeAnnotations> found;
    std::size_t tried = 0;
    for (const std::filesystem::path& path : files) {
        if (!may_be_annotations(path) || ++tried > kMostFiles || context.cancelled()) continue;
        if (std::shared_ptr<const NodeRegions> regions = read_regions(path, context))
            found.push_back({path, find_rank_in_name(path.filename().string()), std::move(regions)});
    }
    return found;
}

void attach_annotations(std::span<const NodeAnnotations> annotations, const Run& run) {
    for (const NodeAnnotations& one : annotations)
        for (const RankSlot& slot : run.ranks()) {
            const bool is_for_rank = one.rank ? slot.key.number == *one.rank : run.ranks().size() == 1;
            if (is_for_rank && covers_graphs(*one.regions, slot.trace())) set_node_regions(*slot.index, one.regions);
        }
}

}  // namespace core
