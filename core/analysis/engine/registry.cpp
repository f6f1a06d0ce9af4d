// To add an analysis: write its functions in core/analysis/<district>/<name>.cpp, declare them here
// and add a row to the table. The CLI, panels, exports and tests use the row alone.

#include "core/analysis/engine/analysis.hpp"
#include "core/analysis/engine/explain_waiting.hpp"

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
namespace step_parts { Columns columns; Rank rank; }
namespace training_log { Columns columns; Rank rank; }
namespace launches { Columns columns; Rank rank; }
namespace launch_summary { Columns columns; Rank rank; }
namespace names { Columns columns; Rank rank; }
namespace queue_length { Columns columns; Rank rank; }
namespace operators { Columns columns; Rank rank; Merge merge; }
namespace operator_calls { Columns columns; Rank rank; }
namespace annotations { Columns columns; Rank rank; }
namespace kernels_by_annotation { Columns columns; Rank rank; }
namespace kernels_by_operator { Columns columns; Rank rank; }
namespace flop_coverage { Columns columns; Rank rank; }
namespace op_efficiency { Columns columns; Rank rank; }
namespace mfu { Columns columns; Rank rank; Merge merge; }
namespace modules { Columns columns; Rank rank; }
namespace verdict { Columns columns; Rank rank; Merge merge; }
namespace health { Columns columns; Rank rank; Merge merge; }
namespace kernel_sequences { Columns columns; Rank rank; Merge merge; }
namespace memory_bandwidth { Columns columns; Rank rank; }
namespace idle_breakdown { Columns columns; Rank rank; }
namespace device_idle { Columns columns; Rank rank; }
namespace idle_gaps { Columns columns; Rank rank; Merge merge; }
namespace memory_timeline { Columns columns; Rank rank; }
namespace memory_snapshot { Columns columns; Rank rank; }
namespace memory_peak { Columns columns; Rank rank; }
namespace memory_efficiency { Columns columns; Rank rank; }
namespace memory_fragmentation { Columns columns; Rank rank; }
namespace counters { Columns columns; Rank rank; Merge merge; }
namespace critical_path { Columns columns; Rank rank; Merge merge; }
namespace what_if { Columns columns; Rank rank; Merge merge; }
namespace collectives { Columns columns; Rank rank; Merge merge; }
namespace waits { Columns columns; Rank rank; Merge merge; }
namespace matching { Columns columns; Rank rank; Merge merge; }
namespace clock_alignment { Columns columns; Rank rank; Merge merge; }
namespace stragglers { Columns columns; Rank rank; Merge merge; }
namespace straggler_causes { Columns columns; Rank rank; Merge merge; }
namespace wait_by_step { Columns columns; Rank rank; Merge merge; }
namespace exposed_communication { Columns columns; Rank rank; }
namespace bandwidth { Columns columns; Rank rank; Merge merge; }
namespace nccl { Columns columns; Rank rank; }
namespace link_model { Columns columns; Rank rank; Merge merge; }
namespace link_predictions { Columns columns; Rank rank; Merge merge; }
namespace collective_outliers { Columns columns; Rank rank; Merge merge; }
namespace communication_matrix { Columns columns; Rank rank; Merge merge; }
namespace comm_efficiency { Columns columns; Rank rank; Merge merge; }
namespace parallel_groups { Columns columns; Rank rank; Merge merge; }
namespace ddp_buckets { Columns columns; Rank rank; Merge merge; }
namespace fsdp { Columns columns; Rank rank; Merge merge; }
namespace pipeline { Columns columns; Rank rank; Merge merge; }
namespace experts { Columns columns; Rank rank; Merge merge; }
namespace findings { Columns columns; Rank rank; Merge merge; }
namespace what_to_do { Columns columns; Rank rank; Merge merge; }
namespace hangs { Columns columns; Rank rank; Merge merge; }
// clang-format on

