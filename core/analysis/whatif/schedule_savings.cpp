#include "core/analysis/whatif/schedule_savings.hpp"

#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/parallelism/schedule_steps.hpp"
#include "core/analysis/whatif/late_choice.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace core {
namespace {

using Lengths = std::vector<std::int64_t>;

// A gap before a pass may be a wait for another rank that no message tells of. Where the schedule explains the step
// without its gaps, to this share, they are left out of what is compared.
constexpr double kLeastExplained = 0.9;

class SavingsMeter {
public:
    SavingsMeter(const Schedule& schedule, std::span<const std::uint32_t> slots, const JobContext& context)
        : schedule_(schedule), context_(context), slots_(slots.begin(), slots.end()) {
        for (const ScheduleOp& op : schedule.ops) recorded_.push_back(op.joins ? op.transfer : op.end - op.begin);
        for (std::uint32_t part = 0; part < slots_.size(); ++part) part_of_slot_[slots_[part]] = part;
        collect_peers();
    }

    Result<PipelineSavings> measure(const Suspects& suspects) {
        PipelineSavings found;
        const Result<std::int64_t> length = replay(recorded_, true);
        if (!length) return length.error();
        found.length = *length;
        const Result<std::int64_t> without = replay(recorded_, false);
        if (!without) return without.error();
        with_gaps_ = static_cast<double>(*without) < kLeastExplained * static_cast<double>(*length);
        as_recorded_ = with_gaps_ ? *length : *without;
        if (schedule_.dp > 1) {
            Result<LateRanks> late = choose_late_ranks(collect_evidence(suspects, *length));
            if (!late) return std::move(late).error();
            found.late = *std::move(late);
        }
        found.late.length = *length;
        std::vector<std::uint32_t> named;
        for (const std::uint32_t slot : found.late.slots) named.push_back(part_of_slot_.at(slot));
        const Lengths mended = like_peers(named);
        const Result<std::int64_t> before = replay(mended, false);
        if (!before) return before.error();
        const Result<std::int64_t> after = replay(balance_lengths(schedule_, mended), false);
        if (!after) return after.error();
        found.saved_balanced = std::max<std::int64_t>(*before - *after, 0);
        found.stages = measure_work(named, *length);
        return found;
    }

private:
    using Key = std::tuple<std::uint32_t, std::int32_t, std::int64_t, std::int64_t>;  // type, stage, step, sequence

    bool is_compute(const ScheduleOp& op) const { return is_compute_type(schedule_.types[op.type]); }

    void collect_peers() {
        for (std::uint32_t i = 0; i < schedule_.ops.size(); ++i)
            if (const ScheduleOp& op = schedule_.ops[i]; is_compute(op))
                peers_[{op.type, op.stage, op.step, op.sequence}].push_back(i);
    }

    // ns of all steps.
    Result<std::int64_t> replay(const Lengths& lengths, bool with_gaps) const {
        const Result<std::int64_t> mean = replay_schedule(schedule_, lengths, with_gaps, context_);
        if (!mean) return mean.error();
        return clamped(Wide{*mean} * static_cast<std::int64_t>(schedule_.steps.size()));
    }

    LateEvidence collect_evidence(const Suspects& suspects, std::int64_t length) const {
        LateEvidence evidence{.slots = slots_,
                              .excess = std::vector<RankExcess>(slots_.size()),
                              .of_steps = {},
                              .steps = schedule_.steps.size(),
                              .length = length,
                              .suspects = suspects,
                              .save = [this](const std::vector<std::uint32_t>& named) -> Result<std::int64_t> {
                                  const Result<std::int64_t> with = replay(like_peers(named), with_gaps_);
                                  if (!with) return with.error();
                                  return as_recorded_ - *with;
                              }};
        std::map<std::int64_t, std::uint32_t> steps;
        for (std::uint32_t s = 0; s < schedule_.steps.size(); ++s) steps[schedule_.steps[s].number] = s;
        std::vector<std::int64_t> worst(slots_.size(), 0), values;
        for (const auto& [key, ops] : peers_) {
            if (ops.size() < 2) continue;
            values.clear();
            for (const std::uint32_t i : ops) values.push_back(recorded_[i]);
            const std::int64_t middle = take_median(values);
            for (const std::uint32_t i : ops) {
                const ScheduleOp& op = schedule_.ops[i];
                const std::uint32_t part = part_of_slot_.at(op.slot);
                const std::int64_t excess = recorded_[i] - middle;
                std::int64_t& sum = evidence.excess[part].time[static_cast<std::size_t>(ExcessOf::Compute)];
                sum = clamped(Wide{sum} + excess);
                std::int64_t& of_step = evidence.of_steps[{steps.at(op.step), part}];
                of_step = clamped(Wide{of_step} + excess);
                if (excess <= worst[part]) continue;
                worst[part] = excess;
                evidence.excess[part].worst = op.event;
            }
        }
        return evidence;
    }

