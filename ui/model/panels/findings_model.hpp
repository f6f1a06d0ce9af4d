#pragma once
// Cards of the panel Findings: one per kind, with its ranks from the answer of `findings` and the gain of fixing it
// from `what-to-do`. Times in ns. O(rows, and events of one rank per card): belongs on a job. No ImGui.

#include "core/analysis/findings/finding_words.hpp"
#include "core/base/jobs.hpp"
#include "core/index/run.hpp"
#include "core/query/filter.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ui {

struct FoundRank {
    core::RankKey rank;
    std::optional<std::int64_t> gain{};  // absent: a risk
    std::int64_t measured = 0;  // ns that the rank shows by itself, whatever fixing it gains; 0: a risk
    double share = 0;  // relative to the rank's window
    std::string evidence;
    core::EventRef event;  // invalid: no event
    std::optional<core::RunRange> place;  // the gap or the event to show
};

// A place that a finding points to.
struct EvidencePlace {
    core::RankKey rank;
    core::EventRef event;  // invalid: no event
    core::RunRange range{};  // the gap or the event
    bool operator==(const EvidencePlace&) const = default;
};
inline constexpr std::size_t kMostPlaces = 400;  // per finding
inline constexpr std::size_t kWhenCells = 240;

struct FindingCard : core::FindingWords {
    std::vector<FoundRank> ranks{};  // largest gain first
    std::vector<std::uint32_t> by_number{};  // indices of ranks, sorted by rank
    // Time that the sentence counts on the rank that it names, as a share of each of kWhenCells equal parts of the
    // run's window. Empty for findings that count no time of the GPU; their places are marked.
    std::vector<float> when{};
    std::vector<EvidencePlace> places{};  // worst of each rank and other marks, by begin; at most kMostPlaces
};

struct FindingsModel {
    std::vector<FindingCard> cards;
    // what_to_do: answer for the same run and filter; null: not known yet. filter: of the answers.
    static FindingsModel of(const core::Run&, const core::Answer& findings, const core::Answer* what_to_do = nullptr,
                            const core::Filter& filter = {}, const core::JobContext& job = {});
};

}  // namespace ui
