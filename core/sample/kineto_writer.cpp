#include "core/sample/kineto_writer.hpp"

#include <charconv>
#include <utility>

namespace core::sample {
namespace {

constexpr std::size_t kFlushBytes = std::size_t{1} << 18;
constexpr int kMostBuffered = 512;  // ranks
constexpr std::size_t kListedRanks = 30;  // Kineto's writer cuts lists at this length
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
        case Lane::Compute:
            return 7;
        case Lane::Tensor:
            return 20;
        case Lane::Data:
            return 24;
        case Lane::World:
            return 28;
        case Lane::Pipeline:
            return 32;
        case Lane::Expert:
            return 36;
        default:
            return -1;
    }
}

CountedName counted_name(Counted counted) {
    constexpr CountedName kNames[] = {
        {"X", "cpu_op"},
        {"X", "user_annotation"},
        {"X", "python_function"},
        {"i", "cpu_instant_event"},
        {"X", "cuda_runtime"},
        {"X", "cuda_driver"},
        {"X", "kernel"},
        {"X", "gpu_memcpy"},
        {"X", "gpu_memset"},
        {"X", "cuda_sync"},
        {"X", "gpu_user_annotation"},
        {"s", "ac2g"},
        {"f", "ac2g"},
        {"s", "fwdbwd"},
        {"f", "fwdbwd"},
        {"C", ""},
        {"M", ""},
        {"X", "Trace"},
        {"i", ""},
    };
    static_assert(std::size(kNames) == static_cast<std::size_t>(Counted::Count));
    return kNames[static_cast<std::size_t>(counted)];
}

KinetoWriter::KinetoWriter(const Catalog& catalog, const Topology& topology, int rank, RankClock clock,
                           RecordFaults faults, std::string trace_name)
    : catalog_(catalog),
      topology_(topology),
      rank_(rank),
      clock_(clock),
      faults_(faults),
      trace_name_(std::move(trace_name)),
      main_thread_(184201 + rank * 3),
      cpu_pid_(std::to_string(main_thread_)),
      gpu_pid_(std::to_string(rank % kGpusPerHost)) {
    rows_[0] = row_text(cpu_pid_, main_thread_);
    rows_[1] = row_text(cpu_pid_, backward_thread());
    for (std::size_t lane = 2; lane < rows_.size(); ++lane)
        rows_[lane] = row_text(gpu_pid_, stream_of(static_cast<Lane>(lane)));
    for (std::size_t i = 0; i < group_args_.size(); ++i) {
        const auto kind = static_cast<GroupKind>(i);
        const int group = topology.group_of(kind, rank);
        group_args_[i] = ", \"Group size\": " + std::to_string(topology.group_size(kind)) +
                         ", \"Global rank start\": " + std::to_string(topology.first_member(kind, group)) +
                         ", \"Global rank stride\": " + std::to_string(topology.stride(kind)) +
                         ", \"Process Group Name\": \"" + process_group_name(kind) +
                         "\", \"Process Group Description\": \"" + topology.description(kind) +
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

void KinetoWriter::add_head(Counted counted, std::string_view category, std::string_view name,
                            std::string_view name_end, const Event& event) {
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
        const bool begins_flow = event.flow != kNone && !event.ends_flow;
        if (event.lane == Lane::Backward && !begins_flow) add(", \"Fwd thread id\": 1");
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
    const bool forward = !event.ends_flow;
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
    if (event.parent == kNone)
        add("null");
    else
        add(event.parent);
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
        case EventKind::EvaluateFunction:
            add_operator(event, recorder);
            break;
        case EventKind::Annotation:
            add_numbered_head(Counted::UserAnnotation, "user_annotation", event);
            add_args_begin(event);
            add("\"Record function id\": ");
            add(event.id);
            add(", \"Ev Idx\": ");
            add(next_event_index_++);
            close_event();
            break;
        case EventKind::Memory:
            add_memory(event);
            break;
        default:
            break;
    }
}

void KinetoWriter::write_step(OutputFile& file, const RankRecorder& recorder,
                              const std::vector<CounterSample>& utilization) {
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
    // Thousands of writers keep no text between steps.
    if (topology_.ranks > kMostBuffered) {
        write_out(file);
        text_.shrink_to_fit();
    }
}

void KinetoWriter::flush(OutputFile& file) {
    if (text_.size() >= kFlushBytes) write_out(file);
}

void KinetoWriter::write_out(OutputFile& file) {
    file.write(text_);
    text_bytes_ += text_.size();
    text_.clear();
}

}  // namespace core::sample
