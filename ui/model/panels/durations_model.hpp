#pragma once
// Mean, least and greatest duration per rank of chosen kernels, from the answers of kernels and kernel-imbalance, of
// one run or of two: kernels joined by full name, ranks by the alignment. Without a choice, the top ones. No ImGui.

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

// Order without a choice. One run has no changes: it is sorted by total.
enum class TopBy : std::uint8_t { Total, Imbalance, TotalChange, MeanChange };

inline constexpr double kNoticeableShare = 0.01;  // of the time of all kernels

// Longest total first or most uneven first, or in the order chosen. `imbalance` may be null. By imbalance only kernels
// with 1 % of the time of all count, because short kernels are often uneven. `run`: whose windows of one job are taken
// together; null: a row for each capture.
std::vector<KernelDurations> collect_durations(const core::Table& kernels, const core::Table* imbalance,
                                               std::span<const std::string> chosen, std::size_t most,
                                               TopBy = TopBy::Total, const core::Run* run = nullptr);

// Marks ranks whose mean is beyond 3.5 robust deviations (median absolute deviation) from the median of the ranks'
// means, and at least 5 % away from it. Needs three ranks.
void mark_outliers(std::vector<RankDuration>& ranks);

// A kernel in the runs shown; an absent side has no numbers.
struct PairedKernel {
    std::string kernel;                  // full name
    std::string kernel_class;
    Compared total;                      // ns, all ranks; averages where the runs differ in steps or ranks
    Compared mean;                       // over all its events
    Compared imbalance;                  // change in points of a share
    std::vector<RankPair> ranks;
    core::BySide<std::vector<std::optional<RankDuration>>> durations;  // parallel to ranks
};

struct DurationsModel {
    std::vector<PairedKernel> kernels;
    std::vector<std::string> notes;
    bool compared = false;               // neither side is absent

    struct Source {                      // one run and its answers
        core::RunPtr run;                // null: the side is absent
        core::Filter filter;             // as the answers were asked
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
    // By change of the mean and by imbalance, kernels below 1 % of the time of all on every side are left out.
    static DurationsModel of(const Input&);
};

}  // namespace ui
