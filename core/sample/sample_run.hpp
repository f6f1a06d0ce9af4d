#pragma once
// Writes the bundled sample: a synthetic training run of a transformer, one Kineto file per rank.
//
// All ranks are simulated together on one schedule, so collectives end together, kernels start after
// their launches and call trees nest. The same options give the same bytes, on any machine. What was
// planted, and the exact numbers an analysis should find, are written to truth.json beside the ranks.
// Memory is bounded by one step of all ranks; files appear under their final names only when whole.

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
    bool candidate = false;    // the same run with known differences, listed in truth.json
    std::uint64_t events = 0;  // of the whole run, approximate; chooses steps and layers; 0: as given
};

struct SampleSummary {
    SampleOptions options;  // as carried out: steps and layers scaled, straggler resolved
    std::vector<std::filesystem::path> files;
    std::uint64_t events = 0;
    std::uint64_t bytes = 0;  // of the trace files as they lie on disk
};

Result<SampleSummary> write_sample_run(const std::filesystem::path& dir, const SampleOptions& options,
                                       const JobContext& context);

}  // namespace core
