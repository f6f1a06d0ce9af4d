#include "core/ingest/load/run_loader.hpp"

#include "core/base/format.hpp"
#include "core/ingest/index_file/thin_rank.hpp"

#include <algorithm>
#include <numeric>
#include <thread>
#include <utility>

namespace core {
namespace {

// Before the reason that is left for the other processes.
constexpr std::string_view kFailed = "!";
constexpr std::string_view kNoTrace = "-";

// Runs a step in reading one file; an exception in it is an error of that file alone.
template <class Step>
auto result_of(const Step& step) -> decltype(step()) {
    try {
        return step();
    } catch (const std::exception& exception) {
        return reader_error(exception);
    }
}

}  // namespace

RunLoader::RunLoader(Discovery found, std::string name, const LoadOptions& options, IndexCache* keeper, Keep keep,
                     LoadProgress& progress, const JobContext& context, const Sharing& sharing)
    : files_(std::move(found.files)),
      name_(std::move(name)),
      options_(options),
      progress_(progress),
      context_{.stop = context.stop,
               .progress = context.progress,
               .executor = &Executor::instance(),
               .pulse = &progress.pulse},
      names_(options.names ? options.names : std::make_shared<InternedNames>()),
      keeper_(keeper),
      keep_(keep),
      claims_(sharing.claims),
      handout_(sharing.handout),
      claimed_(files_.size()),
      loaded_(files_.size()),
      outcomes_(files_.size()),
      troubles_(std::move(found.diagnostics)) {
    // The largest first, so that the last to finish is a small one.
    largest_first_.resize(files_.size());
    std::iota(largest_first_.begin(), largest_first_.end(), std::size_t{0});
    std::ranges::stable_sort(largest_first_, std::greater{}, [&](std::size_t i) { return files_[i].bytes; });
    if (handout_) {
        taken_.resize(files_.size());
        next_ = files_.size();
    }
    if (!claims_) return;
    std::vector<std::size_t> order = order_of_work(files_.size(), sharing.shard);
    for (std::size_t& place : order) place = largest_first_[place];
    largest_first_ = std::move(order);
}

bool RunLoader::start_file(std::size_t& file) {
    if (handout_) return take_file(file);
    const std::lock_guard lock(mutex_);
    if (next_ == largest_first_.size() || context_.cancelled()) return false;
    file = largest_first_[next_++];
    ++opening_;
    return true;
}

// Reuses ranks of an earlier load. True if the file needs no reading.
bool RunLoader::use_kept(std::size_t file) {
    const FileState& state = options_.finished->at(files_[file].path);
    const std::vector<RankIndexPtr> ranks = options_.kept->find(files_[file].path, state);
    if (ranks.empty()) return false;
    leave();
    progress_.bytes_done += files_[file].bytes;
    file_arrived(file, ranks);
    return true;
}

// From the other processes' common list; asking can take a while, in which other threads wait for the file to help
// with.
bool RunLoader::take_file(std::size_t& file) {
    {
        const std::lock_guard lock(mutex_);
        ++opening_;
    }
    const std::optional<std::size_t> place = context_.cancelled() ? std::nullopt : handout_->take();
    if (!place) {
        leave();
        return false;
    }
    file = largest_first_[*place];
    progress_.bytes_total += files_[file].bytes;
    progress_.ranks_total += 1;
    const std::lock_guard lock(mutex_);
    taken_[file] = true;
    return true;
}

void RunLoader::load_file(std::size_t file) {
    if (!files_[file].index.empty()) return open_index_alone(file);
    if (options_.finished && options_.kept && use_kept(file)) return;
    IndexCache::Found found;
    if (keeper_) found = keeper_->find(files_[file], context_);
    if (claims_ && !found.current && !context_.cancelled()) {
        if (!claim(file)) return;
        found = keeper_->find(files_[file], context_);  // another process may have made it in between
    }
    if (!found.word.empty()) note("index-rebuilt", file, found.word);
    if (context_.cancelled() || !found.index) return read_file(file, found);
    leave();
    progress_.bytes_done += files_[file].bytes;
    progress_.events += found.index->trace().info.records.total;
    progress_.ranks_from_index += 1;
    file_arrived(file, {found.index});
    if (!found.current) return keep_index(file, found.index, found);
    std::error_code unknown;
    const std::uintmax_t bytes = std::filesystem::file_size(found.file, unknown);
    finish_file(file, {.kind = IndexOutcome::Kind::Current,
                       .trace = {},
                       .file = found.file,
                       .bytes = unknown ? 0 : static_cast<std::uint64_t>(bytes),
                       .why = {}});
}

void RunLoader::open_index_alone(std::size_t file) {
    const FoundFile& found = files_[file];
    const Result<OpenedIndex> opened = open_index_file(found.index, found.path, std::nullopt, options_.rules, context_);
    leave();
    progress_.bytes_done += found.bytes;
    if (!opened) return file_failed(file, Error(opened.error()).within("its index file, without a trace"));
    note("index-alone", file, opened->other_program ? "written by another version of Lockstep" : "without its trace");
    if (!opened->rebuilt.empty()) note("index-rebuilt", file, opened->rebuilt);
    progress_.events += opened->index->trace().info.records.total;
    progress_.ranks_from_index += 1;
    file_arrived(file, {opened->index});
}

void RunLoader::read_file(std::size_t file, const IndexCache::Found& found) {
    const Result<std::vector<RankIndexPtr>> read = read_ranks(file);
    if (!read) {
        file_failed(file, read.error());
        const bool no_trace = is_no_trace(file, read.error());
        return finish_file(file, {.kind = no_trace ? IndexOutcome::Kind::NoTrace : IndexOutcome::Kind::Failed,
                                  .trace = {},
                                  .file = {},
                                  .bytes = 0,
                                  .why = read.error().message});
    }
    const std::vector<RankIndexPtr>& ranks = *read;
    const bool of_summary = summary_of(ranks.front()->trace()) != nullptr;
    file_arrived(file, ranks, of_summary && files_.size() == 1 ? Then::Done : Then::MayFollow);
    if (of_summary)
        return finish_file(file, {.kind = IndexOutcome::Kind::NoTrace,
                                  .trace = {},
                                  .file = {},
                                  .bytes = 0,
                                  .why = "is a run summary, which has no index file"});
    if (ranks.size() > 1) return keep_none(file, ranks.size());
    keep_index(file, ranks.front(), found);
}

// An index file holds one rank.
void RunLoader::keep_none(std::size_t file, std::size_t ranks) {
    if (!keeper_ || context_.cancelled()) return;
    const std::string why = "holds " + format_plural(ranks, "rank", "ranks") + ", an index file holds one";
    note("index-not-written", file, why);
    finish_file(file, {.kind = IndexOutcome::Kind::NoTrace, .trace = {}, .file = {}, .bytes = 0, .why = why});
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
    note("index-not-written", file, kept.error().message);
    finish_file(file,
                {.kind = IndexOutcome::Kind::Failed, .trace = {}, .file = {}, .bytes = 0, .why = kept.error().message});
}

void RunLoader::note(std::string_view kind, std::size_t file, const std::string& what) {
    const std::lock_guard lock(mutex_);
    troubles_.add(kind, files_[file].path.filename().string() + ": " + what);
}

// Whether the file is for this process to do, now.
bool RunLoader::claim(std::size_t file) {
    for (const std::filesystem::path& place : keeper_->places_of(files_[file])) {
        std::error_code ignored;
        std::filesystem::create_directories(place.parent_path(), ignored);
        Result<Claims::Answer> answer = claims_->claim(place);
        if (!answer) continue;
        if (answer->mine) {
            claimed_[file] = place;
            return true;
        }
        leave();
        if (!answer->failure) {
            const std::lock_guard lock(mutex_);
            left_.push_back(file);
            return false;
        }
        const bool is_trace = answer->failure->starts_with(kFailed);
        const std::string why = answer->failure->substr(std::min<std::size_t>(1, answer->failure->size()));
        progress_.bytes_done += files_[file].bytes;
        file_failed(file, {is_trace ? ErrorCode::Io : ErrorCode::NotFound, why});
        finish_file(file, {is_trace ? IndexOutcome::Kind::Failed : IndexOutcome::Kind::NoTrace, {}, {}, 0, why});
        return false;
    }
    return true;  // nowhere to claim it
}

// The file needs no reader, or none yet.
void RunLoader::leave() {
    {
        const std::lock_guard lock(mutex_);
        --opening_;
    }
    opened_.notify_all();
}

void RunLoader::release(std::size_t file, const IndexOutcome& outcome) {
    const std::filesystem::path place = std::exchange(claimed_[file], {});
    if (place.empty()) return;
    const bool failed = outcome.kind == IndexOutcome::Kind::Failed;
    if (failed || outcome.kind == IndexOutcome::Kind::NoTrace)
        return claims_->fail(place, std::string(failed ? kFailed : kNoTrace) + outcome.why);
    claims_->release(place);
}

// Whether there is more to do: files that other processes have not finished.
bool RunLoader::take_up_again() {
    constexpr std::chrono::milliseconds kSlice{20}, kLongest{3'000};
    std::chrono::milliseconds patience{0};
    if (context_.cancelled()) return false;
    {
        const std::lock_guard lock(mutex_);
        if (next_ < largest_first_.size()) return true;
        if (left_.empty()) return false;
        patience = patience_;
        patience_ = std::min(patience_ * 2, kLongest);
    }
    for (std::chrono::milliseconds slept{0}; slept < patience && !context_.cancelled(); slept += kSlice) {
        std::this_thread::sleep_for(kSlice);
        progress_.pulse += 1;
    }
    const std::lock_guard lock(mutex_);
    for (const std::size_t file : std::exchange(left_, {})) largest_first_.push_back(file);
    return !context_.cancelled();
}

void RunLoader::finish_file(std::size_t file, IndexOutcome outcome) {
    if (claims_) release(file, outcome);
    outcome.trace = files_[file].path;
    outcomes_[file] = std::move(outcome);  // nobody else's
}

Result<std::vector<RankIndexPtr>> RunLoader::read_ranks(std::size_t file) {
    Result<std::vector<RankTracePtr>> traces = read_traces(file);
    if (!traces) return std::move(traces).error();
    return result_of([&]() -> Result<std::vector<RankIndexPtr>> {
        std::vector<RankIndexPtr> ranks(traces->size());
        const bool of_summary = summary_of(*traces->front()) != nullptr;
        context_.parallel_for(ranks.size(), [&](std::size_t i) {
            ranks[i] = of_summary
                           ? index_of_summary((*traces)[i])
                           : std::make_shared<const RankIndex>(std::move((*traces)[i]), options_.rules, context_);
        });
        return ranks;
    });
}

Result<std::vector<RankTracePtr>> RunLoader::read_traces(std::size_t file) {
    Result<std::unique_ptr<TraceReader>> opened = result_of([&] { return open_trace(files_[file].path, progress_); });
    std::shared_ptr<TraceReader> reader;
    if (opened) {
        reader = std::move(*opened);
        reader->choose_steps(options_.step_marks);
    }
    {
        const std::lock_guard lock(mutex_);
        if (reader) active_.push_back({reader, 1});
        --opening_;
    }
    opened_.notify_all();
    if (!reader) {
        progress_.bytes_done += files_[file].bytes;
        return std::move(opened).error();
    }
    work_on(reader);
    if (std::optional<Error> failed = find_failure(reader)) return *std::move(failed);
    Result<std::vector<RankTracePtr>> traces = result_of([&] { return reader->finish_ranks(context_); });
    if (std::optional<Error> failed = find_failure(reader)) return *std::move(failed);
    return traces;
}

std::optional<Error> RunLoader::find_failure(const std::shared_ptr<TraceReader>& reader) {
    const std::lock_guard lock(mutex_);
    const auto failed = failed_.find(reader);
    return failed == failed_.end() ? std::nullopt : std::optional(failed->second);
}

// Whichever thread an exception comes up in, it is an error of the file.
void RunLoader::work_on(const std::shared_ptr<TraceReader>& reader) {
    const Result<bool> worked = result_of([&]() -> Result<bool> {
        reader->work(context_);
        return true;
    });
    const std::lock_guard lock(mutex_);
    if (!worked) failed_.try_emplace(reader, worked.error());
    std::erase_if(active_, [&](const Active& active) { return active.reader == reader; });
}

// A thread without a file of its own helps with the file that has the fewest threads.
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
    work_on(reader);
    return true;
}

void RunLoader::work() {
    do {
        for (std::size_t file = 0; start_file(file);) load_file(file);
        while (help()) {}
    } while (take_up_again());
}

void RunLoader::file_failed(std::size_t file, const Error& error) {
    if (error.code == ErrorCode::Cancelled) return;
    const bool no_trace = is_no_trace(file, error);
    std::optional<UnreadKind> kind = no_trace ? find_unread_kind(files_[file].path) : std::nullopt;
    const std::lock_guard publishing(publishing_);
    {
        const std::lock_guard lock(mutex_);
        const std::string message = files_[file].path.filename().string() + ": " + error.message;
        if (kind && kind->is_profile)
            left_out_.push_back({.path = files_[file].path, .kind = *std::move(kind)});
        else
            troubles_.add(no_trace ? "not-a-trace" : "file-unreadable", message);
        // By position, not by time: which file is named must not depend on which thread was faster.
        first_failure_.add(Error{error.code, error.message}.within(files_[file].path.string()), file);
        progress_.ranks_total -= 1;
    }
    hand_over();
}

// Thousands of ranks are not put together anew at each of them; but where they come slowly they are, and the last ones,
// which would wait for the slowest file and for index files.
bool RunLoader::is_hand_over_due() const {
    if (!options_.on_rank || context_.cancelled()) return false;
    const auto since = std::chrono::steady_clock::now() - handed_over_at_;
    return handed_over_.is_due(arrived_, std::chrono::duration_cast<std::chrono::microseconds>(since),
                               next_ == files_.size());
}

// With publishing_ held, so that later Runs have more ranks.
void RunLoader::hand_over() {
    RunPtr run;
    {
        const std::lock_guard lock(mutex_);
        if (!is_hand_over_due()) return;
        run = build_run();
        handed_over_.publish(arrived_);
        handed_over_at_ = std::chrono::steady_clock::now();
    }
    options_.on_rank(std::move(run));
}

// Keeps ranks that were read although others failed.
void RunLoader::hand_over_rest() {
    if (options_.on_rank && !handed_over_.is_complete(arrived_)) options_.on_rank(build_run());
}

void RunLoader::file_arrived(std::size_t file, const std::vector<RankIndexPtr>& ranks, Then then) {
    if (options_.finished && options_.kept)
        options_.kept->keep(files_[file].path, options_.finished->at(files_[file].path), ranks);
    std::vector<LoadedRank> loaded;
    if (keep_ == Keep::Ranks)
        for (const RankIndexPtr& index : ranks) loaded.push_back({index, names_->build_table(index->trace().names)});
    const std::lock_guard publishing(publishing_);
    {
        const std::lock_guard lock(mutex_);
        loaded_[file] = std::move(loaded);
        arrived_ += ranks.size();
        progress_.ranks_total += static_cast<std::uint32_t>(ranks.size() - 1);
        progress_.ranks_done += static_cast<std::uint32_t>(ranks.size());
    }
    if (then == Then::MayFollow) hand_over();
}

Error RunLoader::all_failed() const { return all_failed_of(first_failure_.error, files_.size()); }

RunPtr RunLoader::build_run() const {
    RunParts parts;
    parts.name = name_;
    parts.rules = options_.rules;
    parts.diagnostics = troubles_;
    add_left_out(left_out_, parts.diagnostics);
    parts.names = names_;
    parts.pages = options_.pages;
    parts.companions = companions_;
    return assemble_run(std::move(parts), files_, loaded_);
}

Result<bool> RunLoader::work_all() {
    const unsigned threads = options_.threads != 0 ? options_.threads : Executor::instance().threads();
    Executor::instance().parallel_for(Priority::Load, threads, threads, [&](std::size_t) { work(); });
    if (context_.cancelled()) return cancelled_error();
    if (arrived_ == 0 && !handout_) return all_failed();
    return true;
}

Result<RunPtr> RunLoader::load() {
    try {
        if (Result<bool> worked = work_all(); !worked) {
            hand_over_rest();
            return std::move(worked).error();
        }
    } catch (...) {
        hand_over_rest();
        throw;
    }
    return build_run();
}

void add_unsearched(const Diagnostics& diagnostics, std::vector<IndexOutcome>& outcomes) {
    for (const Diagnostic& entry : diagnostics.entries()) {
        if (entry.kind->severity != Severity::Loss) continue;
        outcomes.push_back({.kind = IndexOutcome::Kind::Failed,
                            .trace = {},
                            .file = {},
                            .bytes = 0,
                            .why = format_plural(entry.count, "folder", "folders") + " not searched: " + entry.first});
    }
}

Result<std::vector<IndexOutcome>> RunLoader::build_indices() {
    const Diagnostics unsearched = troubles_;
    if (Result<bool> worked = work_all(); !worked) return std::move(worked).error();
    add_unsearched(unsearched, outcomes_);
    return std::move(outcomes_);
}

Result<Indexed> RunLoader::build_own_indices() {
    if (Result<bool> worked = work_all(); !worked) return std::move(worked).error();
    Indexed own{.arrived = arrived_, .failure = first_failure_};
    for (std::size_t file = 0; file < files_.size(); ++file)
        if (taken_[file]) own.outcomes.emplace_back(file, std::move(outcomes_[file]));
    return own;
}

void expect(std::span<const FoundFile> files, LoadProgress& progress) {
    for (const FoundFile& file : files) progress.bytes_total += file.bytes;
    progress.ranks_total += static_cast<std::uint32_t>(files.size());
}

}  // namespace core
