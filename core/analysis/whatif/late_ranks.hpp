#pragma once
// Ranks that hold the run up, confirmed by replay: with all of them like their peers it takes less time, and none can
// be left out without losing part of that. Who arrives last decides nothing. Definitions: docs/definitions.md,
// findings.

#include "core/analysis/whatif/typical.hpp"

#include <array>

namespace core {

// Time that a rank takes beyond its peers, ns of the graph's window; below 0: less.
enum class ExcessOf : std::uint8_t { Compute, Memory, Host };
inline constexpr std::size_t kExcesses = 3;
struct RankExcess {
    std::array<std::int64_t, kExcesses> time{};
    std::int64_t removed = 0;  // of it, what peers do not do at all
    EventId worst = kNoEvent;  // with the greatest part of it
    std::int64_t total() const;
    std::int64_t of(ExcessOf what) const { return time[static_cast<std::size_t>(what)]; }
};

struct LateRanks {
    std::vector<std::uint32_t> slots;  // the greatest excess first; empty: nobody holds the run up
    std::vector<RankExcess> excess;  // by slots
    std::vector<std::int64_t> saved_alone;  // by slots: that rank alone like its peers, 0 at least
    std::int64_t saved = 0;  // all of them like their peers
    std::int64_t length = 0;  // of the recorded window, which `saved` is part of
    bool by_turns = false;  // another rank in each step: no single one is slow
};

// Least share of the window that a replay saves before anybody is named.
inline constexpr double kLeastSaved = 0.01;

// By part.
struct Suspects {
    std::vector<bool> examined;  // whatever their excess, as others wait for them
    std::vector<bool> left_out;  // never named, as their records are lost
};

// O(edges) for each rank that is examined. Fails if cancelled.
Result<LateRanks> find_late_ranks(const Run&, const RunGraph&, const Partners&, const Suspects&, const JobContext&);

}  // namespace core
