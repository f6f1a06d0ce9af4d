#pragma once
// Mean, least and greatest duration per rank of chosen kernels, from the answers of `kernels` and
// `kernel-imbalance`. Without a choice: the kernels with the longest total. No ImGui.

#include "core/analysis/engine/table.hpp"
#include "core/index/run.hpp"

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

struct KernelDurations {
    std::string kernel;                  // full name
    std::string kernel_class;
    double total = 0;                    // ns, all ranks
    std::optional<double> imbalance;     // max over ranks of the rank mean / mean over ranks - 1
    std::vector<RankDuration> ranks;     // by rank
};

enum class TopBy : std::uint8_t { Total, Imbalance };

inline constexpr double kNoticeableShare = 0.01;  // of the time of all kernels

// Longest total first or most uneven first, or in the order chosen. `imbalance` may be null. By imbalance only
// kernels with 1 % of the time of all count: what takes no time may be as uneven as it likes.
std::vector<KernelDurations> collect_durations(const core::Table& kernels, const core::Table* imbalance,
                                               std::span<const std::string> chosen, std::size_t most,
                                               TopBy = TopBy::Total);

// Whose mean is far from the other ranks': beyond 3.5 robust deviations from the median (median absolute
// deviation), and by at least 5 % of it. Needs three ranks.
void mark_outliers(std::vector<RankDuration>& ranks);

}  // namespace ui
