#pragma once
// Opens one run in the background; ranks appear as they arrive.

#include "core/collectives/choose_clocks.hpp"
#include "core/collectives/waits.hpp"
#include "core/diff/align/run_parts.hpp"
#include "core/ingest/load/finished_files.hpp"
#include "core/ingest/load/load_run.hpp"
#include "core/session/paged_run.hpp"
#include "core/session/source_stamps.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace core {

// How a load reads.
struct RunLoadOptions {
    IndexFiles index_files = IndexFiles::Ignore;
    std::uint64_t cache_limit = 0;
    std::string step_marks{};
    // Files of a watched folder, see LoadOptions. With `kept` from an earlier load, only the whole run is shown.
    std::shared_ptr<const std::map<std::filesystem::path, FileState>> finished{};
    std::shared_ptr<KeptRanks> kept{};
    bool only_whole = false;
};

class RunLoad {
public:
    // Calls on_change (may be empty) from worker threads whenever there is something new to show.
    RunLoad(std::vector<std::filesystem::path> paths, std::shared_ptr<InternedNames> names, RunLoadOptions options,
            std::function<void()> on_change);
    ~RunLoad();                                  // cancels and waits
    const LoadProgress& progress() const;
    bool finished() const;
    bool cancelled() const;                      // cancel was requested
    void cancel();
    RunPtr newest() const;  // null until the first rank is there; on the clocks of Auto, matched
    std::string error() const;  // after finished(): reason of failure, or empty
    const std::vector<std::filesystem::path>& paths() const;
    // After finished(): what its files were when they had been read.
    std::shared_ptr<const SourceStamps> stamps() const;

private:
    struct Shared;
    std::shared_ptr<Shared> shared_;
};

// A folder that a job writes into: looked at again and again, and loaded anew when files have finished.
struct FolderWatch {
    using Clock = FinishedFiles::Clock;
    std::shared_ptr<FinishedFiles> files;  // used by one job at a time
    std::vector<std::filesystem::path> paths;
    RunLoadOptions how{};
    std::chrono::milliseconds interval{1'000};
    Job<FolderState> job{};
    Clock::time_point next{};  // look
    FolderState look{};        // the last
    std::map<std::filesystem::path, FileState> loaded{};
};
// Between looks at a folder: a second, two where it is not on a disk of this machine.
std::chrono::milliseconds watch_interval(std::span<const std::filesystem::path> paths);

// A run and its load, if any. Ranks whose file is cut or changed while it is open become empty (file-gone).
struct OpenRun {
    RunPtr run;  // as of the last update()
    std::unique_ptr<RunLoad> load;
    bool done = true;  // the load is complete
    RunPtr arrived = {};  // what run was made of
    std::uint64_t lost_mappings = 0;  // when run was made
    std::unique_ptr<FolderWatch> watch{};  // null: it is what it was when it was opened
    Job<std::string> check;  // of its files; none: not running
    std::string changes;  // of its files since they were read, as the last check found them
    ClockChoice clocks = ClockChoice::Auto;  // that run is on
    RunPtr on_other_clocks = {};  // run as it was before the last change of its clocks; may be null
    struct ClockChange {
        RunPtr from;
        ClockChoice to = ClockChoice::Auto;
        Job<RunPtr> job;
    };
    ClockChange clock_change = {};  // on the pool, where the run is not matched yet
    std::optional<CaptureGaps> cut = {};  // of run, which does without them; unset: it has them
    RunPtr uncut = {};  // run as it was before
    PagedRun pages = {};  // of a run summary
    std::vector<std::uint32_t> wanted_whole = {};  // ranks in view, closer than the summary is fine

    // Puts the run on these clocks, at once where it is matched: O(ranks). True if the run changed. Every frame.
    bool put_on_clocks(ClockChoice wanted, JobPool& pool);
    // Takes the time between captures out of the axis, or puts it back: O(ranks). True if the run changed. Every frame.
    bool cut_gaps(bool wanted);
    // Makes ranks in view whole, of a run summary. True if the run changed. Every frame.
    bool page_in(std::uint64_t budget, JobPool& pool) { return pages.update(run, wanted_whole, budget, pool); }
    bool update();  // true if anything changed
    // Looks at the folder when it is time to, and begins to load what has finished. True if what is known of it
    // changed.
    bool update_watch(JobPool& pool, const std::shared_ptr<InternedNames>& names,
                      const std::function<void()>& on_change);
    bool stopped() const { return !load || load->finished(); }
};
using OpenRunPtr = std::shared_ptr<OpenRun>;

}  // namespace core
