#include "core/sample/kineto_writer.hpp"

#include <charconv>
#include <utility>

namespace core::sample {
namespace {

constexpr std::size_t kFlushBytes = std::size_t{1} << 18;
constexpr int kGpusPerHost = 8;
constexpr std::size_t kListedRanks = 30;  // the writer of the real format cuts lists here
constexpr std::int64_t kReservedBytes = 61'203'283'968;

std::string rank_list(const std::vector<int>& ranks) {
    std::string text = "[";
    for (std::size_t i = 0; i < ranks.size() && i < kListedRanks; ++i) {
        if (i > 0) text += ", ";
        text += std::to_string(ranks[i]);
    }
    return text + (ranks.size() > kListedRanks ? ", ...]" : "]");
}

std::string row_text(const std::string& pid, std::int64_t tid) {
    return ", \"pid\": " + pid + ", \"tid\": " + std::to_string(tid);
}

}  // namespace

int stream_of(Lane lane) {
    switch (lane) {
        case Lane::Compute: return 7;
        case Lane::Tensor: return 20;
        case Lane::Data: return 24;
        case Lane::World: return 28;
        default: return -1;
    }
}

CountedName counted_name(Counted counted) {
    constexpr CountedName kNames[] = {
        {"X", "cpu_op"}, {"X", "user_annotation"}, {"X", "python_function"}, {"i", "cpu_instant_event"}, {"X", "cuda_runtime"},
        {"X", "cuda_driver"}, {"X", "kernel"}, {"X", "gpu_memcpy"}, {"X", "gpu_memset"}, {"X", "cuda_sync"},
        {"X", "gpu_user_annotation"}, {"s", "ac2g"}, {"f", "ac2g"}, {"s", "fwdbwd"}, {"f", "fwdbwd"}, {"C", ""}, {"M", ""},
        {"X", "Trace"}, {"i", ""},
    };
    static_assert(std::size(kNames) == static_cast<std::size_t>(Counted::Count));
    return kNames[static_cast<std::size_t>(counted)];
}

KinetoWriter::KinetoWriter(const Catalog& catalog, const Topology& topology, int rank, std::int64_t clock_offset_ns,
                           std::string trace_name)
    : catalog_(catalog),
      topology_(topology),
      rank_(rank),
      clock_offset_ns_(clock_offset_ns),
      trace_name_(std::move(trace_name)),
      cpu_pid_(std::to_string(184201 + rank * 3)),
      gpu_pid_(std::to_string(rank % kGpusPerHost)) {
    const std::int64_t pid = 184201 + rank * 3;
    rows_[0] = row_text(cpu_pid_, pid);
    rows_[1] = row_text(cpu_pid_, pid + 1466);
    for (std::size_t lane = 2; lane < rows_.size(); ++lane)
        rows_[lane] = row_text(gpu_pid_, stream_of(static_cast<Lane>(lane)));
    for (std::size_t i = 0; i < group_args_.size(); ++i) {
        const auto kind = static_cast<GroupKind>(i);
        const int group = topology.group_of(kind, rank);
        group_args_[i] = ", \"Group size\": " + std::to_string(topology.group_size(kind)) +
                         ", \"Global rank start\": " + std::to_string(topology.first_member(kind, group)) +
                         ", \"Global rank stride\": " + std::to_string(topology.stride(kind)) +
                         ", \"Process Group Name\": \"" + process_group_name(kind) +
                         "\", \"Process Group Description\": \"" + process_group_description(kind) +
                         "\", \"Process Group Ranks\": \"" + rank_list(topology.members(kind, group)) + "\"";
    }
}

std::uint64_t KinetoWriter::events() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t count : counts_) sum += count;
    return sum;
}

void KinetoWriter::add(std::int64_t number) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, number);
    text_.append(digits, static_cast<std::size_t>(end.ptr - digits));
}

