#include "core/graphs/replay_edges.hpp"
#include "core/sql/row_scan.hpp"

#include <algorithm>

namespace core {
namespace {

class EdgeRows {
public:
    explicit EdgeRows(SqlContext& context) : context_(&context) {
        const Run& run = *context.run;
        for (std::uint32_t slot = 0; slot < run.ranks().size(); ++slot) {
            first_.push_back(rows_);
            edges_.push_back(replay_edges_of(*run.rank(slot).index, context.job));
            rows_ += edges_.back()->edges.size();
        }
    }
    std::size_t rows() const { return rows_; }

    Cell cell(std::size_t row, std::size_t column) const {
        const auto slot = static_cast<std::size_t>(std::ranges::upper_bound(first_, row) - first_.begin()) - 1;
        const ReplayEdges& known = *edges_[slot];
        const ReplayEdge& edge = known.edges[row - first_[slot]];
        const std::uint32_t replay = known.replay_of(edge.to);
        const RankSlot& rank = context_->run->rank(slot);
        switch (column) {
            case 0:
                return std::int64_t{rank.key.number};
            case 1:
                return std::string_view(context_->capture_of(rank.key));
            case 2:
                return replay == kNoReplay ? Cell{} : Cell{known.replays.replays[replay].graph};
            case 3:
                return replay == kNoReplay ? Cell{} : Cell{std::int64_t{replay}};
            case 4:
                return sql_event_id(slot, edge.from);
            case 5:
                return sql_event_id(slot, edge.to);
            default:
                return replay != kNoReplay && known.source[replay] == EdgeSource::GraphData
                           ? std::string_view("graph data")
                           : std::string_view("arrows");
        }
    }

private:
    SqlContext* context_;
    std::vector<std::shared_ptr<const ReplayEdges>> edges_;  // by slot
    std::vector<std::size_t> first_;                         // by slot: its first row
    std::size_t rows_ = 0;
};

}  // namespace

std::vector<SqlTable> graph_tables() {
    SqlTable table;
    table.name = "graph_edges";
    table.summary = "Dependencies between the nodes of replayed CUDA graphs, as far as they are recorded.";
    table.columns = {{"rank", Unit::Rank, "the rank", SqlPush::Range},
                     {"capture", Unit::Text, "a; b, c, \xe2\x80\xa6 of further files that claim the rank"},
                     {"graph", Unit::Count, "id of the executable graph"},
                     {"replay", Unit::Count, "of the rank, from 0: kernels.replay"},
                     {"from_event", Unit::Event, "the node that comes first: events.id"},
                     {"to_event", Unit::Event, "the node that waits for it: events.id"},
                     {"source", Unit::Text, "arrows between the nodes, or graph data next to the trace"}};
    table.open = [](SqlContext& context, SqlBounds bounds) {
        return scan_rows(context, std::move(bounds), EdgeRows(context));
    };
    table.rows = [](const Run& run) { return 100.0 * static_cast<double>(run.ranks().size()); };
    return {table};
}

}  // namespace core
