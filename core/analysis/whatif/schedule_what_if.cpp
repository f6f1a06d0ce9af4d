#include "core/analysis/whatif/schedule_what_if.hpp"

#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/whatif/given_change.hpp"
#include "core/analysis/whatif/schedule_savings.hpp"
#include "core/analysis/whatif/whatif_analyses.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace core {
namespace {

using Lengths = std::vector<std::int64_t>;

// Sends and receives of one direction are one operation.
std::string operation_of(std::string_view type) {
    if (type == "forward-send" || type == "forward-recv") return "forward-pp-comm";
    if (type == "backward-send" || type == "backward-recv") return "backward-pp-comm";
    return std::string(type);
}

// Durations of the operations: as recorded, like their peers, or changed.
class ScheduleLengths {
public:
    ScheduleLengths(const Schedule& schedule, PoolOver over) : schedule_(schedule), over_(over) {
        for (const ScheduleOp& op : schedule_.ops) recorded_.push_back(op.joins ? op.transfer : op.end - op.begin);
        find_typical();
    }

    const Lengths& recorded() const { return recorded_; }
    const Lengths& typical() const { return typical_; }
    Lengths given(const ScheduleScales& scales) const {
        Lengths lengths = scales.no_stragglers ? typical_ : recorded_;
        if (scales.balanced) lengths = balance_lengths(schedule_, std::move(lengths));
        return scaled(std::move(lengths), scales.compute, scales.communication);
    }

    Lengths scaled(Lengths lengths, std::int64_t compute, std::int64_t communication) const {
        for (std::size_t i = 0; i < lengths.size(); ++i) {
            const bool moves = is_communication_type(type_of(schedule_.ops[i]));
            lengths[i] = rounded_mean(Wide{lengths[i]} * (moves ? communication : compute), 100);
        }
        return lengths;
    }

private:
    std::string_view type_of(const ScheduleOp& op) const { return schedule_.types[op.type]; }

    // The mean of compute, the median of communication, over the same operation of all that is pooled.
    void find_typical() {
        using Key = std::tuple<std::uint32_t, std::int32_t, std::int64_t, std::int64_t>;
        std::map<Key, std::vector<std::size_t>> pools;
        const bool all = over_.stages && over_.steps;
        for (std::size_t i = 0; i < schedule_.ops.size(); ++i) {
            const ScheduleOp& op = schedule_.ops[i];
            pools[{op.type, over_.stages ? -1 : op.stage, over_.steps ? -1 : op.step, all ? -1 : op.sequence}]
                .push_back(i);
        }
        typical_ = recorded_;
        for (const auto& [key, pool] : pools) {
            std::vector<std::int64_t> values;
            Wide sum = 0;
            for (const std::size_t i : pool) {
                values.push_back(recorded_[i]);
                sum += recorded_[i];
            }
            const bool by_median = is_communication_type(schedule_.types[std::get<0>(key)]);
            const std::int64_t middle =
                by_median ? take_median(values) : rounded_mean(sum, static_cast<std::int64_t>(pool.size()));
            for (const std::size_t i : pool) typical_[i] = middle;
        }
    }

    const Schedule& schedule_;
    PoolOver over_;
    Lengths recorded_, typical_;
};

class ScheduleRows {
public:
    ScheduleRows(const Run& run, const Schedule& schedule, PoolOver over, Answer& answer, const JobContext& context)
        : run_(run), schedule_(schedule), over_(over), answer_(answer), context_(context), lengths_(schedule, over) {}

    Result<bool> add_all(const ScheduleScales& scales) {
        const Result<std::int64_t> step = replay_schedule(schedule_, recorded(), true, context_);
        if (!step) return step.error();
        step_time_ = *step;
        const Result<std::int64_t> ideal = replay(typical());
        if (!ideal) return ideal.error();
        ideal_ = *ideal;
        const Result<std::int64_t> base = replay(recorded());
        if (!base) return base.error();
        base_ = *base;
        if (Result<bool> done = add_given(scales); !done) return done;
        add_row("recorded", "", step_time_, step_time_, {});
        if (Result<bool> done = add("free communication", "", lengths_.scaled(recorded(), 100, 0), true); !done)
            return done;
        if (Result<bool> done = add("no launch gaps", "", recorded(), false); !done) return done;
        // Gaps are the bubble: kept as recorded, they would hide what equal stages gain.
        if (Result<bool> done = add("stages balanced", "", balance_lengths(schedule_, recorded()), false); !done)
            return done;
        add_row("no stragglers", "", ideal_, ideal_, {});
        return add_parts();
    }

private:
    const Lengths& recorded() const { return lengths_.recorded(); }
    const Lengths& typical() const { return lengths_.typical(); }
    // Averages over stages and steps leave the gaps out, as those of other pools would be of other lengths.
    bool with_gaps() const { return !(over_.stages && over_.steps); }
    Result<std::int64_t> replay(const Lengths& lengths) const {
        return replay_schedule(schedule_, lengths, with_gaps(), context_);
    }

    std::string_view type_of(const ScheduleOp& op) const { return schedule_.types[op.type]; }

