#include "core/diff/gates/configurations.hpp"

#include "core/stats/moments.hpp"
#include "core/stats/multiple_tests.hpp"
#include "core/stats/welch.hpp"

#include <algorithm>
#include <numeric>

namespace core {

ComparedConfigurations compare_configurations(const std::vector<SampledRun>& baseline,
                                              const std::vector<Configuration>& configurations,
                                              const StatisticsOptions& options) {
    ComparedConfigurations result;
    std::vector<std::size_t> tested;  // those with a p
    std::vector<double> p;
    std::vector<stats::Moments> moments;
    for (const Configuration& configuration : configurations) {
        StepStatistics statistics = compare_steps_of({baseline, configuration.runs}, options);
        if (moments.empty()) moments.push_back(statistics.step.samples.baseline);
        moments.push_back(statistics.step.samples.candidate);
        if (statistics.step.samples.welch && statistics.step.least_n() >= stats::kLeastValues) {
            tested.push_back(result.all.size());
            p.push_back(statistics.step.samples.welch->p);
        }
        result.all.push_back({configuration.name, std::move(statistics)});
    }
    const std::vector<double> holm = stats::adjust_holm(p);
    for (std::size_t i = 0; i < tested.size(); ++i) {
        Tested& step = result.all[tested[i]].statistics.step;
        step.family = tested.size();
        step.holm = holm[i];
        step.strict = stats::judge_row(step.samples, step.tolerance_ns, holm[i]);
    }
    result.omnibus_p = stats::compare_all_means(moments);
    return result;
}

std::optional<double> measure_noise(const std::vector<SampledRun>& runs) {
    std::vector<double> medians;
    for (const SampledRun& run : runs)
        if (!run.sample.steps.empty()) medians.push_back(stats::median(run.sample.values()));
    if (medians.size() < 2) return std::nullopt;
    const auto [least, most] = std::ranges::minmax(medians);
    const double mean = std::accumulate(medians.begin(), medians.end(), 0.0) / static_cast<double>(medians.size());
    if (mean <= 0) return std::nullopt;
    return (most - least) / mean;
}

}  // namespace core
