#pragma once
// A run summary of which some ranks are whole: those that are looked at more closely than the summary is fine, out of
// their index files, as long as they fit a budget. What is known of the whole run (matches, clocks, waits, kept
// answers) stays that of the summary, Run::summary(). Changed by one thread, between frames.

#include "core/base/jobs.hpp"
#include "core/ingest/load/local_pages.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace core {

inline constexpr std::uint64_t kPageBudget = std::uint64_t{2} << 30;  // bytes of index files

// A rank that is whole. `wanted`: when it was last asked for.
struct RankPage {
    RankIndexPtr index;
    std::shared_ptr<const std::vector<InternedName>> names;
    std::uint64_t bytes = 0;
    std::uint64_t wanted = 0;
};
using RankPageMap = std::map<std::uint32_t, RankPage>;  // by slot

// The summary with these ranks whole; the summary itself where there are none. O(members), for copies of the matches
// and of waits, where these are known.
RunPtr with_whole_ranks(const RunPtr& summary, const RankPageMap& pages);

// Event `e` of a rank in what is the same rank, whole or thin: in the same row with the same times; kNoEvent: not
// there.
EventId find_same_event(const RankTrace& from, EventId e, const RankTrace& to);

// The event of a rank that an answer names by number, in the run that is shown: answers about a summary number the
// events of its thin ranks. Invalid: it is not there.
EventRef find_told_event(const Run& shown, std::optional<RankKey>, std::optional<std::int64_t> event);

class PagedRun {
public:
    // Handles the requests of this frame: slots whose rows are in view. True if `run` was replaced.
    bool update(RunPtr& run, std::span<const std::uint32_t> wanted, std::uint64_t budget, JobPool& pool);
    // The summary again; keeps nothing.
    void drop(RunPtr& run);
    bool loading() const { return static_cast<bool>(job_); }
    // Why a rank in view is not whole; empty: it is, or is on its way.
    const std::string& trouble() const { return trouble_; }
    std::size_t whole() const { return pages_.size(); }
    std::uint64_t bytes() const;

private:
    struct Paged {
        RunPtr run;
        RankPageMap pages;
        std::map<std::uint32_t, std::string> failed{};
        bool full = false;  // more is in view than the budget holds
    };
    static Result<Paged> page_in(const RunPtr& summary, RankPageMap pages, const std::vector<std::uint32_t>& wanted,
                                 std::uint64_t now, std::uint64_t budget, const JobContext& job);

    RunPtr of_;  // the summary
    RankPageMap pages_;
    std::map<std::uint32_t, std::string> failed_;  // tried again once they have been out of view
    std::vector<std::uint32_t> full_for_;  // wanted when the budget was full
    std::string trouble_;
    Job<Paged> job_;
    std::uint64_t now_ = 0;
};

}  // namespace core
