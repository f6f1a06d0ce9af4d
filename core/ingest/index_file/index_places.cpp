#include "core/ingest/index_file/index_places.hpp"

#include "core/base/output_file.hpp"
#include "core/base/platform/processes.hpp"
#include "core/store/string_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <system_error>
#include <vector>

namespace core {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAnswersEnding = ".lockstep-answers";

// Temporary files, and claims and failures of processes that index together.
constexpr std::string_view kLeftovers[] = {".lockstep-index.tmp.", ".lockstep-index.claim", ".lockstep-index.failed"};

struct CachedIndex {
    fs::path path;
    std::uint64_t bytes = 0;
    fs::file_time_type written;
};

bool is_cached(const std::string& file_name) { return is_index_file(file_name) || file_name.ends_with(kAnswersEnding); }

std::vector<CachedIndex> collect_cached() {
    std::vector<CachedIndex> found;
    const fs::path folder = index_cache_folder();
    std::error_code error;
    if (folder.empty()) return found;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        std::error_code unknown;
        if (!is_cached(it->path().filename().string()) || !it->is_regular_file(unknown)) continue;
        const std::uintmax_t bytes = it->file_size(unknown);
        const fs::file_time_type written = it->last_write_time(unknown);
        if (!unknown) found.push_back({.path = it->path(), .bytes = bytes, .written = written});
    }
    return found;
}

std::size_t count_common_folders(const fs::path& a, const fs::path& b) {
    std::size_t common = 0;
    fs::path left = a.parent_path(), right = b.parent_path();
    while (!left.filename().empty() && left.filename() == right.filename()) {
        ++common;
        left = left.parent_path();
        right = right.parent_path();
    }
    return common;
}

}  // namespace

fs::path index_cache_folder() {
    const char* const cache = std::getenv("XDG_CACHE_HOME");
    if (cache && fs::path(cache).is_absolute()) return fs::path(cache) / "lockstep";
    const char* const home = std::getenv("HOME");
    return home && *home != 0 ? fs::path(home) / ".cache" / "lockstep" : fs::path();
}

CacheUse measure_index_cache() {
    CacheUse use;
    for (const CachedIndex& index : collect_cached()) {
        ++use.files;
        use.bytes += index.bytes;
    }
    return use;
}

void trim_index_cache(std::uint64_t bytes, const fs::path& keep) {
    std::vector<CachedIndex> cached = collect_cached();
    std::ranges::stable_sort(cached, {}, &CachedIndex::written);
    std::uint64_t all = 0;
    for (const CachedIndex& index : cached) all += index.bytes;
    for (const CachedIndex& index : cached) {
        if (all <= bytes) return;
        std::error_code error;
        if (index.path != keep && fs::remove(index.path, error)) all -= index.bytes;
    }
}

bool is_index_file(std::string_view file_name) {
    return file_name.size() > kIndexFileEnding.size() && file_name.ends_with(kIndexFileEnding);
}

fs::path index_beside(const fs::path& trace) {
    fs::path index = trace;
    return index += kIndexFileEnding;
}

fs::path answers_near(const fs::path& index) {
    fs::path answers = trace_of_index(index);
    return answers += kAnswersEnding;
}

bool is_own_file(std::string_view file_name) {
    return is_index_file(file_name) || file_name.find(kAnswersEnding) != std::string_view::npos ||
           std::ranges::any_of(kLeftovers, [&](std::string_view leftover) {
               return file_name.find(leftover) != std::string_view::npos;
           });
}

fs::path trace_of_index(const fs::path& index) {
    std::string name = index.filename().string();
    if (is_index_file(name)) name.resize(name.size() - kIndexFileEnding.size());
    return index.parent_path() / name;
}

std::optional<std::size_t> find_index_file(const fs::path& trace, std::span<const fs::path> index_files) {
    std::size_t best = 0, most = 0, as_good = 0;
    for (std::size_t i = 0; i < index_files.size(); ++i) {
        const fs::path of = trace_of_index(index_files[i]);
        if (of.filename() != trace.filename()) continue;
        const std::size_t common = count_common_folders(of, trace);
        if (as_good > 0 && common < most) continue;
        as_good = as_good > 0 && common == most ? as_good + 1 : 1;
        best = i;
        most = common;
    }
    return as_good == 1 ? std::optional(best) : std::nullopt;
}

fs::path index_in_cache(const fs::path& trace) {
    const fs::path folder = index_cache_folder();
    std::error_code error;
    const fs::path whole = fs::weakly_canonical(trace, error);
    if (folder.empty() || error) return {};
    return index_beside(folder / fmt::format("{:016x}", hash_text(whole.string())));
}

fs::path temporary_name(const fs::path& index) {
    std::random_device random;
    fs::path name = index;
    return name += ".tmp." + std::to_string(own_process()) + "." + std::to_string(random());
}

void remove_leftovers(const fs::path& folder) {
    const auto oldest = fs::file_time_type::clock::now() - std::chrono::hours(24);
    std::vector<fs::path> leftovers;
    std::error_code error;
    for (fs::directory_iterator it(folder.empty() ? fs::path(".") : folder, error), end; !error && it != end;
         it.increment(error)) {
        std::error_code unknown;
        const std::string name = it->path().filename().string();
        const bool ours = std::ranges::any_of(
            kLeftovers, [&](std::string_view leftover) { return name.find(leftover) != std::string::npos; });
        if (ours && it->is_regular_file(unknown) && it->last_write_time(unknown) < oldest && !unknown)
            leftovers.push_back(it->path());
    }
    for (const fs::path& path : leftovers) fs::remove(path, error);
}

}  // namespace core
