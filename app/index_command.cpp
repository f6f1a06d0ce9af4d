#include "app/command_run.hpp"
#include "app/console.hpp"
#include "app/options.hpp"
#include "core/base/format.hpp"
#include "core/cluster/byte_codec.hpp"
#include "core/cluster/shard.hpp"
#include "core/export/text_table.hpp"
#include "core/export/write_summary.hpp"
#include "core/ingest/index_file/summary_file.hpp"
#include "core/ingest/load/discover.hpp"

#include <algorithm>
#include <thread>

namespace app {
namespace {

using Outcome = core::IndexOutcome;

constexpr Option kIndexOptions[] = {
    {"--out", "DIR",
     "write them to the traces' subfolders below DIR instead of next to the traces; with --summary-only: the\n"
     "summary's file",
     "-o"},
    {"--summary-only", "", "write only the run's summary, to the FILE of -o"},
    {"--no-summary", "", "write index files only, without run.lockstep-summary"},
    {"--jobs", "N", "threads to use (all cores)"},
    {"--shard", "I/N",
     "process I (from 0) of N that share the work; default: as Slurm, MPI, torchrun or Kubernetes set it"},
    {"--claim-timeout", "S", "seconds without a heartbeat after which another process takes over (60)"},
    {"--quiet", "", "no progress on standard error"},
};

std::string_view name_of(Outcome::Kind kind) {
    constexpr std::string_view kNames[] = {"written", "up to date", "failed", "skipped"};
    return kNames[static_cast<std::size_t>(kind)];
}

std::string format_outcomes(std::span<const Outcome> outcomes) {
    constexpr auto kRight = true;
    const core::TextColumn columns[] = {{"trace", false}, {"index file", false}, {"size", kRight}, {"state", false}};
    std::vector<std::vector<std::string>> rows;
    for (const Outcome& outcome : outcomes) {
        const std::string size =
            outcome.bytes == 0 ? "-" : core::format_bytes(static_cast<std::int64_t>(outcome.bytes));
        std::string state(name_of(outcome.kind));
        if (!outcome.why.empty()) state.append(": ").append(outcome.why);
        rows.push_back({outcome.trace.string(), outcome.file.empty() ? "-" : outcome.file.string(), size, state});
    }
    return core::layout_text_table(columns, rows, terminal_columns());
}

int report(std::span<const Outcome> outcomes) {
    const int written = print_text(format_outcomes(outcomes));
    if (written != kDone) return written;
    for (const Outcome& outcome : outcomes) {
        if (outcome.kind == Outcome::Kind::Failed)
            return report_failure({core::ErrorCode::Io,
                                   outcome.trace.empty() ? outcome.why : outcome.trace.string() + ": " + outcome.why});
    }
    return kDone;
}

// The part of the work for this process; absent for a process that works alone.
core::Result<std::optional<core::Shard>> read_shard(const Options& options) {
    if (helpers()) {
        if (options.has("--shard")) return core::bad_input("--shard: these processes share the files by messages");
        return std::optional<core::Shard>();
    }
    if (!options.has("--shard")) return core::find_shard(std::getenv);
    core::Result<core::Shard> shard = core::parse_shard(options.last("--shard"));
    if (!shard) return std::move(shard).error();
    return shard->count > 1 ? std::optional(std::move(*shard)) : std::nullopt;
}

std::string describe_shard(const core::Shard& shard) {
    const std::string of = shard.count == 0 ? "" : " of " + std::to_string(shard.count);
    return "process " + std::to_string(shard.index) + of + " (" + shard.from +
           "): its own part first, then what others left undone";
}

// Reports the index files that a stopped process did not write.
int report_stop(const core::Error& error, std::span<const std::filesystem::path> paths,
                const core::BuildIndexOptions& build) {
    if (error.code != core::ErrorCode::Cancelled || (build.team && !build.team->is_first()))
        return report_failure(error);
    const core::MissingIndexFiles missing = core::find_missing_index_files(paths, build);
    std::string text = core::format_plural(missing.count, "index file is", "index files are") + " missing, of " +
                       std::to_string(missing.of);
    for (const std::filesystem::path& trace : missing.first)
        text += (&trace == missing.first.data() ? ": for " : ", ") + trace.string();
    if (missing.count > missing.first.size()) text += ", …";
    say(text + (missing.count > 0 ? "; run the command again to complete them" : ""));
    return report_failure(error);
}

bool is_newer(const std::filesystem::path& file, std::span<const Outcome> outcomes) {
    std::error_code error;
    const auto written = std::filesystem::last_write_time(file, error);
    if (error) return false;
    return std::ranges::all_of(outcomes, [&](const Outcome& outcome) {
        if (outcome.kind != Outcome::Kind::Current) return false;
        const auto of_index = std::filesystem::last_write_time(outcome.file, error);
        return !error && of_index <= written;
    });
}

bool can_be_read(const std::filesystem::path& summary) {
    core::LoadProgress progress;
    return core::open_summary_file(summary, progress).has_value();
}

// Identity of a run; differs if the ranks or their events differ.
std::string identify(const core::Run& run) {
    core::ByteWriter out;
    for (const core::RankSlot& rank : run.ranks()) {
        out.number(rank.key.packed());
        out.unsigned_number(rank.trace().size());
        out.unsigned_number(rank.index->members().events().size());
        out.number(core::ns_of(rank.trace().window.begin));
    }
    return std::move(out).take();
}

// Collective. True if all processes have opened this run.
core::Result<bool> have_all(core::Team& team, const core::Run* run, const std::stop_token& stop) {
    const core::Result<std::string> first = team.broadcast(run ? identify(*run) : "", stop);
    if (!first) return first.error();
    const core::Result<std::vector<std::string>> same =
        team.gather(run && identify(*run) == *first ? "same" : "", stop);
    if (!same) return same.error();
    return std::ranges::find(*same, "") == same->end();
}

// Collective with helpers: all processes summarise their ranks if they have the same files.
core::Result<std::uint64_t> summarise(std::span<const std::filesystem::path> paths, core::IndexFiles files,
                                      const std::filesystem::path& summary, const Loading& loading, bool quiet,
                                      const std::stop_token& stop) {
    core::LoadProgress progress;
    core::LoadOptions load;
    load.threads = loading.threads;
    load.index_files = files;
    const ProgressLine line(!quiet, [&] { return "summary: " + describe_progress(progress); });
    const core::Result<core::RunPtr> run = core::load_run(paths, load, progress, {.stop = stop});
    const unsigned threads = loading.threads ? loading.threads : std::max(1u, std::thread::hardware_concurrency());
    if (helpers() && !helpers()->team().is_alone()) {
        core::Team& team = helpers()->team();
        const core::Result<bool> all = have_all(team, run ? run->get() : nullptr, stop);
        if (!all) return all.error();
        if (*all) return core::write_summary(team, *run, summary, threads, {.stop = stop});
        if (!team.is_first()) return std::uint64_t{0};
    }
    if (!run) return run.error();
    return core::write_summary(*run, summary, threads, {.stop = stop});
}

// Collective with helpers: returns process 0's choice.
bool choose_together(bool choice, const std::stop_token& stop) {
    if (!helpers()) return choice;
    const core::Result<std::string> chosen = helpers()->team().broadcast(choice ? "yes" : "", stop);
    return chosen && !chosen->empty();
}

// Collective with helpers, the counterpart of add_summary for a process without index files to report.
void skip_summary(const std::stop_token& stop) {
    if (choose_together(false, stop)) static_cast<void>(have_all(helpers()->team(), nullptr, stop));
}

// Path for the summary of index files; empty if they are in several folders.
std::filesystem::path place_of_summary(std::span<const std::filesystem::path> paths, const std::filesystem::path& out) {
    std::error_code ignored;
    if (!out.empty()) return out / core::kSummaryFileName;
    return paths.size() == 1 && std::filesystem::is_directory(paths.front(), ignored)
               ? paths.front() / core::kSummaryFileName
               : std::filesystem::path();
}

// Writes the summary next to the index files unless it exists. Failing to write one is no error, because the index
// files are complete without it. Collective with helpers: process 0 decides and has the outcome.
std::optional<Outcome> add_summary(std::span<const std::filesystem::path> paths, std::span<const Outcome> outcomes,
                                   const std::filesystem::path& out, const Loading& loading, bool quiet,
                                   const std::stop_token& stop) {
    const auto is_there = [](const Outcome& outcome) {
        return outcome.kind == Outcome::Kind::Written || outcome.kind == Outcome::Kind::Current;
    };
    const std::filesystem::path file = place_of_summary(paths, out);
    const std::filesystem::path of_index[] = {out.empty() ? paths.front() : out};
    if (helpers() && !helpers()->team().is_first()) {
        if (choose_together(false, stop))
            static_cast<void>(summarise(of_index, core::IndexFiles::Use, file, loading, true, stop));
        return std::nullopt;
    }
    const auto leave = [&](std::optional<Outcome> outcome) {
        choose_together(false, stop);
        return outcome;
    };
    if (file.empty() || std::ranges::none_of(outcomes, is_there)) return leave(std::nullopt);
    Outcome outcome{.kind = Outcome::Kind::Current, .trace = "(all ranks)", .file = file, .bytes = 0, .why = {}};
    std::error_code ignored;
    if (is_newer(file, outcomes) && can_be_read(file)) {
        outcome.bytes = std::filesystem::file_size(file, ignored);
        return leave(outcome);
    }
    // A folder of index files alone would lack the failed ones silently.
    if (!out.empty() && !std::ranges::all_of(outcomes, is_there)) {
        std::filesystem::remove(file, ignored);
        outcome.kind = Outcome::Kind::NoTrace;
        outcome.file.clear();
        outcome.why = "no summary: some ranks have no index file";
        return leave(outcome);
    }
    choose_together(true, stop);
    const core::Result<std::uint64_t> written = summarise(of_index, core::IndexFiles::Use, file, loading, quiet, stop);
    outcome.kind = written ? Outcome::Kind::Written : Outcome::Kind::NoTrace;
    outcome.bytes = written ? *written : 0;
    if (written) return outcome;
    outcome.file.clear();
    outcome.why = "no summary: " + written.error().message;
    return outcome;
}

int write_summary_alone(const Options& options, const Loading& loading) {
    if (!options.has("--out") || options.has("--shard") || options.has("--no-summary"))
        return refuse_usage("index", "--summary-only needs -o FILE, and neither --shard nor --no-summary");
    const Interrupt interrupt;
    const std::filesystem::path file = options.last("--out");
    const std::vector<std::filesystem::path> paths(options.words().begin(), options.words().end());
    const bool is_first = !helpers() || helpers()->team().is_first();
    const core::Result<bool> can =
        is_first ? core::check_output(file, {.inputs = core::run_inputs(paths, find_read_files(options))}) : true;
    if (!choose_together(can.has_value(), interrupt.token())) return can ? kDone : report_failure(can.error());
    // Index files are only read if every rank has one; none are written.
    const bool has_all = core::find_missing_index_files(paths, {}).count == 0;
    const core::Result<std::uint64_t> written =
        summarise(paths, has_all ? core::IndexFiles::Use : core::IndexFiles::Ignore, file, loading,
                  options.has("--quiet") || !is_first, interrupt.token());
    if (!written) return report_failure(written.error());
    if (!is_first) return kDone;
    return print_text(file.string() + ": " + core::format_bytes(static_cast<std::int64_t>(*written)) + "\n");
}

}  // namespace

int run_index(Arguments args) {
    const core::Result<Options> options = parse_options(kIndexOptions, args);
    if (!options) return refuse_usage("index", options.error().message);
    if (options->has("--help")) return print_text(format_help(*find_command("index"), kIndexOptions));
    const core::Result<Loading> loading = read_loading(*options);
    if (!loading) return refuse_usage("index", loading.error().message);
    if (options->words().empty()) return refuse_usage("index", "needs the PATH of a run");
    if (options->has("--out") && options->last("--out").empty())
        return refuse_usage("index", "--out needs the name of a folder");

    if (options->has("--summary-only")) return write_summary_alone(*options, *loading);

    const core::Result<std::optional<core::Shard>> shard = read_shard(*options);
    if (!shard) return refuse_usage("index", shard.error().message);
    const core::Result<std::int64_t> timeout = options->integer("--claim-timeout", 60, 1, 86'400);
    if (!timeout) return refuse_usage("index", timeout.error().message);
    if (*shard && !options->has("--quiet")) say(describe_shard(**shard));

    const Interrupt interrupt;
    core::LoadProgress progress;
    core::BuildIndexOptions build;
    build.shard = *shard;
    build.team = helpers() ? &helpers()->team() : nullptr;
    build.claim_timeout = std::chrono::seconds(*timeout);
    build.threads = loading->threads;
    build.folder = options->last("--out");
    const std::vector<std::filesystem::path> paths(options->words().begin(), options->words().end());
    core::Result<std::vector<Outcome>> outcomes = [&] {
        const ProgressLine line(!options->has("--quiet"), [&] { return describe_progress(progress); });
        return core::build_index_files(paths, build, progress, {.stop = interrupt.token()});
    }();
    const bool summarises = !options->has("--no-summary") && (!build.shard || build.shard->index == 0);
    if (!outcomes) {
        if (summarises && outcomes.error().code != core::ErrorCode::Cancelled) skip_summary(interrupt.token());
        return report_stop(outcomes.error(), paths, build);
    }
    if (summarises) {
        std::optional<Outcome> summary =
            add_summary(paths, *outcomes, build.folder, *loading, options->has("--quiet"), interrupt.token());
        if (summary) outcomes->push_back(*std::move(summary));
    }
    return report(*outcomes);
}

}  // namespace app
