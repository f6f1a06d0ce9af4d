// To add an analysis: write core/analysis/<name>.cpp with its functions, declare them here, give it a row
// in the table. The row is all that the CLI, the panels, the exports and the tests know of it.

#include "core/analysis/analysis.hpp"

namespace core {

using Columns = std::vector<Column>();
using Rank = Result<Partial>(const RankView&, const Params&, const JobContext&);
using Merge = Result<Answer>(std::span<const Partial* const>, const Run&, const Params&, const JobContext&);

// clang-format off
namespace temporal_breakdown { Columns columns; Rank rank; }
namespace kernel_types { Columns columns; Rank rank; }
namespace kernels { Columns columns; Rank rank; }
namespace kernel_imbalance { Columns columns; Rank rank; Merge merge; }
namespace overlap { Columns columns; Rank rank; }
namespace steps { Columns columns; Rank rank; }
// clang-format on

namespace {

constexpr std::string_view kWindows[] = {"gpu", "steps"};
constexpr Param kBreakdownParams[] = {
    {"window", "gpu: first GPU event to last; steps: the steps' own ranges", Unit::Count, 0, 0, 1, kWindows},
};

constexpr std::string_view kParts[] = {"compute", "exposed_communication", "exposed_memory", "idle"};
constexpr std::string_view kTime[] = {"time"};
constexpr std::string_view kMeanMinMax[] = {"mean", "min", "max"};
constexpr std::string_view kImbalance[] = {"imbalance"};
constexpr std::string_view kOverlapParts[] = {"overlapped", "exposed"};

constexpr Analysis kAnalyses[] = {
    {"temporal-breakdown",
     "Breakdown of time",
     "Where each rank's time went: computing, waiting for communication, waiting for copies, idle.",
     "W is the window: from the first GPU event's start to the last one's end among the events that the filter's steps "
     "and streams choose, cut to its time range; with window=steps the union of the chosen steps' own ranges, whatever "
     "step the work in them was launched in.\n"
     "C, M, P are the unions of all compute, communication and memory events over all streams of the rank.\n"
     "compute = |C|; exposed_communication = |M without C|; exposed_memory = |P without C and M|; "
     "idle = |W| - |C or M or P|. The four add up to the window exactly. Whole nanoseconds.\n"
     "Filters by name, class or duration choose events and leave the window as it is. Not counted: synchronisation "
     "rows, annotations on GPU rows, CPU operators that carry a stream. A rank without GPU events has absent cells.",
     kBreakdownParams,
     {ChartKind::StackedBars, "rank", kParts, {}},
     true,
     temporal_breakdown::rank,
     nullptr,
     temporal_breakdown::columns},

    {"kernel-types",
     "Kernel types",
     "Each rank's window by the exact set of kernel classes that run at once.",
     "Every instant of the window (first GPU event to last of the chosen steps and streams, cut to the time range) "
     "belongs to exactly one row: the set of classes with an event running on any stream, joined by + in the order "
     "compute, communication, memory; idle when nothing runs. Sets that never occur are left out.\n"
     "time is in nanoseconds, the rows of a rank add up to its window; share = time / window.\n"
     "The class of a kernel is decided by the first matching class rule. A rank without GPU events has no rows.",
     {},
     {ChartKind::StackedBars, "rank", kTime, "classes"},
     true,
     kernel_types::rank,
     nullptr,
     kernel_types::columns},

    {"kernels",
     "Kernels",
     "Count and duration of every kernel, copy and memset by name, per rank.",
     "One row per rank, class and full name. count and total of the GPU events that pass the filter, mean = total / "
     "count, min, max, standard deviation with n-1 (0 for one event); means and deviations are rounded half up to "
     "nanoseconds. share = total / sum of the durations of all GPU events of the rank that pass.\n"
     "Durations are summed, not united: kernels that run at once count in full. A time range cuts events to their "
     "visible part; those it cuts still count. Every name keeps its own row, however many there are.",
     {},
     {ChartKind::ErrorBars, "rank", kMeanMinMax, "kernel"},
     true,
     kernels::rank,
     nullptr,
     kernels::columns},

    {"kernel-imbalance",
     "Kernel imbalance",
     "How much the mean duration of a kernel differs from rank to rank.",
     "Per class and full name, over the ranks that run it: mean = mean of the ranks' mean durations (each rank counts "
     "once, however often it runs the kernel), min_rank_mean and max_rank_mean the least and greatest of them.\n"
     "imbalance = greatest rank mean / mean of the rank means - 1: 0 when all ranks take the same time, 0.5 when the "
     "slowest takes half as long again as the mean. Absent where only one rank runs the kernel. The ratio is of "
     "unrounded means; the durations shown are rounded half up to nanoseconds.",
     {},
     {ChartKind::Bars, "kernel", kImbalance, {}},
     true,
     kernel_imbalance::rank,
     kernel_imbalance::merge,
     kernel_imbalance::columns},

    {"overlap",
     "Overlap of communication and compute",
     "How much of each rank's communication is hidden under compute.",
     "C and M are the unions of the rank's compute and communication events in the window. communication = |M|; "
     "overlapped = |C and M|; exposed = |M without C|; overlap = overlapped / communication, absent without "
     "communication.\n"
     "overlap_efficiency = 1 - (|C or M| - max(|C|, |M|)) / min(|C|, |M|): 1 when the shorter of the two is hidden "
     "entirely, 0 when nothing is, absent when one of them is missing. Times in nanoseconds. Copies do not enter.",
     {},
     {ChartKind::StackedBars, "rank", kOverlapParts, {}},
     true,
     overlap::rank,
     nullptr,
     overlap::columns},

    {"steps",
     "Steps",
     "Duration and parts of every step on every rank.",
     "One row per rank and step, from the ranges named ProfilerStep#N on CPU threads (their copies on GPU rows do not "
     "count); a number that occurs twice is one row over the union of its ranges. start counts from the run's "
     "earliest event.\n"
     "compute, exposed_communication, exposed_memory and idle are those of all GPU work inside the step's own range: "
     "work of an earlier step that still runs counts where it runs. They add up to duration exactly. A time range "
     "cuts steps to their visible part; steps outside it are left out. Without GPU events the parts are absent.",
     {},
     {ChartKind::StackedBars, "step", kParts, "rank"},
     true,
     steps::rank,
     nullptr,
     steps::columns},
};

}  // namespace

std::span<const Analysis> all_analyses() { return kAnalyses; }

}  // namespace core
