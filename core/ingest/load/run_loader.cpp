#include "core/ingest/load/run_loader.hpp"

#include "core/base/format.hpp"
#include "core/ingest/index_file/run_files.hpp"
#include "core/ingest/index_file/thin_rank.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace core {
namespace {

// Before the reason that is left for the other processes.
constexpr std::string_view kFailed = "!";
constexpr std::string_view kNoTrace = "-";

// The largest first, so that the last to finish is a small one.
std::vector<std::size_t> largest_first(std::span<const FoundFile> files) {
    std::vector<std::size_t> order(files.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return files[i].bytes; });
    return order;
}

IndexOutcome outcome_without_file(IndexOutcome::Kind kind, std::string why) {
    return {.kind = kind, .trace = {}, .file = {}, .bytes = 0, .why = std::move(why)};
}

}  // namespace

RunLoader::RunLoader(Discovery found, std::string name, const LoadOptions& options, IndexCache* keeper, Keep keep,
                     LoadProgress& progress, const JobContext& context, const Sharing& sharing)
    : files_(std::move(found.files)),
      options_(options),
      progress_(progress),
      context_{.stop = context.stop,
               .progress = context.progress,
               .executor = &Executor::instance(),
               .pulse = &progress.pulse},
      keeper_(keeper),
      shares_folder_(sharing.claims != nullptr),
      handed_out_(sharing.handout != nullptr),
      found_(std::move(found.diagnostics)),
      queue_(make_work_queue(largest_first(files_), sharing)),
      reader_(options.rules, options.step_marks, progress, context_),
      publisher_(
          {.files = files_, .name = std::move(name), .keep = keep, .all_begun = [this] { return queue_->all_taken(); }},
          found_, options, progress, context_),
      outcomes_(files_.size()),
      taken_(files_.size()),
      sources_(files_.size()) {}

std::optional<std::size_t> RunLoader::start_file() {
    reader_.expect();
    const std::optional<std::size_t> file = queue_->take(context_);
    if (!file) {
        reader_.skip();
        return std::nullopt;
    }
    taken_[*file] = 1;
    if (handed_out_) expect(std::span(files_).subspan(*file, 1), progress_);
    return file;
}

void RunLoader::work() {
    do {
        while (const std::optional<std::size_t> file = start_file()) load_file(*file);
        while (reader_.help()) {}
    } while (queue_->wait_for_others(context_));
}

void RunLoader::load_file(std::size_t file) {
    if (!files_[file].index.empty()) return open_index_alone(file);
    if (options_.finished && options_.kept && reuse_ranks(file)) return;
    IndexCache::Found found;
    if (keeper_) {
        found = keeper_->find(files_[file], context_);
        if (shares_folder_ && !found.current && !context_.cancelled()) {
            if (!claim(file)) return;
            found = keeper_->find(files_[file], context_);  // another process may have made it in between
        }
        sources_[file] = found.source;
    }
    if (!found.word.empty()) publisher_.note("index-rebuilt", file, found.word);
    if (context_.cancelled() || !found.index) return read_file(file, found);
    add_opened(file, found.index);
    if (!found.current) return keep_index(file, found.index, found);
    std::error_code unknown;
    const std::uintmax_t bytes = std::filesystem::file_size(found.file, unknown);
    finish_file(file, {.kind = IndexOutcome::Kind::Current,
                       .trace = {},
                       .file = found.file,
                       .bytes = unknown ? 0 : static_cast<std::uint64_t>(bytes),
                       .why = {}});
}

// Ranks of an earlier load. True if the file needs no reading.
bool RunLoader::reuse_ranks(std::size_t file) {
    const FileState& state = options_.finished->at(files_[file].path);
    const std::vector<RankIndexPtr> ranks = options_.kept->find(files_[file].path, state);
    if (ranks.empty()) return false;
    reader_.skip();
    progress_.bytes_done += files_[file].bytes;
    add_ranks(file, ranks);
    return true;
}

void RunLoader::open_index_alone(std::size_t file) {
    const FoundFile& found = files_[file];
    const Result<OpenedIndex> opened = open_index_file(found.index, found.path, std::nullopt, options_.rules, context_);
    if (!opened) {
        reader_.skip();
        progress_.bytes_done += found.bytes;
        return publisher_.add_failure(file, Error(opened.error()).within("its index file, without a trace"));
    }
    publisher_.note("index-alone", file,
                    opened->other_program ? "written by another version of Lockstep" : "without its trace");
    if (!opened->rebuilt.empty()) publisher_.note("index-rebuilt", file, opened->rebuilt);
    add_opened(file, opened->index);
}

// Whether the file is for this process to read, now.
bool RunLoader::claim(std::size_t file) {
    const WorkClaim claim = queue_->claim(file, keeper_->places_of(files_[file]));
    if (claim.holder == WorkClaim::Holder::ThisProcess) return true;
    reader_.skip();
    if (claim.holder == WorkClaim::Holder::AnotherProcess) return false;
    const bool is_trace = claim.failure.starts_with(kFailed);
    const std::string why = claim.failure.substr(std::min<std::size_t>(1, claim.failure.size()));
    progress_.bytes_done += files_[file].bytes;
    publisher_.add_failure(file, {is_trace ? ErrorCode::Io : ErrorCode::NotFound, why});
    finish_file(file, outcome_without_file(is_trace ? IndexOutcome::Kind::Failed : IndexOutcome::Kind::NoTrace, why));
    return false;
}