void KinetoWriter::add_microseconds(std::int64_t ns) {
    char digits[28];
    char* end = std::to_chars(digits, digits + 24, ns / 1000).ptr;
    const auto rest = static_cast<int>(ns % 1000);
    *end++ = '.';
    *end++ = static_cast<char>('0' + rest / 100);
    *end++ = static_cast<char>('0' + rest / 10 % 10);
    *end++ = static_cast<char>('0' + rest % 10);
    text_.append(digits, static_cast<std::size_t>(end - digits));
}

void KinetoWriter::add_row(Lane lane) { add(rows_[static_cast<std::size_t>(lane)]); }

void KinetoWriter::add_head(Counted counted, std::string_view category, std::string_view name, std::string_view name_end,
                            const Event& event) {
    count(counted);
    add("\n  {\n    \"ph\": \"X\", \"cat\": \"");
    add(category);
    add("\", \"name\": \"");
    add(name);
    add(name_end);
    add("\"");
    add_row(event.lane);
    add(",\n    \"ts\": ");
    add_time(event.start_ns);
    add(", \"dur\": ");
    add_microseconds(event.duration_ns);
}

void KinetoWriter::add_args_begin(const Event& event) {
    add(",\n    \"args\": {\n      ");
    if (event.external_id == kNone) return;
    add("\"External id\": ");
    add(event.external_id);
    add(",");
}

void KinetoWriter::add_numbered_head(Counted counted, std::string_view category, const Event& event) {
    const TextSpec& spec = catalog_.texts[event.spec];
    const std::string number = spec.numbered ? std::to_string(event.number) : std::string();
    add_head(counted, category, spec.before, number, event);
}

void KinetoWriter::add_operator(const Event& event, const RankRecorder& recorder) {
    const bool evaluates = event.kind == EventKind::EvaluateFunction;
    const std::string_view prefix = evaluates ? "autograd::engine::evaluate_function: " : "";
    add_head(Counted::CpuOp, "cpu_op", prefix, catalog_.ops[event.spec], event);
    add_args_begin(event);
    add("\"Record function id\": ");
    add(event.id);
    if (event.sequence != kNone) {
        add(", \"Sequence number\": ");
        add(event.sequence);
        if (event.lane == Lane::Backward) add(", \"Fwd thread id\": 1");
    }
    if (!evaluates && event.number != kNoShapes) add(catalog_.shapes[event.number]);
    if (event.collective >= 0) {
        add(", ");
        add_collective(recorder.collectives()[static_cast<std::size_t>(event.collective)]);
    }
    add(", \"Ev Idx\": ");
    add(next_event_index_++);
    close_event();
    add_forward_flow(event);
}

void KinetoWriter::add_forward_flow(const Event& event) {
    if (event.flow == kNone) return;
    const bool forward = event.lane == Lane::Main;
    count(forward ? Counted::ForwardStart : Counted::ForwardEnd);
    add(forward ? "\n  {\n    \"ph\": \"s\", \"id\": " : "\n  {\n    \"ph\": \"f\", \"id\": ");
    add(event.flow);
    add_row(event.lane);
    add(", \"ts\": ");
    add_time(event.start_ns);
    add(",\n    \"cat\": \"fwdbwd\", \"name\": \"fwdbwd\"");
    add(forward ? "\n  }," : ", \"bp\": \"e\"\n  },");
}

void KinetoWriter::add_python(const Event& event) {
    add_numbered_head(Counted::PythonFunction, "python_function", event);
    add(",\n    \"args\": {\n      \"Python parent id\": ");
    if (event.parent == kNone) add("null");
    else add(event.parent);
    add(", \"Python id\": ");
    add(event.id);
    if (event.module != kNone) {
        add(", \"Python module id\": ");
        add(event.module);
    }
    add(", \"Ev Idx\": ");
    add(next_event_index_++);
    close_event();
}

