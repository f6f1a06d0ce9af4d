#pragma once
// Ranks of which so much was not recorded or not read that nothing follows from what they do not show: they are not
// idle where records are missing, and nobody waits for them there. One list for findings, what-to-do, verdict and
// health.

#include "core/index/run.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace core {

struct LostRank {
    std::uint32_t slot = 0;
    std::string what;  // "143 of 551 launches of kernels and graphs have no GPU event, between others that have"
};

struct LostRanks {
    std::vector<LostRank> ranks;  // by slot
    bool has(std::uint32_t slot) const;
    std::vector<std::uint32_t> slots() const;
    std::string format(const Run&) const;  // "rank 1", "ranks 1, 3 and 5", "12 ranks"
    // "Records of rank 1 are missing: nothing is said of it."; empty: none is lost.
    std::string caveat(const Run&) const;
};
using LostRanksPtr = std::shared_ptr<const LostRanks>;

// Made once per run. A rank whose collectives have no GPU event is lost as well. O(ranks), and O(events) of these.
LostRanksPtr lost_ranks_of(const Run&);

}  // namespace core
