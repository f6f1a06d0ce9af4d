#pragma once
// Several configurations, each against one baseline: never against each other. Holm's p over them, so that with equal
// configurations one whole comparison in 20 has a false alarm. And the noise between runs of one configuration.

#include "core/diff/statistics/run_statistics.hpp"

#include <optional>
#include <string>
#include <vector>

namespace core {

struct Configuration {
    std::string name;
    std::vector<SampledRun> runs;  // several: each is a value
};

struct ComparedConfiguration {
    std::string name;
    StepStatistics statistics;  // step.strict by Holm's p, step.holm and step.family of the configurations
};

struct ComparedConfigurations {
    std::vector<ComparedConfiguration> all;  // in the order given
    // Welch's analysis of variance over the baseline and all of them: the p that all means are equal.
    std::optional<double> omnibus_p;
};

ComparedConfigurations compare_configurations(const std::vector<SampledRun>& baseline,
                                              const std::vector<Configuration>&, const StatisticsOptions&);

// How much runs of one configuration differ: the range of their medians over the mean of these. Nothing below two runs
// with steps.
std::optional<double> measure_noise(const std::vector<SampledRun>&);

}  // namespace core
