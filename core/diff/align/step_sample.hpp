#pragma once
// The steps of a run as a sample: one value per step, the duration on its slowest rank. Ranks wait for each other, so
// the values of several ranks in one step are one value, not many. What is left out is listed with its reason.

#include "core/diff/align/align_runs.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace core {

inline constexpr std::int64_t kAutoWarmUp = -1;
inline constexpr double kMostShare = 10;  // of a tolerance or a noise: 1000 %

// Options of a comparison of samples; the defaults are those of docs/statistics.md.
struct StatisticsOptions {
    std::int64_t warmup = 1;  // leading steps to drop, or kAutoWarmUp
    double tolerance = 0.01;  // of the baseline's mean: smaller changes are none
    std::optional<double> noise{};  // run-to-run level, likewise, where it is known
    bool paired = false;  // steps of equal number belong together
    bool permutation = false;  // mean, median and 95th percentile of the step also by permutation
    Compares compares = Compares::Captures;  // for the words of verdicts: that of the alignment
    double least_change() const { return noise ? std::max(tolerance, *noise) : tolerance; }
    StatisticsOptions between(Compares what) const {
        StatisticsOptions options = *this;
        options.compares = what;
        return options;
    }
    bool operator==(const StatisticsOptions&) const = default;
};

enum class StepDrop : std::uint8_t {
    WarmUp,          // at the beginning of the capture
    NotOnEveryRank,  // the slowest rank is not known
    Incomplete,      // the last one, whose end or GPU work is not in the capture
};
inline constexpr std::array<StepDrop, 3> kStepDrops = {StepDrop::WarmUp, StepDrop::NotOnEveryRank,
                                                       StepDrop::Incomplete};
std::string_view name_of(StepDrop);  // "warmup", "not_on_every_rank", "incomplete"

struct StepValue {
    std::int64_t number = 0;
    std::int64_t ns = 0;         // on the slowest rank
    std::size_t slowest = 0;     // slot of that rank; the first of equals
    bool operator==(const StepValue&) const = default;
};
struct DroppedStep {
    StepValue step;
    StepDrop why = StepDrop::WarmUp;
};

struct StepSample {
    std::vector<StepValue> steps;      // in the order of their begins
    std::vector<DroppedStep> dropped;  // likewise
    std::vector<std::size_t> slots;  // that take part, of ranks in the filter that have steps: those of one capture, or
        // all that are windows of one job
    std::size_t ranks = 0;  // whose slots these are
    std::size_t ranks_without_steps = 0;
    std::size_t other_captures = 0;  // of ranks that another capture stands for
    std::vector<double> values() const;
    std::size_t count(StepDrop) const;
};

// Steps that the filter takes and that lie wholly in its time range. The warm-up counts from the begin of the capture,
// whatever the filter: so many steps, or with kAutoWarmUp those until one is within 10 % of the median of all later
// ones, of which at least 3 stay; of windows of one job, in each. O(events) for the completeness of the last steps.
StepSample collect_step_sample(const Run&, const Filter&, std::int64_t warmup = 1);

// How many leading values are not steady yet, by the rule above.
std::size_t count_unsteady(std::span<const double> values);

}  // namespace core
