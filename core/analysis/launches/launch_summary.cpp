#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/launches/launch_analyses.hpp"
#include "core/analysis/launches/launch_records.hpp"

#include <algorithm>
#include <map>

namespace core::launch_summary {
namespace {

struct Cutoffs {
    Duration runtime;
    Duration delay;
};

std::vector<Column> measures() {
    return {{"launches", Unit::Count, Role::Measure, Facet::None, "calls that started GPU work", true},
            {"short_kernels", Unit::Count, Role::Measure, Facet::None,
             "GPU work shorter than its call, call within the cutoff", true},
            {"runtime_outliers", Unit::Count, Role::Measure, Facet::None, "calls longer than runtime_cutoff", true},
            {"delay_outliers", Unit::Count, Role::Measure, Facet::None, "delays longer than delay_cutoff", true},
            {"delay_outliers_queued", Unit::Count, Role::Measure, Facet::None,
             "of those: most of it behind earlier work of the stream", true},
            {"negative_delays", Unit::Count, Role::Measure, Facet::None,
             "GPU work that began before its call returned, without overlapped", true},
            {"reversed", Unit::Count, Role::Measure, Facet::None, "GPU work that began before its call: clock trouble",
             true},
            {"call_total", Unit::Ns, Role::Measure, Facet::None, "sum of the durations of the calls", true},
            {"gpu_total", Unit::Ns, Role::Measure, Facet::None, "sum of the durations of the GPU events", true},
            {"delay_mean", Unit::Ns, Role::Measure, Facet::None, "mean delay"},
            {"delay_median", Unit::Ns, Role::Measure, Facet::None, "median delay"},
            {"delay_max", Unit::Ns, Role::Measure, Facet::None, "longest delay"},
            {"overlapped", Unit::Count, Role::Measure, Facet::None,
             "graphs whose kernels began while their call still ran: without a delay", true},
            {"events", Unit::Count, Role::Measure, Facet::None, "GPU events of these calls", true},
            {"call_per_event", Unit::Ns, Role::Measure, Facet::None, "call_total / events"}};
}

std::vector<Column> with_measures(std::vector<Column> keys) {
    std::ranges::move(measures(), std::back_inserter(keys));
    return keys;
}

std::vector<Column> api_columns() {
    return with_measures({{"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
                          {"api", Unit::Text, Role::Key, Facet::None, "the function called"}});
}

class Sums {
public:
    void add(const Launch& launch, const Cutoffs& cutoffs) {
        const bool long_call = launch.call_time > cutoffs.runtime;
        const bool late = launch.delay > cutoffs.delay;
        short_kernels_ += !long_call && launch.gpu_time < launch.call_time;
        runtime_outliers_ += long_call;
        delay_outliers_ += late;
        queued_outliers_ += late && launch.queued > launch.delay - launch.queued;
        negative_ += launch.delay < Duration{0} && !launch.overlapped;
        overlapped_ += launch.overlapped;
        events_ += launch.events;
        ++launches_;
        reversed_ += launch.reversed;
        call_total_ += launch.call_time.count();
        gpu_total_ += launch.gpu_time.count();
        if (launch.overlapped) return;
        delay_total_ += launch.delay.count();
        delays_.push_back(launch.delay.count());
    }
    void add_row(std::vector<Cell> keys, Table& table) {
        const bool any = !delays_.empty();
        const std::vector<Cell> cells{launches_,
                                      short_kernels_,
                                      runtime_outliers_,
                                      delay_outliers_,
                                      queued_outliers_,
                                      negative_,
                                      reversed_,
                                      clamped(call_total_),
                                      clamped(gpu_total_),
                                      any ? Cell{rounded_mean(delay_total_, std::ssize(delays_))} : Cell{},
                                      any ? Cell{take_median(delays_)} : Cell{},
                                      any ? Cell{std::ranges::max(delays_)} : Cell{},
                                      overlapped_,
                                      events_,
                                      events_ > 0 ? Cell{rounded_mean(call_total_, events_)} : Cell{}};
        keys.insert(keys.end(), cells.begin(), cells.end());
        table.add_row(keys);
    }

private:
    std::int64_t short_kernels_ = 0, runtime_outliers_ = 0, delay_outliers_ = 0, queued_outliers_ = 0;
    std::int64_t negative_ = 0, reversed_ = 0, overlapped_ = 0, events_ = 0, launches_ = 0;
    Wide call_total_ = 0, gpu_total_ = 0, delay_total_ = 0;
    std::vector<std::int64_t> delays_;
};

}  // namespace

std::vector<Column> columns() { return with_measures({{"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"}}); }

Result<Partial> rank(const RankView& view, const Params& params, const JobContext& context) {
    Result<Launches> launches = collect_launches(view, context);
    if (!launches) return std::move(launches).error();
    const Cutoffs cutoffs{Duration{params[0]}, Duration{params[1]}};
    Table main(columns());
    Table apis(api_columns());
    if (!view.has_gpu_work()) {
        std::vector<Cell> absent(main.columns().size());
        absent.front() = view.key();
        main.add_row(absent);
        return Partial{{{"main", std::move(main)}, {"apis", std::move(apis)}}, {}, {}, std::move(launches->excluded)};
    }
    Sums all;
    std::map<std::string_view, Sums> by_api;
    for (const Launch& launch : launches->calls) {
        all.add(launch, cutoffs);
        by_api[view.trace().name_text(launch.call)].add(launch, cutoffs);
    }
    all.add_row({view.key()}, main);
    for (auto& [api, sums] : by_api) sums.add_row({view.key(), api}, apis);
    return Partial{{{"main", std::move(main)}, {"apis", std::move(apis)}}, {}, {}, std::move(launches->excluded)};
}

constexpr std::int64_t kLongestCutoff = 3'600'000'000'000;  // one hour
constexpr Param kLaunchParams[] = {
    {"runtime_cutoff", "longer calls are outliers, and no short kernels", Unit::Ns, 50'000, 0, kLongestCutoff},
    {"delay_cutoff", "longer delays are outliers", Unit::Ns, 100'000, 0, kLongestCutoff},
};
constexpr std::string_view kShortKernels[] = {"short_kernels"};
constexpr SecondaryTable kTables[] = {{"apis", api_columns}};

}  // namespace core::launch_summary

namespace core {

constinit const Analysis kLaunchSummary{
    .id = "launch-summary",
    .title = "Launch statistics",
    .summary = "Per rank: short kernels, slow calls and late GPU work among the launches.",
    .definition = R"(
Over the calls of the analysis launches. short_kernels: gpu < call and call <= runtime_cutoff (50 us);
runtime_outliers: call > runtime_cutoff; delay_outliers: delay > delay_cutoff (100 us). On a run bound by the GPU
nearly every delay is that long: delay_outliers_queued counts those that spent most of it behind earlier work of
their stream.

negative_delays began before their call returned, which is usual for copies; reversed ones before their call began,
which only clocks that disagree can do. A launch of a graph is one launch with as many events as it has nodes;
overlapped counts those whose first node began while the call still ran (HIP launches the first nodes before it
returns): they have no delay. Totals are sums of whole durations; mean and median of the delays, negative ones
included, are rounded half up to nanoseconds. The table apis has the same per function.

Left out: GPU events whose call is not in the trace. HTA knows five names of functions, none of HIP, of the driver
or of graphs, and counts negative delays as 0.
)",
    .params = launch_summary::kLaunchParams,
    .chart = {.kind = ChartKind::Bars, .category = "rank", .measures = launch_summary::kShortKernels},
    .comparable = true,
    .rank = launch_summary::rank,
    .columns = launch_summary::columns,
    .tables = launch_summary::kTables,
    .lead = "call_total",
    .of_cpu = true,
    .input = Input::Launches,
    .in_summary = InSummary::OfRun,
};

}  // namespace core
