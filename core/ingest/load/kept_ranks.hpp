#pragma once
// Ranks of earlier loads of one folder, used again by later ones while their files are the same. Any thread.

#include "core/index/rank_index.hpp"
#include "core/ingest/load/finished_files.hpp"

#include <filesystem>
#include <map>
#include <mutex>
#include <vector>

namespace core {

class KeptRanks {
public:
    // Empty: not there, or of another state of the file.
    std::vector<RankIndexPtr> find(const std::filesystem::path& path, const FileState& state) const {
        const std::lock_guard lock(mutex_);
        const auto known = kept_.find(path);
        return known == kept_.end() || known->second.state != state ? std::vector<RankIndexPtr>() : known->second.ranks;
    }
    void keep(const std::filesystem::path& path, const FileState& state, const std::vector<RankIndexPtr>& ranks) {
        const std::lock_guard lock(mutex_);
        kept_[path] = {.state = state, .ranks = ranks};
    }

private:
    struct Kept {
        FileState state;
        std::vector<RankIndexPtr> ranks;
    };
    mutable std::mutex mutex_;
    std::map<std::filesystem::path, Kept> kept_;
};

}  // namespace core
