#pragma once
// Everything that is open: one or two runs, the query (runs, filter, choices), the answers, and background loads. Steps
// of undo are those of whoever shows it. Owned by the window or a test. Changed on one thread only, between frames.

#include "core/collectives/choose_clocks.hpp"
#include "core/diff/align/align_runs.hpp"
#include "core/diff/align/name_pairing.hpp"
#include "core/diff/align/run_parts.hpp"
#include "core/diff/align/side.hpp"
#include "core/diff/align/step_sample.hpp"
#include "core/query/history.hpp"
#include "core/session/marks.hpp"
#include "core/session/open_run.hpp"
#include "core/session/result_cache.hpp"

#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace core {

// Decides which two moments of a comparison coincide.
struct AlignBy {
    enum class Kind : std::uint8_t { FirstStep, Step, Start, Moments };
    Kind kind = Kind::FirstStep;  // first step complete in both runs
    std::int64_t step = 0;  // the baseline's step number, for Step
    BySide<RunTime> moments;  // starts of two events, for Moments
    BySide<std::string> names;  // names of these events
    bool operator==(const AlignBy&) const = default;
};

// State restored by undo. Runs that undo can reach stay in memory, at most kMostRunsKept.
struct ViewQuery {
    Filter filter;
    BySide<OpenRunPtr> runs;  // null: not open
    std::optional<BySide<RunPart>> parts;  // each side is a part of the same run
    AlignBy align;
    NameRules names;  // name pairing of a comparison
    bool names_chosen = false;  // by the user; else the devices of the runs decide
    StatisticsOptions statistics;  // of a comparison
    BySide<ClockChoice> clocks;  // clock for the ranks of each run
    BySide<bool> gaps_cut{};  // the axis leaves out the time between captures
    BySide<MarksPtr> marks;  // shared by the steps that did not change them; null: none
    // Set if the filter's times were given relative to this moment of the baseline, but the current origin is another
    // one or not known yet. update() then converts them, so that they stay the same moments.
    std::optional<RunTime> times_from;
    bool operator==(const ViewQuery& other) const {
        return filter == other.filter && runs == other.runs && parts == other.parts && align == other.align &&
               names == other.names && statistics == other.statistics && clocks == other.clocks &&
               gaps_cut == other.gaps_cut && marks == other.marks;
    }
};

// A change that a session made to its query, for the owner of the steps of undo; each kind is the function of History.
struct QueryChange {
    enum class Kind : std::uint8_t { Commit, Replace, Amend };
    Kind kind = Kind::Commit;
    ViewQuery query;
    Gesture gesture;
};

// True for a step if it and the later ones hold more than kMostRunsKept runs. For History::forget_from().
class HoldsTooManyRuns {
public:
    bool operator()(const ViewQuery& older);

private:
    std::set<OpenRunPtr> held_;
};

class Session {
public:
    // on_change is called from any thread when a rank or an answer arrives, to wake the window.
    explicit Session(unsigned threads = 0, std::function<void()> on_change = {});
    ~Session();

    // Whether runs opened from now on use index files. Default: no.
    void set_index_files(IndexFiles files) { index_files_ = files; }
    IndexFiles index_files() const { return index_files_; }
    void allow_index_files(bool allowed) { index_files_allowed_ = allowed; }  // by a setting; of runs opened later
    bool index_files_allowed() const { return index_files_allowed_; }
    // Into the cache folder instead of next to the traces; cache_limit: its most bytes, 0: no limit. Likewise.
    void place_index_files(bool in_cache, std::uint64_t cache_limit) {
        index_in_cache_ = in_cache, cache_limit_ = cache_limit;
    }
    void set_step_marks(std::string name) { step_marks_ = std::move(name); }  // see LoadOptions; of runs opened later
    // Replaces the run of that side; its marks come back if it was open before. A new baseline starts without a filter.
    // In all functions below, the filter's times keep meaning the same moments of the baseline when the origin changes.
    void open(const std::vector<std::filesystem::path>& paths, Side side = Side::Baseline);
    // The same, and follows the files that a job writes there: update() adds each once it is finished. The run is null
    // until the first one is. `quiet`: how long a file must stay the same.
    void watch(const std::vector<std::filesystem::path>& paths,
               std::chrono::milliseconds quiet = FinishedFiles::kQuiet);
    const FolderWatch* watched(Side side = Side::Baseline) const {
        return open_run(side) ? open_run(side)->watch.get() : nullptr;
    }
    void close(Side side);  // if a baseline closes, the candidate becomes the baseline
    void swap_runs();
    // The baseline on both sides, a part of it on each, under this filter. One step of undo.
    void compare_parts(BySide<RunPart> parts, Filter filter);
    void restore_parts(BySide<RunPart> parts);  // those of a session file: no step of their own
    const std::optional<BySide<RunPart>>& parts() const { return query_.parts; }
    void align(AlignBy by);
    void set_names(NameRules names);
    void set_statistics(StatisticsOptions statistics);
    void set_filter(Filter filter, std::uint64_t gesture = 0);
    // Puts the ranks of that side's run on one clock, from the next update() on; a run opens on Auto. One step of undo.
    void set_clocks(Side side, ClockChoice choice);
    void restore_clocks(Side side, ClockChoice choice);  // those that came with the run: no step of their own
    ClockChoice clocks(Side side) const { return query_.clocks[side]; }
    // Leaves the time between captures of that side's run out of the axis. One step of undo.
    void cut_gaps(Side side, bool cut);
    bool gaps_cut(Side side) const { return query_.gaps_cut[side]; }
    void restore_gaps_cut(Side side, bool cut);  // as of a session file: no step of its own
    // Gaps cut out of that side's run; empty: none.
    std::span<const CutGap> cut_gaps_of(Side side) const;
    // One step of undo; a note being typed is one step.
    void set_marks(Side side, Marks marks);
    // Marks that came with the run, as from a session file: no step of their own.
    void restore_marks(Side side, Marks marks);
    const Marks& marks(Side side) const;
    // Ranks of a run summary shown in more detail than it has: update() loads them whole if their index files exist and
    // fit the budget. Every frame.
    void want_whole(Side side, std::vector<std::uint32_t> slots);
    void set_page_budget(std::uint64_t bytes) { page_budget_ = bytes; }  // of these index files, of each run
    const PagedRun* pages(Side side) const { return open_run(side) ? &open_run(side)->pages() : nullptr; }
    const ViewQuery& query() const { return query_; }
    // All changes since the last call, in their order. A session has no steps of undo: its owner makes them of these.
    std::vector<QueryChange> take_changes() { return std::exchange(changes_, {}); }
    // Goes to the query of another step. Not a change.
    void show(ViewQuery query);
    // Adds ranks that have arrived; true if anything changed. Call once per frame.
    bool update();
    void cancel_load();  // keeps ranks that have arrived
    // Checks on the pool whether the files of the open runs are still those that were read; update() takes the answer.
    void check_sources();
    bool checking_sources() const;
    // Changes in words; empty: none known.
    const std::string& source_changes(Side side) const;

