#include "core/session/run_stages.hpp"

#include "core/collectives/waits.hpp"

#include <utility>

namespace core {

RunPtr PresentRanks::of(const RunPtr& arrived, std::uint64_t lost) {
    if (arrived == from_ && lost == lost_) return made_;
    // Ranks that were gone before are empty in the last result: without a new loss, it stays the same Run.
    made_ = without_gone_ranks(arrived == from_ ? made_ : arrived);
    from_ = arrived;
    lost_ = lost;
    return made_;
}

RunPtr RunOnClocks::of(const RunPtr& from, ClockChoice choice, JobPool* pool) {
    if (from != from_) {
        *this = {};
        from_ = shown_ = from;
    }
    if (!from) return nullptr;
    made_[static_cast<std::size_t>(ClockChoice::Auto)] = from;
    RunPtr& made = made_[static_cast<std::size_t>(choice)];
    if (!made && from->derived().find<MatchedRun>()) made = with_clocks(from, choice);
    if (!made && pool) {
        if (!change_.job || change_.to != choice)
            change_ = {.to = choice, .job = Job<RunPtr>::start(*pool, [from, choice](const JobContext&) {
                                         return Result<RunPtr>(with_clocks(from, choice));
                                     })};
        if (const Result<RunPtr>* const finished = change_.job.poll())
            made = *finished && **finished ? **finished : from;
    }
    if (made) {
        change_ = {};
        shown_ = made;
    }
    return shown_;
}

RunPtr RunWithoutGaps::of(const RunPtr& from, bool cut) {
    is_cut_ = cut && from != nullptr;
    if (!is_cut_) return from;
    if (from != from_) {
        gaps_ = find_capture_gaps(*from);
        made_ = gaps_.gaps.empty() ? from : without_gaps(from, gaps_);
        from_ = from;
    }
    return made_;
}

std::span<const CutGap> RunWithoutGaps::gaps() const {
    return is_cut_ ? std::span<const CutGap>(gaps_.gaps) : std::span<const CutGap>();
}

}  // namespace core
