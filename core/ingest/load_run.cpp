#include "core/ingest/load_run.hpp"

#include "core/ingest/align_clocks.hpp"
#include "core/ingest/discover.hpp"
#include "core/ingest/formats.hpp"
#include "core/ingest/identify_ranks.hpp"

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <numeric>
#include <thread>

namespace core {
namespace {

// What has become of one file.
struct LoadedFile {
    RankIndexPtr index;
    std::shared_ptr<const std::vector<SessionName>> names;
};

class RunLoader {
public:
    RunLoader(std::vector<FoundFile> files, std::string name, const LoadOptions& options, LoadProgress& progress,
              const JobContext& context)
        : files_(std::move(files)),
          name_(std::move(name)),
          options_(options),
          progress_(progress),
          context_{context.stop, context.progress, &crew_},
          names_(options.names ? options.names : std::make_shared<SessionNames>()),
          loaded_(files_.size()) {
        // The largest first, so that the last to finish is a small one.
        largest_first_.resize(files_.size());
        std::iota(largest_first_.begin(), largest_first_.end(), std::size_t{0});
        std::ranges::stable_sort(largest_first_, std::greater{}, [&](std::size_t i) { return files_[i].bytes; });
    }

    Result<RunPtr> load();

private:
    struct Active {
        std::shared_ptr<TraceReader> reader;
        unsigned threads = 0;
    };

    void work();
    bool start_file(std::size_t& file);
    void load_file(std::size_t file);
    bool help();
    void leave_files();
    void file_failed(std::size_t file, const Error& error);
    void file_arrived(std::size_t file, const RankTracePtr& trace);
    RunPtr build_run() const;

    std::vector<FoundFile> files_;
    std::string name_;
    const LoadOptions& options_;
    LoadProgress& progress_;
    Crew crew_;
    const JobContext context_;
    std::shared_ptr<SessionNames> names_;
    std::vector<std::size_t> largest_first_;