    const RunPtr& run(Side side = Side::Baseline) const;  // null if not open
    const RunLoad* load(Side side = Side::Baseline) const;  // null if nothing was opened
    // Whether run() has everything the load has read: a load may finish after the last update().
    bool is_whole(Side side) const;
    bool comparing() const { return query_.runs.candidate != nullptr; }
    // Alignment of the current two runs; null unless both have ranks. Also null after a run was closed, swapped or
    // restored, until the next update().
    const RunAlignment* alignment() const;
    const NameRules& names_by() const { return query_.names; }
    const StatisticsOptions& statistics() const { return query_.statistics; }
    const AlignBy& aligned_by() const { return query_.align; }
    // The filter translated for that side's run: its own steps, ranks and times.
    const Filter& filter(Side side) const { return alignment() ? side_filter_[side] : filter(); }
    // Converts a range of that side's run to a time term: relative to the run's origin or to the aligned moment.
    TimeTerm time_term(Side side, RunRange range) const;
    void set_run(RunPtr run, Side side = Side::Baseline);  // for tests: an already built run
    const Filter& filter() const { return query_.filter; }
    ResultCache& results() { return results_; }
    JobPool& pool() const { return *pool_; }  // for background reads of panels
    const std::shared_ptr<InternedNames>& names() const { return names_; }

private:
    RunLoadOptions load_options() const;
    void show_opened(OpenRunPtr opened, const std::vector<std::filesystem::path>& paths, Side side);
    const OpenRunPtr& open_run(Side side) const { return query_.runs[side]; }
    void commit(ViewQuery query, Gesture gesture = {});
    void replace(ViewQuery query);
    void amend(ViewQuery query);
    void remember_marks();
    ViewQuery with_marks(Side side, Marks marks) const;
    ViewQuery with_parts(BySide<RunPart> parts) const;
    void update_alignment();
    void pair_names_by_default(const Run& baseline, const Run& candidate);
    std::optional<RunTime> times_zero() const;  // in the baseline's time; unset if not known yet
    void carry_times();

    std::shared_ptr<InternedNames> names_ = std::make_shared<InternedNames>();
    std::function<void()> on_change_;
    IndexFiles index_files_ = IndexFiles::Ignore;
    bool index_files_allowed_ = true;
    bool index_in_cache_ = false;
    std::uint64_t cache_limit_ = 0;
    std::uint64_t page_budget_ = kPageBudget;
    std::string step_marks_;
    std::vector<OpenRunPtr> opened_;  // kept until their loads have stopped, so that nothing waits for them
    ViewQuery query_;
    std::vector<QueryChange> changes_;
    std::map<std::vector<std::filesystem::path>, MarksPtr> closed_marks_;  // of runs that were open, by their paths
    std::optional<RunAlignment> alignment_;
    BySide<Filter> side_filter_;
    BySide<std::uint64_t> aligned_runs_;  // ids of the runs that alignment_ was built from
    AlignBy aligned_by_;
    std::optional<BySide<RunPart>> aligned_parts_;
    Filter aligned_filter_;
    std::unique_ptr<JobPool> pool_;
    ResultCache results_;
};

}  // namespace core