    // Passes of the named take as long as the median of those of other replicas that are not named; of all where all
    // are.
    Lengths like_peers(const std::vector<std::uint32_t>& named) const {
        Lengths lengths = recorded_;
        if (named.empty()) return lengths;
        std::vector<bool> is_named(slots_.size(), false);
        for (const std::uint32_t part : named) is_named[part] = true;
        const auto takes = [&](std::uint32_t i) { return is_named[part_of_slot_.at(schedule_.ops[i].slot)]; };
        std::vector<std::int64_t> all, others;
        for (const auto& [key, ops] : peers_) {
            if (ops.size() < 2 || std::ranges::none_of(ops, takes)) continue;
            all.clear();
            others.clear();
            for (const std::uint32_t i : ops) {
                all.push_back(recorded_[i]);
                if (!takes(i)) others.push_back(recorded_[i]);
            }
            const std::int64_t middle = take_median(others.empty() ? all : others);
            for (const std::uint32_t i : ops)
                if (takes(i)) lengths[i] = middle;
        }
        return lengths;
    }

    StageWork measure_work(const std::vector<std::uint32_t>& named, std::int64_t length) const {
        StageWork found;
        found.stages = static_cast<std::uint32_t>(schedule_.stages);
        std::vector<std::int64_t> work(slots_.size(), 0);
        found.of_part.assign(slots_.size(), kNoStage);
        std::map<std::pair<std::uint32_t, std::int64_t>, std::int64_t> forwards;  // by part and step
        for (std::uint32_t i = 0; i < schedule_.ops.size(); ++i) {
            const ScheduleOp& op = schedule_.ops[i];
            const std::uint32_t part = part_of_slot_.at(op.slot);
            found.of_part[part] = static_cast<std::uint32_t>(op.stage) + 1;
            if (!is_compute(op)) continue;
            work[part] = clamped(Wide{work[part]} + recorded_[i]);
            if (schedule_.types[op.type] == schedule_types::kForward)
                found.microbatches = std::max(found.microbatches, ++forwards[{part, op.step}]);
        }
        for (std::uint32_t stage = 1; stage <= found.stages; ++stage) {
            std::vector<std::int64_t> all, healthy;
            for (std::uint32_t part = 0; part < work.size(); ++part) {
                if (found.of_part[part] != stage) continue;
                all.push_back(work[part]);
                if (std::ranges::find(named, part) == named.end()) healthy.push_back(work[part]);
            }
            if (all.empty()) return {};
            found.work.push_back(take_median(healthy.empty() ? all : healthy));
        }
        double busy = 0;
        for (const std::int64_t time : work) busy += static_cast<double>(time);
        const double whole = static_cast<double>(length) * static_cast<double>(work.size());
        found.bubble = whole > 0 ? 1 - busy / whole : 0;
        return found;
    }

    const Schedule& schedule_;
    const JobContext& context_;
    std::vector<std::uint32_t> slots_;
    std::map<std::uint32_t, std::uint32_t> part_of_slot_;
    Lengths recorded_;
    bool with_gaps_ = true;
    std::int64_t as_recorded_ = 0;  // ns, what replays are compared with
    std::map<Key, std::vector<std::uint32_t>> peers_;
};

}  // namespace

Result<PipelineSavings> measure_pipeline_savings(const Schedule& schedule, std::span<const std::uint32_t> slots,
                                                 const Suspects& suspects, const JobContext& context) {
    return SavingsMeter(schedule, slots, context).measure(suspects);
}

std::vector<std::int64_t> balance_lengths(const Schedule& schedule, std::vector<std::int64_t> lengths) {
    using Key = std::tuple<std::uint32_t, std::int32_t, std::int64_t>;
    std::map<Key, std::pair<Wide, std::int64_t>> sums;
    const auto key_of = [](const ScheduleOp& op) { return Key{op.type, op.dp, op.step}; };
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        if (!is_compute_type(schedule.types[schedule.ops[i].type])) continue;
        auto& [sum, count] = sums[key_of(schedule.ops[i])];
        sum += lengths[i];
        ++count;
    }
    for (std::size_t i = 0; i < lengths.size(); ++i)
        if (const auto it = sums.find(key_of(schedule.ops[i])); it != sums.end())
            lengths[i] = rounded_mean(it->second.first, it->second.second);
    return lengths;
}

}  // namespace core
