#include "core/session/open_run.hpp"

#include "core/base/platform/files.hpp"
#include "core/base/platform/mapped_file.hpp"
#include "core/base/platform/memory.hpp"
#include "core/collectives/choose_clocks.hpp"
#include "core/collectives/run_matcher.hpp"
#include "core/index/summary_rank.hpp"
#include "core/index/work_window.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace core {

struct RunLoad::Shared {
    std::vector<std::filesystem::path> paths;
    std::function<void()> on_change;
    RunLoadOptions how;
    LoadProgress progress;
    std::stop_source stop;
    std::atomic<bool> finished{false};
    mutable std::mutex mutex;                    // guards the members below
    RunPtr newest;
    std::string error;
    std::shared_ptr<const SourceStamps> stamps;
    mutable std::condition_variable ended;
    bool has_ended = false;
    using Clock = std::chrono::steady_clock;
    Clock::time_point shown_at = Clock::now();   // the three: calls of on_rank are made one after another
    Clock::duration matching{0};                 // what the last run took
    bool any_shown = false;
    RunMatcher matcher;                          // as the three

    // Matching takes a fifth of the time at most while ranks arrive; the last run is always shown.
    bool may_show() const { return !any_shown || Clock::now() - shown_at >= 4 * matching; }
    // Matches, aligns and finds the first view here, on a thread of the load, so that showing the run finds it done.
    void show_arrived(const RunPtr& run) {
        if (has_kept_clocks(*run)) return show(run);  // of a summary: matching changes nothing that is drawn first
        const Clock::time_point begin = Clock::now();
        run->derived().put<MatchedRun>(matcher.match(*run));
        RunPtr aligned = with_clocks(run, ClockChoice::Auto);
        shown_at = Clock::now();
        matching = shown_at - begin;
        any_shown = true;
        show(std::move(aligned));
    }
    void show(RunPtr run) {
        (void)find_work_window(*run);
        {
            const std::lock_guard lock(mutex);
            newest = std::move(run);
        }
        if (on_change) on_change();
    }
    void work(const std::shared_ptr<InternedNames>& names) {
        LoadOptions options;
        options.names = names;
        options.index_files = how.index_files;
        options.cache_limit = how.cache_limit;
        options.step_marks = how.step_marks;
        options.finished = how.finished;
        options.kept = how.kept;
        if (!how.only_whole)
            options.on_rank = [this](const RunPtr& run) {
                if (may_show()) show_arrived(run);
            };
        Result<RunPtr> loaded = Error{ErrorCode::Internal, "not loaded"};
        try {
            loaded = load_run(paths, options, progress, JobContext{.stop = stop.get_token()});
        } catch (const std::exception& e) {
            loaded = Error{ErrorCode::Internal, e.what()};
        }
        if (loaded) {
            auto made = std::make_shared<const SourceStamps>(paths, **loaded, JobContext{.stop = stop.get_token()});
            {
                const std::lock_guard lock(mutex);
                stamps = std::move(made);
            }
            show_arrived(*loaded);
            matcher = {};
            give_back_free_memory();  // what reading needed
        } else {
            const std::lock_guard lock(mutex);
            error = loaded.error().message;
        }
        finished.store(true, std::memory_order_release);
        if (on_change) on_change();
        const std::lock_guard lock(mutex);
        has_ended = true;
        ended.notify_all();
    }
};

RunLoad::RunLoad(std::vector<std::filesystem::path> paths, std::shared_ptr<InternedNames> names, RunLoadOptions options,
                 std::function<void()> on_change)
    : shared_(std::make_shared<Shared>()) {
    shared_->paths = std::move(paths);
    shared_->how = std::move(options);
    shared_->on_change = std::move(on_change);
    Executor::instance().run(Priority::Load, [shared = shared_, names = std::move(names)] { shared->work(names); });
}

RunLoad::~RunLoad() {
    cancel();
    std::unique_lock lock(shared_->mutex);
    shared_->ended.wait(lock, [&] { return shared_->has_ended; });
}

const LoadProgress& RunLoad::progress() const { return shared_->progress; }
bool RunLoad::finished() const { return shared_->finished.load(std::memory_order_acquire); }
bool RunLoad::cancelled() const { return shared_->stop.stop_requested(); }
void RunLoad::cancel() { shared_->stop.request_stop(); }
const std::vector<std::filesystem::path>& RunLoad::paths() const { return shared_->paths; }

RunPtr RunLoad::newest() const {
    const std::lock_guard lock(shared_->mutex);
    return shared_->newest;
}

