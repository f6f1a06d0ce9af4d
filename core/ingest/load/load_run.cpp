#include "core/ingest/load/load_run.hpp"

#include "core/base/format.hpp"
#include "core/cluster/claims.hpp"
#include "core/ingest/index_file/thin_rank.hpp"
#include "core/ingest/load/align_clocks.hpp"
#include "core/ingest/load/discover.hpp"
#include "core/ingest/load/formats.hpp"
#include "core/ingest/load/hand_over.hpp"
#include "core/ingest/load/identify_ranks.hpp"
#include "core/ingest/load/index_messages.hpp"
#include "core/ingest/load/keep_index.hpp"
#include "core/ingest/load/local_pages.hpp"
#include "core/ingest/load/place_logs.hpp"
#include "core/ingest/remote/remote_run.hpp"
#include "core/store/flight_names.hpp"
#include "core/store/memory_names.hpp"

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>

namespace core {
namespace {

// Before the reason that is left for the other processes.
constexpr std::string_view kFailed = "!";
constexpr std::string_view kNoTrace = "-";
constexpr auto kMostRankSource = static_cast<std::uint32_t>(RankSource::Order);

// One rank of a file.
struct LoadedRank {
    RankIndexPtr index;
    std::shared_ptr<const std::vector<SessionName>> names;
};

// Work done together with other processes.
struct Sharing {
    Claims* claims = nullptr;  // of processes that share a folder; null: none
    Share share{};
    Handout* handout = nullptr;  // of processes that pass messages; null: none
};

class RunLoader {
public:
    // With a keeper, index files are used. Then ranks can be let go as they arrive (Keep::Indices).
    enum class Keep { Ranks, Indices };
    RunLoader(Discovery found, std::string name, const LoadOptions& options, IndexKeeper* keeper, Keep keep,
              LoadProgress& progress, const JobContext& context, const Sharing& sharing = {})
        : files_(std::move(found.files)),
          name_(std::move(name)),
          options_(options),
          progress_(progress),
          context_{.stop = context.stop,
                   .progress = context.progress,
                   .executor = &Executor::instance(),
                   .pulse = &progress.pulse},
          names_(options.names ? options.names : std::make_shared<SessionNames>()),
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
        std::vector<std::size_t> order = order_of_work(files_.size(), sharing.share);
        for (std::size_t& place : order) place = largest_first_[place];
        largest_first_ = std::move(order);
    }

    Result<RunPtr> load();
    Result<std::vector<IndexOutcome>> build_indices();
    Result<Indexed> build_own_indices();

private:
    struct Active {
        std::shared_ptr<TraceReader> reader;
        unsigned threads = 0;
    };

    void work();
    bool start_file(std::size_t& file);
    bool use_kept(std::size_t file);
    bool take_file(std::size_t& file);
    void load_file(std::size_t file);
    void read_file(std::size_t file, const IndexKeeper::Found& found);
    void open_index_alone(std::size_t file);
    Result<std::vector<RankTracePtr>> read_traces(std::size_t file);
    void keep_index(std::size_t file, const RankIndexPtr& index, const IndexKeeper::Found& found);
    void settle(std::size_t file, IndexOutcome outcome);
    bool claim(std::size_t file);
    void release(std::size_t file, const IndexOutcome& outcome);
    void leave();
    bool take_up_again();
    void note(std::string_view kind, std::size_t file, const std::string& what);
    Result<bool> work_all();
    bool help();
    bool is_no_trace(std::size_t file, const Error& error) const {
        return error.code == ErrorCode::NotFound && !files_[file].named;
    }
    void file_failed(std::size_t file, const Error& error);
    enum class Then { Done, MayFollow };  // Done: load() itself returns the run of these ranks, at once
    void file_arrived(std::size_t file, const std::vector<RankIndexPtr>& ranks, Then then = Then::MayFollow);
    void keep_none(std::size_t file, std::size_t ranks);
    bool is_hand_over_due() const;
    void hand_over();
    void hand_over_rest();
    Error all_failed() const;
    RunPtr build_run() const;

    std::vector<FoundFile> files_;
    std::string name_;
    const LoadOptions& options_;
    LoadProgress& progress_;
    const JobContext context_;
    std::shared_ptr<SessionNames> names_;
    std::vector<std::size_t> largest_first_;
    IndexKeeper* keeper_;  // may be null
    Keep keep_;
    Claims* claims_;  // may be null
    Handout* handout_;  // may be null
    std::vector<bool> taken_{};  // by file, with a handout: by this process
    std::vector<std::filesystem::path> claimed_;  // by file; empty: not ours

