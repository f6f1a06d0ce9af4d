#include "core/analysis/engine/record_table.hpp"
#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/parallelism/group_dimensions.hpp"
#include "core/analysis/parallelism/parallel_members.hpp"
#include "core/analysis/parallelism/parallelism_analyses.hpp"
#include "core/analysis/parallelism/schedule_bubble.hpp"
#include "core/analysis/parallelism/stage_records.hpp"
#include "core/analysis/time/step_windows.hpp"

#include <algorithm>
#include <map>

namespace core::pipeline {
namespace {

constexpr std::size_t kChunks = 0;  // parameter
constexpr std::string_view kWorkOfStage = "work of stages";
constexpr std::string_view kMessages = "messages", kWork = "work";

// A microbatch, where each has its messages; a StretchOfStage on the rank's clock.
struct WorkStretch {
    RankRange range;
    bool is_backward = false;
};

// When a send begins or a receive ends; sorted.
std::vector<RankTime> collect_cuts(const RankView& view) {
    std::vector<RankTime> cuts;
    for (const MemberEvent& member : view.rank().index->members().events()) {
        const bool both = member.operation == Operation::SendRecv;
        if (member.operation == Operation::Send || both) cuts.push_back(member.start);
        if (member.operation == Operation::Recv || both) cuts.push_back(member.end());
    }
    std::ranges::sort(cuts);
    return cuts;
}

// By step number. Fails if cancelled.
Result<std::map<std::int64_t, std::vector<WorkStretch>>> collect_stretches(const RankView& view,
                                                                           const JobContext& context) {
    const RankTrace& trace = view.trace();
    const RankWorkPtr work = work_of(*view.rank().index, context);
    if (!work) return cancelled_error();
    const std::vector<RankTime> cuts = collect_cuts(view);
    std::map<std::int64_t, std::vector<WorkStretch>> steps;
    if (cuts.empty()) return steps;
    for (std::size_t i = 0; i < trace.gpu_events.size(); ++i) {
        if (i % kEventsBetweenChecks == 0 && context.cancelled()) return cancelled_error();
        const EventId e = trace.gpu_events[i];
        const Step* const step = trace.step_of(e);
        if (work->kinds[i] == WorkKind::NoCompute || !step || !view.passes(e)) continue;
        const bool is_backward = work->passes[i] != Pass::Forward;
        std::vector<WorkStretch>& all = steps[step->number];
        const RankRange range = trace.range(e);
        const auto is_cut = [&](RankTime from) {
            const auto cut = std::ranges::upper_bound(cuts, from);
            return cut != cuts.end() && *cut <= range.begin;
        };
        if (all.empty() || all.back().is_backward != is_backward || is_cut(all.back().range.begin))
            all.push_back({range, is_backward});
        else
            all.back().range.end = std::max(all.back().range.end, range.end);
    }
    return steps;
}

using StageStep = std::pair<std::uint32_t, std::int64_t>;  // slot, step

struct StepTimesOfStage {
    std::int64_t begin = 0, duration = 0, busy = 0, idle = 0;
    std::int64_t receive_wait = 0;
    std::int64_t sends_on = 0, receives_from = 0;  // to the next stage, from the one before
    bool has_messages = false;
    bool only_waiting = true;  // every receive is told into waiting and transfer
};

// Ranks of a pipeline in the order of its stages.
struct Pipeline {
    std::vector<std::int32_t> ranks;
    std::optional<std::int64_t> stage_of(std::int32_t rank) const {
        const auto at = std::ranges::find(ranks, rank);
        return at == ranks.end() ? std::nullopt : std::optional<std::int64_t>(at - ranks.begin());
    }
};

std::map<StageStep, StepTimesOfStage> read_steps(std::span<const Partial* const> partials) {
    std::map<StageStep, StepTimesOfStage> steps;
    for (const Partial* const partial : partials)
        for (const StepOfStage& read : read_records<StepOfStage>(*partial->find(kStepsOfStage)))
            steps[{read.slot, read.step}] = {
                .begin = read.begin, .duration = read.duration, .busy = read.busy, .idle = read.idle};
    return steps;
}

bool receives(Operation operation) { return operation == Operation::Recv || operation == Operation::SendRecv; }

class StageBuilder {
public:
    StageBuilder(const ChosenMembers& chosen, const MemberPlaces& places, std::span<const Partial* const> partials)
        : chosen_(chosen), places_(places), steps_(read_steps(partials)) {
        find_pipelines();
        add_messages();
    }

