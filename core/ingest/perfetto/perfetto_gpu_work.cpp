// Which packets are GPU work: track events by their track, category, arguments and flows; render stages; counters of
// GPUs. The processes with GPU work of their own are the file's ranks.

#include "core/base/format.hpp"
#include "core/base/utf8.hpp"
#include "core/ingest/perfetto/packet_values.hpp"
#include "core/ingest/perfetto/perfetto_packets.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

namespace core {
namespace {

constexpr std::int64_t kMostDevices = 1024;
constexpr std::uint64_t kMostCorrelation = std::numeric_limits<std::int64_t>::max();

std::string_view work_category(std::string_view name) {
    const auto begins = [&](std::string_view with) {
        return name.size() >= with.size() && std::ranges::equal(name.substr(0, with.size()), with, [](char a, char b) {
                   return (a >= 'A' && a <= 'Z' ? a + ('a' - 'A') : a) == b;
               });
    };
    return begins("memcpy") ? "gpu_memcpy" : begins("memset") ? "gpu_memset" : "kernel";
}

// Stages of PyTorch that do not run on the GPU; empty of others.
std::string_view stage_category(std::string_view stage) {
    return stage == "HostNode" ? "graph_host_node" : stage == "EventRecord" ? "graph_event_node" : "";
}

// PyTorch writes the launch and the node of a graph as texts of digits.
void add_fact(const std::string& key, const std::string& value, RowArguments& arguments) {
    constexpr std::pair<std::string_view, Arg> kNumbers[] = {
        {"correlation", Arg::Correlation}, {"graph id", Arg::GraphId}, {"graph node id", Arg::GraphNodeId}};
    for (const auto& [name, arg] : kNumbers) {
        std::int64_t number = 0;
        const char* const end = value.data() + value.size();
        const auto [at, error] = std::from_chars(value.data(), end, number);
        if (key == name && error == std::errc{} && at == end) return arguments.add(key, arg, number);
    }
    arguments.add(key, value);
}

struct RenderStage {
    enum class Names : std::uint8_t { None, Kernels, Events };
    std::uint64_t duration = 0, gpu = 0, queue = 0, stage = 0, name_id = 0;
    Names names = Names::None;  // the table that name_id is of
    std::optional<std::int64_t> event_id{};
    bool has_correlation = false;
    RowArguments arguments{};
    bool is_bad = false;
};

RenderStage read_render_stage(std::string_view message) {
    RenderStage read;
    WireReader reader(message);
    for (WireField field; reader.next(field);) {
        switch (field.number) {
            case 1:
                read.event_id = as_time(field.value);
                break;
            case 2:
                read.duration = field.value;
                break;
            case 3:
            case 13:
                read.queue = field.value;
                break;
            case 4:
            case 14:
                read.stage = field.value;
                break;
            case 6: {
                std::string key, value;
                WireReader parts(field.bytes);
                for (WireField part; parts.next(part);) (part.number == 1 ? key : value) = valid(part.bytes);
                if (key == "correlation") read.has_correlation = true;
                if (!key.empty()) add_fact(key, value, read.arguments);
                break;
            }
            case 11:
                read.gpu = field.value;
                break;
            case 19:
            case 20:
                read.name_id = field.value;
                read.names = field.number == 19 ? RenderStage::Names::Kernels : RenderStage::Names::Events;
                break;
            default:
                break;
        }
    }
    read.is_bad = reader.is_bad();
    return read;
}

// A queue titled "Stream 7" is stream 7, whatever its number is.
std::optional<std::int64_t> number_at_end(std::string_view title) {
    const std::size_t digits = title.find_last_not_of("0123456789");
    std::int64_t number = 0;
    const char* const from = title.data() + (digits == std::string_view::npos ? 0 : digits + 1);
    const bool is_number = std::from_chars(from, title.data() + title.size(), number).ec == std::errc{};
    return is_number ? std::optional(number) : std::nullopt;
}

}  // namespace

// The name of a thread, else of the track itself.
std::string_view PerfettoPackets::own_name(std::uint64_t id) const {
    const auto found = tracks_.find(id);
    if (found == tracks_.end()) return {};
    const Track& track = found->second;
    const auto thread = track.tid ? threads_.find({*track.pid, *track.tid}) : threads_.end();
    return thread == threads_.end() ? std::string_view(track.name) : std::string_view(thread->second);
}

const GpuTrack& PerfettoPackets::gpu_track(std::uint64_t id) {
    static const GpuTrack kNone;
    const auto own = tracks_.find(id);
    if (own == tracks_.end()) return kNone;
    Track& track = own->second;
    if (track.gpu) return *track.gpu;
    std::string_view process;
    std::uint64_t at = id;
    for (int i = 0; i < kDeepestTrack; ++i) {
        const auto above = tracks_.find(at);
        if (above == tracks_.end()) break;
        if (const auto known = above->second.pid ? processes_.find(*above->second.pid) : processes_.end();
            known != processes_.end())
            process = known->second;
        if (!process.empty() || above->second.parent == 0 || above->second.parent == at) break;
        at = above->second.parent;
    }
    track.gpu = read_gpu_track(own_name(id), process, track.tid.has_value());
    return *track.gpu;
}

// Sets the category, and of GPU work the device and the stream.
void PerfettoPackets::mark_gpu_work(Held& event, std::string_view category, std::span<const std::uint64_t> flows) {
    is_of_rocm_systems_ = is_of_rocm_systems_ || category.starts_with("rocm_");
    const auto track = tracks_.find(event.track);
    const bool is_thread = track != tracks_.end() && track->second.tid.has_value();
    const GpuTrack& named = gpu_track(event.track);
    const auto value_of = [&](Arg arg) {
        const auto known = std::ranges::find(event.arguments.integers, arg, &std::pair<Arg, std::int64_t>::first);
        return known == event.arguments.integers.end() ? std::nullopt : std::optional(known->second);
    };
    const bool ends_launch =
        std::ranges::any_of(flows, [&](std::uint64_t flow) { return launch_flows_.contains(flow); });
    const bool has_place = value_of(Arg::Device) && value_of(Arg::Stream);
    const bool is_gpu = event.phase != Phase::Instant && !is_host_category(category) &&
                        (named.is_gpu || is_gpu_category(category) || (!is_thread && (has_place || ends_launch)));
    event.category =
        valid(is_gpu ? gpu_category_of(category, event.name) : host_category_of(category, event.name, is_thread));
    const bool is_call = !is_gpu && event.category == "cuda_runtime";
    if (is_call && launch_flows_.size() < kMostPacketNames) launch_flows_.insert(flows.begin(), flows.end());
    if (is_call && track != tracks_.end() && !std::exchange(track->second.is_of_caller, true))
        callers_.insert(place_of(event.track).pid);
    if ((is_gpu || is_call) && !flows.empty() && !value_of(Arg::Correlation))
        event.arguments.add_column(Arg::Correlation, static_cast<std::int64_t>(flows.front() & kMostCorrelation));
    if (!is_gpu || event.phase == Phase::End) return;
    if (!is_gpu_category(category)) note_shape(event.track, named.is_gpu, has_place);
    if (!value_of(Arg::Device) && named.device) event.arguments.add_column(Arg::Device, *named.device);
    if (!value_of(Arg::Stream) && named.stream) event.arguments.add_column(Arg::Stream, *named.stream);
    if (track == tracks_.end() || std::exchange(track->second.is_counted, true)) return;
    const std::string pid = place_of(event.track).pid;
    if (pid != kNoProcess) gpu_processes_.try_emplace(pid, value_of(Arg::Device).value_or(-1));
}

void PerfettoPackets::note_shape(std::uint64_t id, bool by_name, bool by_arguments) {
    constexpr std::size_t kMostBytes = 64;
    const auto track = tracks_.find(id);
    const bool is_counted = track == tracks_.end() ? shape_tracks_ > 0 : std::exchange(track->second.is_by_shape, true);
    if (is_counted || shape_tracks_++ > 0) return;
    shape_ = by_name        ? "names like \"" + shorten_utf8(own_name(id), kMostBytes) + "\""
             : by_arguments ? "the arguments \"device\" and \"stream\" of events"
                            : "flows from launches";
}

// As other formats do for what no category states.
void PerfettoPackets::report_shape() {
    if (shape_tracks_ > 0)
        stage_.note("device-by-shape", format_plural(shape_tracks_, "track", "tracks") + ", told by " + shape_);
}

// By their devices if these differ, else in the order of their numbers.
std::map<std::string, std::int32_t> PerfettoPackets::ranks_of_processes() const {
    std::map<std::string, std::int32_t> ranks;
    if (gpu_processes_.size() < 2 || has_stages_) return ranks;
    std::map<std::int64_t, std::string> by_device;
    std::map<std::int64_t, std::string> by_number;
    for (const auto& [pid, device] : gpu_processes_) {
        if (device >= 0 && device <= kMostDevices) by_device.emplace(device, pid);
        std::int64_t number = 0;
        std::from_chars(pid.data(), pid.data() + pid.size(), number);
        by_number.emplace(number, pid);
    }
    if (by_device.size() == gpu_processes_.size()) {
        for (const auto& [device, pid] : by_device) ranks[pid] = static_cast<std::int32_t>(device);
        return ranks;
    }
    std::int32_t next = 0;
    for (const auto& [number, pid] : by_number) ranks[pid] = next++;
    return ranks;
}

void PerfettoPackets::add_render_stage(std::string_view message, Sequence& sequence, const Moment& moment) {
    RenderStage read = read_render_stage(message);
    const auto length = as_time(read.duration);
    if (read.is_bad || !length)
        return stage_.drop("event-malformed",
                           "packet " + std::to_string(packets_) + ": a GPU stage that is cut off or endless");
    RowArguments arguments = std::move(read.arguments);
    if (read.event_id && !read.has_correlation) arguments.add("correlation", Arg::Correlation, *read.event_id);
    const auto known = sequence.stages.find(read.stage);
    const std::string category(
        stage_category(known == sequence.stages.end() ? std::string_view() : known->second.name));
    std::string name;
    if (read.names == RenderStage::Names::Kernels) name = sequence.kernels.find(read.name_id);
    if (read.names == RenderStage::Names::Events) name = sequence.events.find(read.name_id);
    if (name.empty() && known != sequence.stages.end()) name = known->second.name;
    if (name.empty()) name = replace_name(read.name_id);
    const auto queue = sequence.stages.find(read.queue);
    std::optional<std::int64_t> titled;
    if (queue != sequence.stages.end()) titled = number_at_end(queue->second.name);
    const std::int64_t stream = titled ? *titled : as_time(read.queue).value_or(0);
    const auto device = as_time(read.gpu).value_or(0);
    has_stages_ = true;
    arguments.add("device", Arg::Device, device);
    arguments.add("stream", Arg::Stream, stream);
    devices_.try_emplace(std::to_string(device), "GPU " + std::to_string(device));
    place(moment, [this, device, stream, length = *length, name = std::move(name), category,
                   arguments = std::move(arguments)](std::int64_t time) mutable {
        stage_.add({.start_ns = time,
                    .duration_ns = length,
                    .name = name,
                    .category = category.empty() ? work_category(name) : std::string_view(category),
                    .pid = std::to_string(device),
                    .tid = std::to_string(stream),
                    .id = {},
                    .phase = Phase::Complete,
                    .has_collective = false},
                   arguments);
    });
}

// A description of counters of a GPU: their numbers and names.
void PerfettoPackets::name_gpu_counters(std::string_view message, std::uint64_t gpu) {
    WireReader reader(message);
    for (WireField field; reader.next(field);) {
        if (field.number != 1 || !field.is_bytes) continue;
        std::uint64_t id = 0;
        std::string name;
        WireReader parts(field.bytes);
        for (WireField part; parts.next(part);) {
            if (part.number == 1) id = part.value;
            if (part.number == 2) name = valid(part.bytes);
        }
        if (gpu_counters_.size() < kMostPacketNames)
            gpu_counters_.insert_or_assign(std::pair(gpu, id), std::move(name));
    }
}

void PerfettoPackets::add_gpu_count(std::string_view message, std::uint64_t gpu, const Moment& moment) {
    std::uint64_t id = 0;
    std::optional<double> count;
    WireReader reader(message);
    for (WireField field; reader.next(field);) {
        if (field.number == 1) id = field.value;
        if (field.number == 2) count = static_cast<double>(static_cast<std::int64_t>(field.value));
        if (field.number == 3) count = field.real();
    }
    if (reader.is_bad() || !count || !std::isfinite(*count))
        return stage_.drop("event-malformed",
                           "packet " + std::to_string(packets_) + ": a GPU counter without a number");
    const auto known = gpu_counters_.find({gpu, id});
    const bool is_named = known != gpu_counters_.end() && !known->second.empty();
    place(moment, [this, pid = std::to_string(gpu), value = *count,
                   name = is_named ? known->second : "GPU counter " + std::to_string(id)](std::int64_t time) {
        stage_.add_counter(time, pid, name, "value", value);
    });
}

void PerfettoPackets::add_gpu_counters(std::string_view message, const Moment& moment) {
    std::uint64_t gpu = 0;
    std::string_view description;
    WireReader heads(message);
    for (WireField field; heads.next(field);) {
        if (field.number == 1) description = field.bytes;
        if (field.number == 3) gpu = static_cast<std::uint32_t>(field.value);
    }
    if (heads.is_bad())
        return stage_.drop("event-malformed", "packet " + std::to_string(packets_) + ": GPU counters that are cut off");
    name_gpu_counters(description, gpu);
    devices_.try_emplace(std::to_string(gpu), "GPU " + std::to_string(gpu));
    WireReader reader(message);
    for (WireField field; reader.next(field);)
        if (field.number == 2 && field.is_bytes) add_gpu_count(field.bytes, gpu, moment);
}

}  // namespace core
