#include "core/ingest/load/take_telemetry.hpp"

#include "core/base/ascii.hpp"
#include "core/ingest/load/left_out.hpp"
#include "core/telemetry/read_telemetry.hpp"
#include "core/telemetry/telemetry_settings.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace core {
namespace {

namespace fs = std::filesystem;

Companion companion_of(const fs::path& path, const ClassRules& rules) {
    RankInfo info;
    info.path = path;
    info.trace_name = kTelemetryLog;
    auto trace = std::make_shared<const RankTrace>(Blob(), std::move(info), Diagnostics());
    return {.index = std::make_shared<const RankIndex>(std::move(trace), rules)};
}

std::string name_in_lower_case(const fs::path& path) {
    std::string name = path.filename().string();
    std::ranges::transform(name, name.begin(), lower_ascii);
    return name;
}

bool is_named_log(const FoundFile& file) {
    return file.named && file.index.empty() && !is_named_like_trace(file.path.filename().string()) &&
           recognise_telemetry_file(file.path);
}

}  // namespace

std::vector<Companion> take_telemetry(Discovery& found, const ClassRules& rules) {
    std::vector<fs::path> logs;
    const auto named = std::ranges::count_if(found.files, is_named_log);
    if (named == std::ssize(found.files)) return {};
    std::erase_if(found.files, [&](const FoundFile& file) {
        if (!is_named_log(file)) return false;
        logs.push_back(file.path);
        return true;
    });
    std::size_t heads = 0;
    std::erase_if(found.others, [&](const fs::path& path) {
        const std::string name = name_in_lower_case(path);
        if (is_named_like_others(name) || is_named_like_profile(name) || ++heads > kMostHeads) return false;
        if (!recognise_telemetry_file(path)) return false;
        logs.push_back(path);
        return true;
    });
    for (const fs::path& path : telemetry_settings()->files) logs.push_back(path);
    std::set<fs::path> seen;
    std::vector<Companion> companions;
    for (const fs::path& path : logs) {
        std::error_code error;
        const fs::path real = fs::weakly_canonical(path, error);
        if (seen.insert(error ? path : real).second) companions.push_back(companion_of(path, rules));
    }
    return companions;
}

}  // namespace core
