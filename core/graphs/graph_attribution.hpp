#pragma once
// Operators and modules of kernels in graph replays. The call trees of the captures are put behind the rank's own
// events in one trace, once for all replays, and each node's parent there is the call that became it. Made on demand,
// once per rank; O(events of the rank + events of the captures that it replays). Any thread.

#include "core/base/jobs.hpp"
#include "core/graphs/match_capture.hpp"
#include "core/index/graph_replays.hpp"
#include "core/index/run.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace core {

// How the operator of a GPU event is known. Around: only the operator around the launch of its graph is known, which is
// not the kernel's.
enum class Attribution : std::uint8_t { Launched, Annotated, Captured, CapturedByOrder, Around, None };
std::string_view name_of(Attribution);

// One replay's nodes and the calls that became them; shared by all replays of equal nodes.
struct GraphTemplate {
    std::vector<EventId> above;  // by ordinal: event of GraphAttribution::trace(), kNoEvent where undecided
    Certainty certainty = Certainty::Undecided;
    bool has_shapes = true;  // false: several captures fit that agree in all but shapes
    bool is_annotated = false;  // by annotations of the nodes themselves
    std::int64_t capture = -1;  // which of the captures that the rank has; the first that fits; -1: none
    std::int64_t size = -1;  // of the capture; -1: unknown
    std::uint32_t dispatches = 0;  // of the capture; 0: none fits
    std::vector<std::uint32_t> lost_places;  // of dispatches without a node: how many nodes precede it, rising
    std::vector<std::string> missing;  // "kernel of operator": dispatches that the replay lacks
    std::string reason;  // it is not certain; empty: it is
};

class GraphAttribution {
public:
    GraphReplays replays;
    std::vector<GraphTemplate> templates;
    std::vector<std::uint32_t> template_of;  // by replay

    // The rank's events under their own ids, then the calls of captures. Only what makes call trees: events, names,
    // arguments and texts; lanes, tracks and times are those of the rank alone.
    const RankTrace& trace() const { return joined_ ? *joined_ : *own_; }
    bool is_own(EventId e) const { return index_of(e) < own_->size(); }
    const GraphTemplate* template_of_replay(std::uint32_t replay) const {
        return replay == kNoReplay ? nullptr : &templates[template_of[replay]];
    }
    // True if the event's parent in trace() is not its launch.
    bool is_captured(EventId gpu) const {
        return joined_ && joined_->parent[index_of(gpu)] != own_->parent[index_of(gpu)];
    }
    Attribution of(EventId gpu) const;

    GraphAttribution(const RankTrace& own, GraphReplays found) : replays(std::move(found)), own_(&own) {}
    void set_joined(RankTracePtr joined) { joined_ = std::move(joined); }

private:
    const RankTrace* own_;  // outlives this: values derived of a rank do
    RankTracePtr joined_;  // null: nothing to add
};

// Null if cancelled.
std::shared_ptr<const GraphAttribution> graph_attribution_of(const RankIndex&, const JobContext&);

// True if at least half of a rank's kernels run in replays of graphs.
bool is_mostly_replayed(const RankSlot&);
// The same for the rank in a slot; without one, for any.
bool is_mostly_replayed(const Run&, std::optional<std::uint32_t> slot);

}  // namespace core
