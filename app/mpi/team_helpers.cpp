#include "app/mpi/team_helpers.hpp"

#include "core/analysis/catalogue/registry.hpp"
#include "core/analysis/run/run_analysis.hpp"
#include "core/base/checksum.hpp"
#include "core/cluster/byte_codec.hpp"
#include "core/collectives/choose_clocks.hpp"
#include "core/collectives/exchange_matches.hpp"
#include "core/query/filter_text.hpp"

#include <stdexcept>
#include <thread>

namespace app {
namespace {

enum class Order : std::uint8_t { Open, Match, Compute, End };
constexpr std::uint64_t kOrders = static_cast<std::uint64_t>(Order::End) + 1;

std::string order(Order what, std::string_view rest) {
    core::ByteWriter out;
    out.unsigned_number(static_cast<std::uint64_t>(what));
    out.text(rest);
    return std::move(out).take();
}

struct Opening {
    std::vector<std::string> paths;
    Loading loading;
};

std::string encode_opening(std::span<const std::string> paths, const Loading& loading) {
    core::ByteWriter out;
    out.unsigned_number(loading.threads);
    out.unsigned_number(static_cast<std::uint64_t>(loading.index_files));
    out.unsigned_number(static_cast<std::uint64_t>(loading.clocks));
    out.text(loading.step_marks);
    out.flag(loading.takes_summary);
    out.unsigned_number(paths.size());
    for (const std::string& path : paths) out.text(path);
    return std::move(out).take();
}

std::optional<Opening> decode_opening(std::string_view message) {
    core::ByteReader in(message);
    Opening opening;
    opening.loading.threads = static_cast<unsigned>(in.below(std::uint64_t{1} << 31));
    opening.loading.index_files =
        static_cast<core::IndexFiles>(in.below(static_cast<std::uint64_t>(core::IndexFiles::UseCache) + 1));
    opening.loading.clocks = static_cast<core::ClockChoice>(in.below(3));
    opening.loading.step_marks = in.text();
    opening.loading.takes_summary = in.flag();
    opening.paths.resize(in.items(1));
    for (std::string& path : opening.paths) path = in.text();
    if (!in.ok() || !in.at_end()) return std::nullopt;
    return opening;
}

std::string encode_number(std::uint64_t number) {
    core::ByteWriter out;
    out.unsigned_number(number);
    return std::move(out).take();
}

// True if process 0 or a rank's part of the analysis uses the run's collectives.
bool needs_matches(const core::Analysis& analysis) {
    return analysis.of_run || analysis.input == core::Input::Collectives ||
           analysis.input == core::Input::SizedCollectives;
}

// Hash of a run; differs if the ranks, their sizes or their times differ.
std::uint64_t fingerprint(const core::Run& run) {
    core::ByteWriter out;
    for (const core::RankSlot& rank : run.ranks()) {
        out.number(rank.key.packed());
        out.unsigned_number(rank.trace().size());
        out.unsigned_number(rank.index->members().events().size());
        const core::RunRange window = rank.to_run(rank.trace().window);
        out.number(core::ns_of(window.begin));
        out.number(core::ns_of(window.end));
    }
    const std::string bytes = std::move(out).take();
    return core::checksum(std::as_bytes(std::span(bytes)));
}

unsigned cores() { return std::max(1u, std::thread::hardware_concurrency()); }

core::Error differs(int process, std::string_view why) {
    return {core::ErrorCode::Io, "process " + std::to_string(process) + " does not have the same run open: " +
                                     std::string(why.empty() ? "its files differ" : why)};
}

}  // namespace

core::Result<bool> TeamHelpers::index_together(std::span<const std::string> paths, const Loading& loading, bool quiet,
                                               const std::stop_token& stop) {
    if (loading.index_files == core::IndexFiles::Ignore || !loading.step_marks.empty()) return true;
    core::BuildIndexOptions build;
    build.threads = loading.threads;
    build.team = &team_;
    build.cache_first = loading.index_files == core::IndexFiles::UseCache;
    core::LoadProgress progress;
    const std::vector<std::filesystem::path> files(paths.begin(), paths.end());
    const ProgressLine line(!quiet && team_.is_first(), [&] { return describe_progress(progress); });
    const auto outcomes = core::build_index_files(files, build, progress, {.stop = stop});
    // Opening the run reports the files that cannot be indexed, so only a cancellation ends here.
    if (!outcomes && outcomes.error().code == core::ErrorCode::Cancelled) return outcomes.error();
    return true;
}

// Collective. In process 0: whether all processes have opened the run that it has.
core::Result<bool> TeamHelpers::compare_runs(const core::Result<core::RunPtr>& run, const std::stop_token& stop) {
    core::ByteWriter own;
    own.unsigned_number(static_cast<std::uint64_t>(team_.index()));
    own.unsigned_number(run ? fingerprint(**run) : 0);
    own.text(run ? "" : run.error().message);
    const core::Result<std::string> all = team_.reduce(
        std::move(own).take(), [](std::string& into, std::string_view more) { into += more; }, stop);
    if (!all) return all.error();
    if (!team_.is_first() || !run) return true;
    core::ByteReader in(*all);
    while (in.ok() && !in.at_end()) {
        const auto process = static_cast<int>(in.below(static_cast<std::uint64_t>(team_.count())));
        const std::uint64_t print = in.unsigned_number();
        const std::string_view why = in.text();
        if (in.ok() && print != fingerprint(**run)) return differs(process, why);
    }
    return true;
}

// Collective. Requires that all processes have this run.
core::Result<bool> TeamHelpers::match_together(const core::Run& run, const std::stop_token& stop) {
    core::Result<core::MatchedRunPtr> matches = core::exchange_matches(team_, run, {}, stop);
    if (!matches) return std::move(matches).error();
    run.derived().put<core::MatchedRun>(*std::move(matches));
    return true;
}

// Collective. Returns the run that process 0 opened, on the requested clocks, if all processes have it.
core::Result<core::RunPtr> TeamHelpers::open_together(const core::Result<core::RunPtr>& run, const Loading& loading,
                                                      const std::stop_token& stop) {
    runs_.push_back(nullptr);
    const core::Result<bool> same = compare_runs(run, stop);
    const core::Result<std::string> all = team_.broadcast(run && same ? "same" : "", stop);
    if (!same) return same.error();
    if (!all) return all.error();
    if (all->empty() || !run) return run;
    if (loading.clocks != core::ClockChoice::Recorded)
        if (const core::Result<bool> matched = match_together(**run, stop); !matched) return matched.error();
    return runs_.back() = on_chosen_clocks(*run, loading);
}

core::Result<core::RunPtr> TeamHelpers::open_everywhere(std::span<const std::string> paths, const Loading& loading,
                                                        bool quiet, const std::stop_token& stop,
                                                        const std::function<core::Result<core::RunPtr>()>& open) {
    if (team_.is_alone()) {
        const core::Result<core::RunPtr> run = open();
        return run ? on_chosen_clocks(*run, loading) : run;
    }
    if (!team_.is_first()) {
        serve(stop);
        return core::cancelled_error();
    }
    threads_ = loading.threads;
    const core::Result<std::string> sent = team_.broadcast(order(Order::Open, encode_opening(paths, loading)), stop);
    if (!sent) return sent.error();
    if (const core::Result<bool> indexed = index_together(paths, loading, quiet, stop); !indexed)
        return indexed.error();
    core::Result<core::RunPtr> run = open_together(open(), loading, stop);
    if (run) numbers_[(*run)->id()] = runs_.size() - 1;
    return run;
}

core::Result<std::vector<core::Result<core::Partial>>> TeamHelpers::compute(const core::PartialsTask& task,
                                                                            const core::JobContext& context) {
    const auto number = numbers_.find(task.run.id());
    const bool is_known = core::find_analysis(task.analysis.id) == &task.analysis;  // to the others, which know its id
    if (team_.is_alone() || number == numbers_.end() || !is_known) return core::compute_partials(task, context);
    const std::optional<core::PartialsQuestion> question = core::make_question(number->second, task);
    if (!question) return core::compute_partials(task, context);
    if (needs_matches(task.analysis) && !task.run.derived().find<core::MatchedRun>()) {
        const core::Result<std::string> asked =
            team_.broadcast(order(Order::Match, encode_number(number->second)), context.stop);
        if (!asked) return asked.error();
        if (const core::Result<bool> matched = match_together(task.run, context.stop); !matched) return matched.error();
    }
    const core::Result<std::string> sent =
        team_.broadcast(order(Order::Compute, core::encode_question(*question)), context.stop);
    if (!sent) return sent.error();
    return core::exchange_partials(team_, task, context);
}

bool TeamHelpers::serve_open(std::string_view message, const std::stop_token& stop) {
    const std::optional<Opening> opening = decode_opening(message);
    if (!opening) return false;
    threads_ = opening->loading.threads;
    if (!index_together(opening->paths, opening->loading, true, stop)) return false;
    const core::Result<core::RunPtr> run = open_run_here(opening->paths, opening->loading, true, stop);
    const bool failed = !run.has_value();  // process 0 reports the reason
    return open_together(run, opening->loading, stop).has_value() || failed;
}

bool TeamHelpers::serve_match(std::string_view message, const std::stop_token& stop) {
    core::ByteReader in(message);
    const std::uint64_t number = in.below(runs_.size());
    return in.ok() && runs_[number] && match_together(*runs_[number], stop);
}

bool TeamHelpers::serve_question(std::string_view message, const std::stop_token& stop) {
    const core::Result<core::PartialsQuestion> question = core::decode_question(message);
    if (!question || question->run >= runs_.size() || !runs_[question->run]) return false;
    const core::Analysis* const analysis = core::find_analysis(question->analysis);
    const core::Result<core::Filter> filter = core::parse_filter(question->filter);
    if (!analysis || !filter) return false;
    const core::Run& run = *runs_[question->run];
    core::PartialsTask task{.analysis = *analysis,
                            .run = run,
                            .filter = *filter,
                            .params = question->params,
                            .slots = core::slots_of(*analysis, run, *filter).slots,
                            .threads = threads_ ? threads_ : cores()};
    return core::exchange_partials(team_, task, {.stop = stop}).has_value();
}

// A process that cannot take part must not end quietly: the others would wait for it for ever.
void TeamHelpers::serve(const std::stop_token& stop) {
    while (!ended_) {
        const core::Result<std::string> message = team_.broadcast({}, stop);
        if (!message) break;
        core::ByteReader in(*message);
        const auto what = static_cast<Order>(in.below(kOrders));
        const std::string_view rest = in.text();
        if (in.ok() && what == Order::End) break;
        const bool done = in.ok() && (what == Order::Open    ? serve_open(rest, stop)
                                      : what == Order::Match ? serve_match(rest, stop)
                                                             : serve_question(rest, stop));
        if (!done && stop.stop_requested()) break;
        if (!done) throw std::runtime_error("cannot do what process 0 requests");
    }
    ended_ = true;
}

void TeamHelpers::end() {
    if (team_.is_alone()) return;
    if (!team_.is_first()) return serve({});
    static_cast<void>(team_.broadcast(order(Order::End, {}), {}));
}

}  // namespace app
