#include "app/command_run.hpp"

#include "app/nsys_export.hpp"
#include "core/base/format.hpp"
#include "core/collectives/choose_clocks.hpp"
#include "core/export/envelope.hpp"
#include "core/index/summary_rank.hpp"
#include "core/ingest/load/discover.hpp"
#include "core/ingest/load/load_run.hpp"
#include "core/ingest/remote/remote_path.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace app {
namespace {

core::Result<bool> check_nothing_lost(const core::Run& run, const std::string& path) {
    const core::Diagnostics& all = run.all_diagnostics();
    for (const core::Diagnostic& entry : all.entries()) {
        if (entry.kind->severity != core::Severity::Loss) continue;
        return core::bad_input(path + ": --strict, and not everything could be read: " + std::string(entry.kind->id) +
                               " x " + std::to_string(entry.count) + ", first: " + entry.first);
    }
    return true;
}

// Reports once that another machine has not answered yet: ssh may have connected to something that stays silent.
class WaitingNotice {
public:
    WaitingNotice(bool wanted, const core::LoadProgress& progress, std::span<const std::string> paths) {
        const auto remote = paths.empty() ? std::nullopt : core::parse_remote_path(paths.front());
        if (!wanted || !remote) return;
        thread_ = std::jthread([this, &progress, host = remote->host](const std::stop_token& stop) {
            std::unique_lock lock(mutex_);
            changed_.wait_for(lock, stop, kPatience, [&] { return stop.stop_requested(); });
            if (!stop.stop_requested() && progress.fetching && progress.bytes_total == 0)
                say("waiting for " + host + ", which has not answered yet");
        });
    }

private:
    static constexpr std::chrono::seconds kPatience{4};

    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::jthread thread_;
};

Helpers* known_helpers = nullptr;

}  // namespace

Helpers* helpers() { return known_helpers; }
void set_helpers(Helpers* helpers) { known_helpers = helpers; }

// Fetching reports nothing until the other machine has answered, because ssh may be asking for a password.
std::string describe_progress(const core::LoadProgress& progress, std::span<const std::string> paths) {
    if (progress.fetching) {
        const auto done = static_cast<std::int64_t>(progress.bytes_done.load());
        const auto all = static_cast<std::int64_t>(progress.bytes_total.load());
        const auto path = paths.empty() ? std::nullopt : core::parse_remote_path(paths.front());
        if (all == 0) return {};
        return "bringing the summary from " + (path ? path->host : "another machine") + ": " +
               core::format_bytes(done) + " of " + core::format_bytes(all);
    }
    const std::uint32_t indexed = progress.ranks_from_index;
    const std::uint64_t total = progress.bytes_total;
    const double share = total == 0 ? 0 : static_cast<double>(progress.bytes_done.load()) / static_cast<double>(total);
    return "reading: " + core::format_ratio(share) + " of " + core::format_bytes(static_cast<std::int64_t>(total)) +
           ", " + std::to_string(progress.ranks_done.load()) + " of " + std::to_string(progress.ranks_total.load()) +
           " ranks" + (indexed > 0 ? " (" + std::to_string(indexed) + " from index files)" : "") + ", " +
           core::format_count(static_cast<std::int64_t>(progress.events.load())) + " events" +
           (progress.is_arranging() ? ", sorting the events" : "");
}

core::Result<core::RunPtr> open_run(std::span<const std::string> paths, const Loading& loading, bool quiet,
                                    std::stop_token stop, std::shared_ptr<core::InternedNames> names) {
    const auto open = [&] { return open_run_here(paths, loading, quiet, stop, names); };
    if (known_helpers) return known_helpers->open_everywhere(paths, loading, quiet, stop, open);
    const core::Result<core::RunPtr> run = open();
    return run ? on_chosen_clocks(*run, loading) : run;
}

