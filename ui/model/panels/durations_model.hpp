#pragma once
// Mean, minimum and maximum duration per rank of chosen kernels, of one run or of two: kernels are
// joined by full name, ranks by the alignment. Without a choice, the top kernels. Computed from the
// answers of kernels and kernel-imbalance. No ImGui.

#include "core/analysis/engine/table.hpp"
#include "core/index/run.hpp"
#include "ui/model/charts/compared.hpp"
#include "ui/model/rank_pairs.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ui {

struct RankDuration {
    core::RankKey key;
    double mean = 0;                     // ns
    double low = 0;
    double high = 0;
    double count = 0;
    bool stands_out = false;
};

// A kernel in one run.
struct KernelDurations {
    std::string kernel;                  // full name
    std::string kernel_class;
    double total = 0;                    // ns, all ranks
    std::optional<double> imbalance;     // max over ranks of the rank mean / mean over ranks - 1
    std::vector<RankDuration> ranks;     // by rank
};

// Order without a choice. A single run is sorted by total, because it has no changes.
enum class TopBy : std::uint8_t { Total, Imbalance, TotalChange, MeanChange };

inline constexpr double kNoticeableShare = 0.01;  // relative to the time of all kernels

// Kernels by longest total, by imbalance, or in the chosen order. `imbalance` may be null. Sorting by imbalance skips
// kernels below 1 % of the total time, because short kernels are often uneven. `run`: merges its windows of one job;
// null: a row for each capture.
std::vector<KernelDurations> collect_durations(const core::Table& kernels, const core::Table* imbalance,
                                               std::span<const std::string> chosen, std::size_t most,
                                               TopBy = TopBy::Total, const core::Run* run = nullptr);

// Marks ranks whose mean is beyond 3.5 robust deviations (median absolute deviation) from the median of the ranks'
// means, and at least 5 % away from it. Needs three ranks.
void mark_outliers(std::vector<RankDuration>& ranks);

// A kernel in the shown runs; an absent side has no numbers.
struct PairedKernel {
    std::string kernel;                  // full name
    std::string kernel_class;
    Compared total;                      // ns, all ranks; averages where the runs differ in steps or ranks
    Compared mean;                       // over all events
    Compared imbalance;                  // change as a difference of ratios
    std::vector<RankPair> ranks;
    core::BySide<std::vector<std::optional<RankDuration>>> durations;  // parallel to ranks
};

struct DurationsModel {
    std::vector<PairedKernel> kernels;
    std::vector<std::string> notes;
    bool compared = false;               // neither side is absent

    struct Source {                      // one run and its answers
        core::RunPtr run;                // null: no run on that side
        core::Filter filter;             // filter of the answers
        const core::Table* kernels = nullptr;
        const core::Table* imbalance = nullptr;  // may be null
    };
    struct Input {
        core::BySide<Source> sources;
        core::RunAlignment alignment;
        std::vector<std::string> chosen;
        std::size_t most = 0;
        TopBy by = TopBy::Total;
    };
    // Orders by change of the mean and by imbalance skip kernels below 1 % of the total time on every side.
    static DurationsModel of(const Input&);
};

}  // namespace ui