    std::mutex mutex_;  // of all below
    std::condition_variable opened_;
    std::size_t next_ = 0;
    std::size_t opening_ = 0;
    unsigned with_files_ = 0;  // threads that may still have a file to finish
    std::vector<Active> active_;
    std::vector<LoadedFile> loaded_;
    std::size_t arrived_ = 0;
    Diagnostics troubles_;
    Error first_failure_{ErrorCode::NotFound, ""};
    std::mutex publishing_;
};

bool RunLoader::start_file(std::size_t& file) {
    const std::lock_guard lock(mutex_);
    if (next_ == largest_first_.size() || context_.cancelled()) return false;
    file = largest_first_[next_++];
    ++opening_;
    return true;
}

void RunLoader::load_file(std::size_t file) {
    Result<std::unique_ptr<TraceReader>> opened = open_trace(files_[file].path, progress_);
    std::shared_ptr<TraceReader> reader;
    if (opened) reader = std::move(*opened);
    {
        const std::lock_guard lock(mutex_);
        if (reader) active_.push_back({reader, 1});
        --opening_;
    }
    opened_.notify_all();
    if (!reader) {
        progress_.bytes_done += files_[file].bytes;
        return file_failed(file, opened.error());
    }
    reader->work(context_);
    {
        const std::lock_guard lock(mutex_);
        std::erase_if(active_, [&](const Active& active) { return active.reader == reader; });
    }
    const Result<RankTracePtr> trace = reader->finish(context_);
    if (trace)
        file_arrived(file, *trace);
    else
        file_failed(file, trace.error());
}

// A thread without a file of its own lends a hand where the fewest are.
bool RunLoader::help() {
    std::shared_ptr<TraceReader> reader;
    {
        std::unique_lock lock(mutex_);
        opened_.wait(lock, [&] { return !active_.empty() || opening_ == 0; });
        const auto fewest = std::ranges::min_element(active_, {}, &Active::threads);
        if (fewest == active_.end()) return false;
        ++fewest->threads;
        reader = fewest->reader;
    }
    reader->work(context_);
    const std::lock_guard lock(mutex_);
    std::erase_if(active_, [&](const Active& active) { return active.reader == reader; });
    return true;
}

void RunLoader::work() {
    try {
        for (std::size_t file = 0; start_file(file);) load_file(file);
    } catch (...) {
        leave_files();
        throw;
    }
    leave_files();
    while (help()) {}
    crew_.help();
}

void RunLoader::leave_files() {
    const std::lock_guard lock(mutex_);
    if (--with_files_ == 0) crew_.dismiss();
}

void RunLoader::file_failed(std::size_t file, const Error& error) {
    if (error.code == ErrorCode::Cancelled) return;
    const std::lock_guard lock(mutex_);
    const std::string message = files_[file].path.filename().string() + ": " + error.message;
    const bool no_trace = error.code == ErrorCode::NotFound && !files_[file].named;
    troubles_.add(no_trace ? "not-a-trace" : "file-unreadable", message);
    if (first_failure_.message.empty() ||
        (first_failure_.code == ErrorCode::NotFound && error.code != ErrorCode::NotFound)) {
        first_failure_ = Error{error.code, error.message}.within(files_[file].path.string());
    }
    progress_.ranks_total -= 1;
}

void RunLoader::file_arrived(std::size_t file, const RankTracePtr& trace) {
    const LoadedFile loaded{std::make_shared<const RankIndex>(trace, options_.rules, context_),
                            names_->build_table(trace->names)};
    const std::lock_guard publishing(publishing_);
    RunPtr run;
    {
        const std::lock_guard lock(mutex_);
        loaded_[file] = loaded;
        ++arrived_;
        progress_.ranks_done += 1;
        if (options_.on_rank && !context_.cancelled()) run = build_run();
    }
    if (run) options_.on_rank(std::move(run));
}

RunPtr RunLoader::build_run() const {
    RunParts parts;
    parts.name = name_;
    parts.rules = options_.rules;
    parts.diagnostics = troubles_;
    parts.names = names_;
    std::vector<RankClaim> claims;
    for (std::size_t i = 0; i < files_.size(); ++i) {
        if (!loaded_[i].index) continue;
        claims.push_back({files_[i].path, loaded_[i].index->trace().info.rank});
        parts.ranks.push_back({{}, {}, loaded_[i].index, {}, loaded_[i].names});
    }
    const std::vector<RankIdentity> identities = identify_ranks(claims, parts.diagnostics);
    std::vector<RankWindow> windows;
    for (std::size_t i = 0; i < parts.ranks.size(); ++i) {
        parts.ranks[i].key = identities[i].key;
        parts.ranks[i].source = identities[i].source;
        windows.push_back({identities[i].key, parts.ranks[i].trace().window, claims[i].path.filename().string()});
    }
    const std::vector<ClockMap> clocks = align_clocks(windows, parts.diagnostics);
    for (std::size_t i = 0; i < parts.ranks.size(); ++i) parts.ranks[i].clock = clocks[i];
    return std::make_shared<const Run>(std::move(parts));
}

Result<RunPtr> RunLoader::load() {
    const unsigned threads =
        options_.threads != 0 ? options_.threads : std::max(1u, std::thread::hardware_concurrency());
    with_files_ = threads;
    parallel_for(threads, threads, [&](std::size_t) { work(); });
    if (context_.cancelled()) return Error{ErrorCode::Cancelled, "cancelled"};
    if (arrived_ == 0) return first_failure_;
    return build_run();
}

std::string name_of(std::span<const std::filesystem::path> paths) {
    if (paths.size() != 1) return paths.empty() ? "" : paths.front().parent_path().filename().string();
    std::error_code ignored;
    const std::filesystem::path path = std::filesystem::weakly_canonical(paths.front(), ignored);
    return path.filename().string();
}

}  // namespace

Result<RunPtr> load_run(std::span<const std::filesystem::path> paths, const LoadOptions& options,
                        LoadProgress& progress, const JobContext& context) {
    Result<std::vector<FoundFile>> files = discover_files(paths);
    if (!files) return std::move(files).error();
    if (files->empty()) {
        const std::string where = paths.empty() ? "" : paths.front().string() + ": ";
        return Error{ErrorCode::NotFound,
                     where + "no file here is named like a trace (.json, .json.gz, .pfw.gz, .trace)"};
    }
    for (const FoundFile& file : *files) progress.bytes_total += file.bytes;
    progress.ranks_total += static_cast<std::uint32_t>(files->size());
    return RunLoader(std::move(*files), name_of(paths), options, progress, context).load();
}

}  // namespace core