    void add_row(std::string_view change, std::string_view of, std::int64_t step_time, std::int64_t slow,
                 std::optional<std::int64_t> part) {
        const std::int64_t gain = step_time_ - step_time;
        answer_.tables[0].table.add_row(
            {change, of, step_time, gain, ratio_cell(Wide{gain}, Wide{step_time_}),
             ratio_cell(Wide{change == "recorded" ? base_ : slow}, Wide{ideal_}),
             part ? ratio_cell(Wide{base_} - *part, Wide{base_} - ideal_) : Cell{},
             change == "recorded" ? Cell{} : Cell{std::string_view("ceiling: links and order stay as recorded")},
             Cell{}});
    }

    Result<bool> add(std::string_view change, std::string_view of, const Lengths& lengths, bool gaps) {
        const Result<std::int64_t> length = replay_schedule(schedule_, lengths, gaps, context_);
        if (!length) return length.error();
        add_row(change, of, *length, *length, {});
        return true;
    }

    Result<bool> add_given(const ScheduleScales& scales) {
        if (scales == ScheduleScales{}) return true;
        return add("given", "", lengths_.given(scales), scales.keeps_gaps());
    }

    template <class Takes>
    Result<bool> add_part(std::string_view change, std::string_view of, const Takes& takes) {
        Lengths alone = recorded(), but = typical();
        for (std::size_t i = 0; i < recorded().size(); ++i) {
            if (!takes(schedule_.ops[i])) continue;
            alone[i] = typical()[i];
            but[i] = recorded()[i];
        }
        const Result<std::int64_t> with = replay(alone), without = replay(but);
        if (!with) return with.error();
        if (!without) return without.error();
        add_row(change, of, *with, *without, *with);
        return true;
    }

    Result<bool> add_parts() {
        std::set<std::uint32_t> slots;
        std::set<std::string> operations;
        for (const ScheduleOp& op : schedule_.ops) {
            slots.insert(op.slot);
            operations.insert(operation_of(type_of(op)));
        }
        for (const std::uint32_t slot : slots) {
            const auto takes = [&](const ScheduleOp& op) { return op.slot == slot; };
            Result<bool> done = add_part("rank typical", format_rank(run_.rank(slot).key), takes);
            if (!done) return done;
        }
        for (std::int32_t dp = 0; schedule_.dp > 1 && dp < schedule_.dp; ++dp) {
            const auto takes = [&](const ScheduleOp& op) { return op.dp == dp; };
            if (Result<bool> done = add_part("replica typical", std::to_string(dp), takes); !done) return done;
        }
        for (std::int32_t stage = 0; stage < schedule_.stages; ++stage) {
            const auto takes = [&](const ScheduleOp& op) { return op.stage == stage; };
            if (Result<bool> done = add_part("stage typical", std::to_string(stage), takes); !done) return done;
        }
        for (const std::string& operation : operations) {
            const auto takes = [&](const ScheduleOp& op) { return operation_of(type_of(op)) == operation; };
            if (Result<bool> done = add_part("operation typical", operation, takes); !done) return done;
        }
        for (const ScheduleStep& step : schedule_.steps) {
            if (schedule_.steps.size() < 2) break;
            const auto takes = [&](const ScheduleOp& op) { return op.step == step.number; };
            Result<bool> done = add_part("step typical", std::to_string(step.number), takes);
            if (!done) return done;
        }
        return true;
    }

    const Run& run_;
    const Schedule& schedule_;
    PoolOver over_;
    Answer& answer_;
    const JobContext& context_;
    ScheduleLengths lengths_;
    std::int64_t step_time_ = 0, base_ = 0, ideal_ = 0;
};

Table stage_table(const Schedule& schedule) {
    struct Stage {
        Wide compute = 0, own = 0;
        std::int64_t forwards = 0;
    };
    std::map<std::int32_t, Stage> stages;
    std::map<std::tuple<std::int32_t, std::int32_t, std::int64_t>, std::pair<std::int64_t, std::int64_t>> spans;
    std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>> steps;
    const auto extend = [](auto& map, const auto& key, const ScheduleOp& op) {
        const auto [it, fresh] = map.try_emplace(key, op.begin, op.end);
        if (fresh) return;
        it->second.first = std::min(it->second.first, op.begin);
        it->second.second = std::max(it->second.second, op.end);
    };
    for (const ScheduleOp& op : schedule.ops) {
        extend(steps, op.step, op);
        const std::string_view type = schedule.types[op.type];
        if (!is_compute_type(type)) continue;
        Stage& stage = stages[op.stage];
        stage.compute += op.end - op.begin;
        stage.forwards += type == "forward-compute" ? 1 : 0;
        extend(spans, std::tuple(op.stage, op.dp, op.step), op);
    }
    Wide all = 0, computed = 0;
    for (const auto& [number, span] : steps) all += span.second - span.first;
    for (const auto& [key, span] : spans) stages[std::get<0>(key)].own += span.second - span.first;
    for (const auto& [number, stage] : stages) computed += stage.compute;
    Table table(stage_columns());
    const auto times = static_cast<std::int64_t>(schedule.steps.size()) * std::max(schedule.dp, 1);
    const Wide whole = all * std::max(schedule.dp, 1);
    for (const auto& [number, stage] : stages) {
        const std::int64_t m = stage.forwards / std::max<std::int64_t>(times, 1);
        const std::int64_t p = schedule.stages;
        table.add_row(
            {static_cast<std::int64_t>(number), rounded_mean(stage.compute, times),
             schedule.overlapping.contains(number) ? Cell{} : ratio_cell(whole - stage.compute, whole),
             schedule.overlapping.contains(number) ? Cell{} : ratio_cell(stage.own - stage.compute, stage.own), m,
             m > 0 ? ratio_cell(Wide{p - 1}, Wide{m + p - 1}) : Cell{},
             ratio_cell(stage.compute * static_cast<std::int64_t>(stages.size()) - computed, computed)});
    }
    return table;
}

std::string tell_change(const ScheduleScales& scales) {
    std::string text;
    const auto tell = [&](const std::string& one) { text += (text.empty() ? "" : ", ") + one; };
    if (scales.compute != kAsItIs) tell("compute at " + std::to_string(scales.compute) + " %");
    if (scales.communication != kAsItIs) tell("communication at " + std::to_string(scales.communication) + " %");
    if (!scales.launch_gaps) tell("no launch gaps");
    if (scales.no_stragglers) tell("no stragglers");
    if (scales.balanced) tell("stages balanced");
    return text;
}

}  // namespace

