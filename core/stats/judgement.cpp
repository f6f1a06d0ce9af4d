#include "core/stats/judgement.hpp"

#include <algorithm>
#include <array>

namespace core::stats {

std::string_view name_of(Verdict verdict) {
    constexpr std::array<std::string_view, 4> kNames = {"undecided", "same", "regressed", "improved"};
    return kNames[static_cast<std::size_t>(verdict)];
}

std::string_view name_of(Doubt doubt) {
    constexpr std::array<std::string_view, 6> kNames = {
        "", "too few", "noise", "carried by outliers", "one of many rows", "one side only"};
    return kNames[static_cast<std::size_t>(doubt)];
}

Judgement judge(const TwoSamples& samples, double tolerance, bool more_is_worse) {
    if (std::min(samples.baseline.n, samples.candidate.n) < kLeastValues || !samples.welch || !samples.rank)
        return {Verdict::Undecided, Doubt::TooFew};
    const Interval interval = samples.welch->interval;
    if (-tolerance <= interval.low && interval.high <= tolerance) return {Verdict::Same, Doubt::None};
    const bool more = interval.low > tolerance, less = interval.high < -tolerance;
    if (!more && !less) return {Verdict::Undecided, Doubt::Noise};
    if (samples.rank->least_p <= kSignificant && samples.rank->p > kSignificant)
        return {Verdict::Undecided, Doubt::Outliers};
    return {more == more_is_worse ? Verdict::Regressed : Verdict::Improved, Doubt::None};
}

Judgement judge_row(const TwoSamples& samples, double tolerance, double adjusted_p, bool more_is_worse) {
    const Judgement alone = judge(samples, tolerance, more_is_worse);
    const bool is_change = alone.verdict == Verdict::Regressed || alone.verdict == Verdict::Improved;
    if (is_change && !(adjusted_p < kSignificant)) return {Verdict::Undecided, Doubt::ManyRows};
    return alone;
}

}  // namespace core::stats
