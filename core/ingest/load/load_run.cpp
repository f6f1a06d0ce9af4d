#include "core/ingest/load/load_run.hpp"

#include "core/graphs/capture_folders.hpp"
#include "core/ingest/load/finished_files.hpp"
#include "core/ingest/load/formats.hpp"
#include "core/ingest/load/node_annotations.hpp"
#include "core/ingest/load/run_loader.hpp"
#include "core/ingest/load/take_telemetry.hpp"
#include "core/ingest/remote/remote_run.hpp"

#include <algorithm>

namespace core {
namespace {

std::string name_of(std::span<const std::filesystem::path> paths) {
    if (paths.size() != 1) return paths.empty() ? "" : paths.front().parent_path().filename().string();
    std::error_code ignored;
    const std::filesystem::path path = std::filesystem::weakly_canonical(paths.front(), ignored);
    return path.filename().string();
}

// Files of the folders of captures, behind those of the run; a file of both counts for the run.
Result<bool> add_captures(std::span<const std::filesystem::path> folders, Discovery& found) {
    if (folders.empty() || found.files.empty()) return true;
    Result<Discovery> captures = discover_files(folders);
    if (!captures) return std::move(captures).error();
    for (FoundFile& file : captures->files) {
        if (std::ranges::find(found.files, file.path, &FoundFile::path) != found.files.end()) continue;
        file.only_captures = true;
        found.files.push_back(std::move(file));
    }
    std::ranges::stable_sort(
        found.files, [](const std::string& a, const std::string& b) { return name_before(a, b); },
        [](const FoundFile& file) { return file.path.string(); });
    return true;
}

// Files that are not read as traces, but that answers depend on.
std::vector<std::filesystem::path> files_besides(const Discovery& found, std::span<const Companion> telemetry,
                                                 std::span<const NodeAnnotations> annotations) {
    std::vector<std::filesystem::path> files = found.others;
    for (const Companion& companion : telemetry) files.push_back(companion.trace().info.path);
    for (const NodeAnnotations& of_nodes : annotations) files.push_back(of_nodes.path);
    return files;
}

// Stacks of nodes are named like traces.
std::vector<std::filesystem::path> files_of_nodes(const Discovery& found) {
    std::vector<std::filesystem::path> files = found.others;
    for (const FoundFile& file : found.files)
        if (file.index.empty()) files.push_back(file.path);
    return files;
}

Result<RunPtr> load_local_run(std::span<const std::filesystem::path> paths, std::string name,
                              const LoadOptions& options, LoadProgress& progress, const JobContext& context) {
    Result<Discovery> found = discover_files(paths);
    if (!found) return std::move(found).error();
    if (Result<bool> added = add_captures(capture_folders(), *found); !added) return std::move(added).error();
    if (options.finished)
        std::erase_if(found->files, [&](const FoundFile& file) {
            const auto finished = options.finished->find(file.path);
            return !file.index.empty() || finished == options.finished->end() ||
                   read_file_state(file.path) != finished->second;
        });
    std::vector<Companion> telemetry = take_telemetry(*found, options.rules);
    const std::vector<NodeAnnotations> annotations = read_annotations(files_of_nodes(*found), context);
    const auto is_of_nodes = [&](const std::filesystem::path& path) {
        return std::ranges::find(annotations, path, &NodeAnnotations::path) != annotations.end();
    };
    std::erase_if(found->files, [&](const FoundFile& file) { return is_of_nodes(file.path); });
    if (found->files.empty()) return no_trace_in(paths, *found);
    expect(found->files, progress);
    IndexCache keeper(options.rules, {});
    keeper.use_cache(options.index_files == IndexFiles::UseCache, options.cache_limit);
    std::vector<LeftOut> left_out = find_left_out(*found);
    std::erase_if(left_out, [&](const LeftOut& file) { return is_of_nodes(file.path); });
    // While a job still writes, files under temporary names are on their way.
    if (options.finished)
        std::erase_if(left_out, [](const LeftOut& file) { return is_temporary_name(file.path.filename().string()); });
    std::vector<std::filesystem::path> besides = files_besides(*found, telemetry, annotations);
    RunLoader loader(std::move(*found), std::move(name), options,
                     options.index_files != IndexFiles::Ignore && options.step_marks.empty() ? &keeper : nullptr,
                     RunLoader::Keep::Ranks, progress, context);
    loader.leave_out(std::move(left_out));
    loader.add_companions(std::move(telemetry));
    loader.depend_on(std::move(besides));
    Result<RunPtr> run = loader.load();
    if (run) attach_annotations(annotations, **run);
    return run;
}

}  // namespace

Result<RunPtr> load_run(std::span<const std::filesystem::path> paths, const LoadOptions& options,
                        LoadProgress& progress, const JobContext& context) {
    const auto remote = std::ranges::find_if(paths, is_remote_path);
    if (remote == paths.end()) return load_local_run(paths, name_of(paths), options, progress, context);
    if (paths.size() != 1)
        return bad_input(remote->string() + ": is a whole run on another machine: open it by itself");
    Result<RemoteRun> opened = open_remote_run(*parse_remote_path(remote->string()), progress, context);
    if (!opened) return std::move(opened).error();
    LoadOptions with_pages = options;
    with_pages.pages = opened->pages;
    const std::filesystem::path summary[] = {opened->summary};
    return load_local_run(summary, opened->name, with_pages, progress, context);
}

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
