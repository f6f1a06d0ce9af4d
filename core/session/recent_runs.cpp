#include "core/session/recent_runs.hpp"

#include "core/base/output_file.hpp"
#include "core/base/path_text.hpp"
#include "core/base/small_json.hpp"

#include <nlohmann/json.hpp>

#include <cstdlib>

namespace core {
namespace {

namespace fs = std::filesystem;
constexpr std::uint64_t kMostRecentBytes = std::uint64_t{1} << 20;

std::vector<RecentRuns::Paths> read_runs(const fs::path& file) {
    std::vector<RecentRuns::Paths> runs;
    if (file.empty()) return runs;
    const Result<nlohmann::json> list = read_small_json(file, {.bytes = kMostRecentBytes});
    if (!list || !list->is_array()) return runs;
    for (const nlohmann::json& entry : *list) {
        RecentRuns::Paths paths;
        if (!entry.is_array()) continue;
        for (const nlohmann::json& text : entry) {
            if (!text.is_string()) continue;
            if (std::optional<fs::path> path = path_from_text(text.get_ref<const std::string&>()))
                paths.push_back(*std::move(path));
        }
        if (!paths.empty() && runs.size() < RecentRuns::kMost) runs.push_back(std::move(paths));
    }
    return runs;
}

}  // namespace

fs::path state_file(const fs::path& name) {
    const char* const state = std::getenv("XDG_STATE_HOME");
    if (state && fs::path(state).is_absolute()) return fs::path(state) / "lockstep" / name;
    const char* const home = std::getenv("HOME");
    return home && *home != 0 ? fs::path(home) / ".local" / "state" / "lockstep" / name : fs::path();
}

RecentRuns::RecentRuns(fs::path file) : file_(std::move(file)), runs_(read_runs(file_)) {}

void RecentRuns::add(const Paths& paths) {
    Paths absolute;
    for (const fs::path& path : paths) {
        std::error_code error;
        fs::path full = fs::absolute(path, error).lexically_normal();
        if (!full.has_filename()) full = full.parent_path();  // "runs/a/" equals "runs/a"
        absolute.push_back(error ? path : full);
    }
    if (absolute.empty()) return;
    std::erase(runs_, absolute);
    runs_.insert(runs_.begin(), std::move(absolute));
    if (runs_.size() > kMost) runs_.resize(kMost);
    if (!file_.empty()) write();
}

void RecentRuns::write() const {
    nlohmann::json list = nlohmann::json::array();
    for (const Paths& paths : runs_) {
        nlohmann::json& entry = list.emplace_back(nlohmann::json::array());
        for (const fs::path& path : paths) entry.push_back(path_to_text(path));
    }
    std::error_code error;
    fs::create_directories(file_.parent_path(), error);
    (void)write_whole_file(file_, list.dump(1) + "\n").has_value();
}

}  // namespace core
