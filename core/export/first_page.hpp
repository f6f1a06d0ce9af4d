#pragma once
// The first words on a run: what bounds it, its losses, its first findings, and where the time of each
// rank goes. The first lines of `lockstep info` on a terminal.

#include "core/analysis/findings/finding_words.hpp"
#include "core/base/jobs.hpp"
#include "core/base/result.hpp"
#include "core/export/text_cards.hpp"
#include "core/index/run.hpp"

#include <optional>
#include <string>
#include <vector>

namespace core {

inline constexpr std::size_t kFirstFindings = 3;

struct FirstPage {
    std::string verdict;  // "compute-bound: kernels"; empty: none
    std::string evidence;  // of the verdict
    std::string losses;  // empty: none
    std::vector<FindingWords> findings;  // all, the most important first
    struct RankTime {
        std::string rank;
        std::optional<double> compute, communication, memory, idle;  // shares of the rank's window; exposed
    };
    std::vector<RankTime> ranks;  // by rank; empty: no GPU work
};

// Asks verdict, findings, what-to-do and temporal-breakdown of the whole run. Fails only if cancelled.
Result<FirstPage> read_first_page(const Run&, unsigned threads, const JobContext&);

// Colours and escape sequences only as the style says; the rest cannot steer the terminal.
std::string format_first_page(const FirstPage&, const TerminalStyle&);

}  // namespace core
