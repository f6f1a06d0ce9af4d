#include "app/mcp/outward_links.hpp"

#include "core/ingest/index_file/index_places.hpp"
#include "core/ingest/index_file/summary_file.hpp"
#include "core/ingest/load/discover.hpp"

#include <optional>
#include <set>
#include <string>
#include <system_error>

namespace app::mcp {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // in a chain, as the system allows

// End of a chain of links, even if nothing is there; absent for a link to itself.
std::optional<fs::path> find_end(fs::path path) {
    for (int i = 0; i < kMostLinks; ++i) {
        std::error_code error;
        if (fs::path whole = fs::canonical(path, error); !error) return whole;
        fs::path place = fs::weakly_canonical(path.parent_path(), error) / path.filename();
        if (error) return std::nullopt;
        const fs::path target = fs::read_symlink(place, error);
        if (error) return place.lexically_normal();
        path = place.parent_path() / target;  // an absolute target replaces the folder
    }
    return std::nullopt;
}

class Walk {
public:
    explicit Walk(const std::function<bool(const fs::path&)>& is_inside) : is_inside_(is_inside) {}

    bool leads_out(const fs::path& folder, const std::string& first_letters, int depth) {
        if (depth > core::kDeepestFolder || !seen_.insert(folder).second) return false;
        std::error_code error;
        fs::directory_iterator it(folder, error);
        for (const fs::directory_iterator end; !error && it != end; it.increment(error)) {
            const std::string name = it->path().filename().string();
            if (name.starts_with(first_letters) && (!first_letters.empty() || !name.starts_with('.')) &&
                leads_out(*it, depth))
                return true;
        }
        return false;
    }

private:
    bool leads_out(const fs::directory_entry& entry, int depth) {
        std::error_code unknown;
        fs::path whole = entry.path();
        if (entry.is_symlink(unknown)) {
            std::optional<fs::path> end = find_end(whole);
            if (!end || !is_inside_(*end)) return true;
            whole = *std::move(end);
        }
        return fs::is_directory(whole, unknown) && leads_out(whole, {}, depth + 1);
    }

    const std::function<bool(const fs::path&)>& is_inside_;
    std::set<fs::path> seen_;
};

}  // namespace

bool has_outward_link(const fs::path& whole, const std::function<bool(const fs::path&)>& is_inside) {
    Walk walk(is_inside);
    std::error_code unknown;
    if (fs::is_directory(whole, unknown)) return walk.leads_out(whole, {}, 0);
    std::string name = whole.filename().string();
    if (name.ends_with(core::kSummaryFileEnding)) name.clear();  // index files around a summary belong to it
    if (core::is_index_file(name)) name = core::trace_of_index(name).string();
    return walk.leads_out(whole.parent_path(), name, 0);
}

}  // namespace app::mcp
