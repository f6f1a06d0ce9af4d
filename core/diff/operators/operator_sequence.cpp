#include "core/diff/operators/operator_sequence.hpp"

#include "core/analysis/engine/call_tree.hpp"
#include "core/base/ascii.hpp"
#include "core/store/event_above.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace core {
namespace {

constexpr std::string_view kModulePrefix = "nn.Module: ";

// The innermost module call around an event. Memoised: asking for every operator costs O(events of the step).
class ModulesAbove {
public:
    explicit ModulesAbove(const RankTrace& trace) : trace_(trace) {}

    std::string_view find(EventId e) {
        std::vector<EventId> path;
        std::string_view found;
        for (EventId at = event_above(trace_, e); at != kNoEvent; at = event_above(trace_, at)) {
            if (const auto it = known_.find(index_of(at)); it != known_.end()) {
                found = it->second;
                break;
            }
            path.push_back(at);
            if (is_module(at)) {
                found = trace_.name_text(at).substr(kModulePrefix.size());
                break;
            }
        }
        for (const EventId at : path) known_.emplace(index_of(at), found);
        return found;
    }

private:
    bool is_module(EventId e) const {
        return trace_.category_kind(e) == Category::PythonFunction && trace_.name_text(e).starts_with(kModulePrefix);
    }

    const RankTrace& trace_;
    std::unordered_map<std::size_t, std::string_view> known_;
};

class Collector {
public:
    Collector(const RankTrace& trace, std::optional<std::int64_t> step) : trace_(trace), step_(step) {}

    bool collect(OperatorSequence& sequence, const JobContext& context) {
        if (!collect_operators(context)) return false;
        ModulesAbove modules(trace_);
        for (const auto& [track_start, track, start, length, order, event] : order_) {
            places_.emplace(index_of(event), sequence.operators.size());
            sequence.operators.push_back(describe(event, modules));
            const SequencedOperator& added = sequence.operators.back();
            sequence.has_modules |= !added.module.empty();
            sequence.has_inputs |= !added.inputs.empty();
        }
        set_depths(sequence);
        return collect_kernels(sequence, context);
    }

private:
    bool is_in_step(EventId e) const {
        if (!step_) return true;
        const Step* const step = trace_.find_step(trace_.start[index_of(e)]);
        return step && step->number == *step_;
    }

    bool collect_operators(const JobContext& context) {
        std::map<std::size_t, RankTime> begins;  // of the operators of each track
        std::vector<std::pair<std::size_t, EventId>> found;
        for (const Lane& lane : trace_.lanes) {
            if (context.cancelled()) return false;
            for (std::uint32_t i = static_cast<std::uint32_t>(index_of(lane.first)); i < index_of(lane.last); ++i) {
                const EventId e{i};
                if (!is_operator(trace_, e) || !is_in_step(e)) continue;
                found.emplace_back(lane.track, e);
                const auto [it, is_new] = begins.try_emplace(lane.track, trace_.start[i]);
                if (!is_new) it->second = std::min(it->second, trace_.start[i]);
            }
        }
        for (const auto& [track, e] : found)
            order_.emplace_back(begins[track], track, trace_.start[index_of(e)], -trace_.duration[index_of(e)].count(),
                                trace_.order[index_of(e)], e);
        std::ranges::sort(order_);
        return true;
    }

    SequencedOperator describe(EventId e, ModulesAbove& modules) const {
        return {.event = e,
                .name = trace_.name_text(e),
                .module = modules.find(e),
                .inputs = trace_.argument(Arg::InputDims, e).value_or(std::string_view{}),
                .types = trace_.argument(Arg::InputTypes, e).value_or(std::string_view{}),
                .ns = trace_.duration[index_of(e)].count()};
    }

    // Outer operators come first, so the nearest one above is known.
    void set_depths(OperatorSequence& sequence) const {
        for (SequencedOperator& one : sequence.operators) {
            for (EventId at = event_above(trace_, one.event); at != kNoEvent; at = event_above(trace_, at)) {
                const auto it = places_.find(index_of(at));
                if (it == places_.end()) continue;
                one.depth = sequence.operators[it->second].depth + 1;
                break;
            }
        }
    }

    RankTime launch_of(EventId kernel) const {
        const EventId call = event_above(trace_, kernel);
        return trace_.start[index_of(call == kNoEvent ? kernel : call)];
    }

    bool collect_kernels(OperatorSequence& sequence, const JobContext& context) {
        OperatorsAbove operators(trace_);
        std::vector<std::tuple<std::size_t, RankTime, EventId>> launched;
        std::size_t seen = 0;
        for (const EventId e : trace_.gpu_events) {
            if (seen++ % kEventsBetweenChecks == 0 && context.cancelled()) return false;
            const EventId above = operators.find(e);
            const auto it = above == kNoEvent ? places_.end() : places_.find(index_of(above));
            if (it != places_.end()) launched.emplace_back(it->second, launch_of(e), e);
        }
        std::ranges::stable_sort(launched, {},
                                 [](const auto& one) { return std::pair(std::get<0>(one), std::get<1>(one)); });
        for (const auto& [place, at, e] : launched) {
            SequencedOperator& one = sequence.operators[place];
            if (one.count() == 0) one.first_kernel = static_cast<std::uint32_t>(sequence.kernels.size());
            sequence.kernels.push_back(e);
            one.last_kernel = static_cast<std::uint32_t>(sequence.kernels.size());
            one.kernel_ns = clamped(Wide{one.kernel_ns} + trace_.duration[index_of(e)].count());
        }
        return true;
    }

    const RankTrace& trace_;
    std::optional<std::int64_t> step_;
    std::vector<std::tuple<RankTime, std::size_t, RankTime, std::int64_t, std::uint32_t, EventId>> order_;
    std::unordered_map<std::size_t, std::size_t> places_;  // by event
};

}  // namespace

Result<OperatorSequence> collect_operator_sequence(const Run& run, std::size_t slot, std::optional<std::int64_t> step,
                                                   const JobContext& context) {
    OperatorSequence sequence;
    sequence.slot = slot;
    sequence.step = step;
    if (!Collector(run.rank(slot).trace(), step).collect(sequence, context)) return cancelled_error();
    return sequence;
}

std::string_view module_class(std::string_view module) {
    const std::size_t line = module.rfind('_');
    if (line == std::string_view::npos || line == 0 || line + 1 == module.size()) return module;
    const std::string_view number = module.substr(line + 1);
    return std::ranges::all_of(number, is_digit) ? module.substr(0, line) : module;
}

}  // namespace core
