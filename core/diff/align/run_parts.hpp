#pragma once
// Comparison of a run with itself: each side is a part of it, some ranks or some steps. Parts pair by their order, so
// rank 6 has rank 3 as its partner, and the filter of a side is the filter of both within its part.

#include "core/base/result.hpp"
#include "core/diff/align/align_runs.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace core {

struct RunPart {
    std::vector<RankKey> ranks;       // empty: all
    std::vector<std::int64_t> steps;  // empty: all
    std::string title;                // "rank 3 (median)"
    bool operator==(const RunPart&) const = default;
};

// Ranks and steps that both parts name pair by order; all others have no partner. Where no part names steps they pair
// by number, ranks likewise. Filters of a side stay within its part. Anchored at the first pair of named steps, else as
// align_runs does it.
RunAlignment align_parts(const Run&, const BySide<RunPart>&);
// A part with the title that belongs to it: "rank 6", "ranks 0-3", "step 12".
RunPart part_of_ranks(std::vector<RankKey> ranks);
RunPart part_of_steps(std::vector<std::int64_t> steps);

// A rank's step time is the mean duration of its complete steps that the filter accepts (every step but the run's last,
// unless there is one only). The median is of the other ranks that the filter accepts, the lower one of two; equal
// times by rank. Nullopt if no other rank has steps. O(ranks · steps).
std::optional<RankKey> find_median_rank(const Run&, const Filter&, RankKey but);
// A step's time is that of its slowest rank; the median is of the other complete steps.
std::optional<std::int64_t> find_median_step(const Run&, const Filter&, std::int64_t but);

// The parts of "rank 6 against the median rank": the median is the baseline. Errors say what is missing.
Result<BySide<RunPart>> against_median_rank(const Run&, const Filter&, RankKey rank);
Result<BySide<RunPart>> against_median_step(const Run&, const Filter&, std::int64_t step);
// The others are the baseline.
Result<BySide<RunPart>> against_other_ranks(const Run&, std::vector<RankKey> ranks);
// "rank:6" or "step:12", also with several, or "median" of what the other one names: the candidate's first.
Result<BySide<RunPart>> read_parts(const Run&, const Filter&, const BySide<std::string>& texts);
// Captures of the same ranks (several files that claim one rank): the first two that the run has, by number.
Result<BySide<RunPart>> against_next_capture(const Run&);
// Numbers of the captures of the run, rising; one alone: no rank has several files.
std::vector<std::int32_t> collect_captures(const Run&);
// "b", or "b: DECODE" where the names of all its files say the same of it (find_label_in_path).
std::string name_capture(const Run&, std::int32_t capture);
// "2 captures (a, b) of 8 ranks, 3.20 s between them"; empty if no rank has several. Captures that overlap in time are
// said to.
std::string describe_captures(const Run&);

// The time between captures that an axis does without. Captures that overlap stay together. What is cut leaves a pause
// of about a fiftieth of the captured time, so that windows do not touch.
struct CutGap {
    RunTime at{};  // in the run that is cut: where the window before the gap ends
    Duration length{0};  // that is missing there
    bool operator==(const CutGap&) const = default;
};
struct CaptureGaps {
    std::vector<CutGap> gaps;  // rising
    std::map<std::int32_t, Duration> earlier;  // by capture, how much earlier it is in the run that is cut
};
CaptureGaps find_capture_gaps(const Run&);
// The run with every capture that much earlier; the run itself where nothing is cut. O(ranks).
RunPtr without_gaps(const RunPtr&, const CaptureGaps&);

}  // namespace core
