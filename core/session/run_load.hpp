#pragma once
// Loads one run in the background; its ranks appear as they arrive, matched and on the clocks of Auto.

#include "core/ingest/load/load_run.hpp"
#include "core/session/source_stamps.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace core {

// How a load reads.
struct RunLoadOptions {
    IndexFiles index_files = IndexFiles::Ignore;
    std::uint64_t cache_limit = 0;
    std::string step_marks{};
    // Files of a watched folder, see LoadOptions. With ranks of an earlier load, only the whole run is shown.
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

}  // namespace core
