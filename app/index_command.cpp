#include "app/console.hpp"
#include "app/open_run.hpp"
#include "app/options.hpp"
#include "core/base/format.hpp"
#include "core/cluster/share.hpp"
#include "core/export/text_table.hpp"

namespace app {
namespace {

using Outcome = core::IndexOutcome;

constexpr Option kIndexOptions[] = {
    {"--out", "DIR", "write them to the traces' subfolders below DIR instead of next to the traces", "-o"},
    {"--jobs", "N", "threads to use (all cores)"},
    {"--shard", "I/N",
     "process I (from 0) of N that do this together; else what Slurm, MPI, torchrun or Kubernetes say"},
    {"--claim-timeout", "S", "seconds without a sign of life after which another process does its work (60)"},
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

// None for a process that works alone.
core::Result<std::optional<core::Share>> read_share(const Options& options) {
    if (helpers()) {
        if (options.has("--shard")) return core::bad_input("--shard: these processes share the files by messages");
        return std::optional<core::Share>();
    }
    if (!options.has("--shard")) return core::find_share(std::getenv);
    core::Result<core::Share> share = core::parse_share(options.last("--shard"));
    if (!share) return std::move(share).error();
    return share->count > 1 ? std::optional(std::move(*share)) : std::nullopt;
}

std::string describe_share(const core::Share& share) {
    const std::string of = share.count == 0 ? "" : " of " + std::to_string(share.count);
    return "process " + std::to_string(share.index) + of + " (" + share.from +
           "): its share first, then what others left";
}

// Reports which index files a stopped process has not made.
int report_stop(const core::Error& error, std::span<const std::filesystem::path> paths,
                const core::BuildIndexOptions& build) {
    if (error.code != core::ErrorCode::Cancelled || (build.team && !build.team->is_first()))
        return report_failure(error);
    const core::MissingIndexFiles missing = core::find_missing_index_files(paths, build);
    std::string text = core::format_plural(missing.count, "index file is", "index files are") + " missing, of " +
                       std::to_string(missing.of);
    for (const std::filesystem::path& trace : missing.first)
        text += (&trace == missing.first.data() ? ": that of " : ", ") + trace.string();
    if (missing.count > missing.first.size()) text += ", …";
    say(text + (missing.count > 0 ? "; run the command again to complete them" : ""));
    return report_failure(error);
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

    const core::Result<std::optional<core::Share>> share = read_share(*options);
    if (!share) return refuse_usage("index", share.error().message);
    const core::Result<std::int64_t> timeout = options->integer("--claim-timeout", 60, 1, 86'400);
    if (!timeout) return refuse_usage("index", timeout.error().message);
    if (*share && !options->has("--quiet")) say(describe_share(**share));

    const Interrupt interrupt;
    core::LoadProgress progress;
    core::BuildIndexOptions build;
    build.share = *share;
    build.team = helpers() ? &helpers()->team() : nullptr;
    build.claim_timeout = std::chrono::seconds(*timeout);
    build.threads = loading->threads;
    build.folder = options->last("--out");
    const std::vector<std::filesystem::path> paths(options->words().begin(), options->words().end());
    core::Result<std::vector<Outcome>> outcomes = [&] {
        const ProgressLine line(!options->has("--quiet"), [&] { return describe_progress(progress); });
        return core::build_index_files(paths, build, progress, {.stop = interrupt.token()});
    }();
    if (!outcomes) return report_stop(outcomes.error(), paths, build);
    return report(*outcomes);
}

}  // namespace app