namespace {

constexpr std::string_view kWindows[] = {"gpu", "steps"};
constexpr Param kBreakdownParams[] = {
    {"window", "gpu: first GPU event to last; steps: the steps' own ranges", Unit::Count, 0, 0, 1, kWindows},
};
constexpr Param kStepPartsParams[] = {
    {"window", "steps: the steps' own ranges; gpu: first GPU event to last", Unit::Count, 1, 0, 1, kWindows},
};

constexpr std::int64_t kLongestCutoff = 3'600'000'000'000;  // one hour
constexpr Param kLaunchParams[] = {
    {"runtime_cutoff", "longer calls are outliers, and no short kernels", Unit::Ns, 50'000, 0, kLongestCutoff},
    {"delay_cutoff", "longer delays are outliers", Unit::Ns, 100'000, 0, kLongestCutoff},
};
constexpr Param kQueueParams[] = {
    {"limit", "the queue counts as full at this length", Unit::Count, 1024, 1, 1'000'000'000},
};
constexpr Param kIdleParams[] = {
    {"short_gap", "shorter gaps are kernel_wait, unless the host launched too late", Unit::Ns, 30'000, 0,
     kLongestCutoff},
};

constexpr std::string_view kGapPlaces[] = {"gpu", "streams"};
constexpr Param kGapParams[] = {
    {"of", "gpu: no stream of the rank runs anything; streams: each stream by itself", Unit::Count, 0, 0, 1,
     kGapPlaces},
    {"most", "gaps listed of each rank, the longest", Unit::Count, 200, 1, 100'000},
    {"short_gap", "shorter gaps are kernel_wait, unless the host launched too late", Unit::Ns, 30'000, 0,
     kLongestCutoff},
};

constexpr std::string_view kParts[] = {"compute", "exposed_communication", "exposed_memory", "idle"};
constexpr std::string_view kTime[] = {"time"};
constexpr std::string_view kMeanMinMax[] = {"mean", "min", "max"};
constexpr std::string_view kImbalance[] = {"imbalance"};
constexpr std::string_view kShortKernels[] = {"short_kernels"};
constexpr std::string_view kMean[] = {"mean"};
constexpr std::string_view kOverlapParts[] = {"overlapped", "exposed"};

constexpr std::int64_t kMostGigabytes = 100'000;  // per second
constexpr Param kCommEfficiencyParams[] = {
    {"link_tp", "GB/s out of one GPU that tensor parallel groups have; 0: by device", Unit::Count, 0, 0,
     kMostGigabytes},
    {"link_dp", "the same, of data parallel groups", Unit::Count, 0, 0, kMostGigabytes},
    {"link_fsdp", "of groups that share shards", Unit::Count, 0, 0, kMostGigabytes},
    {"link_pp", "of pipelines", Unit::Count, 0, 0, kMostGigabytes},
    {"link_ep", "of groups of experts", Unit::Count, 0, 0, kMostGigabytes},
    {"link_cp", "of context parallel groups", Unit::Count, 0, 0, kMostGigabytes},
};
constexpr std::string_view kNoOrYes[] = {"no", "yes"};
constexpr std::string_view kOperatorGroups[] = {"name", "inputs"};
constexpr Param kOperatorParams[] = {
    {"by", "name: all calls of an operator; inputs: apart by the shapes and types of its inputs", Unit::Count, 0, 0, 1,
     kOperatorGroups},
    {"flop", "yes: FLOP, their rate and the bandwidth, of the calls that own FLOP", Unit::Count, 0, 0, 1, kNoOrYes},
};
constexpr std::string_view kEfficiencyGroups[] = {"inputs", "operator", "module", "kernel"};
constexpr std::string_view kMatrixOrAll[] = {"matrix", "all"};
constexpr std::int64_t kLongestLaunch = 1'000'000'000;
constexpr Param kEfficiencyParams[] = {
    {"by",
     "inputs: apart by the shapes and types of the inputs; operator: all calls of an operator; module: those below one "
     "module; kernel: by inputs, and each kernel apart",
     Unit::Count, 0, 0, 3, kEfficiencyGroups},
    {"min_time", "rows with less GPU time are left out", Unit::Ns, 0, 0, kLongestCutoff},
    {"launch_bound", "rows whose calls take less on average are bound by launches", Unit::Ns, 5'000, 0, kLongestLaunch},
    {"of", "matrix: operators with FLOP; all: also those that only move data, by their bytes", Unit::Count, 0, 0, 1,
     kMatrixOrAll},
};
constexpr std::string_view kLoss[] = {"loss", "time"};
constexpr std::string_view kPrecisionChoices[] = {"auto", "fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "int8", "fp4"};
constexpr std::string_view kStepsOrGpu[] = {"steps", "gpu"};
constexpr std::int64_t kMostMillions = 4'000'000'000'000'000;  // of FLOP
constexpr Param kMfuParams[] = {
    {"precision", "whose peak: auto takes the one with most FLOP in the run", Unit::Count, 0, 0, 8, kPrecisionChoices},
    {"window", "steps: the steps' own ranges; gpu: first GPU event to last", Unit::Count, 0, 0, 1, kStepsOrGpu},
    {"model_flop", "FLOP of one step on all devices: 6*7e9*4194304 or transformer(layers=32,...); 0: as counted",
     Unit::Flop, 0, 0, kMostMillions},
};
constexpr std::string_view kModuleGroups[] = {"path", "class", "layer"};
constexpr std::string_view kModuleSources[] = {"auto", "modules", "annotations"};
constexpr Param kModuleParams[] = {
    {"depth", "modules deeper than this count to those around them", Unit::Count, 99, 1, 999},
    {"by",
     "path: each module; class: all modules of a class, each without those inside it; layer: each layer with all "
     "inside it",
     Unit::Count, 0, 0, 2, kModuleGroups},
    {"source", "modules: calls of nn.Module; annotations: ranges on CPU threads; auto: modules where there are any",
     Unit::Count, 0, 0, 2, kModuleSources},
};
constexpr std::string_view kSelfKernelTime[] = {"self_kernel_time"};
constexpr std::string_view kSlack[] = {"slack"};
constexpr std::string_view kHfu[] = {"hfu", "flop"};
constexpr std::string_view kSelfTimes[] = {"self_kernel_time", "self"};

constexpr std::string_view kAnnotationSources[] = {"gpu", "cpu", "modules"};
constexpr Param kAnnotationParams[] = {
    {"source", "gpu: their copies on GPU rows; cpu: the ranges on CPU threads; modules: calls of nn.Module",
     Unit::Count, 0, 0, 2, kAnnotationSources},
};
constexpr std::string_view kTotal[] = {"total"};

constexpr std::string_view kSequenceKinds[] = {"whole", "parts"};
constexpr Param kSequenceParams[] = {
    {"of", "whole: all that a call launches; parts: what occurs in it again and again (fusion candidates)", Unit::Count,
     0, 0, 1, kSequenceKinds},
    {"least", "calls that launch fewer kernels are left out", Unit::Count, 1, 1, 1'000'000},
    {"longest", "of=parts: most kernels in a part", Unit::Count, 5, 2, 32},
};
constexpr std::string_view kCount[] = {"count"};

constexpr std::string_view kPeaks[] = {"peak_allocated"};
constexpr std::string_view kPeakOrEnd[] = {"peak_allocated", "end_allocated"};
constexpr std::string_view kMoments[] = {"peak", "end"};
constexpr Param kMemoryPeakParams[] = {
    {"at", "peak: when most is in use; end: when the snapshot was taken", Unit::Count, 0, 0, 1, kMoments},
};
constexpr std::string_view kBytesHeld[] = {"bytes"};
constexpr std::string_view kReserved[] = {"reserved"};
constexpr std::string_view kMemorySnapshots = "memory snapshot (torch.cuda.memory._dump_snapshot)";

constexpr std::string_view kOperatorNamings[] = {"innermost", "outermost", "stack"};
constexpr Param kCounterParams[] = {
    {"operator", "which of the operators around the launch names the row; stack: all of them, from the outermost",
     Unit::Count, 0, 0, 2, kOperatorNamings},
};

constexpr std::int64_t kTenTimes = 1'000;
constexpr std::string_view kPathsOf[] = {"rank", "run"};
constexpr Param kPathParams[] = {
    {"chosen", "percent of their time that what the filter's name, class, duration, stream and group choose would take",
     Unit::Percent, 100, 0, kTenTimes},
    {"cpu", "percent of their time that other operators and calls would take", Unit::Percent, 100, 0, kTenTimes},
    {"compute", "percent, of compute kernels", Unit::Percent, 100, 0, kTenTimes},
    {"communication", "percent, of communication kernels", Unit::Percent, 100, 0, kTenTimes},
    {"memory", "percent, of copies and sets", Unit::Percent, 100, 0, kTenTimes},
    {"launch_delay", "percent, of the delays from a call to its GPU work", Unit::Percent, 100, 0, kTenTimes},
    {"of", "rank: of the first rank that the filter takes; run: across all of them", Unit::Count, 0, 0, 1, kPathsOf},
};

constexpr std::int64_t kMostLinkSpeed = 100'000;
constexpr std::int64_t kMostRankNumber = 1'000'000'000;
constexpr std::string_view kLaunchChoices[] = {"recorded", "none"};
constexpr std::string_view kStragglerChoices[] = {"recorded", "none"};
constexpr std::string_view kOverChoices[] = {"none", "stages", "steps", "stages,steps"};
constexpr std::int64_t kMostBuckets = 10'000;
constexpr std::string_view kGatherChoices[] = {"recorded", "prefetched"};
constexpr std::string_view kBalanceChoices[] = {"recorded", "balanced"};
constexpr Param kWhatIfParams[] = {
    {"chosen", "percent of their time that what the filter's name, class, duration, stream and group choose would take",
     Unit::Percent, 100, 0, kTenTimes},
    {"cpu", "percent of their time that other operators and calls would take", Unit::Percent, 100, 0, kTenTimes},
    {"compute", "percent, of compute kernels", Unit::Percent, 100, 0, kTenTimes},
    {"communication", "percent, of transfers, and of communication kernels that nothing matches", Unit::Percent, 100, 0,
     kTenTimes},
    {"memory", "percent, of copies and sets", Unit::Percent, 100, 0, kTenTimes},
    {"launch_delay", "percent, of the delays from a call to its GPU work", Unit::Percent, 100, 0, kTenTimes},
    {"link",
     "percent of their bandwidth that links would have: 200 divides the part of a transfer that goes with its "
     "size by 2",
     Unit::Percent, 100, 1, kMostLinkSpeed},
    {"launches", "none: GPU work waits for no launch", Unit::Count, 0, 0, 1, kLaunchChoices},
    {"typical", "the rank that would be like its peers; -1: none", Unit::Count, -1, -1, kMostRankNumber},
    {"stragglers", "none: every rank would be like its peers", Unit::Count, 0, 0, 1, kStragglerChoices},
    {"over", "peers are also events of other stages, steps, or both", Unit::Count, 0, 0, 3, kOverChoices},
    {"buckets",
     "percent of their size that buckets of all_reduce and reduce_scatter would have: at 400 alpha of their line "
     "(link-model) is paid a quarter as often",
     Unit::Percent, 100, 10, kMostBuckets},
    {"gathers", "prefetched: transfers of all_gather take no time", Unit::Count, 0, 0, 1, kGatherChoices},
    {"experts", "balanced: transfers of all_to_all take mean / largest bytes of their members", Unit::Count, 0, 0, 1,
     kBalanceChoices},
    {"stages", "balanced: the stages of a pipeline's schedule compute equally long", Unit::Count, 0, 0, 1,
     kBalanceChoices},
};

constexpr std::string_view kGain[] = {"gain"};
constexpr std::string_view kSaved[] = {"saved"};
constexpr std::string_view kWaitRooted[] = {"wait_rooted"};
constexpr std::string_view kExposedParts[] = {"exposed_wait", "exposed_transfer", "exposed_other"};
constexpr std::string_view kOffset[] = {"offset"};
constexpr std::string_view kBusBandwidth[] = {"busbw", "algbw"};
constexpr std::string_view kLinkBandwidth[] = {"bandwidth"};
constexpr std::string_view kBytesSent[] = {"bytes"};
constexpr std::string_view kNeedsCollectives = kMadeOfCollectives;

constexpr std::int64_t kOneSecond = 1'000'000'000;
constexpr Param kClockParams[] = {
    {"tolerance", "most between the ends of members that are matched by order", Unit::Ns, 10'000'000, 0, kOneSecond},
    {"shifts", "most places that a rank's list of ends is shifted by to guess its clock", Unit::Count, 256, 0, 4096},
    {"least", "a clock needs so many usable collectives on every rank", Unit::Count, 4, 1, 1'000'000},
    {"drift_least", "a drift needs so many usable collectives on every rank", Unit::Count, 12, 2, 1'000'000},
    {"drift_saves", "a drift has to save this percentage of the noise", Unit::Percent, 30, 0, 100},
    {"least_error", "the error is at least this", Unit::Ns, 2'000, 0, kOneSecond},
};
constexpr Param kStragglerParams[] = {
    {"floor", "a straggler costs every other rank at least this percentage of the window", Unit::Percent, 1, 0, 100},
    {"score", "hundredths: a robust score above it flags a rank", Unit::Count, 350, 0, 100'000},
};
constexpr Param kStepWaitParams[] = {
    {"floor", "a straggler costs every other rank at least this percentage of the step", Unit::Percent, 1, 0, 100},
};
constexpr Param kLineParams[] = {
    {"sizes", "a line needs at least so many different sizes", Unit::Count, 3, 2, 256},
    {"span", "a line needs a largest size of at least so many times the smallest", Unit::Count, 8, 1, 1'000'000},
    {"poor", "a line is poor where its median error is above this percentage", Unit::Percent, 25, 0, 10'000},
};
constexpr Param kOutlierParams[] = {
    {"times", "a slow collective takes more than this percentage of what is expected", Unit::Percent, 150, 100,
     100'000},
    {"excess", "and at least so much more, and more than the error of the clocks", Unit::Ns, 50'000, 0, 1'000'000'000},
    {"score", "hundredths: and its ratio is beyond so many robust deviations", Unit::Count, 350, 0, 100'000},
    kLineParams[0],
    kLineParams[1],
    kLineParams[2],
};
constexpr std::string_view kRingModels[] = {"none", "ring"};
constexpr Param kMatrixParams[] = {
    {"model", "ring: all_reduce, all_gather and reduce_scatter, too, as rings in the order of members would send",
     Unit::Count, 0, 0, 1, kRingModels},
};

constexpr Param kPipelineParams[] = {
    {"chunks", "model chunks of a stage: 2 or more with an interleaved schedule", Unit::Count, 1, 1, 1024},
};
constexpr std::string_view kExposedTime[] = {"exposed"};
constexpr std::string_view kBucketParts[] = {"hidden", "exposed"};
constexpr std::string_view kBubbleParts[] = {"busy", "bubble"};
constexpr Param kFindingParams[] = {
    {"least", "findings that could gain less than this percentage of the rank's window are left out", Unit::Percent, 1,
     0, 100},
};

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
     "The parts are of all this work, whatever names, classes, durations, groups or collectives the filter chooses. "
     "Not counted: synchronisation rows, annotations on GPU rows, CPU operators that carry a stream. A rank without "
     "GPU events has absent cells.\n"
     "exposed_wait, exposed_transfer and exposed_other are parts of the exposed communication, by "
     "`exposed-communication`: "
     "they add up to it exactly, and are absent where no collective of the rank is matched.",
     kBreakdownParams,
     {ChartKind::StackedBars, "rank", kParts, {}},
     true,
     temporal_breakdown::rank,
     nullptr,
     temporal_breakdown::columns,
     "window",
     false,
     "GPU events",
     true},

    {"kernel-types",
     "Kernel types",
     "Each rank's window by the exact set of kernel classes that run at once.",
     "Every instant of the window (first GPU event to last of the chosen steps and streams, cut to the time range) "
     "belongs to exactly one row: the set of classes with an event running on any stream, joined by + in the order "
     "compute, communication, memory; idle when nothing runs. Sets that never occur are left out. Terms of the filter "
     "on name, class, duration, group or collectives change nothing.\n"
     "time is in nanoseconds, the rows of a rank add up to its window; share = time / window.\n"
     "The class of a kernel is decided by the first matching class rule. A rank without GPU events has no rows.",
     {},
     {ChartKind::StackedBars, "rank", kTime, "classes"},
     true,
     kernel_types::rank,
     nullptr,
     kernel_types::columns,
     "time"},

    {"kernels",
     "Kernels",
     "Count and duration of every kernel, copy and memset by name, per rank.",
     "One row per rank, class and full name. count and total of the GPU events that pass the filter, mean = total / "
     "count, min, max, standard deviation with n-1 (0 for one event); means and deviations are rounded half up to "
     "nanoseconds. share = total / sum of the durations of all GPU events of the rank in the filter's steps, streams "
     "and "
     "time, whatever names or classes it chooses.\n"
     "Durations are summed, not united: kernels that run at once count in full. A time range cuts events to their "
     "visible part; those it cuts still count. Every name keeps its own row, however many there are.",
     {},
     {ChartKind::ErrorBars, "rank", kMeanMinMax, "kernel"},
     true,
     kernels::rank,
     nullptr,
     kernels::columns,
     "total"},

    {"kernel-imbalance",
     "Kernel imbalance",
     "How much the mean duration of a kernel differs from rank to rank.",
     "Per class and full name, over the ranks that run it: mean = mean of the ranks' mean durations (each rank counts "
     "once, however often it runs the kernel), min_rank_mean and max_rank_mean the least and greatest of them.\n"
     "imbalance = greatest rank mean / mean of the rank means - 1: 0 when all ranks take the same time, 0.5 when the "
     "slowest takes half as long again as the mean. Absent where only one rank runs the kernel. The ratio is of "
     "unrounded means; the durations shown are rounded half up to nanoseconds. Captures of a rank that are windows of "
     "one job are taken together; of others, the first counts.",
     {},
     {ChartKind::Bars, "kernel", kImbalance, {}},
     true,
     kernel_imbalance::rank,
     kernel_imbalance::merge,
     kernel_imbalance::columns,
     "imbalance"},

    {"overlap",
     "Overlap of communication and compute",
     "How much of each rank's communication is hidden under compute.",
     "C and M are the unions of the rank's compute and communication events in the window. communication = |M|; "
     "overlapped = |C and M|; exposed = |M without C|; overlap = overlapped / communication, absent without "
     "communication.\n"
     "overlap_efficiency = 1 - (|C or M| - max(|C|, |M|)) / min(|C|, |M|): 1 when the shorter of the two is hidden "
     "entirely, 0 when nothing is, absent when one of them is missing. Times in nanoseconds. Copies do not enter. "
     "overlap_gain = the shorter of |M without C| and |C without M|: at most this can still be hidden. overlap_wall is "
     "what "
     "is often written, with the wall time of the chosen steps (the window without steps) in place of |C or M|: idle "
     "time "
     "then counts as lack of overlap, and the value has no lower bound. "
     "Terms of the filter on name, class, duration, group or collectives change nothing.\n"
     "exposed_wait, exposed_transfer and exposed_other are parts of the exposed communication, by "
     "`exposed-communication`: "
     "they add up to it exactly, and are absent where no collective of the rank is matched.",
     {},
     {ChartKind::StackedBars, "rank", kOverlapParts, {}},
     true,
     overlap::rank,
     nullptr,
     overlap::columns,
     "exposed",
     false,
     "GPU events",
     true},

    {"steps",
     "Steps",
     "Duration and parts of every step on every rank.",
     "One row per rank and step, from the ranges named ProfilerStep#N on CPU threads (their copies on GPU rows do not "
     "count); a number that occurs twice is one row over the union of its ranges. start counts from the run's "
     "earliest event.\n"
     "compute, exposed_communication, exposed_memory and idle are those of all GPU work inside the step's own range: "
     "work of an earlier step that still runs counts where it runs. They add up to duration exactly. A time range "
     "cuts steps to their visible part; steps outside it are left out. Without GPU events the parts are absent. Terms "
     "of the filter on name, class, duration, group or collectives change nothing but chosen: the time in which a GPU "
     "event runs that they choose, on any stream, once where several run.\n"
     "data_loading = length of the union of the marks that a data loader leaves on CPU threads, inside the step: names "
     "that begin with enumerate(DataLoader)# or enumerate(DataPipe)#, or ## data_load ##; it runs beside the GPU and "
     "is "
     "none of the parts; absent where the trace has no such mark. gap = time from the latest end of all steps that "
     "began before to the step's own begin, whatever the filter chooses; 0 where they touch or overlap, absent for the "
     "first of the trace, cut to the time range. HTA has no table of steps.\n"
     "exposed_wait, exposed_transfer and exposed_other are parts of the exposed communication, by "
     "`exposed-communication`: "
     "they add up to it exactly, and are absent where no collective of the rank is matched.",
     {},
     {ChartKind::StackedBars, "step", kParts, {}},
     true,
     steps::rank,
     nullptr,
     steps::columns,
     "duration",
     true,
     "step marks (ProfilerStep#N)",
     true},

    {"step-parts",
     "Parts of a step",
     "Each rank's steps by the kernels that compute in them, exposed communication, exposed copies and idle time.",
     "The time of the chosen steps of a rank, as `steps` takes them, in disjoint parts that add up to it exactly; with "
     "window=gpu that of the window of `temporal-breakdown`. exposed_communication, exposed_memory and idle are those "
     "of "
     "`steps`; compute is split by kernel and by the operator that launched it (the innermost around the launch call): "
     "where several compute kernels run at once the time is that of the one that began first (of those the longest, "
     "then "
     "the first of the file), for the others hide behind it. So a kernel's time here is at most its total in "
     "`kernels`.\n"
     "windows = how many steps the time is the sum of: time / windows is the mean. not_recorded has the time of ranks "
     "whose trace has no GPU event, which cannot be split. Terms of the filter "
     "on name, class, duration, group or collectives change nothing.\n"
     "exposed_wait, exposed_transfer and exposed_other are parts of the exposed communication, by "
     "`exposed-communication`: "
     "they add up to it exactly, and are absent where no collective of the rank is matched.",
     kStepPartsParams,
     {ChartKind::StackedBars, "rank", kTime, "part"},
     true,
     step_parts::rank,
     nullptr,
     step_parts::columns,
     "time",
     false,
     "step marks (ProfilerStep#N)",
     true},

    {"launches",
     "Launches",
     "Every call that started GPU work: how long it took, how long the GPU worked, and the delay between.",
     "One row per runtime or driver call linked to a GPU event that passes the filter: kernels, graphs, copies and "
     "sets, of CUDA, HIP or any other device. Where the profiler records no such calls (Ascend), the host event that "
     "an arrow leads to the GPU event from counts as the call. call = its own duration; gpu = sum of the durations of "
     "its GPU events "
     "that pass; kernel, stream and delay are those of the first of them by start.\n"
     "delay = start of that GPU event - end of the call, in nanoseconds; negative where the GPU began before the call "
     "returned. queued = the part of the delay until all earlier work of that stream had ended, whatever the filter: "
     "what remains is launch latency, or waiting for another stream. Nothing is cut to a time range: it chooses the "
     "GPU "
     "events that overlap it. A graph launched over several streams is in the rows of each stream filter.\n"
     "HTA lists cudaLaunchKernel, cudaLaunchKernelExC, cudaMemcpyAsync, cudaMemsetAsync and MTIA's runFunction only, "
     "once per GPU event, and sets negative delays to 0.",
     {},
     {},
     false,
     launches::rank,
     nullptr,
     launches::columns,
     {},
     true,
     "launches of GPU work"},

    {"launch-summary",
     "Launch statistics",
     "Per rank: short kernels, slow calls and late GPU work among the launches.",
     "Over the calls of the analysis launches. short_kernels: gpu < call and call <= runtime_cutoff (50 us); "
     "runtime_outliers: call > runtime_cutoff; delay_outliers: delay > delay_cutoff (100 us). On a run bound by the "
     "GPU nearly every delay is that long: delay_outliers_queued counts those that spent most of it behind earlier "
     "work of their stream.\n"
     "negative_delays began before their call returned, which is usual for copies; reversed ones before their call "
     "began, which only clocks that disagree can do. Totals are sums of whole durations; mean and median of the "
     "delays, negative ones included, are rounded half up to nanoseconds. The table apis has the same per function.\n"
     "Left out: GPU events whose call is not in the trace. HTA knows five names of functions, none of HIP, of the "
     "driver or of graphs, and counts negative delays as 0.",
     kLaunchParams,
     {ChartKind::Bars, "rank", kShortKernels, {}},
     true,
     launch_summary::rank,
     nullptr,
     launch_summary::columns,
     "call_total",
     true,
     "launches of GPU work"},

    {"names",
     "Event names",
     "Count and summed duration of every event name, on the CPU and on the GPU, per rank.",
     "One row per rank, device and full name, whatever the category: operators, runtime calls, annotations, Python "
     "frames on cpu; kernels, copies and the annotations on stream rows on gpu. count and total of the events that "
     "pass the filter; events that are only a moment, or that an export by Lockstep added, do not count.\n"
     "Durations are summed as they are: an operator's total includes what it calls, so totals of different names do "
     "not add up to anything. A time range cuts events to their visible part; those it cuts still count.",
     {},
     {},
     true,
     names::rank,
     nullptr,
     names::columns,
     "total",
     true,
     "events"},

    {"queue-length",
     "Queue length",
     "Per stream: how much work is launched and has not yet started, and for how long the queue is full.",
     "+1 at the start of a launch call, -1 at the start of its first GPU event on the stream: one entry per call and "
     "stream, a graph too. The window goes from the first call to the last start of work whose call is known, among "
     "what the filter's steps and streams choose, cut to its time range; filters by name, class or duration choose "
     "entries and leave the window as it is. mean, median and max of the length are weighted by time: what lasts no "
     "time has no weight. blocked = time at a length of limit (1024) or more, in nanoseconds.\n"
     "Work launched before the trace began, that is with a correlation but no call and no work of a known call before "
     "it on its stream, is in the queue from the start. Other work without a call, and pairs whose GPU work began "
     "before the call, are left out and counted. Streams of one number on several devices of a rank are one row. The "
     "series has every change.\n"
     "HTA knows twelve names of functions and no graphs, takes mean and median over the points of change, however "
     "long they last, and gives the blocked time of one stream per rank, as a share of the whole trace.",
     kQueueParams,
     {ChartKind::Bars, "rank", kMean, "stream"},
     true,
     queue_length::rank,
     nullptr,
     queue_length::columns,
     "mean",
     false,
     "launches of GPU work"},

    {"operators",
     "Operators",
     "CPU time of every operator, and the GPU time of what it launched.",
     "One row per operator (CPU events of category cpu_op, without step marks), over all ranks; with by=inputs one per "
     "operator and the shapes and types of its inputs, where the trace has them.\n"
     "calls, total and self are of the calls that pass the filter. total is the sum of their durations; self leaves "
     "out what any event directly inside the call takes, a runtime call too; in the call tree of a thread a child "
     "that outlives its parent is cut at the parent's end.\n"
     "kernels, kernel_time and kernel_span are of the GPU events that pass the filter and whose launch call lies below "
     "a call of the operator, at any depth: an operator inside another counts for both, and of nested calls of one "
     "name every one counts. kernel_span = last end - first start per call, summed over calls; gpu_utilization = "
     "kernel_time / kernel_span. self_kernel_time belongs to the innermost operator alone. With the row "
     "(unattributed), "
     "GPU events whose launch is unknown or lies in no operator, it adds up to the total of `kernels`.\n"
     "A time range cuts calls and GPU events to their visible parts. A filter that no CPU event can pass (stream, "
     "class, group) leaves calls, total and self absent. flop, flop_rate and bandwidth are absent without flop=yes; "
     "they "
     "are of the calls that op-efficiency counts. HTA has no such table; the sums per call agree with its call "
     "graph, which ignores GPU events on stream 0.",
     kOperatorParams,
     {ChartKind::Bars, "operator", kSelfTimes, {}},
     true,
     operators::rank,
     operators::merge,
     operators::columns,
     "kernel_time",
     true,
     "operators"},

    {"operator-calls",
     "Calls of operators",
     "Every call of an operator: its CPU time, and the GPU events launched below it.",
     "One row per call of an operator (CPU events of category cpu_op, without step marks) that passes the filter or "
     "has a GPU event below it that does; by start. step is the one that contains the call's start.\n"
     "kernels, kernel_time and kernel_span are of the GPU events that pass and whose launch call lies below the call, "
     "at any depth, whenever they run: the sum of their durations, and last end - first start. gpu_utilization = "
     "kernel_time / kernel_span, above 1 where they run at once. A call inside another counts for both.\n"
     "A time range cuts calls and GPU events to their visible parts. Equal to HTA's call graph (num_kernels, "
     "kernel_dur_sum, kernel_span) but that HTA leaves out GPU events on stream 0, writes 0 where a span is absent, "
     "and adds the trace's begin to every span after a normal load.",
     {},
     {},
     false,
     operator_calls::rank,
     nullptr,
     operator_calls::columns,
     {},
     true,
     "operators"},

    {"annotations",
     "Annotations",
     "Count and duration of the ranges that the program named (record_function, optimizer steps, …).",
     "One row per rank and name. With source=gpu the annotations on GPU rows (gpu_user_annotation): each spans, on one "
     "stream, the work launched inside the range, so a range whose work runs on two streams counts twice. With "
     "source=cpu the ranges on CPU threads (user_annotation), step marks included. With source=modules the calls of "
     "modules among those of Python functions (nn.Module: NAME), which a profile with stacks has.\n"
     "count, sum, mean = total / count, least and greatest duration, standard deviation with n-1 (0 for one); means "
     "and deviations are rounded half up to nanoseconds. Durations are summed, not united: ranges inside one another "
     "count in full. A time range cuts annotations to their visible part. An annotation on a GPU row is in the step "
     "that contains its own start, as it has no launch. Every name keeps its own row; HTA throws the rarer ones "
     "together.",
     kAnnotationParams,
     {ChartKind::Bars, "annotation", kTotal, {}},
     true,
     annotations::rank,
     nullptr,
     annotations::columns,
     "total",
     true,
     "annotations of this source"},

    {"kernels-by-annotation",
     "Kernels by annotation",
     "Which kernels run inside which annotation of their stream.",
     "A GPU event belongs to the shortest annotation (gpu_user_annotation) on its own stream that overlaps it; of "
     "equally short ones to that which starts later. (unannotated) has those that no annotation overlaps. So every GPU "
     "event is in exactly one row, and the totals add up to those of `kernels`.\n"
     "The filter chooses GPU events; which annotation they belong to is decided by the whole trace. A time range cuts "
     "them to their visible part. HTA counts rows of synchronisation as kernels, takes an annotation of another stream "
     "for a kernel with the same start and end, and leaves the choice between equally short ones to chance.",
     {},
     {ChartKind::StackedBars, "annotation", kTotal, "kernel"},
     true,
     kernels_by_annotation::rank,
     nullptr,
     kernels_by_annotation::columns,
     "total"},

    {"kernels-by-operator",
     "Kernels by operator",
     "Which kernels each operator launched.",
     "A GPU event belongs to the innermost operator (cpu_op, not step marks) around the call that launched it; "
     "(unattributed) has those whose launch is not in the trace or in no operator. So every GPU event is in exactly "
     "one "
     "row, and the totals add up to those of `kernels` and to self_kernel_time of `operators`.\n"
     "The filter chooses GPU events; which operator they belong to is decided by the whole trace. A time range cuts "
     "them "
     "to their visible part. HTA has no such table.",
     {},
     {ChartKind::StackedBars, "operator", kTotal, "kernel"},
     true,
     kernels_by_operator::rank,
     nullptr,
     kernels_by_operator::columns,
     "total"},

    {"flop-coverage",
     "FLOP coverage",
     "How much of the compute time has floating-point work (FLOP) that is known.",
     "Each compute kernel has one kind, the first that fits. matrix: launched below an operator whose FLOP follow from "
     "its arguments. uncounted: below a listed operator whose arguments do not tell (no shapes, opaque). none: its "
     "innermost operator only moves data or works on single elements. uncounted: its name, up to the first (, is that "
     "of a matrix kernel (gemm but not fbgemm, Cijk_, cutlass, xmma, wgrad, dgrad, fprop, winograd, conv but not "
     "convert, flash, fmha, attention, attn, mha_, nvjet, bmm_, moe, triton_tem, triton_mm, matmul, scudnn, gemv, "
     "dot_kernel, _mm_kernel, sage_fwd). none: PyTorch's own (at::native::, void at::, void c10::), its compiler's "
     "(triton_poi_, triton_red_, triton_per_, triton_for_), or innermost operator aten::. unclassified: the rest.\n"
     "FLOP belong to the innermost operator that can say: walking up from the leaves, a listed operator owns what lies "
     "below it unless all listed ones below told. So graph replays, compiled kernels without operators and kernels "
     "launched before the trace are uncounted, never 0 FLOP.\n"
     "counted = matrix / (matrix + uncounted), by time; every FLOP total carries it, and below 0.95 is printed with "
     "\xE2\x89\xA5. The rows add up to the compute total of `kernels`; a time range cuts kernels to their visible "
     "part.",
     {},
     {ChartKind::StackedBars, "rank", kTime, "kind"},
     true,
     flop_coverage::rank,
     nullptr,
     flop_coverage::columns,
     "time"},

    {"op-efficiency",
     "Operator efficiency",
     "How near each matrix operator comes to what the device can do.",
     "One row per rank, operator, inputs and precision. 1 multiply-add = 2 FLOP. FLOP and bytes follow from the "
     "arguments: a product [M,K] x [K,N] has 2MNK; a convolution 2 x outputs x weights per output; attention 2 x batch "
     "x heads x attended pairs x (depth of keys + depth of values), half the pairs with a causal mask; gradients of a "
     "convolution one forward's FLOP each, of attention 5 products to the forward's 2. bytes: each tensor read or "
     "written once, expanded dimensions once. What the arguments do not tell is in flop-coverage as uncounted; packed "
     "sequences of unknown lengths count as equally long, the least there can be (estimated).\n"
     "flop_rate = flop / time, bandwidth = bytes / time, intensity = flop / bytes: of sums, never means. compute_share "
     "= "
     "flop_rate / peak; floor = the longer of flop / peak and bytes / peak bandwidth, rounded half up; roof_share = "
     "floor / time; loss = time - floor, at least 0. bound: compute or memory, whichever is longer; launch if time / "
     "executed is below launch_bound. Peaks are dense, of the device's datasheet, or given by --peak; a device that is "
     "not known has none. A call without GPU work in the trace (on the CPU, captured into a graph, records lost) "
     "counts "
     "in calls and unseen_flop only.\n"
     "with of=all operators that only move data have rows, too: the innermost around their kernels, without FLOP. "
     "Their "
     "bytes are the least traffic: elementwise all tensors and the broadcast output in the widest type (comparisons "
     "one "
     "byte); copies source and destination; fills the destination; cat, gather and index_select twice the output; "
     "reductions input and output; softmax twice its input, its gradient three times; norms twice the input and the "
     "parameters, their gradients three times and twice; embeddings the indices and twice the output, bags the indices "
     "and "
     "the output only (lower bound); dropout twice and a byte of mask per element; optimizers on lists every tensor "
     "read, "
     "and all but the gradients written. So bandwidth is a lower bound, and passes the peak only where caches serve "
     "(cached). Lists whose element type is not written have no bytes.\n"
     "by=module: apart by the path of the nn.Module, or annotation, around the call (modules). by=kernel: a row for "
     "each kernel of the calls; FLOP and bytes of a call go to the longest of its kernels whose name is a matrix "
     "kernel's (flop-coverage), else to the longest; the others have time alone.\n"
     "recomputed: a forward operator that runs below the autograd engine while gradients are recorded (activation "
     "checkpointing; also backward passes with create_graph=True). The filter chooses calls whole: those of which any "
     "GPU event passes and the first starts in the time range.",
     kEfficiencyParams,
     {ChartKind::Bars, "operator", kLoss, {}, "inputs"},
     true,
     op_efficiency::rank,
     nullptr,
     op_efficiency::columns,
     "time",
     false,
     "GPU work of operators whose FLOP are known"},

    {"mfu",
     "Utilisation of the hardware",
     "Which share of the device's peak each step of each rank used (HFU), and used for the model (MFU).",
     "One row per rank and step; one per rank with step -1 for work outside every step, or, in traces without steps "
     "and "
     "with window=gpu, for first GPU event to last. With several ranks the table `all ranks` has a row per step: the "
     "longest duration, the sums of FLOP and of peaks.\n"
     "flop: of the operators that start in the step and launched GPU work (op-efficiency); model_flop without "
     "recomputed "
     "calls and with attention's gradient as 4 products to the forward's 2. hfu = flop / (duration x peak), mfu = "
     "model_flop / (duration x peak), never above hfu. peak: of the precision with most FLOP in the run (of equal ones "
     "the alphabetically last), for all FLOP of the row; floor = sum of flop / peak, each of its own precision. "
     "achieved = flop / duration = matrix_rate x matrix_share.\n"
     "counted: see flop-coverage. Below 0.95 the row's figures are lower bounds and print with \xE2\x89\xA5; where "
     "nothing of the matrix work is known they are absent. Without a peak of the device and precision hfu and mfu are "
     "absent: give it with --peak.\n"
     "model_flop=EXPRESSION gives the FLOP of one step on all devices instead, of numbers and + - * / ( ) or "
     "transformer(layers=,hidden=,heads=,kv_heads=,ffn=,gated=,vocab=,seq=,batch=,causal=) = 3 batch seq (layers (4 "
     "hidden^2 (1 + kv_heads/heads) + 2 (2 + gated) hidden ffn + 4 seq hidden (1/2 if causal)) + 2 hidden vocab). Then "
     "each row of a step has its share, model_flop / devices of the job, where devices is the recorded world size, "
     "else "
     "the ranks opened. Half the pairs with a causal mask is what Megatron and torchtitan count; PaLM and nanoGPT "
     "count "
     "all.",
     kMfuParams,
     {ChartKind::Bars, "rank", kHfu, {}, "step"},
     true,
     mfu::rank,
     mfu::merge,
     mfu::columns,
     "hfu"},

    {"modules",
     "Modules",
     "GPU time and FLOP of each nn.Module, forward and backward.",
     "A GPU event belongs to the path of nn.Module calls (python_function events) around the call that launched it, "
     "outermost first; X_n is the n-th instance of class X as the writer numbers them. In the backward pass it belongs "
     "to the path of the first forward operator with the sequence number of the autograd engine's operator, unless it "
     "runs below a module of its own (recomputed work). Traces without modules take user annotations that are not "
     "steps, "
     "Optimizer.*, nccl:* or DistributedDataParallel.forward, as they nest. Record with_stack=True to have modules, or "
     "wrap layers in record_function.\n"
     "kernel_time has everything below, self_kernel_time what no inner module has; the latter with (unattributed) adds "
     "up to the GPU time of `kernels`. forward, backward and recomputed add up to kernel_time. flop: of operators "
     "whose "
     "FLOP are known (op-efficiency), whole where the filter chooses any of their GPU events. by=layer: layers are "
     "modules of one class that occur at least four times below one parent, the outermost such; (other modules) is "
     "what lies in no layer. Sequence numbers are "
     "taken "
     "as unique within a rank.",
     kModuleParams,
     {ChartKind::Bars, "module", kSelfKernelTime, {}},
     true,
     modules::rank,
     nullptr,
     modules::columns,
     "kernel_time"},

    {"kernel-sequences",
     "Kernel sequences",
     "Which sequences of kernels operators launch again and again: candidates for fusion.",
     "Terms on name and duration choose operators, terms on stream, class and group the GPU events below them, terms "
     "on step both. With a term on name, annotations and step marks are chosen as well. Of chosen ones inside one "
     "another the outermost counts.\n"
     "of=whole: one row per operator and sequence: the names of all GPU events launched below a call, at any depth and "
     "on all streams, in the order of their starts. count = calls with exactly that sequence, kernel_time and "
     "operator_time = summed durations of those GPU events and calls. Calls with fewer than least kernels are left "
     "out. Most frequent first.\n"
     "of=parts: compute kernels that follow one another on one stream below a call (without a term on name: on the "
     "stream, whoever launched them), 2 to longest of them, that occur at least twice on a rank. Occurrences of one "
     "part do not overlap, those of different parts may: kernel_time does not add up. A part is left out when a longer "
     "one that begins or ends with it occurs as often. Sorted by count * (length - 1), the launches saved if each "
     "occurrence were one kernel.\n"
     "sequence is a digest of the names, as names together reach 500 kB; the text is cut at 2000 bytes. A time range "
     "cuts calls and GPU events to their visible parts. HTA takes the matches at the least depth of the whole trace "
     "instead of the outermost of each call, hangs the backward thread below step marks of the main thread (here it is "
     "its own tree: name:autograd::engine), and has no parts.",
     kSequenceParams,
     {ChartKind::Bars, "sequence", kCount, {}, "operator"},
     true,
     kernel_sequences::rank,
     kernel_sequences::merge,
     kernel_sequences::columns,
     "kernel_time",
     true,
     "operators that launch GPU work"},

    {"memory-bandwidth",
     "Memory bandwidth",
     "Per kind of copy: how many, how much, how long, and how fast.",
     "Over the GPU events of class memory that pass the filter, on all streams of the rank. time = length of the union "
     "of the copies of a kind; bandwidth = bytes / time in bytes per second (1 GB/s = 1e9), so that copies that run at "
     "once count once in time and long ones weigh more. Kinds may run at once, too: their times can add up to more "
     "than passed. A time range cuts copies to their visible part and their "
     "bytes in proportion.\n"
     "The size is that of the GPU event, else of its launch call, else the bandwidth the trace states times the "
     "duration (counted as estimated); copies of unknown size count and take time, but are in neither bytes nor "
     "bandwidth. A kind without known sizes, or that takes no time, has no bandwidth.\n"
     "The series is the sum of the bandwidths of the copies running, each its own bytes / duration; copies of no "
     "length are not in it. HTA averages over the points of change, however long they last, and adds up the "
     "bandwidths the trace states, which belong to durations not yet rounded to whole microseconds.",
     {},
     {ChartKind::StackedBars, "rank", kTime, "kind"},
     true,
     memory_bandwidth::rank,
     nullptr,
     memory_bandwidth::columns,
     "time",
     false,
     "copies or sets of memory"},

    {"idle-breakdown",
     "Idle time of streams",
     "Why each stream paused between its kernels: the host came late, the next kernel followed shortly, or else.",
     "A gap before a GPU event is its start - the latest end of all earlier ones on its stream, where positive: "
     "overlaps make no gap. Cause, the first that fits: host_wait if the event's launch call began after that end; "
     "kernel_wait if the gap is shorter than short_gap (30 us); other, also where the launch is not in the trace.\n"
     "time, median and max in nanoseconds; share = time / all gaps of the stream. The events are those the filter's "
     "steps and streams choose, whatever names, classes, durations, groups or collectives it chooses. A time range "
     "cuts gaps to their visible part. Causes without a "
     "gap have no row. Streams of one number on several devices of a rank are one row.\n"
     "This is not the idle time of the GPU, for which there is device-idle. HTA takes the end of the event just "
     "before, subtracts overlaps from kernel_wait, and lists other with 0 for the first event of a stream.",
     kIdleParams,
     {ChartKind::StackedBars, "stream", kTime, "cause"},
     true,
     idle_breakdown::rank,
     nullptr,
     idle_breakdown::columns,
     "time",
     false,
     "gaps between GPU events"},

    {"device-idle",
     "Idle time of the GPU",
     "When nothing ran on any stream of a rank: why, and what the host was doing.",
     "A gap is a stretch of the window (first GPU event to last of the chosen steps and streams, in the time range) "
     "in which no event of these steps and streams runs, whatever names or classes the filter chooses. Cause, judged "
     "on the event that ends the gap: "
     "host_wait if its launch call began after the gap did; kernel_wait if the gap is shorter than short_gap (30 us); "
     "other, also where the launch is not in the trace or nothing follows.\n"
     "time in nanoseconds; all causes add up to idle of temporal-breakdown exactly. share = time / window. Causes "
     "without a gap have no row.\n"
     "The table host names what the launching thread did for most of each gap: the innermost operator or runtime call, "
     "such as a synchronisation, or (nothing), outside of any; its share is of the idle time. HTA has no such number.",
     kIdleParams,
     {ChartKind::StackedBars, "rank", kTime, "cause"},
     true,
     device_idle::rank,
     nullptr,
     device_idle::columns,
     "time",
     false,
     "idle time between GPU events"},

    {"idle-gaps",
     "Idle gaps",
     "The longest gaps of each rank: how long, why, what the host did, and the kernels before and after.",
     "A row is a gap of device-idle (of=gpu) or of idle-breakdown (of=streams), with the same causes: host_wait if the "
     "launch call of the event that ends the gap began after the gap did; kernel_wait if the gap is shorter than "
     "short_gap (30 us); other, also where the launch is not in the trace or nothing follows. With enough rows, length "
     "adds up to the time of those analyses, cause by cause.\n"
     "begin counts from the run's earliest event; length is the part inside the time range. kernel_before is the event "
     "that ended last before the gap, kernel_after the one that ends it; absent at the edges of the window. host is "
     "what the launching thread did for most of the gap, as in the table host of device-idle. step is that of the "
     "event that ends the gap. The longest gaps of each rank are listed, most of them; how many are shorter is said.",
     kGapParams,
     {},
     false,
     idle_gaps::rank,
     idle_gaps::merge,
     idle_gaps::columns,
     "length",
     false,
     "idle time between GPU events"},

    {"memory-timeline",
     "Memory",
     "How much memory was allocated and reserved on every device, and which operators allocate it.",
     "From the [memory] events of a trace taken with profile_memory=True that pass the filter: one per allocation or "
     "free, on the CPU and on every GPU. peak_allocated and peak_reserved are the greatest totals that the allocator "
     "wrote with them, so they count what was there before the trace began, and what happened between events of the "
     "filter. peak_growth is the greatest sum of bytes since the first event that passes; older traces have only that. "
     "allocations and frees are counts (of more and of less than nothing), allocated is the sum of the former.\n"
     "Reserved memory is what the caching allocator holds; on the CPU there is none, and the cell is absent. Memory "
     "that does not come from PyTorch's allocators (NCCL, cuBLAS, the context) is in no number.\n"
     "The series are the totals over time. The table operators has the allocations by the innermost operator on their "
     "thread: how many, their sum, and the largest, largest first.\n"
     "PyTorch's raw memory timeline (export_memory_timeline to a .raw.json.gz) opens as a rank of its own: its "
     "allocations and frees are such events, and its series and the table categories have what each category of memory "
     "held: the peak and the last value; of filters they follow rank and time only. HTA reads that file, and no "
     "[memory] events.",
     {},
     {ChartKind::Bars, "rank", kPeaks, {}},
     true,
     memory_timeline::rank,
     nullptr,
     memory_timeline::columns,
     "peak_allocated",
     true,
     "events about memory"},

    {"memory-snapshot",
     "Memory snapshot",
     "What the caching allocator of each device did and holds: totals, failures, allocations that stay.",
     "From memory snapshots (torch.cuda.memory._dump_snapshot), each a rank. allocated adds up what was asked for: in "
     "the "
     "snapshot over the blocks in use or waiting to be freed, before it by undoing the history from there. A block is "
     "freed when its free has completed. reserved is what the allocator holds of the device, undone likewise over "
     "segments. rounding is what the blocks in use have beyond what was asked for, known for the snapshot only. "
     "Peaks are looked for after each event and before the first, as the history can begin at the peak; without a "
     "history there are none. A snapshot that does not tell what was asked for (old PyTorch) counts whole "
     "blocks and has no rounding.\n"
     "The table out_of_memory explains each failed allocation by replaying the segments and blocks up to it: blocks "
     "that are gone in the snapshot are taken as rounded up to 512 bytes. Pieces of expandable segments that touch are "
     "one. Holes are not told apart by stream and pool. The table outliving has the history's "
     "allocations still in use at the end, by the innermost frame of own code (the first file outside site-packages): "
     "suspects are sites with at least two of them that never freed one.\n"
     "Rank and time filters choose what is counted, and where the peak is looked for; totals always begin with what "
     "was "
     "in use before.",
     {},
     {ChartKind::Bars, "rank", kPeakOrEnd, {}},
     true,
     memory_snapshot::rank,
     nullptr,
     memory_snapshot::columns,
     "peak_allocated",
     true,
     kMemorySnapshots},

    {"memory-peak",
     "Memory at the peak",
     "What is in use when most is in use, by where it was allocated.",
     "From memory snapshots. The moment follows the event of the history (within the filter) with the greatest total, "
     "or comes before the first one if no total is greater than that before it; at=end, "
     "or no history: the snapshot itself. In use are the allocations without a completed free, and those older than "
     "the "
     "history, which their free or their block in the snapshot shows. bytes are as asked for (whole blocks where the "
     "snapshot does not tell). site is the innermost "
     "frame of "
     "own code: the first whose file lies outside site-packages and dist-packages, else the innermost. The table "
     "stacks has the "
     "whole call stacks. Native frames are left out.",
     kMemoryPeakParams,
     {ChartKind::Bars, "site", kBytesHeld, {}},
     true,
     memory_peak::rank,
     nullptr,
     memory_peak::columns,
     "bytes",
     true,
     kMemorySnapshots},

    {"memory-efficiency",
     "Memory efficiency",
     "How full the allocator of each GPU was at its peak, and how near to the device's memory.",
     "From memory events that carry totals (profile_memory=True, since 2021), of each GPU of a rank, those that pass "
     "the "
     "filter. peak_allocated is the most in use at once, reserved_at_peak what the allocator held at the first such "
     "moment, peak_reserved the most it held. slack = 1 - peak_allocated / reserved_at_peak: of what is held, not of "
     "what "
     "is broken up (memory-fragmentation); slack_end the same at the last event, where it is cache and no problem. "
     "headroom = device_memory - peak_reserved, pressure = peak_reserved / device_memory. Traces without totals have "
     "no "
     "rows.",
     {},
     {ChartKind::Bars, "rank", kSlack, "device"},
     true,
     memory_efficiency::rank,
     nullptr,
     memory_efficiency::columns,
     "peak_allocated",
     true,
     "memory events with totals (profile_memory=True)"},

    {"memory-fragmentation",
     "Memory fragmentation",
     "How much of what the allocator holds is free, and in how large pieces.",
     "From memory snapshots: the segments and blocks when the snapshot was taken, by device and pool. A free block can "
     "only serve an allocation of its size class (small, large), its private pool and its stream, so each combination "
     "is a pool of its own. fragmentation is 1 - largest free block / all free bytes of the pool: 0 if one block has "
     "all that is free, near 1 if it is in many small pieces. empty_segments are segments without a block in use. The "
     "allocator can give them back, but those of a private pool (of CUDA graphs or torch.cuda.MemPool) only when its "
     "graphs and pool objects are gone.",
     {},
     {ChartKind::Bars, "rank", kReserved, {}, "pool"},
     true,
     memory_fragmentation::rank,
     nullptr,
     memory_fragmentation::columns,
     "free",
     true,
     kMemorySnapshots},

    {"counters",
     "Hardware counters",
     "CUPTI counters of every kernel, by the operator that launched it.",
     "One row per operator, kernel and counter, over all ranks: how many profiled ranges (cuda_profiler_range) that "
     "pass the filter have the counter, the sum and the mean. Counters are the numbers among a range's arguments, in "
     "the unit that their names tell.\n"
     "Ranges carry no correlation, and their times are made up by the profiler: the n-th range is taken to be of the "
     "n-th call that launches a kernel, if the trace has as many of each; otherwise the operator is (unknown). Filters "
     "by step and time go by the range's own time. operator chooses which of the operators around that call names the "
     "row: the innermost, the outermost, or all of them. HTA gives the same per range, pairs in the same way, and "
     "leaves a rank out when the numbers differ.",
     kCounterParams,
     {ChartKind::Bars, "kernel", kMean, "counter"},
     true,
     counters::rank,
     counters::merge,
     counters::columns,
     "total",
     false,
     "hardware counters"},

    {"critical-path",
     "Critical path",
     "What the time of one rank, or of the whole run, was bound by, and what would be gained if parts took less.",
     "Of the first rank that the filter takes. The window goes from the begin of the first chosen step to the end of "
     "the last one or of the GPU work launched in the chosen steps, whichever is later; without a term on steps from "
     "the first operator, call or GPU event to the end of the last. A time range shows its part of that path.\n"
     "The graph has a node at the begin and end of every operator, runtime call and GPU event. Links: along each CPU "
     "thread; from the begin of a call to the begin of each GPU event it launched (of a graph: all of them); from the "
     "end of a GPU event to the next on its stream; to the first event launched after a stream was made to wait for "
     "another one; to the return of a synchronising call, of CUDA or HIP, or of a copy that blocks; between the thread "
     "with the steps and those of the backward pass, where one pauses while the other works. Which streams a call is "
     "about is taken from rows of synchronisation (cuda_sync); without them it is guessed from what ended when, and "
     "the table links says how often.\n"
     "Every event waited for the last of what it depended on: the path goes back from the end of the window from last "
     "to last, which makes it the longest path through the graph; of equally long ones it is the one with the most "
     "work. So its stretches touch, and time adds up to the window exactly. cpu: in an operator or call; data_loading: "
     "in a mark of a data loader; host_other: on a thread between operators (Python, or what the trace leaves out); "
     "launch_delay: from the begin of a call to the begin of its GPU work; compute, communication, memory: the class "
     "of a GPU event; kernel_delay: between the end of a GPU event and the begin of one that waited for it; "
     "sync_delay: until a waiting call returned; unknown: what it waited for is not in the window.\n"
     "What if: each time on the graph is multiplied by its percentage, then the longest path is found again; waits "
     "become shorter or longer, and another path may take over. chosen applies to the GPU events, operators, calls and "
     "annotations that the filter's terms on name, class, duration, stream and group choose (all, without any), and to "
     "all inside them on their thread, in place of the other percentages. Those terms change nothing else. gain is an "
     "upper bound: no link takes less than nothing, no resource is shared, and what other ranks would do then is not "
     "asked.\n"
     "HTA leaves out waits and delays, so that its path need not span the window; follows no launch to a GPU that is "
     "busy, one kernel of a graph, and no synchronisation without rows or of HIP; and counts asynchronous copies in "
     "full. It takes launches, copies and host allocations of different threads to wait for one lock, which no trace "
     "shows.\n"
     "of=run: the same across all ranks that the filter takes, on the run's clock. Every collective that counts for "
     "waits (see stragglers), every send with its receive and every operation with its root, joins the ranks: a kernel "
     "ends no sooner than the last "
     "member began, plus what it took from then on, so waiting is never on the path, only what the last one did. GPU "
     "work that began before its call waits for what the thread had reached; a thread's long stretch that a "
     "collective's kernel covers and ends is taken to have waited for it (guessed). Events that the clocks' error puts "
     "before what they waited for are moved behind it. ranks: the path by rank; crossings: where it goes from the last "
     "to arrive to a rank that waited. Doubtful and incomplete collectives join nothing: there the path stays on its "
     "rank. Runs of more than 3 million events are followed in graphs of some whole steps each (500,000 events, or one "
     "step): each gives the path from the end of the one before to the end of its own steps, so it does not see what "
     "a step before it decided about its begin.",
     kPathParams,
     {ChartKind::Bars, "bound_by", kTime, {}},
     true,
     critical_path::rank,
     critical_path::merge,
     critical_path::columns,
     "time",
     true,
     "operators, calls or GPU events"},

    {"what-if",
     "What if",
     "What a step would take without stragglers, launch gaps or communication, or with a rank like its peers.",
     "One graph of all chosen ranks on the run's clock, of the chosen steps (all without a term on steps, the whole "
     "window in traces without): the graphs of critical-path, and for every collective that counts for waits (see "
     "stragglers) one join: its kernels' begins lead to the moment when all members are there, and that to the ends of "
     "its kernels, by what each took from then on. A receive waits for its send in the same way and the send for it, "
     "unless it was over before; each other member of a broadcast or scatter for the root, and the root of a reduce or "
     "gather for all. Other collectives "
     "join nothing; the table graph says how many. Replayed with every time as recorded it gives the recorded times "
     "back exactly; events that the clocks' error puts before what they waited for are moved behind it first, and "
     "counted.\n"
     "step_time = length of the replay / steps, with links and order as recorded: so each answer is a ceiling, and "
     "gain, recorded - step_time, no more than can be gained. free communication: transfers, and communication that "
     "joins nothing, take no time. no launch gaps: GPU work waits for no launch and the step ends with it. rank "
     "typical: "
     "each of its times becomes the median over its peers of the same event, and nothing where less than half of them "
     "have it. Peers are other ranks of the same pipeline stage with the same sequence of collectives (kind of group, "
     "operation, bytes), in launch order, in the step; the same event has the same name and ordinal in the same "
     "stretch "
     "between two of them, kernels that most peers lack by name the same ordinal among these. no stragglers: every "
     "time "
     "becomes the median over the peers, own included; times without a partner on at least half of the peers stay as "
     "recorded (kept). gathers prefetched: transfers of all_gather take no time. experts "
     "balanced: those of all_to_all take mean / largest bytes of their members. buckets 4 times as large: all_reduce "
     "and "
     "reduce_scatter pay a quarter of alpha of their line (link-model). over=steps takes the same stretch of all steps "
     "together.\n"
     "given: what the parameters say, all at once. chosen is for the events that the filter's terms on name, class, "
     "duration, stream and group choose. link divides the part of a transfer that goes with its size, S/B of the "
     "line in link-model; all of it where there is no line. buckets, gathers and experts are the changes above; stages "
     "is known of a pipeline's schedule only.\n"
     "Of a part x (a rank, a step, a cause, an operation): step_time with x typical; slowdown = no stragglers but x as "
     "recorded / no stragglers; share = what x typical gains / what no stragglers gains. Shares do not add up to 1, "
     "can exceed it or be negative. Timelines of a pipeline's schedule without kernels (one event per forward, "
     "backward, "
     "send, receive, reduction) are replayed by their schedule: typical is then the mean of compute and the median of "
     "communication over replicas; over=stages,steps takes all events of one kind together and leaves gaps before "
     "operations out, so that slowdowns are those of StragglerAnalysis. stages balanced: every stage computes as long "
     "as the stages do on average, and no operation begins later than what it waits for: the step that theory gives "
     "for equal stages. Where a stage computes two things at once nothing is replayed. The table stages has the bubble "
     "of each beside theory. Cause host: operators, "
     "calls, the time between them and launch delays.",
     kWhatIfParams,
     {ChartKind::Bars, "change", kGain, "of"},
     true,
     what_if::rank,
     what_if::merge,
     what_if::columns,
     "gain",
     true,
     "operators, calls or GPU events"},

    {"stragglers",
     "Stragglers",
     "Who was late for collectives, and how long the others waited for it.",
     "A member event is a communication kernel of one rank, a collective the member events of all ranks that belong "
     "together (see matching). The arrival of a member is its start; the last rank is the one that arrived last.\n"
     "wait of a member = min(last arrival - own arrival, its duration). A collective counts if it is an all_reduce, "
     "all_gather, reduce_scatter, barrier or all_to_all with at least two members, nothing contradicts the match, no "
     "member is missing whose file is here, and nobody left before the last came. If files of members are absent, "
     "waits are lower bounds. A collective is chosen if one of its members passes the filter; its numbers are those of "
     "all its members.\n"
     "last = times last with a skew (last arrival - first) above the error of the clocks; close = times it "
     "arrived last with a lead over the next to last within the error, whatever the skew. wait_caused = sum of the "
     "waits of the collectives it was last in; "
     "own_wait = sum of its own waits. Lateness is its arrival against the middle member's (lower median); own = what "
     "its stretch since it was released by an earlier collective is longer than the middle member's, as recorded; "
     "inherited = lateness - own. wait_rooted: each wait is shared out, own : inherited, to the last rank and to those "
     "who delayed the releasing collective: as much as its own lateness explains as its wait is shared out, the rest "
     "as "
     "what released its last member explains, and so on back (all its members may have come late together); inherited "
     "counts above the error only. As far as the last rank's own part is waiting in receives (and other one-sided "
     "waits "
     "without compute) that the middle rank did not have, it goes to the senders in proportion, by the same rule. Over "
     "all ranks wait_caused, own_wait and wait_rooted have one sum.\n"
     "gain = sum of leads: had this rank come with the next to last. score = 0.6745 * (x - median) / MAD of "
     "wait_rooted over ranks, with 1.2533 * the mean absolute deviation in place of MAD / 0.6745 where MAD is 0; "
     "absent below 3 ranks. flagged: wait_rooted is above the floor (floor percent of the longest window times the "
     "other "
     "ranks) and the score above score / 100, or more than half of all waiting is rooted there, or fewer than 3 ranks. "
     "persistent: "
     "above the step's own floor in at least half of the steps; absent with one step. cause: that of most of "
     "wait_rooted, of what shows (see straggler-causes).\n"
     "Ranks are compared with those of their capture. Captures that are windows of one job are taken together: score, "
     "flagged and persistent are of all windows of a rank, whose lengths add up to its window, and are the same in "
     "each of its rows.\n"
     "HTA takes the rank with the shortest communication kernels for the straggler and measures nothing.",
     kStragglerParams,
     {ChartKind::Bars, "rank", kWaitRooted, {}},
     true,
     stragglers::rank,
     stragglers::merge,
     stragglers::columns,
     "wait_rooted",
     false,
     kNeedsCollectives},

    {"straggler-causes",
     "Causes of lateness",
     "Why late ranks were late: what they did since they were released, beside the middle rank.",
     "One row per rank and cause, over the collectives that count (see stragglers) and that the rank was last in. "
     "lateness = arrival against the middle member's = inherited + compute + memory + communication + idle. Both "
     "ranks' stretches reach from the end of their latest collective that can make ranks wait to their arrival; each "
     "instant counts once: compute, else memory (copies), else communication, else idle. The parts are the late "
     "rank's less the middle one's and can be negative.\n"
     "cause: inherited if that is at least the rest (released late by another collective; root names who began it); "
     "else by the largest part. compute: more work if kernels that only ran there, or more often, make up half of it, "
     "else slower kernels. memory: copies. communication: other communication. idle: by what the launching thread of "
     "the event that ended the longest gap did for at least half of the gap: data loading, allocation, "
     "synchronisation, launch call (the launch itself lasted), host (another operator or annotation, named in what), "
     "or host, nothing recorded. before the window: nothing released it; not resolvable: the skew is within the error "
     "of the clocks. wait_caused and wait_rooted add up to those of stragglers.",
     {},
     {ChartKind::Bars, "rank", kWaitRooted, "cause"},
     true,
     straggler_causes::rank,
     straggler_causes::merge,
     straggler_causes::columns,
     "wait_rooted",
     false,
     kNeedsCollectives},

    {"wait-by-step",
     "Waiting by step",
     "Per step, who was waited for and who waited.",
     "wait_caused, wait_rooted, own_wait and last as in stragglers, over the collectives of a step: those whose "
     "members were all launched in it. The row none takes collectives without a common step, so that the rows add up "
     "to stragglers. flagged: wait_rooted is above floor percent of the mean step times the other ranks.",
     kStepWaitParams,
     {ChartKind::Bars, "step", kWaitRooted, "rank"},
     true,
     wait_by_step::rank,
     wait_by_step::merge,
     wait_by_step::columns,
     "wait_rooted",
     false,
     kNeedsCollectives},

    {"exposed-communication",
     "Exposed communication",
     "How much of exposed communication is waiting for a late rank, and how much is transfer.",
     "exposed = exposed_communication of temporal-breakdown: communication runs and no compute. Each collective kernel "
     "whose match is beyond doubt is split into wait and transfer (see waits); where several run, an instant is "
     "transfer if any of them transfers, else wait. exposed_other = the rest: kernels that match nothing, sends, "
     "receives, broadcasts and the like. Terms of the filter on name, class, duration, group or collectives change "
     "nothing. The three add up to exposed to the nanosecond; they are absent on a rank none "
     "of whose collectives is matched. share = exposed_wait / exposed: what a faster network would not help.",
     {},
     {ChartKind::StackedBars, "rank", kExposedParts, {}},
     true,
     exposed_communication::rank,
     nullptr,
     exposed_communication::columns,
     "exposed",
     false,
     "GPU events",
     true},

    {"collectives",
     "Collectives",
     "Every collective with its arrivals, waits, transfer and bandwidth.",
     "One row per collective (see matching); a member event without partner has a row of its own. skew = latest start "
     "- earliest start; lead = latest start - second latest; transfer = median end - latest start; end_spread = latest "
     "end - earliest end; wait = sum over members of min(latest start - own start, duration). last_rank is absent "
     "where the skew is within the error of the clocks (table clocks).\n"
     "bytes as nccl-tests counts them: what a member gives; of all_gather what it ends up with; of all_to_all, gather "
     "and scatter the larger of both; the largest over members. algbw = bytes / transfer; busbw = algbw * f, f = "
     "2(n-1)/n for all_reduce, (n-1)/n for all_gather, reduce_scatter, all_to_all, gather and scatter, else 1; n = "
     "group size. Absent where the size, n, or a transfer is not known.",
     {},
     {},
     false,
     collectives::rank,
     collectives::merge,
     collectives::columns,
     {},
     false,
     kNeedsCollectives},

    {"waits",
     "Waits of collectives",
     "Every member of every collective: when it arrived, how long it waited, how long it transferred.",
     "arrival = start of the member event; wait = min(last arrival - own arrival, duration); transfer = duration - "
     "wait, so both add up to the recorded duration; exposed_wait and exposed_transfer are their parts while no "
     "compute "
     "runs on the rank. One-sided: a receive waits until its send began, members of a broadcast or scatter until the "
     "root's began, the root of a reduce or gather until the last of the others; wait = that, between 0 and the "
     "duration, and the others wait 0. The root is the rank that record_param_comms states. Absent for a send (a trace "
     "does not tell when its buffers were full), where the root is unknown or not here, where clocks cannot be "
     "compared, and for doubtful matches. One-sided waits are in no sum of stragglers and stay exposed_other in "
     "exposed-communication. Times are on the clocks that the table clocks names; durations are as recorded.",
     {},
     {},
     false,
     waits::rank,
     waits::merge,
     waits::columns,
     {},
     false,
     kNeedsCollectives},

    {"matching",
     "Matching of collectives",
     "How collectives were matched across ranks, and how sure that is.",
     "By number: same group (members and name) and sequence number, from the kernel's arguments or those of the calls "
     "around its launch; certain. By comms id, where group or members are unknown; certain. By pair: the k-th send "
     "from "
     "the end with the k-th receive from the end of one group, source and destination; probable. By order: from the "
     "end within (group, operation), on aligned clocks, ends within tolerance and nearer to each other than to the "
     "neighbours; probable. Parameters other than the standard ones show what matching would be by them; every other "
     "table and the timeline keep the standard ones. doubtful: operations, types, sizes, parts or steps differ, the "
     "match may be shifted, or "
     "number and comms id disagree; left out of clocks, waits and bandwidth. alone: a member without partner. "
     "group = name, then in brackets its "
     "description or, where no group has one and the known groups form a mesh of all ranks, its axis: PP only sends "
     "and "
     "receives and is the outermost axis or the outer one of several, CP sends round a ring within another one; EP "
     "only "
     "exchanges all to all (of several such axes the outermost; inner ones are CP); of two or more other axes TP is "
     "the "
     "innermost and DP the outermost; then its members where names repeat. An axis that may be one or another has no "
     "name: its groups go by size and members. incomplete: a member is missing whose file is here. Ranks of different "
     "sessions are never matched: of another world size, of a second file of one rank, or of another time where steps, "
     "else numbers of calls, do not meet for half of them or more.",
     std::span(kClockParams).first(2),
     {},
     true,
     matching::rank,
     matching::merge,
     matching::columns,
     "collectives",
     false,
     kNeedsCollectives},

    {"clock-alignment",
     "Clocks",
     "How far the ranks' clocks are apart, measured from collectives that their members leave together.",
     "A rank's clock shows true time + offset + drift * (t - middle). Evidence: all_reduce, all_gather, "
     "reduce_scatter, barrier and all_to_all with at least two members and no doubt; weight 1 / (10 us + shortest "
     "member). The moment of a collective is the median end of its members; offset = weighted median of (own end - "
     "moment), repeated until it rests; drift = weighted median slope, kept if it saves drift_saves percent of the "
     "noise. Offsets "
     "count from the lowest rank of each part (ranks that share collectives). noise = weighted median of what is left. "
     "error (table clocks) = the larger of least_error and the weighted 90th percentile of what is left; on recorded "
     "clocks "
     "at least half the largest difference of offsets. Parts that messages go both "
     "ways between are joined in the middle of what causality allows, if that is narrower than 1 ms. Refused with "
     "fewer than least collectives on a rank, or where "
     "members leave too far apart; then 50 us is assumed. Clocks are aligned where the evidence is accepted and the "
     "largest difference of offsets is above 4 times the residual (option --clocks).",
     kClockParams,
     {ChartKind::Bars, "rank", kOffset, {}},
     true,
     clock_alignment::rank,
     clock_alignment::merge,
     clock_alignment::columns,
     "offset",
     false,
     kNeedsCollectives},

    {"bandwidth",
     "Bandwidth",
     "Bandwidth of collectives by group, operation and size.",
     "Over collectives that everyone waits in (all_reduce, all_gather, reduce_scatter, barrier, all_to_all), without "
     "doubt, that nobody left early, of known size. bytes, transfer, algbw and busbw of one collective as in "
     "collectives; here transfer is the median over those of one size, and both bandwidths are of that median. "
     "concurrent = share of their transfers during which another collective ran on the same rank: two share the "
     "links. efficiency = busbw / the stated bandwidth of the device's links in one direction, from a table by device "
     "name that --links FILE adds to; absent where the device is unknown, or has none, or the group spans hosts. "
     "algorithm: what kernel names say, a hint only. stated_algorithm: algorithm and protocol that NCCL itself states, "
     "in a log (NCCL_DEBUG_SUBSYS with TUNING) or a trace of its profiler plugin that is part of the run, for the "
     "operation, the size and a communicator that can be the group's: of as many ranks, and whose known ranks are the "
     "group's in rising order. Absent where such communicators chose differently.",
     {},
     {ChartKind::Bars, "bytes", kBusBandwidth, "operation"},
     true,
     bandwidth::rank,
     bandwidth::merge,
     bandwidth::columns,
     "busbw",
     false,
     kMadeOfSizes},

    {"nccl",
     "NCCL",
     "What NCCL's logs and plugins say: calls by size with algorithm and protocol, communicators, warnings.",
     "From debug logs (NCCL_DEBUG=INFO, or WARN), JSON lines of the inspector and traces of profiler plugins in the "
     "run. One row per process, communicator, operation, size, algorithm, protocol, channels and timing, with the "
     "calls counted. A log names the algorithm in lines of their own (subsystem TUNING), which only rank 0 of a "
     "communicator prints and which do not name it: it is that of the thread's calls just before them (subsystem "
     "COLL), else the only one in which the process is rank 0, else absent. Rows without an algorithm count the calls "
     "(COLL), rows with one count the choices. bytes is S of nccl-tests: all data of all_gather and reduce_scatter; "
     "absent for operations whose counts are per partner.\n"
     "mean, shortest and longest are of the times that the inspector measured on the GPU or, as timing says, on the "
     "CPU; busbw is the mean of what it states. The rank is that in the process's largest communicator if that has "
     "as many ranks as the job, else that of the trace with the same process id, else the one in the file's name. "
     "Terms of the filter other than on rank are not asked.",
     {},
     {},
     false,
     nccl::rank,
     nullptr,
     nccl::columns,
     "count",
     false,
     "logs or plugin traces of NCCL",
     true},

    {"training-log",
     "Training log",
     "Times of iterations over the whole job, as the training program logged them.",
     "From logs of Megatron in the run (\"iteration 100/ 5000 | … | elapsed time per iteration (ms): 812.3 | …\"), "
     "also "
     "from a job's output that has NCCL's lines as well. One row per line, in the order of the file; after a restart "
     "numbers repeat. duration is measured by the host of the rank that logs, as the mean of the iterations since the "
     "line before, with evaluation and checkpoints left out or in as the program has it: it is not the steps of a "
     "trace, which are in `steps`. flops is what the program states, by its own formula, for one GPU. The filter is "
     "not asked, except that a log whose rank is known is with that rank, and others with the first.",
     {},
     {},
     false,
     training_log::rank,
     nullptr,
     training_log::columns,
     "duration",
     false,
     "training logs",
     true},

    {"link-model",
     "Link model",
     "Latency and bandwidth of each group's collectives: the line t = alpha + bytes / B.",
     "Points are (bytes, median transfer) of bandwidth. The line with alpha >= 0 and B > 0 whose relative errors "
     "|t - alpha - bytes / B| / t add up to least; it goes through two points, or one and the origin. half_size = "
     "alpha * B; hop_latency = alpha / steps of the ring, 2(n-1) for all_reduce, else n-1; link = B * bus factor. "
     "verdict: not identifiable with fewer than sizes sizes, or where they span less than span times; poor where "
     "the median error is above poor percent. Libraries change protocol with size: errors of half at some sizes are "
     "normal.",
     kLineParams,
     {ChartKind::Bars, "operation", kLinkBandwidth, "group"},
     true,
     link_model::rank,
     link_model::merge,
     link_model::columns,
     "bandwidth",
     false,
     kMadeOfSizes},

    {"link-predictions",
     "Link predictions",
     "What other algorithms would take on the same links, beside what was measured.",
     "From hop latency a and link L of link-model, in a group of n, S bytes: all_reduce ring 2(n-1)a + 2(n-1)/n * "
     "S/L, tree 2 ceil(log2 n) a + 2S/L, halving and doubling 2 ceil(log2 n) a + 2(n-1)/n * S/L; all_gather and "
     "reduce_scatter ring and all_to_all pairwise (n-1)a + (n-1)/n * S/L. ratio = measured / predicted. recommended: "
     "the least predicted of its size. Models, not promises: topology and protocol are not asked. sizes and span as in "
     "link-model.",
     std::span(kLineParams).first(2),
     {},
     true,
     link_predictions::rank,
     link_predictions::merge,
     link_predictions::columns,
     {},
     false,
     kMadeOfSizes},

    {"collective-outliers",
     "Slow collectives",
     "Collectives that took much longer than their size lets expect.",
     "expected = the line of link-model, where there is one and it is not poor, else the median transfer of the same "
     "group, operation and size. A row for each collective with transfer above times percent of expected, an excess "
     "above excess and above the error of the clocks, a logarithm of the ratio beyond score / 100 robust deviations of "
     "its group and operation, and no other collective beside it. pattern: several groups at one time: a slow one of "
     "another group transferred at the same moment; most of its size: more than half of its group, operation and size "
     "are slow; this group only: several of it are slow and none of another group; else single.",
     kOutlierParams,
     {},
     false,
     collective_outliers::rank,
     collective_outliers::merge,
     collective_outliers::columns,
     {},
     false,
     ""},

    {"communication-matrix",
     "Communication matrix",
     "Who sends how much to whom.",
     "Sends count with their peer. An all_to_all of a rank is shared out by its splits (bytes * split / sum of "
     "splits), without splits in equal shares; its own share is in the row to itself. Where the list of splits is cut, "
     "all of it "
     "goes to others, as the shares are not known. time = the sender's transfer, counted for each of its messages. "
     "Other operations move data along "
     "rings or trees that no trace shows, and are left out; with model=ring, all_reduce, all_gather and reduce_scatter "
     "send bytes * bus factor to the next member in order, and modelled says so. Table balance: bytes per rank sent "
     "and "
     "received, and imbalance = that / mean over ranks. Table groups: what each rank gives in each group, over all "
     "operations "
     "of known size.",
     kMatrixParams,
     {ChartKind::Bars, "source", kBytesSent, "destination"},
     true,
     communication_matrix::rank,
     communication_matrix::merge,
     communication_matrix::columns,
     "bytes",
     false,
     "sends or all-to-alls with sizes"},

    {"comm-efficiency",
     "Communication efficiency",
     "How near the collectives of each rank, group and operation come to the bandwidth of the links.",
     "Sums over the chosen collectives of a rank, a group and an operation. bytes: S of `bandwidth`. transfer: what "
     "`waits` "
     "leaves after waiting for a later rank, where every one of them is matched; else rates are of time, and `of` says "
     "so. "
     "algbw = bytes / transfer, busbw = algbw x the factor of the operation (all_reduce 2 (n - 1) / n; all_gather, "
     "reduce_scatter, all_to_all (n - 1) / n). efficiency = busbw / stated bandwidth of the links between the GPUs of "
     "one "
     "host, by device name or --links; absent across hosts. link_dp=50 and the like give the bandwidth for all groups "
     "of a dimension (parallel-groups), also across hosts; of a group of several the slowest. efficiency_raw = bytes / "
     "time / that bandwidth is what is "
     "often "
     "written: it charges waiting to the network and ignores the factor.",
     kCommEfficiencyParams,
     {ChartKind::Bars, "group", kBusBandwidth, "operation"},
     true,
     comm_efficiency::rank,
     comm_efficiency::merge,
     comm_efficiency::columns,
     "busbw",
     false,
     kNeedsCollectives,
     true},

    {"parallel-groups",
     "Parallel groups",
     "Which process group serves which dimension of parallelism, how that was told, and what it costs.",
     "One row per group with a chosen collective. dimension is told by the first that fits: its description "
     "(tensor_model_parallel, tp, mesh_tp: TP; pipeline, pp, mesh_pp: PP; expert, ep, mesh_ep: EP; context, cp, "
     "mesh_cp: "
     "CP; dp_replicate, data_parallel, dp, mesh_dp: DP; dp_shard, fsdp, zero, intra_partial: FSDP; gtp, embedding: "
     "other; "
     "several in one name, as TENSOR_AND_DATA_PARALLEL_GROUP, are joined by +). behaviour, over its members on the "
     "opened "
     "ranks: sends and receives of pairs take 80 % of its time or more: PP; all_to_all takes 50 %: EP; all_gather in "
     "the "
     "forward and reduce_scatter in the backward pass: FSDP; all_reduce alone, 80 % of them launched by the autograd "
     "engine or DDP: DP; all_reduce alone, two or more in each pass after matrix operators: TP. mesh of ranks: the "
     "place "
     "of its ranks in a mesh that all groups form, by `matching`. Else unknown; size alone decides nothing, and hint "
     "says "
     "only what the ranks' numbers speak for.\n"
     "bytes: S of `bandwidth`, summed over collectives, each once. time and exposed: of the members on the opened "
     "ranks. "
     "share = time / time of all groups.",
     {},
     {ChartKind::Bars, "group", kExposedTime, {}},
     true,
     parallel_groups::rank,
     parallel_groups::merge,
     parallel_groups::columns,
     "time",
     false,
     kNeedsCollectives,
     true},

    {"ddp-buckets",
     "DDP buckets",
     "The all-reduces of gradients of each step: when they begin, and what backward compute hides of them.",
     "Buckets of a step are the all-reduces of groups that serve DP (parallel-groups), launched in the step, below the "
     "autograd engine or DDP or between its first and last backward operator (autograd::engine::evaluate_function...); "
     "coalesced calls are one. launched: from the first backward operator's begin to the launch; started: from the "
     "first "
     "backward compute kernel's begin to the bucket's; hidden: its time with a compute kernel beside it; exposed = "
     "duration - hidden; wait: for a later rank, by waits; tail, of the last bucket: from the last backward compute "
     "kernel's end to its own end, at least 0.\n"
     "note: the last bucket has more than 30 % of what is exposed; a bucket besides the first has less than 1 MiB; the "
     "median bucket has more than 100 MiB.",
     {},
     {ChartKind::StackedBars, "bucket", kBucketParts, {}},
     true,
     ddp_buckets::rank,
     ddp_buckets::merge,
     ddp_buckets::columns,
     "exposed",
     false,
     "all-reduces of data-parallel groups below the autograd engine",
     true},

    {"fsdp",
     "Sharded data parallel",
     "All-gathers and reduce-scatters of shards: what compute hides of them, and which all-gathers kernels wait for.",
     "Members of groups that serve FSDP (parallel-groups), by rank and step in the order of start. hidden, exposed and "
     "tail as ddp-buckets; tail of the last reduce-scatter. prefetch: the next compute kernel on another stream after "
     "an "
     "all-gather's end; late if it begins within 5 us of that end and its stream was idle before it for 5 us or more "
     "while the all-gather ran, stall is that time; hit otherwise; absent where no such kernel follows.\n"
     "The table steps has the sums per step, and what the pattern shows to be sharded: all-gathers in both passes are "
     "of "
     "parameters (ZeRO-3); in the forward pass alone they are kept, or of ZeRO-1/2.",
     {},
     {ChartKind::StackedBars, "collective", kBucketParts, {}},
     true,
     fsdp::rank,
     fsdp::merge,
     fsdp::columns,
     "exposed",
     false,
     "all-gathers and reduce-scatters of sharded groups",
     true},

    {"pipeline",
     "Pipeline",
     "The bubble of each stage and step, beside what a schedule of so many microbatches has at least.",
     "Ranks of groups that serve PP (parallel-groups); stage is the place of the rank in its group's members. busy: a "
     "compute kernel runs; idle: no GPU event; both as steps. receive_wait: receives without compute beside them, of "
     "matched ones only the time that they wait for the sender. bubble = receive_wait + idle. microbatches: messages "
     "to the "
     "next stage in the step, of the last stage those from the one before, divided by chunks; absent where peers are "
     "unknown or the number is not whole. theory = (p - 1) / (chunks x microbatches + p - 1), p stages, of the step; "
     "relative to ideal time it is (p - 1) / m, which is found in papers, too. excess = bubble_share - theory. The "
     "first "
     "stage idles at the end, the last at the begin: only the mean over stages compares with theory. Zero-bubble "
     "schedules "
     "have another one.\n"
     "Timelines of a schedule without kernels, as MegaScan writes them, say stage, microbatch and chunk themselves: "
     "busy "
     "is what operations compute; receive_wait is what operations with partners wait for them while nothing else runs; "
     "idle is without any operation, from the step's first operation to its last over all stages; chunks are those "
     "that "
     "the timeline names. A stage that computes two things at once for over 1 % of its time, as where one timeline "
     "holds "
     "several jobs, has no such times. The filter chooses ranks only there; the table "
     "stages of what-if counts all that is not compute as bubble.\n"
     "The table messages has every send and receive with its peer, the table work the compute of each stage in "
     "stretches of "
     "one pass, cut where a send begins or a receive ends: a microbatch each, where each has its own messages.",
     kPipelineParams,
     {ChartKind::StackedBars, "rank", kBubbleParts, {}},
     true,
     pipeline::rank,
     pipeline::merge,
     pipeline::columns,
     "bubble",
     false,
     "sends and receives of a pipeline inside steps",
     true},

    {"experts",
     "Experts",
     "All-to-alls of expert-parallel groups: bytes given and taken, and how uneven they are.",
     "All-to-alls of groups that serve EP (parallel-groups), by rank and step in the order of start. bytes_in and "
     "bytes_out "
     "as recorded; tokens_share = bytes_out / sum over the members whose ranks are open; imbalance = the largest of "
     "them / "
     "their mean - 1. kind: dispatch and combine by turns, where the step has an even number of them. exposed: time "
     "without compute beside it.",
     {},
     {ChartKind::Bars, "rank", kExposedTime, "step"},
     true,
     experts::rank,
     experts::merge,
     experts::columns,
     "time",
     false,
     "all-to-alls of expert-parallel groups",
     true},

    {"verdict",
     "Verdict",
     "What bounds each step and the run, by the first rule that fits, with the numbers behind it.",
     "Shares are of the step's own range, per rank, then each the median over the ranks; the row of step -1 has the "
     "window from the first GPU event to the last, as temporal-breakdown. c compute, x exposed_communication, m "
     "exposed_memory, i idle (as steps). waiting = exposed_wait / exposed communication. host_wait = idle time that "
     "device-idle puts down to the host / i. data_loading as in steps. Terms on name, class, duration and group are "
     "not "
     "asked.\n"
     "The first rule that fits is the verdict, second the next that fits: data-bound: data_loading >= 10 % and the GPU "
     "is idle for half of it or more. host-bound: i >= 25 % and host_wait >= 50 %. straggler-bound: x >= 15 %, waiting "
     ">= 50 % and stragglers flags a rank (in a step: as wait-by-step). imbalance-bound: the same and none is flagged. "
     "communication-bound: x > 1.2 c or x >= 25 %. copy-bound: m >= 15 %. compute-bound: c >= 60 %: math if the FLOP "
     "at "
     "peak take half of the time of matrix operators or more; else memory if memory-bound kernels have half of the "
     "kernel time (kernels without matrix work, and matrix operators whose bytes at peak bandwidth take longer than "
     "their FLOP at peak; neither shorter than 5 us); else launch if kernels shorter than 5 us have a third; else "
     "kernels; second is then the next kind that fits, where no other rule does. balanced: none of these. --limit and "
     "limits.json change the limits.\n"
     "share is the quantity of the rule: data_loading, i, x, m or c. classic is what is usually said, by the unions of "
     "all communication and all compute, hidden or not: communication if it is more than 1.2 times compute, compute if "
     "it is more than 1.2 times communication, else balanced; it does not know idle time. With one rank waiting cannot "
     "be told from transfer, so that neither straggler- nor imbalance-bound fits. certainty: measured; of "
     "compute-bound "
     "likely where less than 95 % of the matrix time is counted, possible where FLOP or peaks are unknown.",
     {},
     {ChartKind::StackedBars, "step", kParts, {}},
     true,
     verdict::rank,
     verdict::merge,
     verdict::columns,
     "share",
     false,
     "GPU events",
     true},

    {"health",
     "Health",
     "Fourteen checks of the run: ok, warn, bad or unknown, each with its value, limit, evidence and advice.",
     "One row per check over all ranks that the filter takes; terms on name, class, duration and group are not asked. "
     "unknown: the traces do not tell; it never counts as ok. Windows are those of temporal-breakdown. The limits in "
     "brackets are warn and bad; --limit 'host.warn=0.2' and limits.json change them.\n"
     "steps (0.1, 0.25): (p90 - p10) / median over steps of the longest rank's duration, without the first step; five "
     "are needed. stragglers (0.1, 0.3): the largest of the ranks' means of step duration - exposed_wait (window where "
     "there are no steps) / the mean of them - 1: own work, as steps are equally long where ranks wait for each other. "
     "utilisation (below 0.3, 0.1): median mfu over ranks and steps; unknown without a backward pass, and where less "
     "than 95 % of the matrix time is counted and the value, a lower bound then, is below the limit. tensor-cores "
     "(0.1, "
     "0.5): matrix FLOP in fp32 without tf32 / all, on devices with a peak in tf32 or bf16. mixed-precision (below "
     "0.5): "
     "matrix FLOP in 16 bits or less / all. batch (0.2, 0.4): time of compute kernels shorter than 5 us / of all "
     "compute "
     "kernels. host (0.1, 0.25): idle time that device-idle puts down to the host / window. data-loading (0.05, 0.15): "
     "idle time inside marks of a data loader / window. overlap (below 0.5, 0.2): overlap_efficiency of ranks whose "
     "exposed communication is 5 % of the window or more; ok where no rank has as much. communication (below 0.5, "
     "0.25): "
     "median bus bandwidth of the largest messages / stated bandwidth of the links, of the operation with the largest "
     "messages. memory-pressure (0.9, 0.95): peak_reserved / device memory. slack (0.3, 0.5): 1 - peak_allocated / "
     "reserved_at_peak. allocations (any, 0.01): time of calls that allocate or free device memory after the first "
     "step "
     "/ time of the later steps. coverage (below 0.95, 0.5): counted of flop-coverage. Checks that are of one rank "
     "take "
     "the worst one, which evidence names.",
     {},
     {},
     true,
     health::rank,
     health::merge,
     health::columns,
     "value",
     true,
     "GPU events",
     true},

    {"findings",
     "Findings",
     "What is known to cost time and occurs here: how much, where, and what to try.",
     "One row per finding and rank, over its window (first GPU event to last of the chosen steps and streams, cut to "
     "the "
     "time range; terms on name, class, duration and group are not asked). gain is an upper bound, in nanoseconds, of "
     "what would be gained if the cause vanished; gains of different findings overlap and do not add up. Those below "
     "least percent of the window are left out. certainty: measured; likely: a sign of it; possible: worth a try.\n"
     "exposed-communication: from 15 % of the window on; gain = exposed communication. exposed-copies: from 15 % on; "
     "gain = exposed memory operations, as temporal-breakdown has them. idle: from 10 % on; gain = idle "
     "time. low-overlap: compute and communication take at least 10 % each and overlap for less than half of the "
     "shorter; gain = the rest of the shorter. short-kernels: of at least 20 launches 30 % or more run shorter on the "
     "GPU than their call of at most 50 us; gain = gaps (host_wait) that end with one. host-syncs: at least two calls "
     "that wait for a stream, event or device during which the GPU ran out of work; gain = the gaps that so began. "
     "allocations: calls that allocate or free device or pinned memory after the first step of the trace, or anywhere "
     "in a trace without steps (shares are then of the whole trace); gain = their durations. no-tensor-cores: matrix "
     "kernels in single precision by name (sgemm, scudnn, simt) on a device that is not known to have no tensor cores "
     "(its peaks: TF32, bfloat16, or float16 of 4 times fp32 or more; else its family's name); advice by what it has; "
     "gain = all their time. small-messages: at least 10 collectives of 256 KiB or less; gain = their time, at most "
     "what is exposed. "
     "unused-memory: less than half of the memory was ever reserved and 10 % of the window is host_wait; gain = "
     "host_wait.\n"
     "Of calls whose FLOP are counted (op-efficiency), on devices whose peaks are known: low-precision-unused: calls "
     "in "
     "fp32, not tf32, on a device with tensor cores; gain = their time * (1 - peak of fp32 / peak of 16 bits). "
     "slow-matrix: operators and inputs with roof_share below 0.3; gain = their loss. bad-shapes: products with a size "
     "M, N or K that is no multiple of 8 (16 bits) or 16 (8 bits) and a roof_share below half of that of the rank's "
     "other products of their precision; gain = their loss. recompute: kernels of forward operators that the backward "
     "pass runs again; gain = their time.\n"
     "Without a gain, told in any case, severity low unless said; limits are those of health: near-limit: "
     "memory-efficiency's pressure above memory-pressure.warn; medium above memory-pressure.bad. slack-high: there its "
     "slack above slack.warn, too, which elsewhere is cache; medium above slack.bad. uncounted: matrix / (matrix + "
     "uncounted) of "
     "flop-coverage below coverage.bad, and uncounted at least 1 % of the window.\n"
     "Between ranks: unbalanced-kernels: kernels (no communication) whose mean is 10 % or more above the mean of the"
     " means of the other ranks whose device has the same name, on ranks that are not late-rank; gain = what the "
     "compute kernels of the rank like those of its peers save by replay once the late ranks are not, at most the "
     "excess of all their events. last-bucket: steps in which the last of several buckets (ddp-buckets) has more "
     "than 30 % of what all expose; gain = what it exposes there. prefetch-late: late all-gathers (fsdp); gain = "
     "their stall. bubble-excess: excess * duration (pipeline, chunks=1), the mean over the ranks of all stages, "
     "summed over steps, on the rank with most of it; told only if all stages are open and theory is known. "
     "expert-imbalance: exchanges (experts); gain = time * (largest - mean) / largest of their bytes_out. late-rank:"
     " the ranks that hold the run up, confirmed by replay (what-if): with all that are named like their peers the "
     "graph of the chosen steps is at least 1 % shorter, and with any one of them left out 5 % less of that is "
     "saved. Candidates are ranks whose kernels, copies or host take at least 0.5 % of the graph longer than the "
     "median of their peers, at most 64 of them; gain = what all that are named save, the same on each. Ranks of "
     "other captures are those that stragglers flags, with the waits rooted in one, per rank that waits. "
     "uneven-work: the same where most steps have one that stands out by twice the next, and none does in more than "
     "half of them. stage-imbalance: ranks of the pipeline stage that computes longest, where compute of every stage"
     " as long as the mean of the stages saves 1 % once nobody is late; gain = that. few-microbatches: otherwise, "
     "where (p - 1) / (m + p - 1), of p stages and m messages from the first stage to the next per step, is at least"
     " 15 % and within 35 % of the share of time in which ranks do not compute; gain = what 4 m save by theory. "
     "These four come before others of their severity. desynchronised: collectives matched by number whose operation"
     " or size differs from most members', or that a rank never came to though it came to earlier ones of the group "
     "and works on for 10 ms after; gain = its own time in the former and the longest member's in the latter; always"
     " told, first and with high severity, whatever it costs. What they explain is in the table explained: "
     "exposed-communication, low-overlap, small-messages, last-bucket and prefetch-late of ranks whose exposed "
     "communication is mostly waiting. Ranks are compared within one capture. event is the costliest one, up to 20 "
     "are marks; begin and length are the longest gap where the evidence is a gap, else that event. The table kinds "
     "has one row per kind, in the same order: cost is the gain of the worst rank, of late-rank in the capture where"
     " it is greatest; cost_per_step divides it by the steps chosen of that capture. HTA has no such table.",
     kFindingParams,
     {ChartKind::Bars, "rank", kGain, "finding"},
     true,
     findings::rank,
     findings::merge,
     findings::columns,
     "gain",
     false,
     "",
     true},

    {"what-to-do",
     "What to do first",
     "Every finding by the step time that fixing it would save, and the kernels that take most time.",
     "saved = recorded step - step replayed as if it were fixed, on the graph of what-if: no more than this can be "
     "gained, gains of several rows overlap and do not add up, and a row that saves nothing is not on what the step "
     "waits for, however large its share. replayed says what the replay changed: late-rank and uneven-work: ranks "
     "named like their peers; stage-imbalance: stages compute as long as their mean; few-microbatches: by theory, with "
     "four times as many; unbalanced-kernels: its compute kernels like those of its peers; exposed-communication and "
     "low-overlap: transfers take no time; exposed-copies: memory operations take none; idle and short-kernels: GPU "
     "work waits for no launch; host-syncs: no call waits for GPU work; allocations: allocating calls take no time; "
     "no-tensor-cores: kernels take half their time there; small-messages: transfers of at most 256 KiB take no time; "
     "low-precision-unused: matrix kernels in fp32 are as much faster as the peak of 16 bits is; slow-matrix and "
     "bad-shapes: kernels take no longer than their floor; recompute: kernels of recomputed operators take no time; "
     "last-bucket: transfers of last buckets take no time; prefetch-late: those of late all-gathers take none; "
     "expert-imbalance: what-if's experts=balanced. unused-memory and bubble-excess are not replayed, nor what has no "
     "gain. One row per kind of finding. The table kernels: the 8 compute kernels with most time, each at half its "
     "time; those that save nothing are left out.\n"
     "Findings, their evidence and their least gain are those of findings; the steps are those of what-if. helps: the "
     "ranks that have the finding, or wait for the one that has.",
     kFindingParams,
     {ChartKind::Bars, "what", kSaved, "of"},
     false,
     what_to_do::rank,
     what_to_do::merge,
     what_to_do::columns,
     "saved",
     true,
     "",
     true},

    {"hangs",
     "Hangs",
     "Which ranks a hung job waits for, from the dumps of PyTorch's flight recorder.",
     "Calls are told apart by process group (name and ranks) and number: collective_seq_id, or p2p_seq_id of sends and "
     "receives. The parts of a coalesced call share a number and count as one, which is completed once a part is. "
     "Pending is what is scheduled or started. Sends and receives of a batch are completed once one of them, or the "
     "entry that closes the batch, is. Terms of the filter other than on rank are not asked.\n"
     "Per group, the collective in question is the first with a number beyond a member's last that is pending on "
     "another member: the first that not everyone entered. Where everyone did, it is the first pending one.\n"
     "missing: a member whose dump has no call of that number or a later one. Where the dumps hold pending calls only, "
     "a member without any call of the group is missing in the first pending one. In dumps that hold completed calls "
     "it "
     "is missing only if the call could not have been overwritten: the ring lost nothing, or still has a call as old.\n"
     "behind: a member whose first pending collective another member has completed, although it takes the data of all "
     "(broadcast, reduce, scatter and gather do not count: their root may be through before the others). A member has "
     "completed what is before its first pending collective; without one, all it has, unless dumps hold pending calls "
     "only.\n"
     "mismatch: a member whose call of the first pending number that differs has another operation, element type or "
     "number of elements than most (than any other, where no value has most). Elements are compared where the "
     "operation needs equal ones: not for all-to-all.\n"
     "not-started: all entered and some GPUs started, this one has not, although its dump knows starts.\n"
     "no-dump: a member of a group with pending collectives that has left no dump.\n"
     "incomplete-dump: a member that would be missing, but later in its dump are entries that could not be read, have "
     "no number, or are of a group that the dump does not describe: the call may be among them. Nobody is missing on "
     "that evidence, and missing ranks that wait for such a member are in held-up.\n"
     "A rank that waits in a collective waits for those that are missing or behind in it. Missing ranks that wait "
     "for others that way, and for each other in no circle, are in the table held-up instead; so are those that have "
     "calls of the group pending (they issue ahead), ranks with fewer sends or receives pending than the partner that "
     "waits in them, and not-started, unless no rank is named without them. Sends and receives are no evidence where "
     "the rank's ring may have overwritten its own, or, with nothing overwritten, where it has made as many as its "
     "partner, completed or not.\n"
     "groups has every group with pending collectives, frames the recorded Python frames of each named rank, kernels "
     "the kernels of the collectives in question in traces of the same ranks, found by group and number. Of "
     "several dumps of a rank the latest counts, but none in an older folder: one with a dump of a rank that has a "
     "dump in a folder that ends later (step_10 beside step_20). A rank with older dumps only is no-dump. The moment a "
     "dump was written is not in it: a dump of a healthy job "
     "whose ranks were dumped at different moments looks like a short hang.",
     {},
     {},
     false,
     hangs::rank,
     hangs::merge,
     hangs::columns,
     "waiting",
     true,
     "flight-recorder dumps with a rank that others wait for",
     true},
};

}  // namespace

Catalogue<Analysis>& analyses() {
    static Catalogue<Analysis> catalogue(kAnalyses);
    return catalogue;
}

}  // namespace core
