#pragma once
// Bytes that operators without matrix work read and write, from their arguments: the least traffic there can be, so a
// bandwidth made of them is a lower bound. Exact integers; absent where the arguments do not tell.

#include "core/analysis/efficiency/moving_table.hpp"
#include "core/analysis/efficiency/operator_work.hpp"
#include "core/base/jobs.hpp"
#include "core/index/rank_index.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace core {

struct MovedBytes {
    std::int64_t bytes = 0;
    bool is_lower_bound = false;  // rows that are looked up are not in the trace
    bool operator==(const MovedBytes&) const = default;
};
std::optional<MovedBytes> evaluate_moved_bytes(const MovingRow&, std::string_view operator_name,
                                               const OperatorArguments&);

// Calls of one operator with equal arguments.
struct MovedShape {
    NameId name;
    NameId sizes;  // kNoName if not written
    NameId types;
    std::optional<MovedBytes> moved;
    Precision precision = Precision::Unknown;  // of its first tensor
};

// An operator around launches of compute kernels that do no matrix work, and no listed one inside it.
struct MovedCall {
    EventId event;
    std::uint32_t shape;
    std::uint32_t gpu_events = 0;
    Duration gpu_time{0};
    EventId first = kNoEvent;  // of its GPU events
};

struct RankMoves {
    static constexpr std::uint32_t kNoCall = 0xFFFFFFFFu;
    std::vector<MovedShape> shapes;
    std::vector<MovedCall> calls;  // by event
    std::vector<std::uint32_t> owners;  // one per trace.gpu_events: into calls, or kNoCall
};
using RankMovesPtr = std::shared_ptr<const RankMoves>;

// Made once per rank, whatever the filter; null if cancelled. O(GPU events) and the texts of their operators.
RankMovesPtr moves_of(const RankIndex&, const JobContext&);

}  // namespace core
