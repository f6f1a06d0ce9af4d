#include "core/index/graph_sources.hpp"

#include <utility>

namespace core {
namespace {

std::shared_ptr<GraphSources> next_of(GraphSourcesPtr known) {
    auto next = std::make_shared<GraphSources>();
    if (known) {
        next->captures = known->captures;
        next->are_own = known->are_own;
        next->regions = known->regions;
    }
    next->before = std::move(known);
    return next;
}

}  // namespace

GraphSourcesPtr graph_sources_of(const RankIndex& index) { return index.derived().find<GraphSources>(); }

void set_graph_sources(const RankIndex& index, std::vector<RankIndexPtr> captures, bool are_own) {
    const GraphSourcesPtr known = graph_sources_of(index);
    if (known && known->captures == captures && known->are_own == are_own) return;
    const std::shared_ptr<GraphSources> next = next_of(known);
    next->captures = std::move(captures);
    next->are_own = are_own;
    index.derived().put<GraphSources>(next);
}

void set_node_regions(const RankIndex& index, std::shared_ptr<const NodeRegions> regions) {
    const GraphSourcesPtr known = graph_sources_of(index);
    if (known && known->regions && *known->regions == *regions) return;
    const std::shared_ptr<GraphSources> next = next_of(known);
    next->regions = std::move(regions);
    index.derived().put<GraphSources>(next);
}

const Derived& derived_with_graphs(const RankIndex& index) {
    const GraphSourcesPtr sources = graph_sources_of(index);
    return sources ? sources->derived : index.derived();
}

}  // namespace core
