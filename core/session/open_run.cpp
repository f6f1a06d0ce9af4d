#include "core/session/open_run.hpp"

#include "core/base/platform/files.hpp"
#include "core/base/platform/mapped_file.hpp"

#include <algorithm>
#include <utility>

namespace core {

bool OpenRun::update() {
    bool changed = false;
    if (!done) {
        const bool finished = load->finished();  // read before newest(), to not miss the last rank
        RunPtr newest = load->newest();
        if (!newest && watch) newest = arrived;  // the run stays until a new one is there
        changed = newest != arrived || finished;
        arrived = std::move(newest);
        done = finished;
    }
    return pass_stages(nullptr) || changed;
}

bool OpenRun::show(const RunView& view, JobPool& pool) {
    bool changed = false;
    if (view.clocks != view_.clocks || view.cut_gaps != view_.cut_gaps) {
        pages_ = {};  // ranks become whole again in the run that is shown then
        changed = std::exchange(run, staged_) != staged_;
    }
    view_ = view;
    changed |= pass_stages(&pool);
    return pages_.update(run, wanted_whole, view.page_budget, pool) || changed;
}

bool OpenRun::pass_stages(JobPool* pool) {
    const std::uint64_t lost = count_lost_mappings();
    RunPtr staged = present_.of(arrived, lost);
    staged = on_clocks_.of(staged, view_.clocks, pool);
    staged = without_gaps_.of(staged, view_.cut_gaps);
    const bool may_be_lost = std::exchange(lost_mappings_, lost) != lost && pages_.whole() > 0;
    if (staged == staged_ && !may_be_lost) return false;
    staged_ = std::move(staged);
    pages_ = {};
    run = staged_;
    return true;
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

OpenRunPtr open_built_run(RunPtr run) {
    auto opened = std::make_shared<OpenRun>();
    opened->arrived = std::move(run);
    opened->update();
    return opened;
}

}  // namespace core
