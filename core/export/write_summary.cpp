#include "core/export/write_summary.hpp"

#include "core/analysis/collectives/member_exposure.hpp"
#include "core/analysis/partials/summary_answers.hpp"
#include "core/collectives/waits.hpp"
#include "core/doctor/report_bytes.hpp"
#include "core/ingest/index_file/summary_file.hpp"
#include "core/ingest/index_file/thin_rank.hpp"

#include <algorithm>
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

// Those of the run as a whole, but not of its index files.
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

// On any rank, rising.
std::vector<std::int64_t> steps_of(const Run& run) {
    std::set<std::int64_t> steps;
    for (const RankSlot& rank : run.ranks())
        for (const Step& step : rank.trace().steps) steps.insert(step.number);
    return {steps.begin(), steps.end()};
}

// With answers of single steps as far as a rank's part of the file has room for them.
Result<PackedSections> pack_rank(const Run& run, std::size_t slot, std::span<const std::int64_t> steps,
                                 const JobContext& context) {
    constexpr std::size_t kMostBytes = 90'000;
    constexpr std::size_t kMostStepBytes = std::size_t{64} << 10;
    KeptWithRank kept{.facts = facts_of(run, slot), .hidden = hidden_times_in(run, slot)};
    if (slot == 0) kept.diagnostics = diagnostics_of(run);
    PackedSections packed;
    std::size_t room = 0;
    for (const bool with_steps : {false, true}) {
        Result<std::string> answers = encode_answers_of_rank(run, slot, steps, room, context);
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

Result<bool> add_ranks(const Run& run, SummaryWriter& writer, unsigned threads, const JobContext& context) {
    std::mutex mutex;
    std::optional<Error> failure;
    const std::vector<std::int64_t> steps = steps_of(run);
    Executor::instance().share(Priority::Answer, run.ranks().size(), threads, [&](std::size_t slot) {
        if (context.checkpoint()) return;
        const RankKey key = run.rank(slot).key;
        const Result<PackedSections> packed = pack_rank(run, slot, steps, context);
        if (packed) return writer.add(slot, key.number, key.capture, packed->bytes, packed->raw_bytes);
        const std::lock_guard lock(mutex);
        if (!failure) failure = Error(packed.error()).within("rank " + format_rank(key));
    });
    if (context.cancelled()) return cancelled_error();
    return failure ? Result<bool>(*std::move(failure)) : Result<bool>(true);
}

Result<std::string> answers_of(const RunPtr& recorded, const Run& run, unsigned threads, const JobContext& context) {
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
    return encode_answers_of_run(run, threads, texts, context);
}

}  // namespace

Result<std::uint64_t> write_summary(const RunPtr& recorded, const std::filesystem::path& file, unsigned threads,
                                    const JobContext& context) {
    if (is_summary(*recorded)) return bad_input(recorded->name() + ": is a run summary already");
    Result<std::unique_ptr<SummaryWriter>> writer = SummaryWriter::create(file, recorded->ranks().size());
    if (!writer) return std::move(writer).error();
    const RunPtr run = with_clocks(recorded, ClockChoice::Auto);
    if (Result<bool> added = add_ranks(*run, **writer, threads, context); !added) return std::move(added).error();
    const Result<std::string> answers = answers_of(recorded, *run, threads, context);
    if (!answers) return answers.error();
    return (*writer)->finish(*answers, run->rules());
}

}  // namespace core