std::vector<Column> stage_columns() {
    return {{"stage", Unit::Count, Role::Key, Facet::None, "of the pipeline"},
            {"compute", Unit::Ns, Role::Measure, Facet::None, "per step and replica"},
            {"bubble", Unit::Ratio, Role::Measure, Facet::None,
             "1 - compute / step, with filling and draining: all replicas and steps together; absent where a stage "
             "computes "
             "two things at once"},
            {"own_bubble", Unit::Ratio, Role::Measure, Facet::None,
             "the same between the stage's first and last compute: without filling and draining"},
            {"microbatches", Unit::Count, Role::Measure, Facet::None, "per step: forwards of the stage"},
            {"theory", Unit::Ratio, Role::Measure, Facet::None,
             "(p - 1) / (m + p - 1) of a step with equal stages, p stages and m microbatches"},
            {"imbalance", Unit::Ratio, Role::Measure, Facet::None, "compute / mean of the stages - 1"}};
}

Result<ScheduleScales> schedule_scales_of(const Params& params) {
    constexpr std::pair<what_if::Given, std::string_view> kOfKernels[] = {
        {what_if::kChosen, "chosen"},         {what_if::kCpu, "cpu"},
        {what_if::kMemory, "memory"},         {what_if::kLink, "link"},
        {what_if::kTypical, "typical"},       {what_if::kLaunchDelay, "launch_delay"},
        {what_if::kBuckets, "buckets"},       {what_if::kGathers, "gathers"},
        {what_if::kExperts, "experts"},       {what_if::kHostCallback, "host_callback"},
        {what_if::kGraphLanes, "graph_lanes"}};
    for (const auto& [param, name] : kOfKernels)
        if (params[param] != kWhatIf.params[param].standard)
            return Error{ErrorCode::BadInput,
                         std::string(name) +
                             ": only of a run with kernels; this one is a pipeline's schedule, with an event "
                             "per operation"};
    return ScheduleScales{.compute = params[what_if::kCompute],
                          .communication = params[what_if::kCommunication],
                          .launch_gaps = params[what_if::kLaunches] == 0,
                          .no_stragglers = params[what_if::kStragglers] == 1,
                          .balanced = params[what_if::kStages] == 1};
}

PoolOver pool_over_of(const Params& params) {
    const std::int64_t over = params[what_if::kOver];  // none, stages, steps, both
    return {.stages = over == 1 || over == 3, .steps = over >= 2};
}

Result<ScheduleReplay> replay_given_schedule(const Schedule& schedule, PoolOver over, const ScheduleScales& scales,
                                             const JobContext& context) {
    const ScheduleLengths lengths(schedule, over);
    const Result<std::int64_t> recorded = replay_schedule(schedule, lengths.recorded(), true, context);
    if (!recorded) return recorded.error();
    const Result<std::int64_t> given = replay_schedule(schedule, lengths.given(scales), scales.keeps_gaps(), context);
    if (!given) return given.error();
    return ScheduleReplay{.change = tell_change(scales), .recorded = *recorded, .step_time = *given};
}

Result<bool> add_schedule_rows(const Run& run, const Schedule& schedule, PoolOver over, const ScheduleScales& scales,
                               Answer& answer, const JobContext& context) {
    if (schedule.overlapping.empty()) {
        if (Result<bool> done = ScheduleRows(run, schedule, over, answer, context).add_all(scales); !done) return done;
    } else {
        answer.excluded.push_back(
            {"stages that compute two things at once, as where one timeline holds several jobs: nothing is replayed",
             schedule.overlapping.size()});
    }
    answer.tables.push_back({"stages", stage_table(schedule)});
    return true;
}

}  // namespace core
