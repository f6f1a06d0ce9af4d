#pragma once
// Writes the bundled sample: a synthetic transformer training run, one Kineto file per rank.
//
// All ranks are simulated on one schedule, so collectives end together, kernels start after their
// launches and call trees nest. Equal options give equal bytes on any machine. truth.json beside
// the ranks states the planted defects and the exact numbers an analysis should find. Memory is
// bounded by one step of all ranks; files get their final names only when complete.

#include "core/base/jobs.hpp"
#include "core/base/result.hpp"

#include <cstdint>
#include <filesystem>
#include <vector>

namespace core {

inline constexpr int kNoStraggler = -1;
inline constexpr int kAutomaticStraggler = -2;  // rank 5, or the last one of a smaller run; none if alone

struct SampleOptions {
    int ranks = 8;
    int tensor_parallel = 2;
    int steps = 6;
    int layers = 8;
    int straggler = kAutomaticStraggler;
    std::uint64_t seed = 1;
    bool gzip = false;
    bool candidate = false;    // the run with known differences, listed in truth.json
    std::uint64_t events = 0;  // approximate total; chooses steps and layers; 0: as given
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