    void add_rows(std::int64_t chunks, Table& table, Table& messages) const {
        for (const auto& [key, step] : steps_)
            if (step.has_messages) add_row(key, step, chunks, table);
        for (const MemberPlace& place : places_.all()) add_message_row(place, messages);
    }

    // Stretches of compute of the stages, as their ranks found them.
    void add_work(std::span<const Partial* const> partials, Table& table) const {
        for (const Partial* const partial : partials) {
            for (const StretchOfStage& one : read_records<StretchOfStage>(*partial->find(kWorkOfStage))) {
                const auto step = steps_.find({one.slot, one.step});
                if (step == steps_.end() || !step->second.has_messages) continue;
                table.add_row({chosen_.run->rank(one.slot).key.packed(), one.step, one.begin, one.duration,
                               std::string_view(one.is_backward ? "backward" : "forward")});
            }
        }
    }

private:
    const MatchedRun& matches() const { return chosen_.matches(); }
    const Collective& collective_of(const MemberPlace& place) const {
        return matches().collectives[matches().collective_of(place.member)];
    }

    // Groups that serve PP and have known members, each a pipeline; of a rank in several the largest.
    void find_pipelines() {
        const std::vector<GroupDimension> dimensions = find_dimensions(chosen_, places_);
        is_pipeline_.resize(dimensions.size());
        for (std::size_t g = 0; g < dimensions.size(); ++g) {
            is_pipeline_[g] = dimensions[g].serves("PP");
            if (!is_pipeline_[g]) continue;
            const Pipeline pipeline{matches().groups[g].members};
            for (const std::int32_t rank : pipeline.ranks) {
                Pipeline& own = of_rank_[rank];
                if (pipeline.ranks.size() > own.ranks.size()) own = pipeline;
            }
        }
    }

    const Pipeline* pipeline_of(std::uint32_t slot) const {
        const auto found = of_rank_.find(matches().ranks[slot].rank);
        return found == of_rank_.end() ? nullptr : &found->second;
    }

    void add_messages() {
        for (const MemberPlace& place : places_.all()) {
            const Collective& c = collective_of(place);
            if (!is_pipeline_[c.group] || !place.step) continue;
            const auto step = steps_.find({place.member.slot, *place.step});
            if (step == steps_.end()) continue;
            step->second.has_messages = true;
            count_direction(place, step->second);
            const MemberEvent& member = matches().member(place.member);
            if (!receives(member.operation) && !receives(c.operation)) continue;
            const std::optional<std::int64_t> wait = chosen_.waits->find_wait(place.member);
            if (!wait) step->second.only_waiting = false;
            // Time hidden by compute does not count as waiting.
            step->second.receive_wait += wait ? std::min(*wait, place.exposed) : place.exposed;
        }
    }

    void count_direction(const MemberPlace& place, StepTimesOfStage& step) const {
        const MemberEvent& member = matches().member(place.member);
        const Pipeline* const pipeline = pipeline_of(place.member.slot);
        if (!pipeline || member.peer == kNoPeer) return;
        const auto own = pipeline->stage_of(matches().ranks[place.member.slot].rank);
        const auto peer = pipeline->stage_of(member.peer);
        if (!own || !peer) return;
        if (member.operation == Operation::Send && *peer == *own + 1) ++step.sends_on;
        if (member.operation == Operation::Recv && *peer + 1 == *own) ++step.receives_from;
    }

