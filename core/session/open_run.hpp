#pragma once
// A run that is open: its load, the folder it is watched in, and the stages from what was read to what is shown.

#include "core/ingest/load/finished_files.hpp"
#include "core/session/paged_run.hpp"
#include "core/session/run_load.hpp"
#include "core/session/run_stages.hpp"

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace core {

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

// How a run is shown.
struct RunView {
    ClockChoice clocks = ClockChoice::Auto;
    bool cut_gaps = false;          // leave the time between captures out of the axis
    std::uint64_t page_budget = 0;  // bytes of index files of whole ranks, of a run summary
};

// Ranks whose file is cut or changed while the run is open become empty (file-gone).
struct OpenRun {
    RunPtr run;      // as shown by the last update() or show()
    std::unique_ptr<RunLoad> load;
    bool done = true;  // the load is complete
    RunPtr arrived = {};                      // what the stages begin with
    std::unique_ptr<FolderWatch> watch{};     // null: it is what it was when it was opened
    Job<std::string> check{};                 // of its files; none: not running
    std::string changes{};                    // of its files since they were read, as the last check found them
    std::vector<std::uint32_t> wanted_whole{};  // ranks in view, closer than the summary is fine

    // Takes what the load has read. True if anything changed. Every frame.
    bool update();
    // Looks at the folder when it is time to, and begins to load what has finished. True if what is known of it
    // changed.
    bool update_watch(JobPool& pool, const std::shared_ptr<InternedNames>& names,
                      const std::function<void()>& on_change);
    // Shows the run this way, at once where it is matched: O(ranks). True if the run changed. Every frame.
    bool show(const RunView& view, JobPool& pool);
    bool stopped() const { return !load || load->finished(); }
    std::span<const CutGap> gaps() const { return without_gaps_.gaps(); }
    const PagedRun& pages() const { return pages_; }

private:
    bool pass_stages(JobPool* pool);

    RunView view_{};
    std::uint64_t lost_mappings_ = 0;  // when run was made
    PresentRanks present_{};
    RunOnClocks on_clocks_{};
    RunWithoutGaps without_gaps_{};
    RunPtr staged_{};  // the last result of the stages, of which ranks may be whole in `run`
    PagedRun pages_{};
};
using OpenRunPtr = std::shared_ptr<OpenRun>;
OpenRunPtr open_built_run(RunPtr run);  // without a load

}  // namespace core
