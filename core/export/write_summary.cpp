#include "core/export/write_summary.hpp"

#include "core/analysis/catalogue/registry.hpp"
#include "core/analysis/collectives/member_exposure.hpp"
#include "core/analysis/run/exchange_partials.hpp"
#include "core/analysis/run/write_summary_answers.hpp"
#include "core/cluster/byte_codec.hpp"
#include "core/collectives/choose_clocks.hpp"
#include "core/collectives/exchange_matches.hpp"
#include "core/collectives/waits.hpp"
#include "core/doctor/report_bytes.hpp"
#include "core/ingest/index_file/summary_file.hpp"
#include "core/ingest/index_file/thin_rank.hpp"

#include <algorithm>
#include <functional>
#include <mutex>
#include <optional>
#include <set>

namespace core {
namespace {

SummaryFacts facts_of(const Run& run, std::size_t slot) {
    const RankSlot& rank = run.rank(slot);
    SummaryFacts facts;
    facts.origin = ns_of(run.origin());
    facts.ranks = run.ranks().size();
    facts.recorded = StoredClock::of(rank.recorded_clock());
    facts.clock = StoredClock::of(rank.clock);
    facts.number = rank.key.number;
    facts.capture = rank.key.capture;
    facts.source = static_cast<std::uint16_t>(rank.source);
    facts.aligned = rank.recorded ? 1 : 0;
    return facts;
}

// Diagnostics of the run as a whole, without those of its index files.
Diagnostics diagnostics_of(const Run& run) {
    Diagnostics kept;
    for (const Diagnostic& one : run.diagnostics().entries())
        if (!one.kind->id.starts_with("index-")) kept.add(one.kind->id, one.first, one.count);
    return kept;
}

std::vector<HiddenTimes> hidden_times_in(const Run& run, std::size_t slot) {
    const WaitsPtr waits = waits_of(run);
    std::vector<HiddenTimes> hidden(run.rank(slot).index->members().events().size());
    for (std::uint32_t index = 0; index < hidden.size(); ++index)
        hidden[index] = find_hidden_times(run, *waits, {static_cast<std::uint32_t>(slot), index});
    return hidden;
}

// Steps of any rank, rising.
std::vector<std::int64_t> steps_of(const Run& run) {
    std::set<std::int64_t> steps;
    for (const RankSlot& rank : run.ranks())
        for (const Step& step : rank.trace().steps) steps.insert(step.number);
    return {steps.begin(), steps.end()};
}

// Packs a rank with answers of single steps, until the rank's part of the file is full.
Result<PackedSections> pack_rank(const Run& run, std::size_t slot, std::span<const std::int64_t> steps,
                                 const JobContext& context) {
    constexpr std::size_t kMostBytes = 90'000;
    constexpr std::size_t kMostStepBytes = std::size_t{64} << 10;
    KeptWithRank kept{.facts = facts_of(run, slot), .hidden = hidden_times_in(run, slot)};
    if (slot == 0) kept.diagnostics = diagnostics_of(run);
    PackedSections packed;
    std::size_t room = 0;
    for (const bool with_steps : {false, true}) {
        Result<std::string> answers = encode_answers_of_rank(all_analyses(), run, slot, steps, room, context);
        if (!answers) return std::move(answers).error();
        kept.answers = std::move(*answers);
        PackedSections more = pack_sections(thin_sections(*run.rank(slot).index, kept));
        if (with_steps && more.bytes.size() > kMostBytes) break;
        packed = std::move(more);
        if (packed.bytes.size() >= kMostBytes || steps.empty()) break;
        room = std::min(kMostBytes - packed.bytes.size(), kMostStepBytes);
    }
    return packed;
}

// Takes packed ranks for the file, and keeps the first failure.
class RankTaker {
public:
    RankTaker(const Run& run, SummaryWriter& writer) : run_(run), writer_(writer) {}
    void add(std::size_t slot, const Result<PackedSections>& packed) {
        const RankKey key = run_.rank(slot).key;
        if (packed) return writer_.add(slot, key.number, key.capture, packed->bytes, packed->raw_bytes);
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = Error(packed.error()).within("rank " + format_rank(key));
    }
    // Reads the form of write_packed.
    void add_all(std::string_view bytes) {
        constexpr std::uint64_t kErrorCodes = static_cast<std::uint64_t>(ErrorCode::Internal) + 1;
        ByteReader in(bytes);
        while (in.ok() && !in.at_end()) {
            const auto slot = static_cast<std::size_t>(in.below(run_.ranks().size()));
            const bool is_whole = in.flag();
            const std::uint64_t number = is_whole ? in.unsigned_number() : in.below(kErrorCodes);
            std::string text(in.text());
            if (!in.ok()) break;
            if (is_whole)
                add(slot, PackedSections{.bytes = std::move(text), .raw_bytes = number});
            else
                add(slot, Error{static_cast<ErrorCode>(number), std::move(text)});
        }
        if (!in.ok() && !failure_) failure_ = {ErrorCode::Internal, "a rank of another process is not whole"};
    }
    Result<bool> outcome() const { return failure_ ? Result<bool>(*failure_) : Result<bool>(true); }

private:
    const Run& run_;
    SummaryWriter& writer_;
    std::mutex mutex_;
    std::optional<Error> failure_;
};

Result<bool> add_ranks(const Run& run, SummaryWriter& writer, unsigned threads, const JobContext& context) {
    RankTaker taker(run, writer);
    const std::vector<std::int64_t> steps = steps_of(run);
    Executor::instance().parallel_for(Priority::Answer, run.ranks().size(), threads, [&](std::size_t slot) {
        if (!context.checkpoint()) taker.add(slot, pack_rank(run, slot, steps, context));
    });
    if (context.cancelled()) return cancelled_error();
    return taker.outcome();
}

void write_packed(ByteWriter& out, std::size_t slot, const Result<PackedSections>& packed) {
    out.unsigned_number(slot);
    out.flag(packed.has_value());
    out.unsigned_number(packed ? packed->raw_bytes : static_cast<std::uint64_t>(packed.error().code));
    out.text(packed ? packed->bytes : packed.error().message);
}

// Collective. taker: in process 0, which begins with what it alone has to do, while the others pack ranks. In rounds,
// so that it never holds all of many ranks. Only a stop ends it early: the others would wait.
Result<bool> share_ranks(Team& team, const Run& run, RankTaker* taker, unsigned threads, const JobContext& context,
                         const std::function<void()>& begin_alone) {
    constexpr std::size_t kMostOfFirst = 4096, kMostOfRound = 2048;  // ranks, of at most 100 KB
    constexpr std::size_t kMostAtOnce = 16;
    const std::vector<std::int64_t> steps = steps_of(run);
    const std::size_t ranks = run.ranks().size();
    std::size_t end = 0;
    for (std::size_t first = 0; first < ranks; first = end) {
        end = std::min(ranks, first + (first == 0 ? kMostOfFirst : kMostOfRound));
        // Between this handout and the one before.
        if (const Result<std::string> begun = team.broadcast({}, context.stop); !begun) return begun.error();
        ByteWriter out;
        std::mutex mutex;  // of `out`
        {
            Handout handout(team, end - first, kMostAtOnce, context.stop);
            if (taker && first == 0) begin_alone();
            Executor::instance().parallel_for(Priority::Answer, threads, threads, [&](std::size_t) {
                while (const std::optional<std::size_t> place = handout.take()) {
                    const Result<PackedSections> packed = pack_rank(run, first + *place, steps, context);
                    if (taker) {
                        taker->add(first + *place, packed);
                        continue;
                    }
                    const std::lock_guard lock(mutex);
                    write_packed(out, first + *place, packed);
                }
            });
        }
        if (context.cancelled()) return cancelled_error();
        const Result<std::string> all = team.reduce(
            std::move(out).take(), [](std::string& into, std::string_view more) { into += more; }, context.stop);
        if (!all) return all.error();
        if (taker) taker->add_all(*all);
    }
    return taker ? taker->outcome() : Result<bool>(true);
}

// source: of the partials; null: they are computed here.
Result<std::string> answers_of(const RunPtr& recorded, const Run& run, unsigned threads, PartialsSource* source,
                               const JobContext& context) {
    const Result<DoctorReport> report = examine_run(*recorded, threads, context);
    if (!report) return report.error();
    const std::string bytes = encode_report(*report);
    std::string aligned;
    if (is_aligned(run)) {
        const Result<DoctorReport> other = examine_run(run, threads, context);
        if (!other) return other.error();
        aligned = encode_report(*other);
    }
    const SummaryText texts[] = {{.id = kReportRecorded, .bytes = bytes}, {.id = kReportAligned, .bytes = aligned}};
    return source ? encode_answers_of_run(all_analyses(), run, threads, texts, *source, context)
                  : encode_answers_of_run(all_analyses(), run, threads, texts, context);
}

// Collective. What answers_of asks for.
Result<ExchangedPartials> exchange_partials_of_run(Team& team, const Run& run, unsigned threads,
                                                   const JobContext& context) {
    const Filter all;
    const std::vector<const Analysis*> analyses = analyses_of_run(all_analyses());
    std::vector<Params> params;
    for (const Analysis* const analysis : analyses) params.push_back(*make_params(*analysis, {}));
    std::vector<PartialsTask> tasks;
    for (std::size_t i = 0; i < analyses.size(); ++i)
        tasks.push_back({.analysis = *analyses[i],
                         .run = run,
                         .filter = all,
                         .params = params[i],
                         .slots = slots_of(*analyses[i], run, all).slots,
                         .threads = threads});
    return ExchangedPartials::compute_all(team, tasks, context);
}

}  // namespace

Result<std::uint64_t> write_summary(const RunPtr& recorded, const std::filesystem::path& file, unsigned threads,
                                    const JobContext& context) {
    if (is_summary(*recorded)) return bad_input(recorded->name() + ": is a run summary already");
    Result<std::unique_ptr<SummaryWriter>> writer = SummaryWriter::create(file, recorded->ranks().size());
    if (!writer) return std::move(writer).error();
    const RunPtr run = with_clocks(recorded, ClockChoice::Auto);
    if (Result<bool> added = add_ranks(*run, **writer, threads, context); !added) return std::move(added).error();
    const Result<std::string> answers = answers_of(recorded, *run, threads, nullptr, context);
    if (!answers) return answers.error();
    return (*writer)->finish(*answers, run->rules());
}

Result<std::uint64_t> write_summary(Team& team, const RunPtr& recorded, const std::filesystem::path& file,
                                    unsigned threads, const JobContext& context) {
    if (team.is_alone()) return write_summary(recorded, file, threads, context);
    if (is_summary(*recorded)) return bad_input(recorded->name() + ": is a run summary already");
    std::optional<Result<std::unique_ptr<SummaryWriter>>> writer;
    if (team.is_first()) writer = SummaryWriter::create(file, recorded->ranks().size());
    const Result<std::string> begins = team.broadcast(writer && *writer ? "begins" : "", context.stop);
    if (!begins) return begins.error();
    if (begins->empty()) return writer ? Result<std::uint64_t>(writer->error()) : Result<std::uint64_t>(0);
    Result<MatchedRunPtr> matches = exchange_matches(team, *recorded, {}, context.stop);
    if (!matches) return std::move(matches).error();
    recorded->derived().put<MatchedRun>(*std::move(matches));
    const RunPtr run = with_clocks(recorded, ClockChoice::Auto);
    Result<ExchangedPartials> partials = exchange_partials_of_run(team, *run, threads, context);
    if (!partials) return std::move(partials).error();
    std::optional<RankTaker> taker;
    if (writer) taker.emplace(*run, ***writer);
    std::optional<Result<std::string>> answers;
    const Result<bool> added = share_ranks(team, *run, taker ? &*taker : nullptr, threads, context,
                                           [&] { answers = answers_of(recorded, *run, threads, &*partials, context); });
    if (!added) return added.error();
    if (!writer) return std::uint64_t{0};
    if (!*answers) return answers->error();
    return (**writer)->finish(**answers, run->rules());
}

}  // namespace core
