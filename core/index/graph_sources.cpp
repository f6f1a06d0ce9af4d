#include "core/index/graph_sources.hpp"

#include <utility>

namespace core {

GraphSourcesPtr graph_sources_of(const RankIndex& index) { return index.derived().find<GraphSources>(); }

void set_graph_sources(const RankIndex& index, std::vector<RankIndexPtr> captures, bool are_own) {
    GraphSourcesPtr known = graph_sources_of(index);
    if (known && known->captures == captures && known->are_own == are_own) return;
    auto sources = std::make_shared<GraphSources>();
    sources->captures = std::move(captures);
    sources->are_own = are_own;
    sources->before = std::move(known);
    index.derived().put<GraphSources>(std::move(sources));
}

const Derived& derived_with_graphs(const RankIndex& index) {
    const GraphSourcesPtr sources = graph_sources_of(index);
    return sources ? sources->derived : index.derived();
}

}  // namespace core
