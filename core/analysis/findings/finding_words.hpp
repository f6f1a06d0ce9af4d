#pragma once
// The words for each kind of finding, in the window and on the terminal. Made from the answers of
// `findings` and `what-to-do`.

#include "core/analysis/engine/analysis.hpp"
#include "core/analysis/findings/findings_of_rank.hpp"

#include <span>
#include <string>
#include <vector>

namespace core {

struct FindingWords {
    std::string id;  // "late-rank"
    std::string severity;  // "high", "medium", "low"
    std::string sentence;
    std::string headline;  // first part of the sentence: "The other ranks wait for rank 7"
    std::string evidence;  // the rest of the sentence: its numbers
    std::string cost;  // "at most 5.08 ms per step, 46.3 % of the window", or that it costs no time
    std::string saves;  // simulated gain of fixing it; empty: unknown or not simulated
    std::string advice;  // without the names of analyses, which are links
    std::span<const FindingLink> links{};
    std::string explains;  // findings that it causes; empty: none
};

// One per kind, the most important first. what_to_do: answer for the same run and filter; null: not known yet. O(rows).
std::vector<FindingWords> word_findings(const Answer& findings, const Answer* what_to_do);

// Ranks that a replay confirms to hold up the run, the latest first. Of the main table of `findings`.
std::vector<RankKey> list_late_ranks(const Table& findings);

}  // namespace core
