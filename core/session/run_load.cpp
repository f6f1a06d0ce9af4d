#include "core/session/run_load.hpp"

#include "core/base/platform/memory.hpp"
#include "core/collectives/choose_clocks.hpp"
#include "core/collectives/run_matcher.hpp"
#include "core/index/summary_rank.hpp"
#include "core/index/work_window.hpp"

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

}  // namespace core
