#pragma once
// What is open: one run or two, the query (runs, filter and choices, with undo), the answers, and background loads.
// Owned by the window or a test; changed only on one thread, between frames.

#include "core/diff/align_runs.hpp"
#include "core/diff/name_pairing.hpp"
#include "core/diff/side.hpp"
#include "core/query/history.hpp"
#include "core/session/open_run.hpp"
#include "core/session/result_cache.hpp"

#include <optional>

namespace core {

// Which two moments of a comparison are the same.
struct AlignBy {
    enum class Kind : std::uint8_t { FirstStep, Step, Start, Moments };
    Kind kind = Kind::FirstStep;                          // complete in both runs
    std::int64_t step = 0;                                // the baseline's number, for Step
    BySide<RunTime> moments;                              // for Moments: two events' starts
    BySide<std::string> names;                            // and what they are called
    bool operator==(const AlignBy&) const = default;
};

// What is shown of a run in time.
struct ShownTime {
    RunRange range{};
    bool whole = false;  // the whole run, however long it is
    bool operator==(const ShownTime&) const = default;
};
using ShownTimes = BySide<std::optional<ShownTime>>;      // unset: not known yet

// What undo brings back. Runs that can be brought back stay in memory, at most a few.
struct ViewQuery {
    Filter filter;
    BySide<OpenRunPtr> runs;                              // null: not open
    AlignBy align;
    NameRules names;                                      // of a comparison
    ShownTimes shown;
    BySide<std::uint64_t> marks;                          // which marks the window had; 0: not known yet
    // The baseline's moment that the filter's times are counted from, when they were given while it was another
    // or not known: update() counts them anew, so that they stay the same moments. Else unset.
    std::optional<RunTime> times_from;
    bool operator==(const ViewQuery& other) const {
        return filter == other.filter && runs == other.runs && align == other.align && names == other.names &&
               shown == other.shown && marks == other.marks;
    }
};

class Session {
public:
    // on_change wakes a sleeping window: called from any thread when a rank or an answer has arrived.
    explicit Session(unsigned threads = 0, std::function<void()> on_change = {});
    ~Session();

    // Whether runs that are opened from now on use index files; not unless said so.
    void set_index_files(IndexFiles files) { index_files_ = files; }
    // Replaces the run of that side. A new baseline begins without a filter. Here and in what follows, times of
    // the filter go on meaning the same moments of the baseline, whatever they are counted from by then.
    void open(std::vector<std::filesystem::path> paths, Side side = Side::Baseline);
    void close(Side side);                                // of two runs the other one becomes the baseline
    void swap_runs();
    void align(AlignBy by);
    void set_names(NameRules names);
    void set_filter(Filter filter, std::uint64_t gesture = 0);
    // What the window shows by now. Motion of one gesture is one step; gesture 0: no step of its own.
    void set_shown(ShownTimes shown, std::uint64_t gesture = 0);
    const ShownTimes& shown() const { return query_.current().shown; }  // differs from what was set after undo, redo
    // Likewise which marks there are by now, by a number that the window gives them.
    void set_marks(BySide<std::uint64_t> marks, std::uint64_t gesture = 0);
    const BySide<std::uint64_t>& marks() const { return query_.current().marks; }
    std::uint64_t commits() const { return query_.commits(); }  // grows with every step that can be undone
    void undo() { query_.undo(); }
    void redo() { query_.redo(); }
    bool can_undo() const { return query_.can_undo(); }
    bool can_redo() const { return query_.can_redo(); }
    // Takes ranks that have arrived; true if anything changed. Once per frame.
    bool update();
    void cancel_load();                                   // what has arrived stays

    const RunPtr& run(Side side = Side::Baseline) const;          // null while nothing is open
    const RunLoad* load(Side side = Side::Baseline) const;        // null when nothing was opened
    bool comparing() const { return query_.current().runs.candidate != nullptr; }
    // Of the two runs as they are now; null unless both have ranks.
    // A run that was closed, swapped or brought back has none until the next update().
    const RunAlignment* alignment() const;
    const NameRules& names_by() const { return query_.current().names; }
    const AlignBy& aligned_by() const { return query_.current().align; }
    // The filter as that side's run is to be asked: its own steps, ranks and times.
    const Filter& filter(Side side) const { return alignment() ? side_filter_[side] : filter(); }
    // A range of that side's run as the filter says it: from the run's origin, or from the aligned moment.
    TimeTerm time_term(Side side, RunRange range) const;
    void set_run(RunPtr run, Side side = Side::Baseline);  // for tests: a run that is already built
    const Filter& filter() const { return query_.current().filter; }
    ResultCache& results() { return results_; }
    JobPool& pool() const { return *pool_; }              // for a panel's own reading; nobody waits for it
    const std::shared_ptr<SessionNames>& names() const { return names_; }

private:
    const OpenRunPtr& open_run(Side side) const { return query_.current().runs[side]; }
    void forget_old_runs();
    void update_alignment();
    std::optional<RunTime> times_zero() const;            // of the baseline; unset while it is not known
    void carry_times();

    std::shared_ptr<SessionNames> names_ = std::make_shared<SessionNames>();
    std::function<void()> on_change_;
    IndexFiles index_files_ = IndexFiles::Ignore;
    std::vector<OpenRunPtr> opened_;  // all that are not gone yet: nobody waits for a load to stop
    History<ViewQuery> query_{ViewQuery{}};
    std::optional<RunAlignment> alignment_;
    BySide<Filter> side_filter_;
    BySide<std::uint64_t> aligned_runs_;                  // what alignment_ was made of
    AlignBy aligned_by_;
    Filter aligned_filter_;
    std::unique_ptr<JobPool> pool_;
    ResultCache results_;
};

}  // namespace core
