// The text around the events of a trace file: the head and the closing metadata.

#include "core/sample/kineto_writer.hpp"

#include <string>

namespace core::sample {
namespace {

std::string device_properties(bool is_unknown) {
    const std::string name = is_unknown ? kUnknownDevice : "NVIDIA H100 80GB HBM3";
    std::string text = "  \"deviceProperties\": [";
    for (int device = 0; device < kGpusPerHost; ++device) {
        text += device == 0 ? "\n    {" : ",\n    {";
        text += "\n      \"id\": " + std::to_string(device) + ", \"name\": \"" + name +
                "\", \"totalGlobalMem\": 85045477376,"
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
                       topology.description(kind) +
                       "\", \"backend_config\": \"cuda:nccl\", \"pg_size\": " + std::to_string(members.size()) +
                       ", \"ranks\": [";
    for (std::size_t i = 0; i < members.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(members[i]);
    return text + "]}";
}

}  // namespace

void KinetoWriter::write_header(OutputFile& file) {
    add("\n{\n  \"schemaVersion\": 1,\n");
    add(device_properties(faults_.has_unknown_device()));
    add("  \"cupti_version\": 26,\n  \"cuda_runtime_version\": 12080,\n  \"cuda_driver_version\": 12080,\n"
        "  \"record_shapes\": 1,\n  \"profile_memory\": 1,\n  \"with_stack\": 1,\n  \"with_modules\": 1,\n"
        "  \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": ");
    add(rank_);
    add(", \"world_size\": ");
    add(topology_.ranks);
    std::string groups;
    int count = 0;
    for (int kind = 0; kind < kGroupKindCount; ++kind) {
        if (!topology_.has(static_cast<GroupKind>(kind))) continue;
        if (count++ > 0) groups += ", ";
        groups += process_group_config(topology_, static_cast<GroupKind>(kind), rank_);
    }
    add(", \"pg_count\": ");
    add(count);
    add(", \"pg_config\": [");
    add(groups);
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
    add_metadata("process_sort_index", gpu_pid_, 0, "sort_index", std::to_string(16777216 + rank_ % kGpusPerHost),
                 at_ns);
    const auto add_thread = [&](std::string_view pid, std::int64_t tid, const std::string& name) {
        add_metadata("thread_name", pid, tid, "name", "\"" + name + "\"", at_ns);
        add_metadata("thread_sort_index", pid, tid, "sort_index", std::to_string(tid), at_ns);
    };
    for (const Lane lane : {Lane::Compute, Lane::Tensor, Lane::Data, Lane::World})
        add_thread(gpu_pid_, stream_of(lane), "stream " + std::to_string(stream_of(lane)) + " ");
    if (topology_.stages > 1)
        add_thread(gpu_pid_, stream_of(Lane::Pipeline), "stream " + std::to_string(stream_of(Lane::Pipeline)) + " ");
    if (topology_.experts)
        add_thread(gpu_pid_, stream_of(Lane::Expert), "stream " + std::to_string(stream_of(Lane::Expert)) + " ");
    add_thread(cpu_pid_, main_thread_, "thread " + std::to_string(main_thread_) + " (python3)");
    add_thread(cpu_pid_, backward_thread(),
               "thread " + std::to_string(backward_thread()) + " (pt_autograd_" + gpu_pid_ + ")");
    add_metadata("process_sort_index", "\"Spans\"", 0, "sort_index", "536870912", at_ns);
}

void KinetoWriter::write_footer(OutputFile& file, std::int64_t begin_ns, std::int64_t end_ns) {
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
    add("\n  },\n  {\n    \"name\": \"Record Window End\", \"ph\": \"i\", \"s\": \"g\",\n    \"pid\": \"\", \"tid\": "
        "\"\", \"ts\": ");
    add_time(end_ns);
    add("\n  }\n  ],\n  \"traceName\": \"");
    add(trace_name_);
    add("\",\n  \"displayTimeUnit\": \"ms\",\n  \"baseTimeNanoseconds\": ");
    add(kBaseTimeNs);
    add("\n}\n");
    write_out(file);
}

}  // namespace core::sample
