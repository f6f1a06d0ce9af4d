#pragma once
// Schedules queued device work on all ranks together.
//
// A stream runs its work in order, never before the launch has arrived or a stream it waits for is
// done. A collective starts on each rank when that rank gets there and ends on all members together:
// last arrival + latency + bytes / bandwidth. The ranks of a group must issue their collectives in one order.

#include "core/sample/sample_plan.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace core::sample {

struct CollectiveOutcome {
    Collective call;
    std::vector<int> members;
    std::vector<std::int64_t> arrival_ns;  // true time, per member
    std::vector<std::int64_t> end_ns;
    std::vector<std::int64_t> taken_bytes;  // message size of each member
    int source = -1;  // of a send and its receive: who sends
};

// Message size as used for bandwidth: one rank's input for all-reduce and reduce-scatter, the
// output for all-gather and all-to-all.
std::int64_t message_bytes(const Collective& call);

class DeviceSchedule {
public:
    // slow_link: transfers of the first data group take kSlowTimes as long.
    DeviceSchedule(const Topology& topology, std::uint64_t seed, bool slow_link);
    static constexpr std::int64_t kSlowTimes = 3;

    void begin_step(int step);
    // Places the work queued since the last call; appends outcomes.
    void run(const std::vector<RankRecorder*>& ranks, std::vector<CollectiveOutcome>& outcomes);
    std::int64_t lane_end_ns(int rank, Lane lane) const;

private:
    struct RankState {
        std::size_t next_task = 0;
        std::array<std::int64_t, kLaneCount> lane_end{};    // end of the last work
        std::array<std::int64_t, kLaneCount> lane_ready{};  // the above, and events the lane waits for
    };

    bool advance_to_collective(RankRecorder& recorder, RankState& state);
    void finish_task(RankRecorder& recorder, RankState& state, std::int64_t end_ns);
    void meet(const std::vector<RankRecorder*>& ranks, GroupKind kind, int group,
              std::vector<CollectiveOutcome>& outcomes);
    std::int64_t transfer_ns(const Collective& call, int group) const;

    Topology topology_;
    std::uint64_t seed_;
    bool slow_link_;
    int step_ = 0;
    std::vector<RankState> states_;
};

}  // namespace core::sample