core::RunPtr on_chosen_clocks(const core::RunPtr& run, const Loading& loading) {
    return core::with_clocks(run, loading.clocks);
}

core::Result<core::RunPtr> open_run_here(std::span<const std::string> paths, const Loading& loading, bool quiet,
                                         std::stop_token stop, std::shared_ptr<core::InternedNames> names) {
    core::LoadProgress progress;
    core::LoadOptions options;
    options.threads = loading.threads;
    options.index_files = loading.index_files;
    options.names = std::move(names);
    options.step_marks = loading.step_marks;
    std::vector<std::filesystem::path> files(paths.begin(), paths.end());
    if (loading.nsys_export) {
        const auto tell = [&](std::string_view text) {
            if (!quiet) say(std::string(text));
        };
        core::Result<std::vector<std::filesystem::path>> exported = export_nsys_reports(files, tell, stop);
        if (!exported) return std::move(exported).error();
        files = *std::move(exported);
    }
    const ProgressLine line(!quiet, [&] { return describe_progress(progress, paths); });
    const WaitingNotice notice(!quiet, progress, paths);
    core::Result<core::RunPtr> run = core::load_run(files, options, progress, {.stop = std::move(stop)});
    if (run && loading.strict) {
        if (core::Result<bool> whole = check_nothing_lost(**run, paths[0]); !whole) return std::move(whole).error();
    }
    if (run && !loading.takes_summary && core::is_summary(**run))
        return core::needs_events(**run, "which this command reads");
    return run;
}

core::Result<core::JsonOrigin> describe_origin(const Output& output, unsigned threads,
                                               std::initializer_list<OriginRun> runs, const std::stop_token& stop) {
    core::JsonOrigin origin{.command = output.command, .sources = {}};
    if (output.format != Format::Json) return origin;
    std::vector<core::DoctorReport> reports;
    for (const OriginRun& one : runs) {
        core::Result<core::DoctorReport> report = core::examine_run(*one.run, threads, {.stop = stop});
        if (!report) return std::move(report).error();
        reports.push_back(*std::move(report));
    }
    std::vector<core::EnvelopeRun> sources;
    std::size_t i = 0;
    for (const OriginRun& one : runs) sources.push_back({.run = *one.run, .doctor = reports[i++], .side = one.side});
    origin.sources = core::json_sources(sources);
    return origin;
}

Target target_of(const Output& output, std::span<const std::string> paths) {
    const bool is_raw = output.format == Format::Csv && output.cells == core::CsvCells::Raw;
    return {.file = output.file,
            .kind = output.format == Format::Json ? TextKind::Json
                    : is_raw                      ? TextKind::Raw
                                                  : TextKind::Lines,
            .inputs = core::run_inputs({paths.begin(), paths.end()}, output.read_files)};
}

bool is_incomplete(const core::Run& run) {
    const core::Diagnostics all = run.all_diagnostics();
    return std::ranges::any_of(all.entries(), [](const core::Diagnostic& entry) { return entry.kind->incomplete; });
}

core::Result<bool> check_present(std::initializer_list<const core::RunPtr*> runs) {
    for (const core::RunPtr* run : runs) {
        const core::RunPtr present = core::without_gone_ranks(*run);
        if (present == *run) continue;
        const core::Diagnostics before = (*run)->all_diagnostics();
        const core::Diagnostics now = present->all_diagnostics();
        for (const core::Diagnostic& entry : now.entries())
            if (entry.count > before.count(entry.kind->id))
                return core::Error{core::ErrorCode::Io, entry.first + ": run the command again"};
    }
    return true;
}

int status_of(int written, std::initializer_list<const core::Run*> runs) {
    if (written != kDone) return written;
    for (const core::Run* run : runs) {
        if (!run || !is_incomplete(*run)) continue;
        say(run->name() + ": part of the run was not recorded or could not be read: see lockstep info; exit status 5");
        return kIncomplete;
    }
    return kDone;
}

}  // namespace app
