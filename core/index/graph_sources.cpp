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
        next->stacks = known->stacks;
        next->nodes = known->nodes;
    }
    next->before = std::move(known);
    return next;
}

template <class Values>
void set_values(const RankIndex& index, std::shared_ptr<const Values> GraphSources::*field,
                std::shared_ptr<const Values> values) {
    const GraphSourcesPtr known = graph_sources_of(index);
    if (known && (*known).*field && *((*known).*field) == *values) return;
    const std::shared_ptr<GraphSources> next = next_of(known);
    (*next).*field = std::move(values);
    index.derived().put<GraphSources>(next);
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
    set_values(index, &GraphSources::regions, std::move(regions));
}

void set_node_stacks(const RankIndex& index, std::shared_ptr<const NodeStacks> stacks) {
    set_values(index, &GraphSources::stacks, std::move(stacks));
}

void set_node_graphs(const RankIndex& index, std::shared_ptr<const NodeGraphs> graphs) {
    set_values(index, &GraphSources::nodes, std::move(graphs));
}

const Derived& derived_with_graphs(const RankIndex& index) {
    const GraphSourcesPtr sources = graph_sources_of(index);
    return sources ? sources->derived : index.derived();
}

}  // namespace core
