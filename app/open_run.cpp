#include "app/open_run.hpp"

#include "core/base/format.hpp"
#include "core/ingest/load/load_run.hpp"

namespace app {

std::string describe_progress(const core::LoadProgress& progress) {
    const std::uint32_t indexed = progress.ranks_from_index;
    const std::uint64_t total = progress.bytes_total;
    const double share = total == 0 ? 0 : static_cast<double>(progress.bytes_done.load()) / static_cast<double>(total);
    return "reading: " + core::format_ratio(share) + " of " + core::format_bytes(static_cast<std::int64_t>(total)) +
           ", " + std::to_string(progress.ranks_done.load()) + " of " + std::to_string(progress.ranks_total.load()) +
           " ranks" + (indexed > 0 ? " (" + std::to_string(indexed) + " from index files)" : "") + ", " +
           core::format_count(static_cast<std::int64_t>(progress.events.load())) + " events" +
           (progress.is_arranging() ? ", putting the events in order" : "");
}

core::Result<core::RunPtr> open_run(std::span<const std::string> paths, const Loading& loading, bool quiet,
                                    std::stop_token stop, std::shared_ptr<core::SessionNames> names) {
    core::LoadProgress progress;
    core::LoadOptions options;
    options.threads = loading.threads;
    options.index_files = loading.index_files;
    options.names = std::move(names);
    const std::vector<std::filesystem::path> files(paths.begin(), paths.end());
    const ProgressLine line(!quiet, [&] { return describe_progress(progress); });
    return core::load_run(files, options, progress, {std::move(stop), nullptr});
}

}  // namespace app
