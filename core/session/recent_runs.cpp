#include "core/session/recent_runs.hpp"

#include "core/base/output_file.hpp"
#include "core/base/path_text.hpp"
#include "core/base/small_json.hpp"
#include "core/ingest/remote/remote_path.hpp"

#include <nlohmann/json.hpp>

#include <cstdlib>

namespace core {
namespace {

namespace fs = std::filesystem;
constexpr std::uint64_t kMostRecentBytes = std::uint64_t{1} << 20;

RecentRuns::Paths read_paths(const nlohmann::json& written) {
    RecentRuns::Paths paths;
    if (!written.is_array()) return paths;
    for (const nlohmann::json& text : written) {
        if (!text.is_string()) continue;
        if (std::optional<fs::path> path = path_from_text(text.get_ref<const std::string&>()))
            paths.push_back(*std::move(path));
    }
    return paths;
}

nlohmann::json write_paths(const RecentRuns::Paths& paths) {
    nlohmann::json written = nlohmann::json::array();
    for (const fs::path& path : paths) written.push_back(path_to_text(path));
    return written;
}

RecentRuns::Paths make_absolute(const RecentRuns::Paths& paths) {
    RecentRuns::Paths absolute;
    for (const fs::path& path : paths) {
        if (is_remote_path(path)) {
            absolute.push_back(path);
            continue;
        }
        std::error_code error;
        fs::path full = fs::absolute(path, error).lexically_normal();
        if (!full.has_filename()) full = full.parent_path();  // "runs/a/" equals "runs/a"
        absolute.push_back(error ? path : full);
    }
    return absolute;
}

template <class Entry>
void put_first(std::vector<Entry>& entries, Entry entry) {
    std::erase(entries, entry);
    entries.insert(entries.begin(), std::move(entry));
    if (entries.size() > RecentRuns::kMost) entries.resize(RecentRuns::kMost);
}

}  // namespace

fs::path state_file(const fs::path& name) {
    const char* const state = std::getenv("XDG_STATE_HOME");
    if (state && fs::path(state).is_absolute()) return fs::path(state) / "lockstep" / name;
    const char* const home = std::getenv("HOME");
    return home && *home != 0 ? fs::path(home) / ".local" / "state" / "lockstep" / name : fs::path();
}

RecentRuns::RecentRuns(fs::path file) : file_(std::move(file)) {
    if (file_.empty()) return;
    const Result<nlohmann::json> list = read_small_json(file_, {.bytes = kMostRecentBytes});
    if (!list || !list->is_array()) return;
    for (const nlohmann::json& entry : *list) {
        if (entry.is_object()) {
            BySide<Paths> pair;
            for (const Side side : kSides)
                if (const auto found = entry.find(name_of(side)); found != entry.end()) pair[side] = read_paths(*found);
            if (!pair.baseline.empty() && !pair.candidate.empty() && pairs_.size() < kMost)
                pairs_.push_back(std::move(pair));
        } else if (Paths paths = read_paths(entry); !paths.empty() && runs_.size() < kMost) {
            runs_.push_back(std::move(paths));
        }
    }
}

void RecentRuns::add(const Paths& paths) {
    if (paths.empty()) return;
    put_first(runs_, make_absolute(paths));
    if (!file_.empty()) write();
}

void RecentRuns::add_pair(const BySide<Paths>& paths) {
    if (paths.baseline.empty() || paths.candidate.empty()) return;
    put_first(pairs_, {make_absolute(paths.baseline), make_absolute(paths.candidate)});
    if (!file_.empty()) write();
}

// Pairs are objects, which versions that know only runs pass over.
void RecentRuns::write() const {
    nlohmann::json list = nlohmann::json::array();
    for (const Paths& paths : runs_) list.push_back(write_paths(paths));
    for (const BySide<Paths>& pair : pairs_)
        list.push_back({{"baseline", write_paths(pair.baseline)}, {"candidate", write_paths(pair.candidate)}});
    std::error_code error;
    fs::create_directories(file_.parent_path(), error);
    (void)write_whole_file(file_, list.dump(1) + "\n").has_value();
}

}  // namespace core
