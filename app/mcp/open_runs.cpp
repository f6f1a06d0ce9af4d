#include "app/mcp/open_runs.hpp"

#include "app/command_run.hpp"
#include "app/mcp/outward_links.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

namespace app::mcp {

namespace fs = std::filesystem;

OpenRuns::OpenRuns(const std::vector<fs::path>& roots, Loading loading) : loading_(std::move(loading)) {
    for (const fs::path& root : roots) {
        std::error_code error;
        fs::path whole = fs::canonical(root, error);
        if (!error) roots_.push_back(std::move(whole));
    }
}

bool OpenRuns::is_inside(const fs::path& whole) const {
    return std::ranges::any_of(roots_, [&](const fs::path& root) {
        return std::mismatch(root.begin(), root.end(), whole.begin(), whole.end()).first == root.end();
    });
}

core::Result<fs::path> OpenRuns::confine(const std::string& path) const {
    const core::Error outside{core::ErrorCode::NotFound,
                              path.substr(0, 400) + ": not found inside of the folders that this server may read"};
    if (path.empty() || path.find('\0') != std::string::npos) return outside;
    std::error_code error;
    const fs::path given(path);
    const fs::path whole = fs::canonical(given.is_absolute() || roots_.empty() ? given : roots_.front() / given, error);
    if (error || !is_inside(whole)) return outside;
    if (has_outward_link(whole, [this](const fs::path& end) { return is_inside(end); }))
        return core::Error{outside.code, outside.message + ": it has a link that leads outside of them, or to itself"};
    return whole;
}

core::Result<core::RunPtr> OpenRuns::open(const std::string& path, const std::stop_token& stop) {
    const core::Result<fs::path> whole = confine(path);
    if (!whole) return whole.error();
    const auto known = std::ranges::find(open_, *whole, &Entry::path);
    if (known != open_.end()) {
        const core::Result<std::string> changes = known->stamps.find_changes({.stop = stop});
        if (!changes) return changes.error();
        if (changes->empty() && check_present({&known->run})) {
            open_.splice(open_.begin(), open_, known);
            return open_.front().run;
        }
        open_.erase(known);
    }
    const std::string text = whole->string();
    core::Result<core::RunPtr> run = open_run({&text, 1}, loading_, true, stop);
    if (!run) return run;
    const fs::path opened[] = {*whole};
    open_.push_front({.path = *whole, .run = *run, .stamps = core::SourceStamps(opened, **run, {.stop = stop})});
    if (open_.size() > kMostOpen) open_.pop_back();
    return run;
}

}  // namespace app::mcp