void KinetoWriter::add_memory(const Event& event) {
    count(Counted::CpuInstant);
    add("\n  {\n    \"ph\": \"i\", \"cat\": \"cpu_instant_event\", \"s\": \"t\", \"name\": \"[memory]\"");
    add_row(event.lane);
    add(",\n    \"ts\": ");
    add_time(event.start_ns);
    add(",\n    \"args\": {\n      \"Total Reserved\": ");
    add(kReservedBytes);
    add(", \"Total Allocated\": ");
    add(event.allocated);
    add(", \"Bytes\": ");
    add(event.bytes);
    add(", \"Addr\": ");
    add(event.address);
    add(", \"Device Id\": ");
    add(gpu_pid_);
    add(", \"Device Type\": 1, \"Ev Idx\": ");
    add(next_event_index_++);
    close_event();
}

void KinetoWriter::add_host_event(const Event& event, const RankRecorder& recorder) {
    switch (event.kind) {
        case EventKind::CpuOp:
        case EventKind::EvaluateFunction: add_operator(event, recorder); break;
        case EventKind::Annotation:
            add_numbered_head(Counted::UserAnnotation, "user_annotation", event);
            add_args_begin(event);
            add("\"Record function id\": ");
            add(event.id);
            add(", \"Ev Idx\": ");
            add(next_event_index_++);
            close_event();
            break;
        case EventKind::Memory: add_memory(event); break;
        default: break;
    }
}

void KinetoWriter::add_call(const Event& event) {
    const CallSpec& spec = catalog_.calls[event.spec];
    add_head(spec.driver ? Counted::CudaDriver : Counted::CudaRuntime, spec.driver ? "cuda_driver" : "cuda_runtime",
             spec.name, {}, event);
    add_args_begin(event);
    add("      \"cbid\": ");
    add(spec.cbid);
    add(", \"correlation\": ");
    add(event.correlation);
    close_event();
    if (spec.has_gpu_side) add_launch_flow(event, true);
}

void KinetoWriter::add_launch_flow(const Event& event, bool start) {
    count(start ? Counted::LaunchStart : Counted::LaunchEnd);
    add(start ? "\n  {\n    \"ph\": \"s\", \"id\": " : "\n  {\n    \"ph\": \"f\", \"id\": ");
    add(event.correlation);
    add_row(event.lane);
    add(", \"ts\": ");
    add_time(event.start_ns);
    add(",\n    \"cat\": \"ac2g\", \"name\": \"ac2g\"");
    add(start ? "\n  }," : ", \"bp\": \"e\"\n  },");
}

void KinetoWriter::add_collective(const Collective& collective) {
    constexpr const char* kNames[] = {"allreduce", "_allgather_base", "_reduce_scatter_base"};
    constexpr const char* kTypes[] = {"BFloat16", "Float"};
    add("\"Collective name\": \"");
    add(kNames[static_cast<std::size_t>(collective.op)]);
    add("\", \"In msg nelems\": ");
    add(collective.in_elements);
    add(", \"Out msg nelems\": ");
    add(collective.out_elements);
    add(", \"dtype\": \"");
    add(kTypes[static_cast<std::size_t>(collective.type)]);
    add("\", \"In split size\": \"[]\", \"Out split size\": \"[]\"");
    add(group_args_[static_cast<std::size_t>(collective.group)]);
    add(", \"Rank\": ");
    add(rank_);
    add(", \"Seq\": ");
    add(collective.seq);
}

void KinetoWriter::add_kernel(const Event& event, const RankRecorder& recorder) {
    const KernelSpec& spec = catalog_.kernels[event.spec];
    add_head(Counted::Kernel, "kernel", spec.name, {}, event);
    add_args_begin(event);
    add("      \"queued\": 0, \"device\": ");
    add(gpu_pid_);
    add(", \"context\": 1,      \"stream\": ");
    add(stream_of(event.lane));
    add(", \"correlation\": ");
    add(event.correlation);
    add(",");
    add(spec.geometry);
    if (event.collective >= 0) {
        add(", ");
        add_collective(recorder.collectives()[static_cast<std::size_t>(event.collective)]);
    }
    close_event();
}

