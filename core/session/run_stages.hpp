#pragma once
// Stages between a run as its load has read it and the run that is shown: ranks whose files are gone become empty, the
// ranks go on the chosen clocks, and the time between captures is cut out. Each stage is a function of its input; it
// remembers what it made of the last one, so that the same choice gives the same Run, whose answers are known.

#include "core/base/jobs.hpp"
#include "core/collectives/choose_clocks.hpp"
#include "core/diff/align/run_parts.hpp"

#include <array>
#include <cstdint>
#include <iterator>
#include <span>

namespace core {

class PresentRanks {
public:
    // `lost`: mappings that the process has lost. O(1) while neither changes.
    RunPtr of(const RunPtr& arrived, std::uint64_t lost);

private:
    RunPtr from_;
    std::uint64_t lost_ = 0;
    RunPtr made_;
};

// A load shows runs on the clocks of Auto, so these are the input itself.
class RunOnClocks {
public:
    // Matches a run that isn't matched yet on the pool; until that is done, the result stays as it was before the
    // choice, or is the input. Without a pool nothing is begun.
    RunPtr of(const RunPtr& from, ClockChoice choice, JobPool* pool);

private:
    struct Change {
        ClockChoice to = ClockChoice::Auto;
        Job<RunPtr> job;
    };

    RunPtr from_;
    RunPtr shown_;
    std::array<RunPtr, std::size(kClockChoices)> made_;  // by choice; null: not made yet
    Change change_{};
};

class RunWithoutGaps {
public:
    RunPtr of(const RunPtr& from, bool cut);
    std::span<const CutGap> gaps() const;  // of the last result

private:
    bool is_cut_ = false;
    RunPtr from_;  // what the two were made of; null: nothing
    CaptureGaps gaps_;
    RunPtr made_;
};

}  // namespace core
