#include "core/ingest/load/run_publisher.hpp"

#include <utility>

namespace core {

bool is_no_trace(const FoundFile& file, const Error& error) { return error.code == ErrorCode::NotFound && !file.named; }

RunPublisher::RunPublisher(Load load, Diagnostics found, const LoadOptions& options, LoadProgress& progress,
                           const JobContext& job)
    : load_(std::move(load)),
      options_(options),
      progress_(progress),
      job_(job),
      names_(options.names ? options.names : std::make_shared<InternedNames>()),
      loaded_(load_.files.size()),
      troubles_(std::move(found)) {}

void RunPublisher::note(std::string_view kind, std::size_t file, const std::string& text) {
    const std::lock_guard lock(mutex_);
    troubles_.add(kind, load_.files[file].path.filename().string() + ": " + text);
}

void RunPublisher::add_failure(std::size_t number, const Error& error) {
    if (error.code == ErrorCode::Cancelled) return;
    const FoundFile& file = load_.files[number];
    const bool no_trace = is_no_trace(file, error);
    std::optional<UnreadKind> kind = no_trace ? find_unread_kind(file.path) : std::nullopt;
    const std::lock_guard publishing(publishing_);
    {
        const std::lock_guard lock(mutex_);
        if (kind && kind->is_profile)
            left_out_.push_back({.path = file.path, .kind = *std::move(kind)});
        else
            troubles_.add(no_trace ? "not-a-trace" : "file-unreadable",
                          file.path.filename().string() + ": " + error.message);
        // By position, not by time: which file is named must not depend on which thread was faster.
        first_failure_.add(Error{error.code, error.message}.within(file.path.string()), number);
        progress_.ranks_total -= 1;
    }
    publish();
}

void RunPublisher::add_ranks(std::size_t file, const std::vector<RankIndexPtr>& ranks, Then then) {
    std::vector<LoadedRank> loaded;
    if (load_.keep == Keep::Ranks)
        for (const RankIndexPtr& index : ranks) loaded.push_back({index, names_->build_table(index->trace().names)});
    const std::lock_guard publishing(publishing_);
    {
        const std::lock_guard lock(mutex_);
        loaded_[file] = std::move(loaded);
        arrived_ += ranks.size();
        progress_.ranks_total += static_cast<std::uint32_t>(ranks.size() - 1);
        progress_.ranks_done += static_cast<std::uint32_t>(ranks.size());
    }
    if (then == Then::Publish) publish();
}

// Ranks that come slowly are published as they come, and so are the last ones, which would wait for the slowest file
// and for index files.
bool RunPublisher::is_due() const {
    if (!options_.on_rank || job_.cancelled()) return false;
    const auto since = std::chrono::steady_clock::now() - handed_over_at_;
    return handed_over_.is_due(arrived_, std::chrono::duration_cast<std::chrono::microseconds>(since),
                               load_.all_begun());
}

// With publishing_ held, so that later Runs have more ranks.
void RunPublisher::publish() {
    RunPtr run;
    {
        const std::lock_guard lock(mutex_);
        if (!is_due()) return;
        run = build_run();
        handed_over_.publish(arrived_);
        handed_over_at_ = std::chrono::steady_clock::now();
    }
    options_.on_rank(std::move(run));
}

void RunPublisher::publish_rest() {
    if (options_.on_rank && !handed_over_.is_complete(arrived_)) options_.on_rank(build_run());
}

RunPtr RunPublisher::build_run() const {
    RunParts parts;
    parts.name = load_.name;
    parts.rules = options_.rules;
    parts.diagnostics = troubles_;
    add_left_out(left_out_, parts.diagnostics);
    parts.names = names_;
    parts.pages = options_.pages;
    parts.companions = companions_;
    parts.files = run_files_;
    return assemble_run(std::move(parts), load_.files, loaded_);
}

}  // namespace core