void KinetoWriter::add_transfer(const Event& event) {
    const bool copies = event.kind == EventKind::Memcpy;
    add_head(copies ? Counted::GpuMemcpy : Counted::GpuMemset, copies ? "gpu_memcpy" : "gpu_memset",
             copies ? std::string_view(catalog_.copies[event.spec]) : "Memset (Device)", {}, event);
    add_args_begin(event);
    add("      \"device\": ");
    add(gpu_pid_);
    add(", \"context\": 1,      \"stream\": ");
    add(stream_of(event.lane));
    add(", \"correlation\": ");
    add(event.correlation);
    add(",      \"bytes\": ");
    add(event.bytes);
    add(", \"memory bandwidth (GB/s)\": ");
    const std::int64_t millionths = event.bytes * 1'000'000 / event.duration_ns;
    add(millionths / 1'000'000);
    std::string fraction = std::to_string(1'000'000 + millionths % 1'000'000);
    fraction[0] = '.';
    add(fraction);
    close_event();
}

void KinetoWriter::add_sync(const Event& event) {
    const std::string& kind = catalog_.syncs[event.spec];
    add_head(Counted::CudaSync, "cuda_sync", kind, {}, event);
    add_args_begin(event);
    add("      \"cuda_sync_kind\": \"");
    add(kind);
    add("\",");
    if (event.spec != static_cast<std::uint16_t>(SyncId::StreamSync)) {
        add("      \"wait_on_stream\": ");
        add(stream_of(event.other_lane));
        add(",      \"wait_on_cuda_event_record_corr_id\": ");
        add(event.parent);
        add(",      \"wait_on_cuda_event_id\": ");
        add(event.id);
        add(",");
    }
    add("      \"stream\": ");
    add(stream_of(event.lane));
    add(", \"correlation\": ");
    add(event.correlation);
    add(",      \"device\": ");
    add(gpu_pid_);
    add(", \"context\": 1");
    close_event();
}

void KinetoWriter::add_device_event(const Event& event, const RankRecorder& recorder) {
    switch (event.kind) {
        case EventKind::Kernel: add_kernel(event, recorder); break;
        case EventKind::Sync: add_sync(event); break;
        default: add_transfer(event); break;
    }
    add_launch_flow(event, false);
}

void KinetoWriter::add_gpu_annotations(const RankRecorder& recorder) {
    for (const AnnotationRange& range : recorder.ranges()) {
        for (std::size_t lane = 0; lane < range.end_ns.size(); ++lane) {
            if (range.end_ns[lane] == 0) continue;
            Event copy = recorder.events()[range.event];
            copy.kind = EventKind::GpuAnnotation;
            copy.lane = static_cast<Lane>(lane);
            copy.start_ns = range.begin_ns[lane];
            copy.duration_ns = range.end_ns[lane] - range.begin_ns[lane];
            add_numbered_head(Counted::GpuUserAnnotation, "gpu_user_annotation", copy);
            add(",\n    \"args\": {\n      \"External id\": ");
            add(copy.external_id);
            close_event();
        }
    }
}

void KinetoWriter::add_counters(const std::vector<CounterSample>& utilization) {
    for (const CounterSample& sample : utilization) {
        count(Counted::Counter);
        add("\n  {\n    \"ph\": \"C\", \"name\": \"GPU ");
        add(gpu_pid_);
        add(" Utilization\", \"pid\": ");
        add(gpu_pid_);
        add(", \"ts\": ");
        add_time(sample.at_ns);
        add(",\n    \"args\": {\n      \"GPU Utilization\": ");
        std::string value = std::to_string(1000 + sample.permille % 1000);
        value[0] = '.';
        add(sample.permille / 1000);
        add(value);
        close_event();
    }
}