    std::mutex mutex_;  // of all below
    std::condition_variable opened_;
    std::size_t next_ = 0;  // in largest_first_
    std::vector<std::size_t> left_;  // to other processes, for now
    std::chrono::milliseconds patience_{50};
    std::size_t opening_ = 0;
    std::vector<Active> active_;
    std::vector<std::vector<LoadedRank>> loaded_;  // by file; empty: not (yet) read
    std::vector<IndexOutcome> outcomes_;
    std::size_t arrived_ = 0;
    HandOver handed_over_;
    std::chrono::steady_clock::time_point handed_over_at_{};
    Diagnostics troubles_;
    FirstFailure first_failure_{};
    std::mutex publishing_;
};

bool RunLoader::start_file(std::size_t& file) {
    if (handout_) return take_file(file);
    const std::lock_guard lock(mutex_);
    if (next_ == largest_first_.size() || context_.cancelled()) return false;
    file = largest_first_[next_++];
    ++opening_;
    return true;
}

// Of an earlier load. True if it was done with the file.
bool RunLoader::use_kept(std::size_t file) {
    const FileState& state = options_.settled->at(files_[file].path);
    const std::vector<RankIndexPtr> ranks = options_.kept->find(files_[file].path, state);
    if (ranks.empty()) return false;
    leave();
    progress_.bytes_done += files_[file].bytes;
    file_arrived(file, ranks);
    return true;
}

// From the other processes' common list; asking can take a while, in which other threads wait for the file to help with.
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
    if (options_.settled && options_.kept && use_kept(file)) return;
    IndexKeeper::Found found;
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
    settle(file, {.kind = IndexOutcome::Kind::Current,
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

void RunLoader::read_file(std::size_t file, const IndexKeeper::Found& found) {
    Result<std::vector<RankTracePtr>> traces = read_traces(file);
    if (!traces) {
        file_failed(file, traces.error());
        const bool no_trace = is_no_trace(file, traces.error());
        return settle(file, {.kind = no_trace ? IndexOutcome::Kind::NoTrace : IndexOutcome::Kind::Failed,
                             .trace = {},
                             .file = {},
                             .bytes = 0,
                             .why = traces.error().message});
    }
    std::vector<RankIndexPtr> ranks(traces->size());
    const bool of_summary = summary_of(*traces->front()) != nullptr;
    context_.share(ranks.size(), [&](std::size_t i) {
        ranks[i] = of_summary ? index_of_summary((*traces)[i])
                              : std::make_shared<const RankIndex>(std::move((*traces)[i]), options_.rules, context_);
    });
    file_arrived(file, ranks, of_summary && files_.size() == 1 ? Then::Done : Then::MayFollow);
    if (of_summary)
        return settle(file, {.kind = IndexOutcome::Kind::NoTrace,
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
    settle(file, {.kind = IndexOutcome::Kind::NoTrace, .trace = {}, .file = {}, .bytes = 0, .why = why});
}

void RunLoader::keep_index(std::size_t file, const RankIndexPtr& index, const IndexKeeper::Found& found) {
    if (!keeper_ || context_.cancelled()) return;
    const Result<IndexKeeper::Kept> kept = keeper_->keep(files_[file], found.source, *index, context_);
    if (kept)
        return settle(file, {.kind = IndexOutcome::Kind::Written,
                             .trace = {},
                             .file = kept->file,
                             .bytes = kept->bytes,
                             .why = found.word});
    if (kept.error().code == ErrorCode::Cancelled) return;
    note("index-not-written", file, kept.error().message);
    settle(file,
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
        settle(file, {is_trace ? IndexOutcome::Kind::Failed : IndexOutcome::Kind::NoTrace, {}, {}, 0, why});
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

void RunLoader::settle(std::size_t file, IndexOutcome outcome) {
    if (claims_) release(file, outcome);
    outcome.trace = files_[file].path;
    outcomes_[file] = std::move(outcome);  // nobody else's
}

Result<std::vector<RankTracePtr>> RunLoader::read_traces(std::size_t file) {
    Result<std::unique_ptr<TraceReader>> opened = open_trace(files_[file].path, progress_);
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
    reader->work(context_);
    {
        const std::lock_guard lock(mutex_);
        std::erase_if(active_, [&](const Active& active) { return active.reader == reader; });
    }
    return reader->finish_ranks(context_);
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
    reader->work(context_);
    const std::lock_guard lock(mutex_);
    std::erase_if(active_, [&](const Active& active) { return active.reader == reader; });
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
    const std::lock_guard publishing(publishing_);
    {
        const std::lock_guard lock(mutex_);
        const std::string message = files_[file].path.filename().string() + ": " + error.message;
        troubles_.add(is_no_trace(file, error) ? "not-a-trace" : "file-unreadable", message);
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
    if (options_.settled && options_.kept)
        options_.kept->keep(files_[file].path, options_.settled->at(files_[file].path), ranks);
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

// Chosen for each rank by itself.
void note_step_marks(std::span<const RankSlot> ranks, Diagnostics& diagnostics) {
    for (const RankSlot& rank : ranks) {
        const std::string& first = ranks.front().trace().info.step_marks;
        const std::string& own = rank.trace().info.step_marks;
        if (own != first)
            diagnostics.add("step-marks-differ", rank.trace().info.path.filename().string() + ": \"" + own +
                                                     "\" instead of \"" + first + "\"");
    }
}

void apply_identities(std::span<const RankIdentity> identities, std::span<RankSlot> ranks) {
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        ranks[i].key = identities[i].key;
        ranks[i].source = identities[i].source;
    }
}

// Logs and other sources of NCCL beside traces take the numbers that those have, and the ones without events are no ranks
// of their own. `claims`: one per rank, as they stay.
void place_logs(RunParts& parts, std::vector<RankClaim>& claims) {
    std::vector<RankSlot> traces;
    std::vector<RankClaim> claims_of_traces;
    for (std::size_t i = 0; i < claims.size(); ++i) {
        if (claims[i].is_log) continue;
        traces.push_back(parts.ranks[i]);
        claims_of_traces.push_back(claims[i]);
    }
    if (traces.empty() || traces.size() == claims.size()) return;
    Diagnostics said_later;
    apply_identities(identify_ranks(claims_of_traces, said_later), traces);
    std::vector<RankSlot> shown;
    std::vector<RankClaim> shown_claims;
    for (std::size_t i = 0; i < claims.size(); ++i) {
        const RankTrace& trace = parts.ranks[i].trace();
        if (claims[i].is_log) claims[i].stated = find_rank_of_log(trace, traces);
        if (claims[i].is_log && trace.size() == 0) {
            if (!claims[i].stated && is_nccl_source(trace.info.trace_name))
                parts.diagnostics.add("nccl-rank-unknown", claims[i].path.filename().string() + ": process " +
                                                               std::to_string(trace.info.nccl.process));
            parts.companions.push_back({.index = parts.ranks[i].index, .rank = claims[i].stated});
            continue;
        }
        shown.push_back(std::move(parts.ranks[i]));
        shown_claims.push_back(std::move(claims[i]));
    }
    parts.ranks = std::move(shown);
    claims = std::move(shown_claims);
}

// Ranks of one summary are what they were in the run that was summarised. True if these are.
bool restore_summarised(std::span<RankSlot> ranks) {
    const auto is_of_first = [&](const RankSlot& rank) {
        return summary_of(rank.trace()) && rank.trace().info.path == ranks.front().trace().info.path;
    };
    if (ranks.empty() || !std::ranges::all_of(ranks, is_of_first)) return false;
    for (RankSlot& rank : ranks) {
        const SummaryFacts& facts = *summary_of(rank.trace());
        rank.key = facts.key();
        rank.source = static_cast<RankSource>(std::min<std::uint32_t>(facts.source, kMostRankSource));
        rank.clock = facts.clock.map();
        rank.recorded = facts.aligned == 1 ? std::optional(facts.recorded.map()) : std::nullopt;
    }
    return true;
}

RunPtr RunLoader::build_run() const {
    RunParts parts;
    parts.name = name_;
    parts.rules = options_.rules;
    parts.diagnostics = troubles_;
    parts.names = names_;
    std::vector<RankClaim> claims;
    for (std::size_t i = 0; i < files_.size(); ++i) {
        for (const LoadedRank& rank : loaded_[i]) {
            const RankInfo& info = rank.index->trace().info;
            claims.push_back({.path = files_[i].path,
                              .stated = info.rank,
                              .is_one_of_several = loaded_[i].size() > 1,
                              .is_dump = is_flight_dump(info) || is_memory_snapshot(info) || is_log(info),
                              .is_snapshot = is_memory_snapshot(info),
                              .is_log = is_log(info)});
            parts.ranks.push_back({{}, {}, rank.index, {}, rank.names});
        }
    }
    if (restore_summarised(parts.ranks)) {
        parts.pages = options_.pages ? options_.pages : pages_beside(parts.ranks.front().trace().info.path);
        return std::make_shared<const Run>(std::move(parts));
    }
    place_logs(parts, claims);
    apply_identities(identify_ranks(claims, parts.diagnostics), parts.ranks);
    std::vector<RankWindow> windows;
    for (std::size_t i = 0; i < parts.ranks.size(); ++i)
        windows.push_back({parts.ranks[i].key, parts.ranks[i].trace().window, claims[i].path.filename().string()});
    note_step_marks(parts.ranks, parts.diagnostics);
    const std::vector<ClockMap> clocks = align_clocks(windows, parts.diagnostics);
    for (std::size_t i = 0; i < parts.ranks.size(); ++i) parts.ranks[i].clock = clocks[i];
    return std::make_shared<const Run>(std::move(parts));
}

Result<bool> RunLoader::work_all() {
    const unsigned threads = options_.threads != 0 ? options_.threads : Executor::instance().threads();
    Executor::instance().share(Priority::Load, threads, threads, [&](std::size_t) { work(); });
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

std::string name_of(std::span<const std::filesystem::path> paths) {
    if (paths.size() != 1) return paths.empty() ? "" : paths.front().parent_path().filename().string();
    std::error_code ignored;
    const std::filesystem::path path = std::filesystem::weakly_canonical(paths.front(), ignored);
    return path.filename().string();
}

// Names the kinds of files found instead, to tell a wrong folder from a folder of other files.
Error no_trace_in(std::span<const std::filesystem::path> paths, const Discovery& found) {
    std::string text = paths.empty() ? "" : paths.front().string() + ": ";
    text += "no file here is named like a trace (.json, .json.gz, .pfw.gz, .trace, .sqlite, .pftrace)";
    if (!found.others.empty()) text += "; found " + describe_kinds(found.others);
    for (const Diagnostic& entry : found.diagnostics.entries()) {
        if (entry.kind->severity != Severity::Loss) continue;
        text += "; " + format_plural(entry.count, "folder was", "folders were") + " not searched: " + entry.first;
    }
    return {ErrorCode::NotFound, text};
}

void expect(const std::vector<FoundFile>& files, LoadProgress& progress) {
    for (const FoundFile& file : files) progress.bytes_total += file.bytes;
    progress.ranks_total += static_cast<std::uint32_t>(files.size());
}

// Two traces whose index files would be one.
std::optional<Error> find_clash(const std::vector<FoundFile>& files) {
    std::map<std::filesystem::path, std::filesystem::path> by_place;
    for (const FoundFile& file : files) {
        const auto [first, fresh] = by_place.try_emplace(file.inside.lexically_normal(), file.path);
        if (fresh) continue;
        return Error{ErrorCode::BadInput, first->second.string() + " and " + file.path.string() +
                                              ": both would have the index file " + file.inside.string()};
    }
    return std::nullopt;
}

}  // namespace

namespace {

Result<RunPtr> load_local_run(std::span<const std::filesystem::path> paths, std::string name,
                              const LoadOptions& options, LoadProgress& progress, const JobContext& context) {
    Result<Discovery> found = discover_files(paths);
    if (!found) return std::move(found).error();
    if (options.settled)
        std::erase_if(found->files, [&](const FoundFile& file) {
            const auto settled = options.settled->find(file.path);
            return !file.index.empty() || settled == options.settled->end() ||
                   read_file_state(file.path) != settled->second;
        });
    if (found->files.empty()) return no_trace_in(paths, *found);
    expect(found->files, progress);
    IndexKeeper keeper(options.rules, {});
    keeper.use_cache(options.index_files == IndexFiles::UseCache, options.cache_limit);
    return RunLoader(std::move(*found), std::move(name), options,
                     options.index_files != IndexFiles::Ignore && options.step_marks.empty() ? &keeper : nullptr,
                     RunLoader::Keep::Ranks, progress, context)
        .load();
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

namespace {

Result<Discovery> find_traces_to_index(std::span<const std::filesystem::path> paths, const BuildIndexOptions& options) {
    if (const auto remote = std::ranges::find_if(paths, is_remote_path); remote != paths.end()) {
        const RemotePath path = *parse_remote_path(remote->string());
        return bad_input(remote->string() + ": index files are made where the traces are: ssh " + path.host +
                         " lockstep index " + quote_for_shell(path.path));
    }
    Result<Discovery> found = discover_files(paths);
    if (!found) return found;
    std::erase_if(found->files, [](const FoundFile& file) { return !file.index.empty(); });
    if (found->files.empty()) return no_trace_in(paths, *found);
    if (!options.folder.empty()) {
        if (std::optional<Error> clash = find_clash(found->files)) return std::move(*clash);
    }
    return found;
}

Result<std::vector<IndexOutcome>> build_index_files_together(std::span<const std::filesystem::path> paths,
                                                             const BuildIndexOptions& options, LoadProgress& progress,
                                                             const JobContext& context) {
    Team& team = *options.team;
    Diagnostics unsearched;
    std::string list;
    if (team.is_first()) {
        const Result<Discovery> found = find_traces_to_index(paths, options);
        if (found) unsearched = found->diagnostics;
        list = found ? encode_files(found->files) : encode_files(found.error());
    }
    const Result<std::string> sent = team.broadcast(std::move(list), context.stop);
    if (!sent) return sent.error();
    const Result<std::vector<FoundFile>> files = decode_files(*sent);
    if (!files) return files.error();
    LoadOptions load;
    load.threads = options.threads;
    load.rules = options.rules;
    IndexKeeper keeper(load.rules, options.folder);
    keeper.use_cache(options.cache_first, 0);
    const Result<Indexed> own = [&]() -> Result<Indexed> {
        Handout handout(team, files->size(), 1, context.stop);
        Discovery taken;
        taken.files = *files;
        return RunLoader(std::move(taken), "", load, &keeper, RunLoader::Keep::Indices, progress, context,
                         {.handout = &handout})
            .build_own_indices();
    }();
    if (!own) return own.error();
    const Result<std::string> all = team.reduce(
        encode_indexed(*own), [](std::string& into, std::string_view more) { into += more; }, context.stop);
    if (!all) return all.error();
    if (!team.is_first()) return std::vector<IndexOutcome>();
    Result<std::vector<IndexOutcome>> outcomes = decode_indexed(*all, *files);
    if (outcomes) add_unsearched(unsearched, *outcomes);
    return outcomes;
}

}  // namespace

Result<std::vector<IndexOutcome>> build_index_files(std::span<const std::filesystem::path> paths,
                                                    const BuildIndexOptions& options, LoadProgress& progress,
                                                    const JobContext& context) {
    if (options.team && !options.team->is_alone()) return build_index_files_together(paths, options, progress, context);
    Result<Discovery> found = find_traces_to_index(paths, options);
    if (!found) return std::move(found).error();
    expect(found->files, progress);
    LoadOptions load;
    load.threads = options.threads;
    load.rules = options.rules;
    IndexKeeper keeper(load.rules, options.folder);
    keeper.use_cache(options.cache_first, 0);
    std::optional<Claims> claims;
    if (options.share) claims.emplace(options.claim_timeout);
    const Sharing sharing{.claims = claims ? &*claims : nullptr, .share = options.share.value_or(Share{})};
    return RunLoader(std::move(*found), "", load, &keeper, RunLoader::Keep::Indices, progress, context, sharing)
        .build_indices();
}

MissingIndexFiles find_missing_index_files(std::span<const std::filesystem::path> paths,
                                           const BuildIndexOptions& options) {
    constexpr std::size_t kNamed = 3;
    const Result<Discovery> found = find_traces_to_index(paths, options);
    if (!found) return {};
    const IndexKeeper keeper(options.rules, options.folder);
    MissingIndexFiles missing{.of = found->files.size()};
    for (const FoundFile& file : found->files) {
        std::error_code ignored;
        const std::vector<std::filesystem::path> places = keeper.places_of(file);
        const auto exists = [&](const std::filesystem::path& place) { return std::filesystem::exists(place, ignored); };
        if (std::ranges::any_of(places, exists)) continue;
        if (missing.count++ < kNamed) missing.first.push_back(file.path);
    }
    return missing;
}

}  // namespace core
