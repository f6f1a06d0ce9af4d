#include "core/ingest/discover.hpp"

#include "core/base/ascii.hpp"
#include "core/ingest/index_file/index_places.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <system_error>

namespace core {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 32;

class Search {
public:
    void add_named(const fs::path& path) { add_file(path, path.filename(), true); }
    void add_folder(const fs::path& folder) { add_folder(folder, {}, 0); }
    std::vector<FoundFile> take() {
        std::ranges::sort(files_, [](const FoundFile& a, const FoundFile& b) {
            return name_before(a.path.string(), b.path.string());
        });
        return std::move(files_);
    }

private:
    void add_file(const fs::path& path, const fs::path& inside, bool named) {
        std::error_code error;
        const fs::path real = fs::weakly_canonical(path, error);
        if (!seen_.insert(error ? path : real).second) return;
        const std::uintmax_t size = fs::file_size(path, error);
        const std::uint64_t bytes = error ? 0 : static_cast<std::uint64_t>(size);
        if (is_index_file(path.filename().string()))
            files_.push_back({trace_of_index(path), bytes, named, trace_of_index(inside), path});
        else
            files_.push_back({path, bytes, named, inside, {}});
    }
    // A folder that cannot be listed is as good as empty.
    void add_folder(const fs::path& folder, const fs::path& inside, int depth) {
        std::error_code error;
        const fs::path real = fs::weakly_canonical(folder, error);
        if (depth > kDeepest || !seen_.insert(error ? folder : real).second) return;
        std::vector<fs::path> traces, indices, others;
        for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
            std::error_code ignored;
            const bool hidden = it->path().filename().string().starts_with('.');
            if (hidden) continue;
            if (it->is_directory(ignored))
                add_folder(it->path(), inside / it->path().filename(), depth + 1);
            else if (is_named_like_trace(it->path().filename().string()))
                (it->is_regular_file(ignored) ? traces : others).push_back(it->path());
            else if (it->is_regular_file(ignored) && is_index_file(it->path().filename().string()))
                indices.push_back(it->path());
        }
        for (const fs::path& path : traces.empty() ? indices : traces) add_file(path, inside / path.filename(), false);
        for (const fs::path& path : others) add_file(path, inside / path.filename(), false);
    }

    std::vector<FoundFile> files_;
    std::set<fs::path> seen_;
};

}  // namespace

bool is_named_like_trace(std::string_view file_name) {
    std::string name(file_name);
    std::ranges::transform(name, name.begin(), lower_ascii);
    if (name == "truth.json" || name == "lockstep.json") return false;
    std::string_view stem = name;
    if (stem.ends_with(".gz")) stem.remove_suffix(3);
    if (stem.ends_with(".raw.json")) return false;  // a memory timeline, which is opened by its name alone
    constexpr std::array<std::string_view, 4> kEndings{".json", ".pfw", ".trace", ".chrometrace"};
    return std::ranges::any_of(
        kEndings, [&](std::string_view ending) { return stem.size() > ending.size() && stem.ends_with(ending); });
}

bool name_before(std::string_view a, std::string_view b) {
    std::size_t i = 0, j = 0;
    while (i < a.size() && j < b.size()) {
        if (!is_digit(a[i]) || !is_digit(b[j])) {
            if (a[i] != b[j]) return a[i] < b[j];
            ++i;
            ++j;
            continue;
        }
        const auto number = [](std::string_view text, std::size_t& at) {
            while (at < text.size() && text[at] == '0') ++at;
            const std::size_t begin = at;
            while (at < text.size() && is_digit(text[at])) ++at;
            return text.substr(begin, at - begin);
        };
        const std::string_view x = number(a, i);
        const std::string_view y = number(b, j);
        if (x.size() != y.size()) return x.size() < y.size();
        if (x != y) return x < y;
    }
    if (a.size() - i != b.size() - j) return a.size() - i < b.size() - j;
    return a < b;
}

Result<std::vector<FoundFile>> discover_files(std::span<const fs::path> paths) {
    Search search;
    for (const fs::path& path : paths) {
        std::error_code error;
        const fs::file_status status = fs::status(path, error);
        if (!fs::exists(status)) return Error{ErrorCode::NotFound, path.string() + ": does not exist"};
        if (fs::is_directory(status))
            search.add_folder(path);
        else
            search.add_named(path);
    }
    return search.take();
}

}  // namespace core
