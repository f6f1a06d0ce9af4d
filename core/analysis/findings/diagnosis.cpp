#include "core/analysis/findings/diagnosis.hpp"

#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/findings/finding_thresholds.hpp"
#include "core/analysis/whatif/kernel_schedule.hpp"
#include "core/analysis/whatif/schedule_savings.hpp"
#include "core/base/format.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>

namespace core {

bool Diagnosis::covers(std::uint32_t slot) const {
    return graph && std::ranges::find(graph->parts, slot, &GraphPart::slot) != graph->parts.end();
}

std::int64_t Diagnosis::of_all_steps(std::int64_t time) const {
    if (!is_cut || parts.steps <= steps) return time;
    return rounded_mean(Wide{time} * parts.steps, steps);
}

std::vector<bool> Diagnosis::name(std::span<const std::uint32_t> slots) const {
    std::vector<bool> named(graph->parts.size());
    for (std::size_t p = 0; p < named.size(); ++p)
        named[p] = std::ranges::find(slots, graph->parts[p].slot) != slots.end();
    return named;
}

Result<std::int64_t> Diagnosis::save(const Change& change, const JobContext& context) const {
    const Result<NodeTimes> times = replay_times(graph->graph, weights_under(*graph, change, {}), context);
    if (!times) return times.error();
    return graph->length() - (*times)[graph->sink];
}

namespace {

constexpr double kMoreMicrobatches = 4;

Result<bool> diagnose_stages(const Run& run, Diagnosis& diagnosis, const JobContext& context) {
    diagnosis.stages =
        measure_stages(run, *diagnosis.waits, *diagnosis.graph, diagnosis.name(diagnosis.late.slots), diagnosis.steps);
    if (diagnosis.stages.stages == 0) return true;
    Change change = diagnosis.mend_late_ranks();
    change.factor = balance_stages(*diagnosis.graph, diagnosis.stages);
    const Result<std::int64_t> saved = diagnosis.save(change, context);
    if (!saved) return saved.error();
    diagnosis.saved_balanced = std::max<std::int64_t>(*saved - diagnosis.late.saved, 0);
    return true;
}

}  // namespace

ConfirmedRanks Diagnosis::confirmed() const {
    const double saved = late.length > 0 ? static_cast<double>(late.saved) / static_cast<double>(late.length) : 0;
    return {.known = graph != nullptr,
            .slots = late.slots,
            .by_turns = late.by_turns,
            .saved = saved,
            .pipeline = confirm_pipeline()};
}

ConfirmedPipeline Diagnosis::confirm_pipeline() const {
    if (!graph || stages.stages < 2 || graph->length() <= 0) return {};
    const auto length = static_cast<double>(graph->length());
    if (are_stages_uneven())
        return {.saved = static_cast<double>(saved_balanced) / length, .evidence = describe_stages()};
    const std::int64_t few = saved_by_more_microbatches();
    if (few <= 0) return {};
    return {.saved = static_cast<double>(few) / length, .evidence = describe_few_microbatches()};
}

std::string Diagnosis::describe_stages() const {
    const std::size_t longest = stages.longest();
    Wide others = 0;
    for (std::size_t i = 0; i < stages.work.size(); ++i) others += i == longest ? 0 : stages.work[i];
    const double mean = static_cast<double>(others) / static_cast<double>(stages.work.size() - 1);
    return "stage " + format_count(longest) + " computes " +
           format_number(static_cast<double>(stages.work[longest]) / mean) + " times as long as " +
           (stages.work.size() == 2 ? std::string("the other stage")
                                    : "the other " + format_count(stages.work.size() - 1) + " stages on average");
}

std::string Diagnosis::describe_few_microbatches() const {
    const auto with = [&](std::int64_t times) {
        StageWork more = stages;
        more.microbatches *= times;
        return format_ratio(more.theory()) + " with " + format_count(more.microbatches);
    };
    return format_plural(static_cast<std::uint64_t>(stages.microbatches), "microbatch", "microbatches") + " for " +
           std::to_string(stages.stages) + " stages: they idle " + format_ratio(stages.theory()) +
           " of the step by theory, " + format_ratio(stages.bubble) + " as measured; by theory " + with(2) + ", " +
           with(4);
}

Change Diagnosis::mend_late_ranks() const {
    if (late.slots.empty()) return {};
    return change_to(make_typical(*graph, partners, name(late.slots)));
}

Change Diagnosis::mend_causes() const {
    Change change = mend_late_ranks();
    if (are_stages_uneven()) change.factor = balance_stages(*graph, stages);
    return change;
}

bool Diagnosis::are_stages_uneven() const {
    return stages.stages >= 2 &&
           static_cast<double>(saved_balanced) >= kLeastSaved * static_cast<double>(graph->length());
}

std::int64_t Diagnosis::saved_by_causes() const { return late.saved + (are_stages_uneven() ? saved_balanced : 0); }

std::string_view Diagnosis::name_causes() const {
    if (!are_stages_uneven()) return late.slots.empty() ? "" : "no rank is late";
    return late.slots.empty() ? "stages are even" : "no rank is late and stages are even";
}

double Diagnosis::share_of_few_microbatches() const {
    const double theory = stages.theory();
    if (theory < thresholds::kLeastBubble || std::abs(stages.bubble - theory) > thresholds::kNearTheory * theory)
        return 0;
    const double m = static_cast<double>(stages.microbatches), p = stages.stages;
    const double now = (m + p - 1) / m, then = (kMoreMicrobatches * m + p - 1) / (kMoreMicrobatches * m);
    return 1 - then / now;
}

std::int64_t Diagnosis::saved_by_more_microbatches() const {
    const auto left = static_cast<double>(graph->length() - saved_by_causes());
    return static_cast<std::int64_t>(share_of_few_microbatches() * left);
}

namespace {

// The newest answers by the parts that were asked about.
class KeptRanks {
public:
    std::optional<ConfirmedRanks> find(const std::vector<PartWindow>& parts) const {
        const std::lock_guard lock(mutex_);
        for (const auto& [of, ranks] : kept_)
            if (std::ranges::equal(of, parts, is_same)) return ranks;
        return std::nullopt;
    }
    void add(const std::vector<PartWindow>& parts, ConfirmedRanks ranks) const {
        constexpr std::size_t kMost = 8;
        const std::lock_guard lock(mutex_);
        if (kept_.size() == kMost) kept_.erase(kept_.begin());
        kept_.emplace_back(parts, std::move(ranks));
    }

private:
    static bool is_same(const PartWindow& a, const PartWindow& b) {
        return a.slot == b.slot && a.window.range == b.window.range &&
               std::ranges::equal(a.window.steps, b.window.steps);
    }
    mutable std::mutex mutex_;
    mutable std::vector<std::pair<std::vector<PartWindow>, ConfirmedRanks>> kept_;
};

std::shared_ptr<const KeptRanks> kept_ranks_of(const Run& run) {
    return run.derived().get<KeptRanks>([] { return std::make_shared<KeptRanks>(); });
}

Result<Diagnosis> make_diagnosis(std::span<const Partial* const>, const Run&, const JobContext&);

}  // namespace

bool ConfirmedRanks::has(std::uint32_t slot) const { return std::ranges::find(slots, slot) != slots.end(); }

Result<ConfirmedRanks> confirm_late_ranks(std::span<const Partial* const> partials, const Run& run,
                                          const JobContext& context) {
    const ChosenParts parts = collect_parts(partials, run);
    if (std::optional<ConfirmedRanks> kept = kept_ranks_of(run)->find(parts.parts)) return *std::move(kept);
    const Result<Diagnosis> diagnosis = diagnose(partials, run, context);
    if (!diagnosis) return diagnosis.error();
    return diagnosis->confirmed();
}

Result<Diagnosis> diagnose(std::span<const Partial* const> partials, const Run& run, const JobContext& context) {
    Result<Diagnosis> diagnosis = make_diagnosis(partials, run, context);
    const auto kept = kept_ranks_of(run);
    if (diagnosis && !kept->find(diagnosis->parts.parts)) kept->add(diagnosis->parts.parts, diagnosis->confirmed());
    return diagnosis;
}

namespace {

// A graph in which compute waits for no message replays a pipeline as if its stages had nothing to do with one another.
// False: the passes of the stages are not known.
Result<bool> diagnose_by_schedule(const Run& run, std::span<const PartWindow> parts, const Suspects& suspects,
                                  Diagnosis& diagnosis, const JobContext& context) {
    const Result<KernelSchedule> read = read_kernel_schedule(run, *diagnosis.waits, parts, context);
    if (!read) return read.error();
    if (read->schedule.steps.empty() || !read->schedule.overlapping.empty()) return false;
    std::vector<std::uint32_t> slots;
    for (const PartWindow& part : parts) slots.push_back(part.slot);
    Result<PipelineSavings> savings = measure_pipeline_savings(read->schedule, slots, suspects, context);
    if (!savings) return std::move(savings).error();
    diagnosis.late = std::move(savings->late);
    diagnosis.late.length = diagnosis.graph->length();
    diagnosis.stages = std::move(savings->stages);
    diagnosis.saved_balanced = savings->saved_balanced;
    return true;
}

Result<Diagnosis> make_diagnosis(std::span<const Partial* const> partials, const Run& run, const JobContext& context) {
    Diagnosis diagnosis;
    diagnosis.lost = lost_ranks_of(run);
    diagnosis.waited_for = find_culprits(partials, run);
    diagnosis.parts = collect_parts(partials, run);
    if (diagnosis.parts.parts.empty()) return diagnosis;
    diagnosis.waits = waits_of(run);
    const std::vector<std::vector<PartWindow>> split = split_by_steps(run, diagnosis.parts.parts);
    const std::vector<PartWindow>& some = split[split.size() / 2];
    diagnosis.is_cut = split.size() > 1;
    Result<RunGraph> graph = build_run_graph(run, *diagnosis.waits, some, {}, context);
    if (!graph) return std::move(graph).error();
    diagnosis.graph = std::make_shared<const RunGraph>(*std::move(graph));
    for (const PartWindow& part : some)
        diagnosis.steps = std::max(diagnosis.steps, static_cast<std::int64_t>(part.window.steps.size()));
    Result<Partners> partners = find_partners(run, *diagnosis.waits, *diagnosis.graph, TypicalOver::Ranks, context);
    if (!partners) return std::move(partners).error();
    diagnosis.partners = *std::move(partners);
    std::vector<std::uint32_t> waited_for;
    for (const Culprit& culprit : diagnosis.waited_for) waited_for.push_back(culprit.slot);
    const Suspects suspects{.examined = diagnosis.name(waited_for),
                            .left_out = diagnosis.name(diagnosis.lost->slots())};
    if (!shows_waits_for_messages(*diagnosis.waits, *diagnosis.graph)) {
        const Result<bool> done = diagnose_by_schedule(run, some, suspects, diagnosis, context);
        if (!done) return done.error();
        if (*done) return diagnosis;
    }
    // Ranks that nothing joins wait for nobody.
    if (diagnosis.graph->joins.joined + diagnosis.graph->joins.pairs > 0) {
        Result<LateRanks> late = find_late_ranks(run, *diagnosis.graph, diagnosis.partners, suspects, context);
        if (!late) return std::move(late).error();
        diagnosis.late = *std::move(late);
    }
    diagnosis.late.length = diagnosis.graph->length();
    if (const Result<bool> done = diagnose_stages(run, diagnosis, context); !done) return done.error();
    return diagnosis;
}

}  // namespace

}  // namespace core
