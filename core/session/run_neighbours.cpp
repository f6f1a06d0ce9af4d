#include "core/session/run_neighbours.hpp"

#include "core/ingest/load/discover.hpp"
#include "core/ingest/remote/remote_path.hpp"

#include <algorithm>

namespace core {

namespace {
// Whether a folder holds a trace; other folders in it are searched, too.
bool holds_traces(const std::filesystem::path& folder) {
    const std::filesystem::path one[] = {folder};
    const Result<Discovery> found = discover_files(one);
    return found && !found->files.empty();
}
}  // namespace

Result<std::vector<std::filesystem::path>> list_neighbours(const std::vector<std::filesystem::path>& paths) {
    std::vector<std::filesystem::path> runs;
    if (paths.size() != 1 || is_remote_path(paths.front())) return runs;
    std::error_code error;
    const std::filesystem::path run = std::filesystem::canonical(paths.front(), error);
    if (error) return Error{ErrorCode::NotFound, paths.front().string() + ": " + error.message()};
    const bool is_folder = std::filesystem::is_directory(run, error);
    std::filesystem::directory_iterator entries(run.parent_path(), error);
    if (error) return Error{ErrorCode::NotFound, run.parent_path().string() + ": " + error.message()};
    for (; entries != std::filesystem::directory_iterator() && runs.size() < kMostNeighbours;
         entries.increment(error)) {
        if (error) break;
        const std::filesystem::path path = entries->path();
        std::error_code ignored;
        const bool fits = is_folder ? std::filesystem::is_directory(path, ignored) && holds_traces(path)
                                    : std::filesystem::is_regular_file(path, ignored) &&
                                          is_named_like_trace(path.filename().string());
        if (fits || path == run) runs.push_back(path);
    }
    std::ranges::sort(runs, [](const auto& a, const auto& b) { return name_before(a.string(), b.string()); });
    return runs;
}

}  // namespace core
