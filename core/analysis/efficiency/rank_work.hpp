#pragma once
// The floating-point work of one rank: which operators own it, how much it is, and of what kind each compute kernel is.
// Made of the whole trace once, whatever the filter, and kept with the rank's index; O(events).
// Arguments are parsed once per distinct text.

#include "core/analysis/efficiency/operator_work.hpp"
#include "core/base/jobs.hpp"
#include "core/graphs/graph_attribution.hpp"

#include <array>
#include <memory>
#include <vector>

namespace core {

// Calls of one operator with equal arguments.
struct WorkShape {
    NameId name;
    NameId sizes;  // kNoName if not written
    NameId types;
    OperatorWork work;
    bool is_backward = false;
};

// A call that owns its FLOP: everything below it is part of it.
struct WorkCall {
    EventId event;  // of RankWork::trace(); a call of a capture stands once for each replay
    std::uint32_t shape;  // into shapes
    std::uint32_t gpu_events = 0;  // that it launched, at any depth, without communication
    Duration gpu_time{0};  // sum of their durations
    EventId first = kNoEvent;  // of them
    bool is_tf32 = false;
    bool is_recomputed = false;  // runs a forward operator again, during the backward pass
};

// First that fits, of a compute kernel.
enum class WorkKind : std::uint8_t { Matrix, Uncounted, None, Unclassified, NoCompute };
inline constexpr std::size_t kWorkKinds = 4;  // without NoCompute
std::string_view name_of(WorkKind);

// Pass of training in which a GPU event was launched.
enum class Pass : std::uint8_t { Forward, Backward, Recomputed };  // Recomputed: forward, within the backward pass

struct RankWork {
    static constexpr std::uint32_t kNoCall = 0xFFFFFFFFu;

    std::shared_ptr<const GraphAttribution> graphs;
    // The rank's own, with the calls of captured graphs behind it: texts of names and events here are of it.
    const RankTrace& trace() const { return graphs->trace(); }

    std::vector<WorkShape> shapes;
    std::vector<WorkCall> calls;  // by event
    std::vector<WorkKind> kinds;  // one per trace.gpu_events
    std::vector<std::uint32_t> owners;  // one per trace.gpu_events: into calls; kNoCall without, or of communication
    std::vector<EventId> operators;  // one per trace.gpu_events: the innermost around the launch, or kNoEvent
    std::vector<Pass> passes;  // one per trace.gpu_events
    std::vector<NameId> uncounted;  // operators that are listed but did not tell, nor any around them

    const OperatorWork& work_of(const WorkCall& call) const { return shapes[call.shape].work; }
    Precision precision_of(const WorkCall& call) const {
        return call.is_tf32 ? Precision::Tf32 : work_of(call).precision;
    }
    std::int64_t model_flop_of(const WorkCall& call) const { return call.is_recomputed ? 0 : work_of(call).model_flop; }
};
using RankWorkPtr = std::shared_ptr<const RankWork>;

// Null if cancelled.
RankWorkPtr work_of(const RankIndex&, const JobContext&);

}  // namespace core
