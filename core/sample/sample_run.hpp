#pragma once
// Writes the bundled sample: a synthetic transformer training run, one Kineto file per rank.
//
// All ranks are simulated on one schedule, so collectives end together, kernels start after their
// launches and call trees nest. Equal options give equal bytes on any machine. truth.json beside
// the ranks states the planted defects and the exact numbers an analysis should find. Memory is
// bounded by one step of all ranks, of which there may be 16,384; files get their final names only when complete.

#include "core/base/jobs.hpp"
#include "core/base/result.hpp"

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace core {

inline constexpr int kMostSampleRanks = 16'384;
inline constexpr int kMostRankLayers = 32'768;  // ranks times layers: a bound on the memory of one step
inline constexpr int kNoStraggler = -1;
inline constexpr int kAutomaticStraggler = -2;  // rank 5, or the last one of a smaller run; none if alone

// Why the straggler is late.
enum class StragglerCause : std::uint8_t {
    DataLoading,
    Host,
    LaunchCall,
    Allocation,
    SlowerKernels,
    MoreWork,
    Copies,
    Synchronisation,
};
inline constexpr std::string_view kCausesOfStragglers[] = {"loading", "host", "launch", "allocation",
                                                           "kernels", "work", "copies", "sync"};

// Why the clock of the straggler's GPU is low, which makes its kernels slower. Logs of the GPUs are next to the ranks.
enum class ClockFault : std::uint8_t { None, Thermal, Power, Locked };

// Further defects and traits; none by default.
struct SampleFaults {
    std::int64_t clock_spread_ns = 1'900;  // clocks are ahead or behind by up to this much
    std::int64_t clock_drift_ppb = 0;      // and drift by up to this much, parts per billion
    bool slow_link = false;       // the first data group's transfers take three times as long
    bool lost_records = false;    // of some collectives of rank 1
    bool late_window = false;     // the last rank's recording begins a step later
    bool desynchronised = false;  // rank 0 states another size, and another operation, in two collectives of its group
    bool sharded = false;  // parameters are sharded over data groups (FSDP); the shard of one layer is gathered late
    bool experts = false;  // the MLPs are experts, spread over data groups; one of each group is chosen too often
    bool fp8 = false;  // the products of layers multiply in 8 bits, forward
    bool recompute = false;  // the backward pass computes each layer again
    bool unknown_device = false;  // the device has a name that no table knows
    ClockFault clock = ClockFault::None;
    bool any_in_records() const { return lost_records || late_window || desynchronised; }
};

struct SampleOptions {
    int ranks = 8;
    int tensor_parallel = 2;
    int steps = 6;
    int layers = 8;
    int straggler = kAutomaticStraggler;
    std::uint64_t seed = 1;
    bool gzip = false;
    StragglerCause cause = StragglerCause::DataLoading;
    SampleFaults faults{};
    bool candidate = false;  // the run with known differences, listed in truth.json
    std::uint64_t events = 0;  // approximate total; chooses steps and layers; 0: as given
    int stages = 1;  // 2: the layers are a pipeline of two stages, each on half of the ranks
    std::vector<int> further_stragglers{};  // late for the same cause as the straggler, each by itself
};

struct SampleSummary {
    SampleOptions options;  // as used: steps and layers scaled, straggler resolved
    std::vector<std::filesystem::path> files;
    std::uint64_t events = 0;
    std::uint64_t bytes = 0;  // size of the trace files on disk
};

Result<SampleSummary> write_sample_run(const std::filesystem::path& dir, const SampleOptions& options,
                                       const JobContext& context);

}  // namespace core
