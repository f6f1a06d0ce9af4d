#pragma once
// One measure of two sides as it was compared: the values, what the tests say, the verdict, and how it stands among
// other rows. All values are nanoseconds.

#include "core/diff/align/align_runs.hpp"
#include "core/stats/judgement.hpp"

#include <optional>
#include <vector>

namespace core {

struct Tested {
    std::optional<Side> only;            // the side that alone has it: shown, but neither tested nor in the family
    BySide<std::vector<double>> values;  // one per step, or per run
    stats::TwoSamples samples;
    // The scope of a verdict, which says nothing beyond it; absent: repeated runs, so it holds for all.
    std::optional<Compares> between = Compares::Captures;
    double tolerance_ns = 0;             // a change up to it is none
    stats::Judgement judgement;          // a row: by q
    stats::Judgement strict;             // a row: by Holm, for gates; else the same
    std::size_t family = 0;              // how many rows were tested together; 0: tested alone
    std::optional<double> q;
    std::optional<double> holm;

    std::size_t least_n() const {
        return values.baseline.size() < values.candidate.size() ? values.baseline.size() : values.candidate.size();
    }
    bool is_change() const {
        if (only) return false;
        return judgement.verdict == stats::Verdict::Regressed || judgement.verdict == stats::Verdict::Improved;
    }
    // mean(candidate) / mean(baseline); nothing for a mean of 0 or a side without values.
    std::optional<double> ratio() const {
        if (least_n() == 0 || samples.baseline.mean == 0) return std::nullopt;
        return samples.candidate.mean / samples.baseline.mean;
    }
};

}  // namespace core
