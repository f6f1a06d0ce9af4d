#pragma once
// Keeps the runs of the latest calls open. A run whose files changed is opened again. One thread.

#include "app/options.hpp"
#include "core/index/run.hpp"
#include "core/session/source_stamps.hpp"

#include <filesystem>
#include <list>
#include <stop_token>
#include <string>
#include <vector>

namespace app::mcp {

class OpenRuns {
public:
    OpenRuns(const std::vector<std::filesystem::path>& roots, Loading loading);

    // Returns the path if it, and everything that opening it would read or write, is inside a root after resolving all
    // links. Opens nothing and never reveals whether something outside exists. O(files below it).
    core::Result<std::filesystem::path> confine(const std::string& path) const;
    core::Result<core::RunPtr> open(const std::string& path, const std::stop_token& stop);

    static constexpr std::size_t kMostOpen = 4;

private:
    struct Entry {
        std::filesystem::path path;
        core::RunPtr run;
        core::SourceStamps stamps;
    };
    bool is_inside(const std::filesystem::path& whole) const;

    std::vector<std::filesystem::path> roots_;
    Loading loading_;
    std::list<Entry> open_;  // most recently used first
};

}  // namespace app::mcp
