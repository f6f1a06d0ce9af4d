#include "core/analysis/launches/launch_analyses.hpp"
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

namespace core {

constinit const Analysis kLaunches{
    .id = "launches",
    .title = "Launches",
    .summary = "Every call that started GPU work: how long it took, how long the GPU worked, and the delay between.",
    .definition = R"(
One row per runtime or driver call linked to a GPU event that passes the filter: kernels, graphs, copies and sets,
of CUDA, HIP or any other device. Where the profiler records no such calls (Ascend), the host event that an arrow
leads to the GPU event from counts as the call. call = its own duration; gpu = sum of the durations of its GPU
events that pass; kernel, stream and delay are those of the first of them by start.

delay = start of that GPU event - end of the call, in nanoseconds; negative where the GPU began before the call
returned. queued = the part of the delay until all earlier work of that stream had ended, whatever the filter: what
remains is launch latency, or waiting for another stream. Nothing is cut to a time range: it chooses the GPU events
that overlap it. A graph launched over several streams is in the rows of each stream filter.

HTA lists cudaLaunchKernel, cudaLaunchKernelExC, cudaMemcpyAsync, cudaMemsetAsync and MTIA's runFunction only, once
per GPU event, and sets negative delays to 0.
)",
    .rank = launches::rank,
    .columns = launches::columns,
    .of_cpu = true,
    .input = Input::Launches,
};

}  // namespace core
