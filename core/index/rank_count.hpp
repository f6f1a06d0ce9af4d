#pragma once
// Ranks of a run, counted and in words.

#include "core/index/run.hpp"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace core {

// Ranks, and the files they come from: a rank with several captures is one rank. Every count of ranks that is shown
// uses it.
struct RankCount {
    std::size_t ranks = 0;
    std::size_t captures = 0;  // of all of them
    bool even = true;  // as many of each
    bool operator==(const RankCount&) const = default;
};
// The first capture of each rank, by number: not always 0, as captures of one letter are of one moment.
std::map<std::int32_t, std::int32_t> find_first_captures(const Run&);
RankCount count_ranks(std::vector<RankKey>);  // distinct keys
RankCount count_ranks(const Run&);
RankCount count_ranks(const Run&, std::span<const std::uint32_t> slots);
// A flight-recorder dump, a memory snapshot or a log: beside the traces, not one of them.
bool is_beside(const RankInfo&);
// Whether a rank has several captures, and those of every rank are windows of one job: one after another, none counting
// its steps anew, as a second run in the folder would. What lies beside them does not count.
// O(captures log captures); of a run, looked up once.
bool are_windows(std::span<const RankSlot>);
bool are_windows(const Run&);
// Slots whose ranks are comparable: of captures that aren't windows of one job those of one capture, which most of the
// ranks have, the first of equals. What lies beside the traces stays. O(slots log slots).
struct ComparedSlots {
    std::vector<std::size_t> slots;
    std::size_t left_out = 0;
};
ComparedSlots choose_compared(const Run&, std::vector<std::size_t> slots);
// The key of the rank that a capture is counted as: without the capture where captures are windows of one job.
RankKey counted_as(const Run&, RankKey);
std::string format_rank_count(RankCount);  // "8 ranks", "4 ranks \u00D7 2 captures", "4 ranks, 7 captures"
// "3 of 8 ranks", "4 ranks, 4 of 8 captures", "2 of 4 ranks, 4 of 8 captures"; where all are chosen, as above.
std::string format_rank_count(RankCount chosen, RankCount all);

}  // namespace core
