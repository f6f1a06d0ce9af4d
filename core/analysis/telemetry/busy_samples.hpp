#pragma once
// Samples of a rank while it computes, by step, and what they say of its clock against that of others. Definitions:
// docs/definitions.md, telemetry.

#include "core/analysis/telemetry/rank_samples.hpp"

#include <limits>
#include <map>
#include <set>
#include <span>

namespace core {

// The step of work outside steps, in traces without any.
inline constexpr std::int64_t kWholeTrace = std::numeric_limits<std::int64_t>::min();

struct BusySample {
    RankTime time{};
    double clock = 0;  // MHz
    double memory_clock = 0;  // MHz; 0: unknown
    std::optional<std::uint64_t> reasons{};
    double power_share = 0;  // of the limit; 0: unknown
};

struct BusySamples {
    std::map<std::int64_t, std::vector<BusySample>> steps;  // by number
    std::map<std::int64_t, RankRange> spans;  // from the first compute kernel to the end of the last, by step
    double most_clock = 0;  // MHz: the device's maximum as the log or its name says, else the highest sample
    bool is_most_stated = false;
    bool knows_reasons = false;
    bool knows_limit = false;
};

// By slot; made once per run. O(GPU events + samples).
struct BusyRun {
    std::shared_ptr<const Telemetry> telemetry;
    std::vector<BusySamples> ranks;
};
std::shared_ptr<const BusyRun> busy_samples_of(const Run& run);

// The slots of all ranks but this one, whichever capture it is of.
std::vector<std::uint32_t> other_ranks_of(const Run& run, std::uint32_t slot);

// Busy samples of some steps: their mean clock, and the share of them with each reason.
struct ClockMean {
    std::int64_t samples = 0;
    double clock = 0;  // MHz, mean; 0 without samples
    double least = 0;  // MHz
    double memory_clock = 0;  // MHz, mean; 0: unknown
    std::array<double, kReasons.size()> duty{};  // as kReasons
    std::uint64_t unknown_reasons = 0;  // bits that have no name
    double power_share = 0;  // mean; 0: unknown
};
// steps: null: all.
ClockMean mean_clock(const BusySamples& busy, const std::set<std::int64_t>* steps);

// The mean of a step, as `telemetry` has it: of the clock while the rank computes, of other metrics all the time.
std::optional<double> mean_of_step(const Run& run, std::uint32_t slot, Metric metric, const Step& step);

// A rank's clock against its peers' in the same steps.
struct ClockRatio {
    bool known = false;
    double ratio = 0;  // of the peers' median mean to the rank's: above 1, the rank is slower
    double memory_ratio = 0;  // the same of the memory clock; 0: unknown
    ClockMean own{};
    double peers = 0;  // MHz
    std::string reason{};  // "power", "thermal", "power (inferred)", "not recorded", "none stated"
    std::string phrase{};  // "power cap in 100 % of samples"; empty: no reason is named
    bool is_measured = false;  // the GPU is the rank's beyond doubt, with three samples in each step
    bool is_of_steps = false;  // every step has the three samples
    std::string source{};  // "nvidia-smi CSV, by GPU index, of the run"
    std::string why{};  // it isn't known
};
ClockRatio compare_clock(const BusyRun& run, std::uint32_t slot, std::span<const std::uint32_t> peers,
                         const std::set<std::int64_t>* steps);

}  // namespace core
