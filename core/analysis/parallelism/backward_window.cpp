#include "core/analysis/parallelism/backward_window.hpp"

#include "core/analysis/efficiency/rank_work.hpp"
#include "core/analysis/engine/call_tree.hpp"

#include <algorithm>

namespace core {
namespace {

void extend(RankRange& range, RankRange more) {
    range = range.empty() ? more : RankRange{std::min(range.begin, more.begin), std::max(range.end, more.end)};
}

}  // namespace

Result<std::map<std::int64_t, BackwardWindow>> find_backward_windows(const RankView& view, const JobContext& context) {
    const RankTrace& trace = view.trace();
    const RankWorkPtr work = work_of(*view.rank().index, context);
    if (!work) return cancelled_error();
    std::map<std::int64_t, BackwardWindow> windows;
    std::vector<bool> is_engine(trace.names.size());
    for (std::uint32_t n = 0; n < is_engine.size(); ++n)
        is_engine[n] = trace.text(NameId{n}).starts_with("autograd::engine::evaluate_function");
    for (std::uint32_t e = 0; e < trace.size(); ++e) {
        if (e % kEventsBetweenChecks == 0 && context.cancelled()) return cancelled_error();
        if (!is_engine[index_of(trace.name[e])] || !is_operator(trace, EventId{e})) continue;
        if (const Step* const step = trace.step_of(EventId{e}))
            extend(windows[step->number].operators, trace.range(EventId{e}));
    }
    for (std::size_t i = 0; i < trace.gpu_events.size(); ++i) {
        if (work->passes[i] == Pass::Forward || work->kinds[i] == WorkKind::NoCompute) continue;
        const EventId e = trace.gpu_events[i];
        if (const Step* const step = trace.step_of(e)) extend(windows[step->number].kernels, trace.range(e));
    }
    return windows;
}

}  // namespace core
