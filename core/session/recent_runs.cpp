#include "core/session/recent_runs.hpp"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <fstream>

namespace core {
namespace {

namespace fs = std::filesystem;
constexpr std::uintmax_t kLargestFile = std::uintmax_t{1} << 20;

std::vector<RecentRuns::Paths> read_runs(const fs::path& file) {
    std::vector<RecentRuns::Paths> runs;
    std::error_code error;
    if (file.empty() || fs::file_size(file, error) > kLargestFile || error) return runs;
    std::ifstream stream(file);
    const nlohmann::json list = nlohmann::json::parse(stream, nullptr, false);
    if (!list.is_array()) return runs;
    for (const nlohmann::json& entry : list) {
        RecentRuns::Paths paths;
        for (const nlohmann::json& path : entry.is_array() ? entry : nlohmann::json::array()) {
            if (path.is_string()) paths.emplace_back(path.get<std::string>());
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
        if (!full.has_filename()) full = full.parent_path();  // "runs/a/" is "runs/a"
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
        for (const fs::path& path : paths) entry.push_back(path.string());
    }
    std::error_code error;
    fs::create_directories(file_.parent_path(), error);
    const fs::path part = file_.string() + ".part";
    {
        std::ofstream stream(part);
        stream << list.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
        if (!stream.flush()) return;
    }
    fs::rename(part, file_, error);
}

}  // namespace core
