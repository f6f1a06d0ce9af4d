#pragma once
// One run being opened on a thread of its own (answers need the pool meanwhile); ranks appear as they arrive.

#include "core/ingest/load/load_run.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace core {

class RunLoad {
public:
    // on_change (may be empty) is called from worker threads whenever there is something new to show.
    RunLoad(std::vector<std::filesystem::path> paths, std::shared_ptr<SessionNames> names, IndexFiles index_files,
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

// A run with the load that brings it, if any.
struct OpenRun {
    RunPtr run;                                  // as of the last update()
    std::unique_ptr<RunLoad> load;
    bool done = true;                            // the load has nothing more to bring

    bool update();                               // true if anything changed
    bool stopped() const { return !load || load->finished(); }
};
using OpenRunPtr = std::shared_ptr<OpenRun>;

}  // namespace core
