#include "core/analysis/efficiency/executed_calls.hpp"

namespace core {

Result<ChosenCalls> choose_calls(const RankView& view, const JobContext& context) {
    ChosenCalls chosen;
    chosen.work = work_of(*view.rank().index, context);
    if (!chosen.work) return cancelled_error();
    const RankWork& work = *chosen.work;
    const RankTrace& trace = view.trace();
    std::vector<bool> passes(work.calls.size());
    for (std::size_t i = 0; i < trace.gpu_events.size(); ++i) {
        if (i % kEventsBetweenChecks == 0 && context.cancelled()) return cancelled_error();
        const std::uint32_t owner = work.owners[i];
        if (owner != RankWork::kNoCall && view.selection->passes(trace.gpu_events[i])) passes[owner] = true;
    }
    for (std::uint32_t i = 0; i < work.calls.size(); ++i) {
        const WorkCall& call = work.calls[i];
        const bool executed = call.gpu_events > 0;
        if (executed) {
            const RankTime start = trace.start[index_of(call.first)];
            if (!passes[i] || (view.time && !view.time->contains(start))) continue;
        } else if (!view.passes(call.event)) {
            continue;
        }
        // A captured call has no time of its own.
        const Step* const step = work.graphs->is_own(call.event) && !(executed && work.graphs->is_captured(call.first))
                                     ? trace.find_step(trace.start[index_of(call.event)])
                                     : trace.step_of(call.first);
        chosen.calls.push_back(
            {.call = i, .executed = executed, .step = step ? std::optional(step->number) : std::nullopt});
    }
    return chosen;
}

}  // namespace core
