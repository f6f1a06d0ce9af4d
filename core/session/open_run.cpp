#include "core/session/open_run.hpp"

#include <atomic>
#include <mutex>
#include <thread>

namespace core {

struct RunLoad::Shared {
    std::vector<std::filesystem::path> paths;
    std::function<void()> on_change;
    IndexFiles index_files = IndexFiles::Ignore;
    LoadProgress progress;
    std::stop_source stop;
    std::atomic<bool> finished{false};
    mutable std::mutex mutex;                    // of what follows
    RunPtr newest;
    std::string error;
    std::thread thread;

    void show(RunPtr run) {
        {
            const std::lock_guard lock(mutex);
            newest = std::move(run);
        }
        if (on_change) on_change();
    }
    void work(const std::shared_ptr<SessionNames>& names) {
        LoadOptions options;
        options.names = names;
        options.index_files = index_files;
        options.on_rank = [this](RunPtr run) { show(std::move(run)); };
        Result<RunPtr> loaded = Error{ErrorCode::Internal, "not loaded"};
        try {
            loaded = load_run(paths, options, progress, JobContext{stop.get_token(), nullptr});
        } catch (const std::exception& e) {
            loaded = Error{ErrorCode::Internal, e.what()};
        }
        if (loaded) {
            show(*loaded);
        } else {
            const std::lock_guard lock(mutex);
            error = loaded.error().message;
        }
        finished.store(true, std::memory_order_release);
        if (on_change) on_change();
    }
};

RunLoad::RunLoad(std::vector<std::filesystem::path> paths, std::shared_ptr<SessionNames> names, IndexFiles index_files,
                 std::function<void()> on_change)
    : shared_(std::make_unique<Shared>()) {
    shared_->paths = std::move(paths);
    shared_->index_files = index_files;
    shared_->on_change = std::move(on_change);
    shared_->thread = std::thread([shared = shared_.get(), names = std::move(names)] { shared->work(names); });
}

RunLoad::~RunLoad() {
    cancel();
    shared_->thread.join();
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

std::string RunLoad::error() const {
    const std::lock_guard lock(shared_->mutex);
    return shared_->error;
}

bool OpenRun::update() {
    if (done) return false;
    const bool finished = load->finished();  // before newest(): the last rank is not missed
    RunPtr newest = load->newest();
    const bool changed = newest != run || finished;
    run = std::move(newest);
    done = finished;
    return changed;
}

}  // namespace core
