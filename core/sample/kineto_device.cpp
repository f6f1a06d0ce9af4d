// Text of the runtime calls and of the device's rows.

#include "core/sample/kineto_writer.hpp"

#include <string>

namespace core::sample {

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
    if (spec.launches) add_launch_flow(event, true);
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

void KinetoWriter::add_collective(const Collective& recorded) {
    const Collective collective = faults_.stated(recorded);
    constexpr const char* kNames[] = {"allreduce", "_allgather_base", "_reduce_scatter_base", "send",
                                      "recv",      "all_to_allv"};
    constexpr const char* kTypes[] = {"BFloat16", "Float"};
    add("\"Collective name\": \"");
    add(kNames[static_cast<std::size_t>(collective.op)]);
    add("\", \"In msg nelems\": ");
    add(collective.in_elements);
    add(", \"Out msg nelems\": ");
    add(collective.out_elements);
    add(", \"dtype\": \"");
    add(kTypes[static_cast<std::size_t>(collective.type)]);
    const auto list_of = [](const std::vector<std::int64_t>& rows) {
        std::string text;
        for (const std::int64_t count : rows) text += (text.empty() ? "" : ", ") + std::to_string(count);
        return "[" + text + "]";
    };
    add("\", \"In split size\": \"" + list_of(collective.in_rows) + "\", \"Out split size\": \"" +
        list_of(collective.out_rows) + "\"");
    add(group_args_[static_cast<std::size_t>(collective.group)]);
    if (collective.group == GroupKind::Pipeline) {
        const bool sends = collective.op == CollectiveOp::Send;
        const std::vector<int> pair =
            topology_.members(GroupKind::Pipeline, topology_.group_of(GroupKind::Pipeline, rank_));
        add(sends ? ", \"Dst Rank\": " : ", \"Src Rank\": ");
        add(pair.front() == rank_ ? pair.back() : pair.front());
    }
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
    if (event.collective >= 0 && faults_.loses(recorder.collectives()[static_cast<std::size_t>(event.collective)]))
        return;
    switch (event.kind) {
        case EventKind::Kernel:
            add_kernel(event, recorder);
            break;
        case EventKind::Sync:
            add_sync(event);
            break;
        default:
            add_transfer(event);
            break;
    }
    if (event.kind != EventKind::Sync) add_launch_flow(event, false);
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

}  // namespace core::sample
