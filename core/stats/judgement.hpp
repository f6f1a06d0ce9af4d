#pragma once
// The words about a change. No word is built from a p value alone: an interval decides against a tolerance, and ranks
// can veto.

#include "core/stats/two_samples.hpp"

#include <cstdint>
#include <string_view>

namespace core::stats {

enum class Verdict : std::uint8_t { Undecided, Same, Regressed, Improved };
std::string_view name_of(Verdict);

// Why a verdict is undecided.
enum class Doubt : std::uint8_t {
    None,
    TooFew,      // a side has fewer than kLeastValues
    Noise,       // the interval reaches both sides of the tolerance: see `detectable`
    Outliers,    // the means differ, the ranks do not
    ManyRows,    // one of many rows, and not clear enough for that
    OneSide,     // only one side has it: not tested
};
std::string_view name_of(Doubt);

inline constexpr std::size_t kLeastValues = 3;
inline constexpr double kSignificant = 0.05;

struct Judgement {
    Verdict verdict = Verdict::Undecided;
    Doubt doubt = Doubt::TooFew;
    bool operator==(const Judgement&) const = default;
};

// `tolerance`: the change that is small enough to be ignored, in the values' own unit, 0 or more.
Judgement judge(const TwoSamples&, double tolerance, bool more_is_worse = true);
// Verdict on one of many rows: a change also needs an adjusted p below kSignificant.
Judgement judge_row(const TwoSamples&, double tolerance, double adjusted_p, bool more_is_worse = true);

}  // namespace core::stats
