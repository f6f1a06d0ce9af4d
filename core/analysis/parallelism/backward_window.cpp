#include "core/analysis/parallelism/backward_window.hpp"

#include "core/analysis/efficiency/rank_work.hpp"
#include "core/analysis/engine/call_tree.hpp"

#include <algorithm>

namespace core {
namespace {

constexpr std::string_view kWindowTable = "backward of steps";

void extend(RankRange& range, RankRange more) {
    range = range.empty() ? more : RankRange{std::min(range.begin, more.begin), std::max(range.end, more.end)};
}

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

}  // namespace

Result<bool> add_backward_windows(const RankView& view, Partial& partial, const JobContext& context) {
    const Result<std::map<std::int64_t, BackwardWindow>> windows = find_backward_windows(view, context);
    if (!windows) return windows.error();
    Table table(record_columns<BackwardOfStep>());
    const auto slot = static_cast<std::uint32_t>(view.slot);
    for (const auto& [step, window] : *windows)
        add_record(table, BackwardOfStep{.slot = slot, .step = step, .window = window});
    partial.tables.push_back({std::string(kWindowTable), std::move(table)});
    return true;
}

Result<Partial> collect_places_and_windows(const RankView& view, std::vector<Column> main, const JobContext& context) {
    Result<Partial> partial = collect_places(view, std::move(main), context);
    if (!partial) return partial;
    const Result<bool> added = add_backward_windows(view, *partial, context);
    if (!added) return added.error();
    return partial;
}

BackwardWindows read_backward_windows(std::span<const Partial* const> partials) {
    BackwardWindows windows;
    for (const Partial* const partial : partials)
        for (const BackwardOfStep& one : read_records<BackwardOfStep>(*partial->find(kWindowTable)))
            windows[{one.slot, one.step}] = one.window;
    return windows;
}

std::optional<std::int64_t> find_tail(const BackwardWindow& backward, RankTime end) {
    if (backward.kernels.empty()) return std::nullopt;
    return std::max<std::int64_t>(0, (end - backward.kernels.end).count());
}

}  // namespace core
