#pragma once
// Ranks of a run summary (docs/formats.md): a RankTrace that keeps few events exactly (collectives, step marks, the
// first and last events), with a RankIndex whose class partition is coarse. Numbers of single events cannot be computed
// from it: ask summary_of before counting events, and take such answers from the summary (core/analysis/run).

#include "core/index/run.hpp"

#include <bit>
#include <optional>
#include <string>
#include <string_view>

namespace core {

// A clock map as plain numbers.
struct StoredClock {
    std::int64_t offset = 0;
    std::int64_t reference = 0;
    std::uint64_t drift = 0;  // bits of a double
    static StoredClock of(const ClockMap& clock) {
        return {.offset = clock.offset.count(),
                .reference = ns_of(clock.reference),
                .drift = std::bit_cast<std::uint64_t>(clock.drift)};
    }
    ClockMap map() const {
        return {.offset = Duration{offset}, .drift = std::bit_cast<double>(drift), .reference = rank_time(reference)};
    }
};

// Facts of the whole rank in the run that was summarised.
struct SummaryFacts {
    std::int64_t resolution = 0;  // ns: what is drawn between its multiples is not where it was
    std::int64_t origin = 0;  // of the run, on its clock
    std::uint64_t events = 0;  // of the rank's trace
    std::uint64_t gpu_events = 0;
    std::uint64_t ranks = 0;  // of the run
    StoredClock recorded;
    StoredClock clock;  // that the stored answers are on
    std::int32_t number = 0;  // RankKey
    std::int32_t capture = 0;
    std::uint16_t source = 0;  // RankSource
    std::uint16_t aligned = 0;  // 1: `clock` is aligned, not as recorded
    Padding<4> unused{};
    RankKey key() const { return {number, capture}; }
};

// Times of a member event during which other work ran beside it, on the clocks of the stored answers. Mostly 0.
struct HiddenTimes {
    std::int64_t waiting = 0;
    std::int64_t transferring = 0;
};
std::span<const HiddenTimes> hidden_times_of(const RankTrace&);  // of a summary, by member; else empty

const SummaryFacts* summary_of(const RankTrace&);  // null: not of a summary
bool is_summary(const Run&);  // any of its ranks is; O(1)
// Number of ranks of a summary that could not be read because the file is damaged.
std::uint64_t count_damaged_ranks(const Run&);
std::string format_resolution(Duration);  // "1 ms" for 2^20 ns, "2 ms", …
// Whether the rank stands in the run as it did in the one that was summarised: same key, clock and origin.
bool is_as_summarised(const Run&, std::size_t slot);
// Whether every rank is of a summary and on the clock that was chosen for it when that was written (ClockChoice::Auto).
bool has_kept_clocks(const Run&);
// End of the names of first and last events of a summarised rank, which stand for none of their kind.
inline constexpr std::string_view kEdgeOfSummary = " (first or last of the rank)";
// Whether a summary keeps no event of a track but such: what ran there is unknown. False of other traces.
bool is_left_out(const RankTrace&, const Track&);
// Events of the whole trace, also where it is a summary.
std::uint64_t count_events(const RankTrace&);
std::uint64_t count_gpu_events(const RankTrace&);
// By category of the trace; of a summary as they were.
std::vector<std::uint64_t> count_by_category(const RankTrace&);

// Answers kept for one rank, and for the run (kept by one of its ranks); empty: none.
std::string_view answers_of_rank(const RankTrace&);
std::string_view answers_of_run(const Run&);

// "run.lockstep-summary: a run summary has no single events: open the traces or the index files to …": for what needs
// them.
Error needs_events(const Run&, std::string_view for_what);

}  // namespace core
