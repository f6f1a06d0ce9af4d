#pragma once
// Waiting between ranks for the panel Communication: how much each rank caused and waited, which
// rank waits for which, and waiting by rank and step. Computed from the answers of stragglers and
// wait-by-step, requested without rank (and step) terms: ranks that those terms exclude are faded,
// not removed. No ImGui.

#include "core/analysis/engine/analysis.hpp"
#include "core/charts/heat_scale.hpp"
#include "core/query/filter.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ui {

struct WaitingRank {
    core::RankKey rank;  // the rank that stands for all windows of one job
    std::vector<core::RankKey> captures;  // ascending
    double caused = 0;  // ns: waits at collectives where it was last
    double rooted = 0;  // ns: waits with this rank as root cause
    double waited = 0;  // ns: its own waiting
    double gain = 0;    // ns
    std::int64_t last = 0;
    std::int64_t collectives = 0;
    std::string cause;
    bool flagged = false;
    bool faded = false;
    bool passes(const core::Filter&) const;  // true if one of its captures passes
    double of(bool directly) const { return directly ? caused : rooted; }
};

inline constexpr std::size_t kMostPaired = 256;

struct WaitingModel {
    std::vector<WaitingRank> ranks;        // by number
    std::vector<std::size_t> order;        // indices of ranks, most caused waiting first
    std::vector<std::string> rank_labels;  // by number
    double total = 0;                      // ns of all ranks
    // Waiting rank by awaited rank, row after row; NaN if it never waits for that one. With more than kMostPaired
    // ranks, only those that cause most waiting.
    std::vector<std::size_t> paired;  // indices of ranks, ascending
    std::vector<std::string> pair_labels;
    std::vector<double> pairs;
    std::vector<core::EventRef> pair_events;  // the longest wait of each
    core::HeatScale pair_scale;
    // Rank by step, row after row; NaN where the rank took part in nothing.
    std::vector<std::string> step_labels;  // "none" last
    std::vector<std::optional<std::int64_t>> steps;
    std::vector<double> by_step;
    core::HeatScale step_scale;
    std::string headline;  // who costs the others most, in one sentence
    std::string clocks;  // "clocks aligned, error 4.9 us"
    std::string remark;  // why clocks cannot be compared, missing ranks; empty: nothing

    std::size_t at(std::size_t row, std::size_t column) const { return row * paired.size() + column; }
    // Rank whose causes are shown: the only one in the filter, else the one that causes most.
    std::optional<std::size_t> chosen(const core::Filter&) const;
    static WaitingModel of(const core::Run&, const core::Answer& stragglers, const core::Table& by_step,
                           const core::Filter&, bool directly);
};

// "clocks aligned, error 4.9 us", from the table "clocks" of an answer, and its remarks.
std::string describe_clocks_of(const core::Answer&);
std::string describe_remarks_of(const core::Answer&);

}  // namespace ui
