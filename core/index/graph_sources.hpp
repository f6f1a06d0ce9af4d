#pragma once
// Files next to a rank that say what the nodes of its graphs are: traces of captures. They are not ranks, windows or
// steps. Kept with the rank's index, since they may arrive after it; values that depend on both are kept with them.

#include "core/index/derived.hpp"
#include "core/index/rank_index.hpp"

#include <memory>
#include <vector>

namespace core {

struct GraphSources {
    std::vector<RankIndexPtr> captures;  // traces, by file name
    bool are_own = true;  // of the rank itself, not of another one that captured the same graphs
    Derived derived{};
    std::shared_ptr<const GraphSources> before{};  // values of which may still be in use
};
using GraphSourcesPtr = std::shared_ptr<const GraphSources>;

// Null: none.
GraphSourcesPtr graph_sources_of(const RankIndex&);
// From now on; the same ones again change nothing.
void set_graph_sources(const RankIndex&, std::vector<RankIndexPtr> captures, bool are_own);
// Where values are kept that depend on a rank and on its graphs' sources. Lives as long as the index.
const Derived& derived_with_graphs(const RankIndex&);

}  // namespace core
