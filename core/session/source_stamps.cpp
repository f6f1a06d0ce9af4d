#include "core/session/source_stamps.hpp"

#include "core/base/format.hpp"
#include "core/base/platform/files.hpp"

#include <string_view>
#include <unordered_set>

namespace core {
namespace {

constexpr std::size_t kFilesBetweenChecks = 256;

std::string name_of_path(const std::filesystem::path& path) {
    const std::filesystem::path plain = path.has_filename() ? path : path.parent_path();  // "/runs/a/"
    return plain.filename().string();
}

}  // namespace

// Times and sizes of folders change with whatever is put into them, index files too.
std::optional<SourceStamps::Identity> SourceStamps::identify(const std::filesystem::path& path, bool is_file) {
    const std::optional<FileStatus> status = find_file_status(path);
    if (!status) return std::nullopt;
    const bool is_dated = is_file && status->is_regular();
    return Identity{.device = status->device,
                    .file = status->number,
                    .bytes = is_dated ? status->bytes : 0,
                    .changed_ns = is_dated ? status->written_ns : 0};
}

SourceStamps::SourceStamps(std::span<const std::filesystem::path> opened, const Run& run, const JobContext& job) {
    for (const std::filesystem::path& path : opened) opened_.push_back({path, identify(path, false)});
    std::unordered_set<std::string_view> seen;  // a file can hold several ranks
    for (std::size_t i = 0; i < run.ranks().size(); ++i) {
        if (i % kFilesBetweenChecks == 0 && job.cancelled()) return;
        const std::filesystem::path& path = run.rank(i).trace().info.path;
        if (!seen.insert(path.native()).second) continue;
        traces_.push_back({path, identify(path, true)});
    }
}

Result<std::string> SourceStamps::find_changes(const JobContext& job) const {
    for (const Stamp& stamp : opened_) {
        const std::optional<Identity> now = identify(stamp.path, false);
        if (now == stamp.identity) continue;
        return name_of_path(stamp.path) + (now ? ": was replaced" : ": is gone");
    }
    std::size_t changed = 0;
    std::string first;
    for (std::size_t i = 0; i < traces_.size(); ++i) {
        if (i % kFilesBetweenChecks == 0 && job.cancelled()) return cancelled_error();
        if (!traces_[i].identity || identify(traces_[i].path, true) == traces_[i].identity) continue;
        if (changed++ == 0) first = name_of_path(traces_[i].path);
    }
    if (changed == 0) return std::string();
    return format_count(static_cast<std::uint64_t>(changed)) + " of " + format_plural(traces_.size(), "file", "files") +
           (changed == 1 ? " is" : " are") + " gone or changed, first " + first;
}

}  // namespace core