    void add_row(const StageStep& key, const StepTimesOfStage& step, std::int64_t chunks, Table& table) const {
        const Pipeline* const pipeline = pipeline_of(key.first);
        const std::optional<std::int64_t> stage =
            pipeline ? pipeline->stage_of(matches().ranks[key.first].rank) : std::nullopt;
        const std::int64_t bubble = step.receive_wait + step.idle;
        const Cell share = ratio_cell(Wide{bubble}, Wide{step.duration});
        // The last stage sends nothing on.
        const std::int64_t messages = std::max(step.sends_on, step.receives_from);
        const bool counted = messages > 0 && messages % chunks == 0;
        const std::int64_t m = messages / chunks;
        std::optional<double> theory;
        if (counted && pipeline) {
            const auto p = static_cast<double>(pipeline->ranks.size());
            theory = (p - 1) / (static_cast<double>(chunks * m) + p - 1);
        }
        table.add_row(
            {chosen_.run->rank(key.first).key.packed(), key.second, step.duration, step.busy, step.receive_wait,
             step.idle, bubble, share, counted ? Cell{m} : Cell{}, optional_cell(theory),
             theory && std::holds_alternative<double>(share) ? Cell{std::get<double>(share) - *theory} : Cell{},
             optional_cell(stage), pipeline ? Cell{std::ssize(pipeline->ranks)} : Cell{},
             std::string_view(step.only_waiting ? "waiting" : "whole receives")});
    }

    void add_message_row(const MemberPlace& place, Table& table) const {
        const Collective& c = collective_of(place);
        if (!is_pipeline_[c.group]) return;
        const MemberEvent& member = matches().member(place.member);
        const std::int64_t begin =
            (chosen_.run->rank(place.member.slot).to_run(member.start) - chosen_.run->origin()).count();
        table.add_row({chosen_.run->rank(place.member.slot).key.packed(), optional_cell(place.step), begin,
                       member.duration.count(), name_of(member.operation),
                       member.peer == kNoPeer ? Cell{} : Cell{std::int64_t{member.peer}},
                       std::string_view(place.pass == Pass::Forward ? "forward" : "backward"),
                       static_cast<std::int64_t>(index_of(member.event))});
    }