std::shared_ptr<const SourceStamps> RunLoad::stamps() const {
    const std::lock_guard lock(shared_->mutex);
    return shared_->stamps;
}

std::string RunLoad::error() const {
    const std::lock_guard lock(shared_->mutex);
    return shared_->error;
}

bool OpenRun::update() {
    bool changed = false;
    if (!done) {
        const bool finished = load->finished();  // read before newest(), to not miss the last rank
        RunPtr newest = load->newest();
        if (!newest && watch) newest = arrived;  // the run stays until a new one is there
        changed = newest != arrived || finished;
        if (newest != arrived) {
            run = newest;
            clocks = ClockChoice::Auto;
            on_other_clocks = nullptr;
            cut.reset();
            uncut = nullptr;
        }
        arrived = std::move(newest);
        done = finished;
    }
    const std::uint64_t lost = count_lost_mappings();
    if (!changed && lost == lost_mappings) return false;
    lost_mappings = lost;
    if (!changed) pages.drop(run);
    RunPtr present = without_gone_ranks(run);
    if (present != run) {
        changed = true;
        on_other_clocks = nullptr;
        run = std::move(present);
    }
    return changed;
}

bool OpenRun::update_watch(JobPool& pool, const std::shared_ptr<InternedNames>& names,
                           const std::function<void()>& on_change) {
    if (!watch || !done || !stopped()) return false;
    if (!watch->job) {
        if (FolderWatch::Clock::now() < watch->next) return false;
        watch->job = Job<FolderState>::start(pool, [files = watch->files](const JobContext& job) {
            return Result<FolderState>(files->look(FolderWatch::Clock::now(), job));
        });
        return false;
    }
    const Result<FolderState>* const found = watch->job.poll();
    if (!found) return false;
    const FolderState look = *found ? **found : watch->look;
    watch->job = {};
    watch->next = FolderWatch::Clock::now() + watch->interval;
    const bool changed = look != watch->look;
    watch->look = look;
    if (look.finished.empty() || look.finished == watch->loaded) return changed;
    watch->loaded = look.finished;
    RunLoadOptions how = watch->how;
    how.finished = std::make_shared<const std::map<std::filesystem::path, FileState>>(look.finished);
    how.only_whole = run != nullptr;
    load = std::make_unique<RunLoad>(watch->paths, names, std::move(how), on_change);
    done = false;
    return true;
}

std::chrono::milliseconds watch_interval(std::span<const std::filesystem::path> paths) {
    return std::chrono::milliseconds{std::ranges::any_of(paths, is_on_network) ? 2'000 : 1'000};
}

bool OpenRun::put_on_clocks(ClockChoice wanted, JobPool& pool) {
    if (!run || wanted == clocks) {
        clock_change = {};
        return false;
    }
    pages.drop(run);
    RunPtr moved;
    if (run->derived().find<MatchedRun>()) {
        moved = with_clocks(run, wanted);
    } else {
        if (clock_change.from != run || clock_change.to != wanted)
            clock_change = {
                .from = run, .to = wanted, .job = Job<RunPtr>::start(pool, [from = run, wanted](const JobContext&) {
                                               return Result<RunPtr>(with_clocks(from, wanted));
                                           })};
        const Result<RunPtr>* const finished = clock_change.job.poll();
        if (!finished) return false;
        if (*finished) moved = **finished;
    }
    clock_change = {};
    clocks = wanted;
    if (!moved || moved == run) return false;
    // The same run as before, whose answers are known, where there is one.
    if (on_other_clocks && has_same_clocks(*moved, *on_other_clocks)) moved = on_other_clocks;
    on_other_clocks = std::exchange(run, std::move(moved));
    uncut = nullptr;
    return true;
}

bool OpenRun::cut_gaps(bool wanted) {
    if (!run || wanted == cut.has_value()) return false;
    on_other_clocks = nullptr;
    pages.drop(run);
    if (wanted) {
        cut = find_capture_gaps(*run);
        if (cut->gaps.empty()) return false;
        uncut = std::exchange(run, without_gaps(run, *cut));
        return true;
    }
    const CaptureGaps gaps = *std::exchange(cut, std::nullopt);
    if (gaps.gaps.empty()) return false;
    RunPtr whole = with_gaps(run, gaps);
    if (uncut && has_same_clocks(*whole, *uncut) && uncut->ranks().size() == whole->ranks().size()) whole = uncut;
    run = std::move(whole);
    uncut = nullptr;
    return true;
}

}  // namespace core
