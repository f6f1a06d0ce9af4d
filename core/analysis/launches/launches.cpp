#include "core/analysis/launches/launch_records.hpp"

namespace core::launches {

std::vector<Column> columns() {
    return {
        {"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
        {"event", Unit::Event, Role::Key, Facet::None, "the call"},
        {"kernel", Unit::Text, Role::Info, Facet::Kernel, "its first GPU event"},
        {"call", Unit::Ns, Role::Measure, Facet::None, "duration of the call on the CPU"},
        {"gpu", Unit::Ns, Role::Measure, Facet::None, "sum of the durations of its GPU events"},
        {"delay", Unit::Ns, Role::Measure, Facet::None, "from the end of the call to the start of its first GPU event"},
        {"queued", Unit::Ns, Role::Measure, Facet::None, "of the delay: until earlier work of the stream had ended"},
        {"events", Unit::Count, Role::Measure, Facet::None, "GPU events it launched; more than one for a graph"},
        {"api", Unit::Text, Role::Info, Facet::None, "the function called"},
        {"stream", Unit::Stream, Role::Info, Facet::Stream, "of the first GPU event"},
        {"step", Unit::Step, Role::Info, Facet::Step, "that holds the start of the call"},
        {"start", Unit::Ns, Role::Info, Facet::None, "of the call, from the run's earliest event"}};
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext& context) {
    Result<Launches> launches = collect_launches(view, context);
    if (!launches) return std::move(launches).error();
    Partial partial{{{"main", Table(columns())}}, {}, {}, std::move(launches->excluded)};
    const RankTrace& trace = view.trace();
    for (const Launch& launch : launches->calls) {
        const std::int64_t stream = trace.track_of(launch.first).stream;
        const Step* const step = trace.step_of(launch.call);
        partial.tables.front().table.add_row(
            {view.key(), static_cast<std::int64_t>(launch.call), trace.name_text(launch.first),
             launch.call_time.count(), launch.gpu_time.count(), launch.delay.count(), launch.queued.count(),
             launch.events, trace.name_text(launch.call), stream < 0 ? Cell{} : Cell{stream},
             step ? Cell{step->number} : Cell{}, view.since_origin(trace.start[index_of(launch.call)]).count()});
    }
    return partial;
}

}  // namespace core::launches
