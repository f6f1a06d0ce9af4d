#include "core/ingest/load/formats.hpp"
#include "core/ingest/load/load_run.hpp"

namespace core {

Result<RankTracePtr> load_rank(const std::filesystem::path& path, LoadProgress& progress, const JobContext& context) {
    std::error_code ignored;
    const std::uintmax_t bytes = std::filesystem::file_size(path, ignored);
    progress.bytes_total += ignored ? 0 : static_cast<std::uint64_t>(bytes);
    progress.ranks_total += 1;
    Result<std::unique_ptr<TraceReader>> reader = open_trace(path, progress);
    if (!reader) return std::move(reader).error().within(path.string());
    Executor& executor = Executor::instance();
    executor.parallel_for(Priority::Load, executor.threads(), executor.threads(),
                          [&](std::size_t) { (*reader)->work(context); });
    Result<RankTracePtr> trace = (*reader)->finish(context);
    if (!trace) return std::move(trace).error().within(path.string());
    progress.ranks_done += 1;
    return trace;
}

}  // namespace core
