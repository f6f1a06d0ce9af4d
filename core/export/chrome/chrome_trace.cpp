#include "core/export/chrome/chrome_trace.hpp"

#include "core/export/chrome/chrome_writer.hpp"
#include "core/ingest/load/discover.hpp"

#include <algorithm>

namespace core {
namespace {

namespace fs = std::filesystem;

bool ends_like_a_trace(const fs::path& path) {
    const std::string name = path.filename().string();
    return name.ends_with(".json") || name.ends_with(".gz");
}

Result<bool> check_folder(const fs::path& folder, std::size_t ranks) {
    const std::string many = std::to_string(ranks) + " ranks need a folder; name one, or choose a rank with --ranks";
    std::error_code unknown;
    if (fs::is_directory(folder, unknown)) return true;
    if (fs::exists(folder, unknown)) return Error{ErrorCode::Io, folder.string() + ": is a file: " + many};
    if (ends_like_a_trace(folder)) return Error{ErrorCode::BadInput, folder.string() + ": looks like a file: " + many};
    return true;
}

InputFiles traces_of(const Run& run) {
    std::vector<fs::path> paths;
    for (const RankSlot& rank : run.ranks()) paths.push_back(rank.trace().info.path);
    return run_inputs({}, std::move(paths));
}

Result<bool> make_folders(std::span<const ChromeFile> files) {
    for (const ChromeFile& file : files) {
        const fs::path folder = file.path.parent_path();
        std::error_code error;
        if (folder.empty() || fs::is_directory(folder, error)) continue;
        fs::create_directories(folder, error);
        if (error) return Error{ErrorCode::Io, folder.string() + ": cannot create the folder: " + error.message()};
    }
    return true;
}

}  // namespace

// Names sort second captures after the first, so they are second captures again when read.
std::string chrome_file_name(RankKey key, bool gzip) {
    std::string name = "rank" + std::to_string(key.number);
    if (key.capture > 0) {
        const std::string capture = std::to_string(key.capture + 1);
        name += "_capture" + std::string(capture.size() < 4 ? 4 - capture.size() : 0, '0') + capture;
    }
    return name + (gzip ? ".json.gz" : ".json");
}

Result<std::vector<ChromeFile>> plan_chrome_files(const Run& run, const Filter& filter, const fs::path& out, bool gzip,
                                                  std::optional<InputFiles> inputs) {
    std::vector<ChromeFile> files;
    for (std::size_t slot = 0; slot < run.ranks().size(); ++slot) {
        if (filter.accepts_rank(run.rank(slot).key)) files.push_back({slot, out, {}});
    }
    if (files.empty()) return Error{ErrorCode::NotFound, run.name() + ": no rank of this run matches the filter"};
    std::error_code unknown;
    const bool is_folder = files.size() > 1 || !out.has_filename() || fs::is_directory(out, unknown);
    if (is_folder && out.has_filename()) {
        if (Result<bool> fits = check_folder(out, files.size()); !fits) return std::move(fits).error();
    }
    if (!inputs) inputs = traces_of(run);
    for (ChromeFile& file : files) {
        file.inputs = *inputs;
        if (is_folder) file.path = out / chrome_file_name(run.rank(file.slot).key, gzip);
        std::error_code absent;
        if (!fs::exists(file.path, absent)) continue;  // its folder may not exist yet
        if (Result<bool> free = check_output(file.path, {.inputs = *inputs}); !free) return std::move(free).error();
    }
    return files;
}

Result<ChromeText> write_chrome_text(const Run& run, std::size_t slot, const Filter& filter, OutputFile& file,
                                     const JobContext& context) {
    const Result<RankView> view = build_rank_view(run, slot, filter, context);
    if (!view) return view.error();
    const Result<ChromeAdditions> additions = collect_chrome_additions(*view, context);
    if (!additions) return additions.error();
    ChromeWriter writer(*view, file, context);
    if (Result<bool> written = writer.write(*additions); !written) return std::move(written).error();
    const RankTrace& trace = run.rank(slot).trace();
    if (trace.blob().is_lost())
        return Error{ErrorCode::Io, "gone: file changed: the index file of " + trace.info.path.string() +
                                        " was cut or overwritten while it was open: run the command again"};
    return ChromeText{.events = writer.events(), .added = writer.added(), .bytes = writer.bytes()};
}

Result<ChromeSummary> write_chrome_trace(const Run& run, const Filter& filter, const ChromeFile& to,
                                         const JobContext& context) {
    Result<OutputFile> file = OutputFile::create(to.path, {.gzip = to.path.extension() == ".gz", .inputs = to.inputs});
    if (!file) return std::move(file).error();
    const Result<ChromeText> text = write_chrome_text(run, to.slot, filter, *file, context);
    if (!text) return text.error();
    const Result<std::uint64_t> bytes = file->commit();
    if (!bytes) return bytes.error();
    return ChromeSummary{.file = to, .events = text->events, .added = text->added, .bytes = *bytes};
}

Result<std::vector<ChromeSummary>> write_chrome_traces(const Run& run, const Filter& filter,
                                                       std::span<const ChromeFile> files, unsigned threads,
                                                       const JobContext& context) {
    if (Result<bool> made = make_folders(files); !made) return std::move(made).error();
    std::vector<Result<ChromeSummary>> results(files.size(), cancelled_error());
    if (context.progress) context.progress->total = files.size();
    Executor::instance().parallel_for(Priority::Answer, files.size(), threads, [&](std::size_t i) {
        if (context.cancelled()) return;
        results[i] = write_chrome_trace(run, filter, files[i], context);
        if (context.progress) ++context.progress->done;
    });
    std::vector<ChromeSummary> summaries;
    for (Result<ChromeSummary>& result : results) {
        if (!result) return std::move(result).error();
        summaries.push_back(*std::move(result));
    }
    return summaries;
}

}  // namespace core
