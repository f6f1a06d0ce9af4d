#include "core/analysis/parallelism/backward_window.hpp"

#include "core/analysis/efficiency/rank_work.hpp"
#include "core/analysis/engine/call_tree.hpp"

#include <algorithm>

namespace core {
namespace {

constexpr std::string_view kWindowTable = "backward of steps";

std::vector<Column> window_columns() {
    std::vector<Column> columns;
    for (const std::string_view name :
         {"slot", "step", "operators begin", "operators end", "kernels begin", "kernels end"})
        columns.push_back({std::string(name), Unit::Count, Role::Info, Facet::None, ""});
    return columns;
}

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
    Table table(window_columns());
    for (const auto& [step, window] : *windows)
        table.add_row({static_cast<std::int64_t>(view.slot), step, ns_of(window.operators.begin),
                       ns_of(window.operators.end), ns_of(window.kernels.begin), ns_of(window.kernels.end)});
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
    for (const Partial* const partial : partials) {
        const Table& table = *partial->find(kWindowTable);
        for (std::size_t row = 0; row < table.rows(); ++row) {
            const auto time = [&](std::size_t at) { return rank_time(table.integer(row, at)); };
            windows[{static_cast<std::uint32_t>(table.integer(row, 0)), table.integer(row, 1)}] = {{time(2), time(3)},
                                                                                                   {time(4), time(5)}};
        }
    }
    return windows;
}

std::optional<std::int64_t> find_tail(const BackwardWindow& backward, RankTime end) {
    if (backward.kernels.empty()) return std::nullopt;
    return std::max<std::int64_t>(0, (end - backward.kernels.end).count());
}

}  // namespace core