void KinetoWriter::write_step(TraceFile& file, const RankRecorder& recorder, const std::vector<CounterSample>& utilization) {
    for (const Event& event : recorder.events()) {
        add_host_event(event, recorder);
        flush(file);
    }
    for (const Event& event : recorder.events()) {
        if (event.kind == EventKind::Python) add_python(event);
        flush(file);
    }
    for (const Event& event : recorder.events()) {
        if (event.kind == EventKind::Runtime) add_call(event);
        flush(file);
    }
    for (const DeviceTask& task : recorder.tasks()) {
        add_device_event(task.event, recorder);
        flush(file);
    }
    add_gpu_annotations(recorder);
    add_counters(utilization);
}

void KinetoWriter::flush(TraceFile& file) {
    if (text_.size() < kFlushBytes) return;
    file.write(text_);
    text_bytes_ += text_.size();
    text_.clear();
}

namespace {

std::string device_properties() {
    std::string text = "  \"deviceProperties\": [";
    for (int device = 0; device < kGpusPerHost; ++device) {
        text += device == 0 ? "\n    {" : ",\n    {";
        text += "\n      \"id\": " + std::to_string(device) +
                ", \"name\": \"NVIDIA H100 80GB HBM3\", \"totalGlobalMem\": 85045477376,"
                "\n      \"computeMajor\": 9, \"computeMinor\": 0,"
                "\n      \"maxThreadsPerBlock\": 1024, \"maxThreadsPerMultiprocessor\": 2048,"
                "\n      \"regsPerBlock\": 65536, \"warpSize\": 32,"
                "\n      \"sharedMemPerBlock\": 49152, \"numSms\": 132"
                "\n    , \"regsPerMultiprocessor\": 65536, \"sharedMemPerBlockOptin\": 232448, "
                "\"sharedMemPerMultiprocessor\": 233472\n    }";
    }
    return text + "\n  ],\n";
}

std::string process_group_config(const Topology& topology, GroupKind kind, int rank) {
    const std::vector<int> members = topology.members(kind, topology.group_of(kind, rank));
    std::string text = std::string("{\"pg_name\": \"") + process_group_name(kind) + "\", \"pg_desc\": \"" +
                       process_group_description(kind) + "\", \"backend_config\": \"cuda:nccl\", \"pg_size\": " +
                       std::to_string(members.size()) + ", \"ranks\": [";
    for (std::size_t i = 0; i < members.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(members[i]);
    return text + "]}";
}

}  // namespace

void KinetoWriter::write_header(TraceFile& file) {
    add("\n{\n  \"schemaVersion\": 1,\n");
    add(device_properties());
    add("  \"cupti_version\": 26,\n  \"cuda_runtime_version\": 12080,\n  \"cuda_driver_version\": 12080,\n"
        "  \"record_shapes\": 1,\n  \"profile_memory\": 1,\n  \"with_stack\": 1,\n  \"with_modules\": 1,\n"
        "  \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": ");
    add(rank_);
    add(", \"world_size\": ");
    add(topology_.ranks);
    add(", \"pg_count\": 3, \"pg_config\": [");
    for (int kind = 0; kind < kGroupKindCount; ++kind) {
        if (kind > 0) add(", ");
        add(process_group_config(topology_, static_cast<GroupKind>(kind), rank_));
    }
    add("], \"nccl_version\": \"2.27.3\"},\n  \"traceEvents\": [");
    flush(file);
}

void KinetoWriter::add_metadata(std::string_view name, std::string_view pid, std::int64_t tid, std::string_view key,
                                std::string_view value, std::int64_t at_ns) {
    count(Counted::Metadata);
    add("\n  {\n    \"name\": \"");
    add(name);
    add("\", \"ph\": \"M\", \"ts\": ");
    add_time(at_ns);
    add(", \"pid\": ");
    add(pid);
    add(", \"tid\": ");
    add(tid);
    add(",\n    \"args\": {\n      \"");
    add(key);
    add("\": ");
    add(value);
    close_event();
}

void KinetoWriter::add_process_metadata(std::int64_t at_ns) {
    const std::string gpu = "\"GPU " + gpu_pid_ + "\"";
    add_metadata("process_name", cpu_pid_, 0, "name", "\"python3\"", at_ns);
    add_metadata("process_labels", cpu_pid_, 0, "labels", "\"CPU\"", at_ns);
    add_metadata("process_sort_index", cpu_pid_, 0, "sort_index", cpu_pid_, at_ns);
    add_metadata("process_name", gpu_pid_, 0, "name", "\"python3\"", at_ns);
    add_metadata("process_labels", gpu_pid_, 0, "labels", gpu, at_ns);
    add_metadata("process_sort_index", gpu_pid_, 0, "sort_index", std::to_string(16777216 + rank_ % kGpusPerHost), at_ns);
    const std::int64_t main_tid = 184201 + rank_ * 3;
    const std::int64_t backward_tid = main_tid + 1466;
    const auto add_thread = [&](std::string_view pid, std::int64_t tid, const std::string& name) {
        add_metadata("thread_name", pid, tid, "name", "\"" + name + "\"", at_ns);
        add_metadata("thread_sort_index", pid, tid, "sort_index", std::to_string(tid), at_ns);
    };
    for (const Lane lane : {Lane::Compute, Lane::Tensor, Lane::Data, Lane::World})
        add_thread(gpu_pid_, stream_of(lane), "stream " + std::to_string(stream_of(lane)) + " ");
    add_thread(cpu_pid_, main_tid, "thread " + std::to_string(main_tid) + " (python3)");
    add_thread(cpu_pid_, backward_tid, "thread " + std::to_string(backward_tid) + " (pt_autograd_" + gpu_pid_ + ")");
    add_metadata("process_sort_index", "\"Spans\"", 0, "sort_index", "536870912", at_ns);
}

void KinetoWriter::write_footer(TraceFile& file, std::int64_t begin_ns, std::int64_t end_ns) {
    Event script;
    script.kind = EventKind::Python;
    script.spec = static_cast<std::uint16_t>(TextId::Script);
    script.start_ns = begin_ns + 200'000;
    script.duration_ns = end_ns - 200'000 - script.start_ns;
    script.id = kPythonMain - 1;
    add_python(script);
    script.spec = static_cast<std::uint16_t>(TextId::ScriptMain);
    script.parent = script.id;
    script.id = kPythonMain;
    script.start_ns += 1'000;
    script.duration_ns -= 2'000;
    add_python(script);
    add_process_metadata(begin_ns);
    count(Counted::Trace);
    add("\n  {\n    \"ph\": \"X\", \"cat\": \"Trace\", \"ts\": ");
    add_time(begin_ns);
    add(", \"dur\": ");
    add_microseconds(end_ns - begin_ns);
    add(",\n    \"pid\": \"Spans\", \"tid\": \"PyTorch Profiler\",\n    \"name\": \"PyTorch Profiler (0)\",\n"
        "    \"args\": {\n      \"Op count\": 0\n    }\n  },");
    add_metadata("process_sort_index", "\"Traces\"", 0, "sort_index", "536870913", begin_ns);
    count(Counted::Instant);
    add("\n  {\n    \"name\": \"Iteration Start: PyTorch Profiler\", \"ph\": \"i\", \"s\": \"g\",\n"
        "    \"pid\": \"Traces\", \"tid\": \"Trace PyTorch Profiler\", \"ts\": ");
    add_time(begin_ns);
    count(Counted::Instant);
    add("\n  },\n  {\n    \"name\": \"Record Window End\", \"ph\": \"i\", \"s\": \"g\",\n    \"pid\": \"\", \"tid\": \"\", \"ts\": ");
    add_time(end_ns);
    add("\n  }\n  ],\n  \"traceName\": \"");
    add(trace_name_);
    add("\",\n  \"displayTimeUnit\": \"ms\",\n  \"baseTimeNanoseconds\": ");
    add(kBaseTimeNs);
    add("\n}\n");
    file.write(text_);
    text_bytes_ += text_.size();
    text_.clear();
}

}  // namespace core::sample