void RunLoader::read_file(std::size_t file, const IndexCache::Found& found) {
    const Result<std::vector<RankIndexPtr>> read = reader_.read(files_[file]);
    if (!read) {
        publisher_.add_failure(file, read.error());
        const bool no_trace = is_no_trace(files_[file], read.error());
        return finish_file(file,
                           outcome_without_file(no_trace ? IndexOutcome::Kind::NoTrace : IndexOutcome::Kind::Failed,
                                                read.error().message));
    }
    const std::vector<RankIndexPtr>& ranks = *read;
    const bool of_summary = summary_of(ranks.front()->trace()) != nullptr;
    add_ranks(file, ranks, of_summary && files_.size() == 1 ? RunPublisher::Then::Wait : RunPublisher::Then::Publish);
    if (of_summary)
        return finish_file(
            file, outcome_without_file(IndexOutcome::Kind::NoTrace, "is a run summary, which has no index file"));
    if (ranks.size() > 1) return keep_none(file, ranks.size());
    keep_index(file, ranks.front(), found);
}

void RunLoader::add_ranks(std::size_t file, const std::vector<RankIndexPtr>& ranks, RunPublisher::Then then) {
    if (options_.finished && options_.kept)
        options_.kept->keep(files_[file].path, options_.finished->at(files_[file].path), ranks);
    publisher_.add_ranks(file, ranks, then);
}

// The rank of an index file.
void RunLoader::add_opened(std::size_t file, const RankIndexPtr& index) {
    reader_.skip();
    progress_.bytes_done += files_[file].bytes;
    progress_.events += index->trace().info.records.total;
    progress_.ranks_from_index += 1;
    add_ranks(file, {index});
}

// An index file holds one rank.
void RunLoader::keep_none(std::size_t file, std::size_t ranks) {
    if (!keeper_ || context_.cancelled()) return;
    const std::string why = "holds " + format_plural(ranks, "rank", "ranks") + ", an index file holds one";
    publisher_.note("index-not-written", file, why);
    finish_file(file, outcome_without_file(IndexOutcome::Kind::NoTrace, why));
}

void RunLoader::keep_index(std::size_t file, const RankIndexPtr& index, const IndexCache::Found& found) {
    if (!keeper_ || context_.cancelled()) return;
    const Result<IndexCache::Kept> kept = keeper_->keep(files_[file], found.source, *index, context_);
    if (kept)
        return finish_file(file, {.kind = IndexOutcome::Kind::Written,
                                  .trace = {},
                                  .file = kept->file,
                                  .bytes = kept->bytes,
                                  .why = found.word});
    if (kept.error().code == ErrorCode::Cancelled) return;
    publisher_.note("index-not-written", file, kept.error().message);
    finish_file(file, outcome_without_file(IndexOutcome::Kind::Failed, kept.error().message));
}

void RunLoader::finish_file(std::size_t file, IndexOutcome outcome) {
    const bool failed = outcome.kind == IndexOutcome::Kind::Failed;
    if (failed || outcome.kind == IndexOutcome::Kind::NoTrace)
        queue_->fail(file, std::string(failed ? kFailed : kNoTrace) + outcome.why);
    else
        queue_->finish(file);
    outcome.trace = files_[file].path;
    outcomes_[file] = std::move(outcome);
}

Result<bool> RunLoader::work_all() {
    const unsigned threads = options_.threads != 0 ? options_.threads : Executor::instance().threads();
    Executor::instance().parallel_for(Priority::Load, threads, threads, [&](std::size_t) { work(); });
    if (context_.cancelled()) return cancelled_error();
    if (publisher_.arrived() == 0 && !handed_out_) return publisher_.all_failed();
    return true;
}

std::shared_ptr<const RunFiles> RunLoader::describe_own_files() const {
    std::vector<ReadFile> read;
    for (std::size_t i = 0; i < files_.size(); ++i)
        read.push_back({.path = files_[i].path,
                        .inside = files_[i].inside,
                        .only_captures = files_[i].only_captures,
                        .source = sources_[i]});
    return describe_files(read, others_, keeper_->places_of(files_.front()));
}

Result<RunPtr> RunLoader::load() {
    try {
        if (Result<bool> worked = work_all(); !worked) {
            publisher_.publish_rest();  // ranks that were read although others failed
            return std::move(worked).error();
        }
    } catch (...) {
        publisher_.publish_rest();
        throw;
    }
    if (keeper_ && !options_.finished && !files_.empty()) publisher_.set_files(describe_own_files());
    return publisher_.build_run();
}

void add_unsearched(const Diagnostics& diagnostics, std::vector<IndexOutcome>& outcomes) {
    for (const Diagnostic& entry : diagnostics.entries()) {
        if (entry.kind->severity != Severity::Loss) continue;
        outcomes.push_back(
            outcome_without_file(IndexOutcome::Kind::Failed,
                                 format_plural(entry.count, "folder", "folders") + " not searched: " + entry.first));
    }
}

Result<std::vector<IndexOutcome>> RunLoader::build_indices() {
    if (Result<bool> worked = work_all(); !worked) return std::move(worked).error();
    add_unsearched(found_, outcomes_);
    return std::move(outcomes_);
}

Result<Indexed> RunLoader::build_own_indices() {
    if (Result<bool> worked = work_all(); !worked) return std::move(worked).error();
    Indexed own{.arrived = publisher_.arrived(), .failure = publisher_.first_failure()};
    for (std::size_t file = 0; file < files_.size(); ++file)
        if (taken_[file]) own.outcomes.emplace_back(file, std::move(outcomes_[file]));
    return own;
}

void expect(std::span<const FoundFile> files, LoadProgress& progress) {
    for (const FoundFile& file : files) progress.bytes_total += file.bytes;
    progress.ranks_total += static_cast<std::uint32_t>(files.size());
}

}  // namespace core
