#include "core/sample/device_schedule.hpp"

#include <algorithm>
#include <cassert>

namespace core::sample {
namespace {

constexpr std::int64_t kBytesPerNs = 230;

std::size_t slot(Lane lane) { return static_cast<std::size_t>(lane); }

void extend_ranges(std::vector<AnnotationRange>& ranges, const DeviceTask& task) {
    const std::size_t lane = slot(task.event.lane);
    for (std::int64_t r = task.range; r != kNone;) {
        AnnotationRange& range = ranges[static_cast<std::size_t>(r)];
        if (range.end_ns[lane] == 0) range.begin_ns[lane] = task.event.start_ns;
        range.end_ns[lane] = std::max(range.end_ns[lane], task.event.end_ns());
        r = range.outer;
    }
}

}  // namespace

std::int64_t message_bytes(const Collective& call) {
    const bool of_output = call.op == CollectiveOp::AllGather || call.op == CollectiveOp::AllToAll;
    const std::int64_t elements = of_output ? call.out_elements : call.in_elements;
    return elements * (call.type == ElementType::BFloat16 ? 2 : 4);
}

DeviceSchedule::DeviceSchedule(const Topology& topology, std::uint64_t seed, bool slow_link)
    : topology_(topology), seed_(seed), slow_link_(slow_link), states_(static_cast<std::size_t>(topology.ranks)) {}

void DeviceSchedule::begin_step(int step) {
    step_ = step;
    for (RankState& state : states_) state.next_task = 0;
}

std::int64_t DeviceSchedule::lane_end_ns(int rank, Lane lane) const {
    return states_[static_cast<std::size_t>(rank)].lane_end[slot(lane)];
}

// Each round costs as much as there are ranks, whatever the size of their groups.
void DeviceSchedule::run(const std::vector<RankRecorder*>& ranks, std::vector<CollectiveOutcome>& outcomes) {
    std::array<std::vector<int>, kGroupKindCount> waiting;  // members of each group that wait for it
    for (std::size_t kind = 0; kind < waiting.size(); ++kind)
        waiting[kind].resize(static_cast<std::size_t>(topology_.group_count(static_cast<GroupKind>(kind))));
    std::vector<std::optional<GroupKind>> at(ranks.size());  // the kind of group a rank waits for
    for (;;) {
        for (std::vector<int>& groups : waiting) std::ranges::fill(groups, 0);
        const auto count_at = [&](GroupKind kind, std::size_t rank) -> int& {
            const int group = topology_.group_of(kind, static_cast<int>(rank));
            return waiting[static_cast<std::size_t>(kind)][static_cast<std::size_t>(group)];
        };
        for (std::size_t r = 0; r < ranks.size(); ++r) {
            at[r].reset();
            if (!advance_to_collective(*ranks[r], states_[r])) continue;
            const DeviceTask& task = ranks[r]->tasks()[states_[r].next_task];
            at[r] = ranks[r]->collectives()[static_cast<std::size_t>(task.event.collective)].group;
            ++count_at(*at[r], r);
        }
        bool met = false;
        for (std::size_t r = 0; r < ranks.size(); ++r) {
            if (!at[r]) continue;
            const GroupKind kind = *at[r];
            int& count = count_at(kind, r);
            if (count != topology_.group_size(kind)) continue;
            count = 0;  // its other members are done with this round, too
            meet(ranks, kind, topology_.group_of(kind, static_cast<int>(r)), outcomes);
            met = true;
        }
        if (!met) {
            assert(std::ranges::none_of(at, [](const auto& kind) { return kind.has_value(); }));
            return;
        }
    }
}

bool DeviceSchedule::advance_to_collective(RankRecorder& recorder, RankState& state) {
    std::vector<DeviceTask>& tasks = recorder.tasks();
    for (; state.next_task < tasks.size();) {
        DeviceTask& task = tasks[state.next_task];
        const std::size_t lane = slot(task.event.lane);
        if (task.event.kind == EventKind::Sync) {
            if (task.waits_for != kNone) {
                const Event& awaited = tasks[static_cast<std::size_t>(task.waits_for)].event;
                state.lane_ready[lane] = std::max(state.lane_ready[lane], awaited.end_ns());
            }
            ++state.next_task;
            continue;
        }
        task.event.start_ns = std::max(task.earliest_ns, state.lane_ready[lane] + task.gap_ns);
        if (task.event.collective >= 0) return true;
        finish_task(recorder, state, task.event.end_ns());
    }
    return false;
}

void DeviceSchedule::finish_task(RankRecorder& recorder, RankState& state, std::int64_t end_ns) {
    DeviceTask& task = recorder.tasks()[state.next_task];
    task.event.duration_ns = end_ns - task.event.start_ns;
    state.lane_end[slot(task.event.lane)] = end_ns;
    state.lane_ready[slot(task.event.lane)] = end_ns;
    extend_ranges(recorder.ranges(), task);
    ++state.next_task;
}

std::int64_t DeviceSchedule::transfer_ns(const Collective& call, int group) const {
    const std::int64_t n = topology_.group_size(call.group);
    const std::int64_t passes = call.op == CollectiveOp::AllReduce ? 2 : 1;
    const std::int64_t moved = message_bytes(call) * passes * (n - 1) / n;
    const auto stream = 0x10000U + static_cast<std::uint64_t>(call.group) * 0x1000U + static_cast<std::uint64_t>(group);
    const std::uint64_t noise = Noise(seed_, stream, static_cast<std::uint64_t>(step_))
                                    .draw(static_cast<std::uint32_t>(call.op), static_cast<std::uint32_t>(call.seq));
    const std::int64_t times = slow_link_ && call.group == GroupKind::Data && group == 0 ? kSlowTimes : 1;
    return (11'000 + 1'500 * n + moved / kBytesPerNs) * between(noise, 992, 1010) / 1000 * times;
}

void DeviceSchedule::meet(const std::vector<RankRecorder*>& ranks, GroupKind kind, int group,
                          std::vector<CollectiveOutcome>& outcomes) {
    CollectiveOutcome outcome;
    outcome.members = topology_.members(kind, group);
    std::int64_t last_arrival = 0;
    for (const int rank : outcome.members) {
        const auto r = static_cast<std::size_t>(rank);
        const DeviceTask& task = ranks[r]->tasks()[states_[r].next_task];
        const Collective& call = ranks[r]->collectives()[static_cast<std::size_t>(task.event.collective)];
        assert(call.group == kind);
        // The exchange takes as long as the member that takes most.
        if (call.op != CollectiveOp::AllToAll || message_bytes(call) > message_bytes(outcome.call)) outcome.call = call;
        outcome.taken_bytes.push_back(message_bytes(call));
        if (outcome.call.op == CollectiveOp::Send) outcome.source = rank;
        outcome.arrival_ns.push_back(task.event.start_ns);
        last_arrival = std::max(last_arrival, task.event.start_ns);
    }
    const std::int64_t done = last_arrival + transfer_ns(outcome.call, group);
    for (const int rank : outcome.members) {
        const auto r = static_cast<std::size_t>(rank);
        const std::uint64_t noise = mix_bits(seed_ ^ mix_bits(static_cast<std::uint64_t>(done) + r));
        outcome.end_ns.push_back(done + between(noise, 0, 1400));
        finish_task(*ranks[r], states_[r], outcome.end_ns.back());
    }
    outcomes.push_back(std::move(outcome));
}

}  // namespace core::sample
