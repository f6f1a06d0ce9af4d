#pragma once
// The recorded critical path of one rank, stretch by stretch, for drawing. The analysis
// `critical-path` defines it; its table `path` has the same contents.

#include "core/analysis/engine/analysis.hpp"

namespace core {

struct PathStretch {
    EventId event;              // owner of the time; kNoEvent if the trace has none
    std::string_view bound_by;  // "cpu", "launch_delay", ...; never freed
    RankRange range;            // never empty; contiguous with the previous one
};

// Path of the view's rank; empty if it did nothing in the window. Fails if cancelled.
Result<std::vector<PathStretch>> collect_critical_path(const RankView&, const JobContext&);

// The first rank that passes the filter, for the analysis with of=rank.
namespace critical_path {
// Places of parameters of the analysis.
inline constexpr std::size_t kHostCallback = 7, kGraphLanes = 8;
std::vector<Column> columns();
Result<Partial> rank_of_one(const RankView&, const Params&, const JobContext&);
Result<Answer> merge_of_one(std::span<const Partial* const>);
extern const SecondaryTable kTablesOfOne[4];
}  // namespace critical_path

}  // namespace core
