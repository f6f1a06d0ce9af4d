#include "ui/timeline/model/rank_series.hpp"

#include "core/analysis/catalogue/registry.hpp"
#include "core/index/summary_rank.hpp"
#include "ui/table/ask.hpp"
#include "ui/timeline/model/clock_lines.hpp"

#include <algorithm>

namespace ui {
namespace {

struct SeriesSource {
    std::string_view analysis;
    std::string_view prefix;  // common prefix of its series' names,
    std::string_view title;   // replaced by this in the row's title
    std::string_view value;
};
constexpr SeriesSource kSeriesSources[] = {
    {"queue-length", "queue length, ", "Queue length, ", "launched, not started"},
    {"memory-bandwidth", "bandwidth, ", "Memory bandwidth, ", "of the copies running"},
    {"memory-timeline", "", "Memory, ", "bytes"},
};

// True for series that a trace exported by Lockstep has as counters, and for categories of a memory timeline.
bool is_counter(const core::RankTrace& trace, std::string_view name) {
    return std::ranges::any_of(trace.counters, [&](const core::CounterTrack& counter) {
        return trace.text(counter.name) == name || trace.text(counter.series) == name;
    });
}

SeriesLine build_line(const core::RankSlot& rank, const SeriesSource& source, core::Series series) {
    const core::RankRange window = rank.trace().window;
    SeriesLine::Content line;
    line.name = std::string(source.title) + series.name.substr(source.prefix.size());
    line.value = source.value;
    line.unit = series.unit;
    line.tint = static_cast<std::size_t>(&source - kSeriesSources);
    line.end = window.end;
    line.times.reserve(series.time.size());
    // Rounding a drifting clock can make times equal.
    for (const core::RunTime time : series.time)
        line.times.push_back(std::clamp(rank.to_rank(time), window.begin, window.end));
    line.values = std::move(series.value);
    return SeriesLine(std::move(line));
}

}  // namespace

core::Result<RankSeriesPtr> build_rank_series(const core::Run& run, std::size_t slot, const core::JobContext& context) {
    const core::Filter all;
    const core::Result<core::RankView> view = core::build_rank_view(run, slot, all, context);
    if (!view) return view.error();
    auto made = std::make_shared<RankSeries>();
    made->rank = run.rank(slot).index;
    if (core::summary_of(view->trace())) return RankSeriesPtr(std::move(made));  // a summary has no events for them
    for (const SeriesSource& source : kSeriesSources) {
        const core::Analysis& analysis = *core::find_analysis(source.analysis);
        core::Result<core::Partial> partial = analysis.rank(*view, standard_params(analysis), context);
        if (!partial && context.cancelled()) return std::move(partial).error();
        if (!partial) {
            made->failed = std::string(analysis.title) + ": " + partial.error().message;
            continue;
        }
        for (core::Series& series : partial->series) {
            if (!is_counter(view->trace(), series.name))
                made->lines.push_back(build_line(run.rank(slot), source, std::move(series)));
        }
    }
    add_clock_lines(run, static_cast<std::uint32_t>(slot), std::size(kSeriesSources), made->lines);
    return RankSeriesPtr(std::move(made));
}

}  // namespace ui
