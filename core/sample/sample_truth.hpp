#pragma once
// Expected results of analyses of the sample, computed only from what was written.
//
// Uses the plainest method: sweeps over interval edges and attributes each interval to the set of
// active classes. Times are nanoseconds since kBaseTimeNs on the rank's own clock. Memory is
// bounded: rows per step and per collective are kept only with `detail`.

#include "core/sample/device_schedule.hpp"
#include "core/sample/kineto_writer.hpp"
#include "core/sample/sample_plan.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace core::sample {

// Time by set of active classes: bit 0 compute, bit 1 communication, bit 2 memory; [0] is idle.
struct TimeParts {
    std::array<std::int64_t, 8> subset_ns{};
    std::int64_t compute() const { return subset_ns[1] + subset_ns[3] + subset_ns[5] + subset_ns[7]; }
    std::int64_t communication() const { return subset_ns[2] + subset_ns[3] + subset_ns[6] + subset_ns[7]; }
    std::int64_t memory() const { return subset_ns[4] + subset_ns[5] + subset_ns[6] + subset_ns[7]; }
    std::int64_t exposed_communication() const { return subset_ns[2] + subset_ns[6]; }
    std::int64_t exposed_memory() const { return subset_ns[4]; }
    std::int64_t overlap() const { return subset_ns[3] + subset_ns[7]; }
    std::int64_t idle() const { return subset_ns[0]; }
};

struct ClassInterval {
    std::int64_t begin_ns;
    std::int64_t end_ns;
    KernelClass kernel_class;
};

TimeParts sweep_classes(const std::vector<ClassInterval>& intervals, std::int64_t begin_ns, std::int64_t end_ns);

struct DurationStats {
    std::int64_t count = 0;
    std::int64_t total_ns = 0;
    std::int64_t min_ns = 0;
    std::int64_t max_ns = 0;
    void add(std::int64_t ns);
    void add(const DurationStats& other);
};

struct StepTruth {
    int step = 0;
    std::int64_t start_ns = 0;
    std::int64_t duration_ns = 0;
    TimeParts parts;
    std::int64_t metrics_gap_ns = 0;  // from the loss copy to the clearing of gradients
    std::int64_t loading_gap_ns = 0;  // from the previous step's last work to the batch copy; 0 in the first step
};

// Device events by kind: one slot per kernel of the catalog, per kind of copy, and for memsets.
inline constexpr std::size_t kStatSlots =
    static_cast<std::size_t>(KernelId::Count) + static_cast<std::size_t>(CopyId::Count) + 1;

class RankTruth {
public:
    RankTruth(const Catalog& catalog, RankClock clock, RecordFaults faults, bool detail);

    // Call after the device schedule of a step is complete, in order of steps; finish() after the
    // last.
    void add_step(int step, const RankRecorder& recorder);
    void finish();
    std::vector<CounterSample> utilization(std::size_t samples) const;  // last added step, true time

    const std::vector<StepTruth>& steps() const { return steps_; }
    const std::array<DurationStats, kStatSlots>& stats() const { return stats_; }
    const TimeParts& parts() const { return total_; }
    std::int64_t first_ns() const { return first_ns_; }
    std::int64_t last_ns() const { return last_ns_; }
    const RankClock& clock() const { return clock_; }
    const RecordFaults& faults() const { return faults_; }

private:
    void add_interval(const Event& event);
    bool is_lost(const Event& event, const RankRecorder& recorder) const;
    TimeParts account(std::int64_t begin_ns, std::int64_t end_ns);
    void note_gaps(const RankRecorder& recorder, StepTruth& row);

    const Catalog& catalog_;
    RankClock clock_;
    RecordFaults faults_;
    bool detail_;
    std::vector<ClassInterval> pending_;  // not yet fully accounted for
    std::int64_t accounted_until_ = 0;
    std::int64_t first_ns_ = 0;
    std::int64_t last_ns_ = 0;
    std::int64_t last_transfer_end_ns_ = 0;
    TimeParts total_;
    std::array<DurationStats, kStatSlots> stats_{};
    std::vector<StepTruth> steps_;
    StepTruth last_step_;
    std::vector<ClassInterval> step_intervals_;
};

struct CollectiveTruth {
    int step;
    CollectiveOutcome outcome;
};

struct RunTruth {
    SampleOptions options;
    bool detail = true;
    std::vector<std::filesystem::path> files;
    std::vector<const RankTruth*> ranks;
    std::vector<const KinetoWriter*> writers;
    std::vector<CollectiveTruth> collectives;
};

Result<bool> write_truth(const std::filesystem::path& path, const Catalog& catalog, const Topology& topology,
                         const RunTruth& truth);

}  // namespace core::sample
