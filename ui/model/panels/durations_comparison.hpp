#pragma once
// Mean, least and greatest duration per rank of chosen kernels of two runs, kernels joined by their full names and
// ranks by the alignment. Without a choice: those that changed most, or take longest, or are most uneven. No ImGui.

#include "core/diff/compare_tables.hpp"
#include "ui/model/charts/compared.hpp"
#include "ui/model/panels/durations_model.hpp"
#include "ui/model/rank_pairs.hpp"

namespace ui {

enum class CompareBy : std::uint8_t { Total, Imbalance, TotalChange, MeanChange };

struct ComparedKernel {
    std::string kernel;                  // full name
    std::string kernel_class;
    Compared total;                      // ns, all ranks; averages where the runs differ in steps or ranks
    Compared mean;                       // of all its events
    Compared imbalance;                  // change in points of a share
    std::vector<RankPair> ranks;
    core::BySide<std::vector<std::optional<RankDuration>>> durations;  // as ranks
};

struct DurationsComparison {
    std::vector<ComparedKernel> kernels;
    std::vector<std::string> notes;

    struct Input {
        core::BySide<core::RunPtr> runs;
        core::BySide<core::Filter> filters;                       // as the answers were asked
        core::RunAlignment alignment;
        core::BySide<const core::Table*> kernels;
        core::BySide<const core::Table*> imbalance;               // may be null
        std::vector<std::string> chosen;
        std::size_t most = 0;
        CompareBy by = CompareBy::TotalChange;
    };
    // By change of the mean and by imbalance only kernels with 1 % of the time of all on a side count.
    static DurationsComparison of(const Input&);
};

}  // namespace ui
