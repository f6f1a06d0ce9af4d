#include "core/analysis/engine/writer_advice.hpp"

#include "core/index/rank_count.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace core {
namespace {

constexpr std::string_view kNoStacks =
    "This writer records no Python stacks; PyTorch's profiler does (with_stack=True).";

// By TraceWriter.
constexpr std::array<WriterAdvice, kTraceWriterCount> kAdvice{{
    {TraceWriter::Unknown, "a writer that is not known",
     "If the job used GPUs, turn on the recording of their kernels in the program that wrote the traces.",
     "Record the calls of the CPU as well, if the program that wrote the traces can.",
     "Mark each iteration with an annotation of one name and its number, or name the marks with --step-marks NAME.",
     kNoStacks},
    {TraceWriter::PyTorch, "PyTorch's profiler",
     "If the job used GPUs, record with activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], on other devices "
     "XPU, "
     "HPU or PrivateUse1 instead of CUDA; see whether another tool held the GPU's counters or its tracing.",
     "Record with ProfilerActivity.CPU as well.", "Call profiler.step() at the end of each iteration.",
     "Record with profile(..., with_stack=True)."},
    {TraceWriter::PyTorchAscend, "Ascend's profiler (torch_npu)",
     "Record with torch_npu.profiler.profile(activities=[torch_npu.profiler.ProfilerActivity.CPU, "
     "torch_npu.profiler.ProfilerActivity.NPU]), and open the trace_view.json that its analysis writes.",
     "Record with torch_npu.profiler.ProfilerActivity.CPU as well.",
     "Call step() of the torch_npu profiler at the end of each iteration.",
     "Record with torch_npu.profiler.profile(..., with_stack=True)."},
    {TraceWriter::PyTorchGaudi, "Gaudi's profiler",
     "Record with torch.profiler and activities=[ProfilerActivity.CPU, ProfilerActivity.HPU]; Gaudi's own profiler "
     "(HABANA_PROFILE=1) has the device's work after hl-prof-config -e off --phase=device-acq.",
     "Record with ProfilerActivity.CPU as well.", "Call profiler.step() at the end of each iteration.",
     "Record with profile(..., with_stack=True)."},
    {TraceWriter::Xla, "the profiler of JAX and TensorFlow",
     "If the job used GPUs, see whether jax.devices() lists them, whether the log says that CUPTI may not be used "
     "(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES), and leave device_tracer_level at 1; open the .xplane.pb, which has all.",
     "Record with host_tracer_level=2 in jax.profiler.ProfileOptions.",
     "Put each iteration into jax.profiler.StepTraceAnnotation(\"train\", step_num=n).",
     "Record with python_tracer_level=1 in jax.profiler.ProfileOptions."},
    {TraceWriter::NsightSystems, "Nsight Systems",
     "Record with nsys profile --trace=cuda,nvtx,osrt, and with --trace-fork-before-exec=true where a launcher starts "
     "the ranks.",
     "Record with nsys profile --trace=cuda,nvtx,osrt.",
     "Put each iteration into an NVTX range of one name (torch.cuda.nvtx.range_push), or name the range with "
     "--step-marks NAME.",
     "Lockstep reads no stacks of Nsight Systems; PyTorch's profiler records them with with_stack=True."},
    {TraceWriter::Rocprofv3, "rocprofv3",
     "Record with rocprofv3 --runtime-trace (or --kernel-trace --memory-copy-trace), in the process that uses the GPU.",
     "Record with rocprofv3 --runtime-trace, which has the calls of HIP.",
     "Put each iteration into a range of roctx of one name (roctxRangePush), recorded with --marker-trace, or name the "
     "range with --step-marks NAME.",
     kNoStacks},
    {TraceWriter::RocprofSystems, "ROCm Systems Profiler",
     "Record with ROCPROFSYS_ROCM_DOMAINS=hip_runtime_api,kernel_dispatch,memory_copy (Omnitrace: "
     "OMNITRACE_USE_ROCTRACER=ON).",
     "Record with hip_runtime_api in ROCPROFSYS_ROCM_DOMAINS.",
     "Put each iteration into a range of roctx of one name, recorded with marker_api in ROCPROFSYS_ROCM_DOMAINS, or "
     "name "
     "the range with --step-marks NAME.",
     kNoStacks},
    {TraceWriter::RpdTracer, "rpdTracer",
     "Start the job with runTracer.sh, or load librpd_tracer.so before the first call of HIP.",
     "Start the job with runTracer.sh, which records the calls of HIP.",
     "Put each iteration into a range of roctx or rpdTracer of one name, or name the range with --step-marks NAME.",
     kNoStacks},
    {TraceWriter::Unitrace, "unitrace",
     "Record with unitrace --chrome-kernel-logging --chrome-call-logging; the calls of the host alone have no kernels.",
     "Record with unitrace --chrome-call-logging as well.",
     "Put each iteration into a range of ITT of one name, recorded with --chrome-itt-logging, or name the range with "
     "--step-marks NAME.",
     kNoStacks},
    {TraceWriter::Neuron, "Neuron's profiler",
     "Capture the device as well, write it with neuron-explorer view -d FOLDER --output-format perfetto (before Neuron "
     "2.27 neuron-profile view), and open the .pftrace files.",
     "Record the host with torch.profiler next to it.",
     "Mark each iteration with an annotation of one name, or name the marks with --step-marks NAME.", kNoStacks},
    {TraceWriter::Perfetto, "a writer of Perfetto traces",
     "If the job used GPUs, turn on the recording of their kernels in the program that wrote the traces: PyTorch's "
     "profiler, rocprofv3 --runtime-trace and ROCm Systems Profiler write them.",
     "Record the calls of the CPU as well, if the program that wrote the traces can.",
     "Mark each iteration with a track event of one name and its number, or name the marks with --step-marks NAME.",
     kNoStacks},
}};
static_assert(std::ranges::is_sorted(kAdvice, {}, &WriterAdvice::writer) &&
              kAdvice.back().writer == TraceWriter::Perfetto);

// Unknown: several. Absent: no rank is a trace with events.
std::optional<TraceWriter> find_shared_writer(const Run& run) {
    constexpr std::size_t kMostRanks = 64;  // a frame may ask
    std::optional<TraceWriter> shared;
    for (const RankSlot& rank : run.ranks().first(std::min(run.ranks().size(), kMostRanks))) {
        if (rank.trace().size() == 0 || is_beside(rank.trace().info)) continue;
        const TraceWriter writer = find_trace_writer(rank.trace());
        if (shared && *shared != writer) return TraceWriter::Unknown;
        shared = writer;
    }
    return shared;
}

}  // namespace

const WriterAdvice& advice_for(TraceWriter writer) { return kAdvice[static_cast<std::size_t>(writer)]; }

const WriterAdvice& advice_for(const Run& run) {
    return advice_for(find_shared_writer(run).value_or(TraceWriter::Unknown));
}

std::string explain_no_gpu_events(const Run& run) {
    const std::optional<TraceWriter> writer = find_shared_writer(run);
    return "The traces have no GPU events." + (writer ? " " + std::string(advice_for(*writer).gpu_work) : "");
}

}  // namespace core
