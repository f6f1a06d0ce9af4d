#pragma once
// Cards of the panel Findings: one per kind, with the ranks it occurs on, from the answer of `findings`, and what
// fixing it saves, from `what-to-do`. Times in ns.
// O(rows): belongs on a job. No ImGui.

#include "core/analysis/engine/analysis.hpp"
#include "core/index/run.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ui {

struct FoundRank {
    core::RankKey rank;
    std::optional<std::int64_t> gain{};  // absent: a risk
    double share = 0;  // of the rank's window
    std::string evidence;
    core::EventRef event;  // invalid: the finding has none
    std::optional<core::RunRange> place;  // the gap or the event to show
};

// One of what a finding points at.
struct EvidencePlace {
    core::RankKey rank;
    core::EventRef event;  // invalid: none
    core::RunRange range{};  // the gap or the event
    bool operator==(const EvidencePlace&) const = default;
};
inline constexpr std::size_t kMostPlaces = 400;  // of a finding

struct FindingCard {
    std::string id;  // "late-rank"
    std::string severity;  // "high", "medium", "low"
    std::string sentence;
    std::string headline;  // of the sentence, what and where: "The other ranks wait for rank 7"
    std::string evidence;  // the rest of it: the numbers
    std::string cost;  // "at most 5.08 ms per step, 46.3 % of the window", or that it costs no time
    std::string saves;  // what a replay with it fixed saves; empty: not known, or not replayed
    std::string advice;
    std::string explains;  // findings that would vanish with it; empty: none
    std::vector<FoundRank> ranks;  // the largest gain first
    std::vector<std::uint32_t> by_number{};  // places in ranks, by rank
    std::vector<EvidencePlace> places{};  // the worst of each rank and other marks, by begin; at most kMostPlaces
};

struct FindingsModel {
    std::vector<FindingCard> cards;
    // what_to_do: of the same run and filter; null: not known yet.
    static FindingsModel of(const core::Run&, const core::Answer& findings, const core::Answer* what_to_do = nullptr);
};

}  // namespace ui
