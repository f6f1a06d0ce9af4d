#pragma once
// What is open: runs, the query (filter and choices, with undo), the answers, and background loads.
// Owned by the window or a test; changed only on one thread, between frames.

#include "core/ingest/load_run.hpp"
#include "core/query/history.hpp"
#include "core/session/result_cache.hpp"

#include <filesystem>
#include <functional>

namespace core {

struct ViewQuery {
    Filter filter;
    bool operator==(const ViewQuery&) const = default;
};

// One run being opened on a thread of its own (answers need the pool meanwhile); ranks appear as they arrive.
class RunLoad {
public:
    // on_change (may be empty) is called from worker threads whenever there is something new to show.
    RunLoad(std::vector<std::filesystem::path> paths, std::shared_ptr<SessionNames> names,
            std::function<void()> on_change);
    ~RunLoad();                                  // cancels and waits
    const LoadProgress& progress() const;
    bool finished() const;
    bool cancelled() const;                      // asked to stop
    void cancel();
    RunPtr newest() const;                       // null until the first rank is there
    std::string error() const;                   // after finished(): why nothing opened, or empty
    const std::vector<std::filesystem::path>& paths() const;

private:
    struct Shared;
    std::unique_ptr<Shared> shared_;
};

class Session {
public:
    // on_change wakes a sleeping window: called from any thread when a rank or an answer has arrived.
    explicit Session(unsigned threads = 0, std::function<void()> on_change = {});

    void open(std::vector<std::filesystem::path> paths);  // replaces the baseline run
    // Takes ranks that have arrived; true if anything changed. Once per frame.
    bool update();
    void cancel_load();                                   // what has arrived stays

    const RunPtr& run() const { return run_; }            // null while nothing is open
    const RunLoad* load() const { return load_.get(); }   // null when nothing was opened
    void set_run(RunPtr run);                             // for tests: a run that is already built
    History<ViewQuery>& query() { return query_; }
    const History<ViewQuery>& query() const { return query_; }
    const Filter& filter() const { return query_.current().filter; }
    ResultCache& results() { return results_; }
    JobPool& pool() const { return *pool_; }              // for a panel's own reading; nobody waits for it
    const std::shared_ptr<SessionNames>& names() const { return names_; }

private:
    std::shared_ptr<SessionNames> names_ = std::make_shared<SessionNames>();
    std::function<void()> on_change_;
    RunPtr run_;
    std::unique_ptr<RunLoad> load_;
    std::vector<std::unique_ptr<RunLoad>> retired_;       // cancelled, not yet stopped: nobody waits for them
    bool load_done_ = true;
    History<ViewQuery> query_{ViewQuery{}};
    std::unique_ptr<JobPool> pool_;
    ResultCache results_;
};

}  // namespace core