    const ChosenMembers& chosen_;
    const MemberPlaces& places_;
    std::map<StageStep, StepTimesOfStage> steps_;
    std::vector<bool> is_pipeline_;  // by group
    std::map<std::int32_t, Pipeline> of_rank_;
};

std::vector<Column> work_columns() {
    return {{"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
            {"step", Unit::Step, Role::Key, Facet::Step, "the step"},
            {"begin", Unit::Ns, Role::Measure, Facet::None, "from the run's start"},
            {"duration", Unit::Ns, Role::Measure, Facet::None, "first kernel to last"},
            {"pass", Unit::Text, Role::Info, Facet::None, "forward, or backward with what it computes again"}};
}

std::vector<Column> message_columns() {
    return {{"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
            {"step", Unit::Step, Role::Key, Facet::Step, "that launched it"},
            {"begin", Unit::Ns, Role::Measure, Facet::None, "from the run's start"},
            {"duration", Unit::Ns, Role::Measure, Facet::None, "of its kernel"},
            {"operation", Unit::Text, Role::Info, Facet::None, "send, recv or send_recv"},
            {"peer", Unit::Count, Role::Info, Facet::None, "the other rank; absent if unknown"},
            {"pass", Unit::Text, Role::Info, Facet::None, "that launched it"},
            {"event", Unit::Event, Role::Info, Facet::None, "its kernel"}};
}

// Timelines of a schedule say themselves what stages and microbatches are.
class ScheduleRows {
public:
    ScheduleRows(const Run& run, const Schedule& schedule) : run_(run), schedule_(schedule) {}

    void add_rows(Table& table) const {
        for (const StageBubble& one : measure_bubbles(schedule_)) {
            const auto cell = [&](std::int64_t time) { return one.parts ? Cell{time} : Cell{}; };
            const StageBubble::Parts parts = one.parts.value_or(StageBubble::Parts{});
            const Cell share = one.parts ? ratio_cell(Wide{parts.bubble()}, Wide{one.duration}) : Cell{};
            const std::int64_t p = schedule_.stages;
            std::optional<double> theory;
            if (one.microbatches && p > 1)
                theory = static_cast<double>(p - 1) / static_cast<double>(one.chunks * *one.microbatches + p - 1);
            table.add_row(
                {run_.rank(one.slot).key.packed(), one.step, one.duration, cell(parts.busy), cell(parts.receive_wait),
                 cell(parts.idle), cell(parts.bubble()), share, optional_cell(one.microbatches), optional_cell(theory),
                 theory && std::holds_alternative<double>(share) ? Cell{std::get<double>(share) - *theory} : Cell{},
                 one.stage, p, std::string_view(one.parts ? "waiting" : "stages overlap")});
        }
    }

    void add_operations(Table& messages, Table& work) const {
        std::vector<ScheduleOp> ops = schedule_.ops;
        std::ranges::stable_sort(ops, {}, &ScheduleOp::begin);
        for (const ScheduleOp& op : ops) {
            const std::string_view type = schedule_.types[op.type];
            const std::string_view pass = type.starts_with("forward") ? "forward" : "backward";
            const std::int64_t rank = run_.rank(op.slot).key.packed();
            if (is_compute_type(type))
                work.add_row({rank, op.step, op.begin, op.end - op.begin, pass});
            else if (type.ends_with("-send") || type.ends_with("-recv"))
                messages.add_row({rank, op.step, op.begin, op.end - op.begin,
                                  std::string_view(type.ends_with("-send") ? "send" : "recv"), Cell{}, pass,
                                  static_cast<std::int64_t>(index_of(op.event))});
        }
    }

private:
    const Run& run_;
    const Schedule& schedule_;
};

}  // namespace

std::vector<Column> columns() {
    return {{"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
            {"step", Unit::Step, Role::Key, Facet::Step, "the step"},
            {"duration", Unit::Ns, Role::Measure, Facet::None, "of the step", true},
            {"busy", Unit::Ns, Role::Measure, Facet::None, "a compute kernel runs", true, {}, Better::Neither},
            {"receive_wait", Unit::Ns, Role::Measure, Facet::None,
             "receives run and no compute; of matched ones only what is waiting", true},
            {"idle", Unit::Ns, Role::Measure, Facet::None, "no GPU event runs", true},
            {"bubble", Unit::Ns, Role::Measure, Facet::None, "receive_wait + idle", true},
            {"bubble_share", Unit::Ratio, Role::Measure, Facet::None, "bubble / duration", false, {}, Better::Less},
            {"microbatches",
             Unit::Count,
             Role::Measure,
             Facet::None,
             "messages to the next stage (of the last: from the one before) / chunks; absent if unknown",
             true,
             {},
             Better::Neither},
            {"theory",
             Unit::Ratio,
             Role::Measure,
             Facet::None,
             "(p - 1) / (chunks x microbatches + p - 1), of the step; absent if unknown",
             false,
             {},
             Better::Neither},
            {"excess", Unit::Ratio, Role::Measure, Facet::None, "bubble_share - theory", false, {}, Better::Less},
            {"stage", Unit::Count, Role::Info, Facet::None, "place of the rank in its pipeline, from 0"},
            {"stages", Unit::Count, Role::Info, Facet::None, "p, of the pipeline"},
            {"receives", Unit::Text, Role::Info, Facet::None,
             "waiting: receive_wait is without transfer; whole receives: it is not told apart"}};
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext& context) {
    Result<Partial> partial = collect_places(view, columns(), context);
    if (!partial) return partial;
    const Result<SelectionPtr> selection = view.build_selection_of_all_steps(context);
    if (!selection) return selection.error();
    const auto slot = static_cast<std::uint32_t>(view.slot);
    Table steps = make_record_table<StepOfStage>();
    for (const StepWindow& step : collect_step_windows(view)) {
        const ClassTimes times = times_in((*selection)->partition(), step.ranges);
        add_record(steps, StepOfStage{.slot = slot,
                                      .step = step.number,
                                      .begin = view.since_origin(step.ranges.front().begin).count(),
                                      .duration = times.total().count(),
                                      .busy = times.compute().count(),
                                      .idle = times.idle().count()});
    }
    partial->tables.push_back({std::string(kStepsOfStage), std::move(steps)});
    const Result<std::map<std::int64_t, std::vector<WorkStretch>>> stretches = collect_stretches(view, context);
    if (!stretches) return stretches.error();
    Table work = make_record_table<StretchOfStage>();
    for (const auto& [step, all] : *stretches)
        for (const WorkStretch& one : all)
            add_record(work, StretchOfStage{.slot = slot,
                                            .step = step,
                                            .begin = view.since_origin(one.range.begin).count(),
                                            .duration = one.range.length().count(),
                                            .is_backward = one.is_backward});
    partial->tables.push_back({std::string(kWorkOfStage), std::move(work)});
    add_slot(view, *partial);
    return partial;
}

Result<Answer> merge(std::span<const Partial* const> partials, const Run& run, const Params& params,
                     const JobContext& context) {
    const ChosenMembers chosen = choose_members(partials, run);
    const MemberPlaces places(partials);
    Table table(columns()), messages(message_columns()), work(work_columns());
    const StageBuilder stages(chosen, places, partials);
    stages.add_rows(params[kChunks], table, messages);
    stages.add_work(partials, work);
    if (!has_gpu_events(run)) {
        const Result<Schedule> schedule = read_schedule(run, collect_slots(partials), context);
        if (!schedule) return schedule.error();
        const ScheduleRows rows(run, *schedule);
        rows.add_rows(table);
        rows.add_operations(messages, work);
    }
    Answer answer = make_answer(chosen, std::move(table), partials);
    answer.tables.insert(answer.tables.begin() + 1, {std::string(kMessages), std::move(messages)});
    answer.tables.insert(answer.tables.begin() + 2, {std::string(kWork), std::move(work)});
    return answer;
}

constexpr Param kPipelineParams[] = {
    {"chunks", "model chunks of a stage: 2 or more with an interleaved schedule", Unit::Count, 1, 1, 1024},
};
constexpr std::string_view kBubbleParts[] = {"busy", "bubble"};
constexpr SecondaryTable kTables[] = {{kMessages, message_columns}, {kWork, work_columns}, kClocksTable};

}  // namespace core::pipeline

namespace core {

constinit const Analysis kPipeline{
    .id = "pipeline",
    .title = "Pipeline",
    .summary = "The bubble of each stage and step, beside what a schedule of so many microbatches has at least.",
    .definition = R"(
Ranks of groups that serve PP (parallel-groups); stage is the place of the rank in its group's members. busy: a
compute kernel runs; idle: no GPU event; both as steps. receive_wait: receives without compute beside them, of
matched ones only the time that they wait for the sender. bubble = receive_wait + idle. microbatches: messages to
the next stage in the step, of the last stage those from the one before, divided by chunks; absent where peers are
unknown or the number is not whole. theory = (p - 1) / (chunks x microbatches + p - 1), p stages, of the step;
relative to ideal time it is (p - 1) / m, which is found in papers, too. excess = bubble_share - theory. The first
stage idles at the end, the last at the begin: only the mean over stages compares with theory. Zero-bubble schedules
have another one.

Timelines of a schedule without kernels, as MegaScan writes them, say stage, microbatch and chunk themselves: busy
is what operations compute; receive_wait is what operations with partners wait for them while nothing else runs;
idle is without any operation, from the step's first operation to its last over all stages; chunks are those that
the timeline names. A stage that computes two things at once for over 1 % of its time, as where one timeline holds
several jobs, has no such times. The filter chooses ranks only there; the table stages of what-if counts all that is
not compute as bubble.

The table messages has every send and receive with its peer, the table work the compute of each stage in stretches
of one pass, cut where a send begins or a receive ends: a microbatch each, where each has its own messages.
)",
    .params = pipeline::kPipelineParams,
    .chart = {.kind = ChartKind::StackedBars, .category = "rank", .measures = pipeline::kBubbleParts},
    .comparable = true,
    .rank = pipeline::rank,
    .merge = pipeline::merge,
    .columns = pipeline::columns,
    .tables = pipeline::kTables,
    .lead = "bubble",
    .made_of = "sends and receives of a pipeline inside steps",
    .of_run = true,
};

}  // namespace core
