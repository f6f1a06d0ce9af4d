#include "core/ingest/xplane/xplane_events.hpp"

#include "core/base/ascii.hpp"
#include "core/base/utf8.hpp"
#include "core/ingest/json/timestamp.hpp"
#include "core/ingest/perfetto/wire.hpp"
#include "core/ingest/source/repair_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace core {
namespace {

constexpr std::size_t kMostRanks = 1024;
constexpr std::size_t kMostText = 1024;  // of an argument
constexpr std::uint64_t kMostEvent = std::uint64_t{1} << 20;
constexpr std::uint64_t kMostCopies = 200'000;  // of marks of steps
constexpr std::string_view kHostProcess = "host";

// Picoseconds, rounded down, so that what did not overlap does not.
std::int64_t add_picoseconds(std::int64_t base_ns, std::int64_t ps) {
    const std::int64_t whole = ps / 1000 - (ps % 1000 < 0 ? 1 : 0);
    return std::clamp(base_ns, -kLongestTime, kLongestTime) + whole;
}

bool is_collective(std::string_view name) {
    constexpr std::string_view kNames[] = {"all-reduce", "all-gather",         "reduce-scatter",
                                           "all-to-all", "collective-permute", "collective-broadcast"};
    return std::ranges::any_of(kNames,
                               [&](std::string_view word) { return name.find(word) != std::string_view::npos; });
}

// "MemcpyD2H" of NVIDIA, "CopyDeviceToHost" of AMD. Empty: not a copy.
std::string_view copy_name(std::string_view name) {
    constexpr std::array<std::array<std::string_view, 3>, 5> kNames{{
        {"H2D", "HostToDevice", "Memcpy HtoD (Host -> Device)"},
        {"D2H", "DeviceToHost", "Memcpy DtoH (Device -> Host)"},
        {"D2D", "DeviceToDevice", "Memcpy DtoD (Device -> Device)"},
        {"P2P", "PeerToPeer", "Memcpy PtoP (Device -> Device)"},
        {"H2H", "HostToHost", "Memcpy HtoH (Host -> Host)"},
    }};
    if (!name.starts_with("Memcpy") && !name.starts_with("CopyDevice") && !name.starts_with("CopyHost") &&
        !name.starts_with("CopyPeer"))
        return {};
    for (const auto& [code, words, text] : kNames)
        if (name.find(code) != std::string_view::npos || name.find(words) != std::string_view::npos) return text;
    return "Memcpy";
}

// The number behind "KEY:" in a text of such pairs.
std::optional<std::int64_t> number_behind(std::string_view text, std::string_view key) {
    const std::size_t at = text.find(key);
    if (at == std::string_view::npos) return std::nullopt;
    const char* const begin = text.data() + at + key.size();
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(begin, text.data() + text.size(), number);
    return error == std::errc{} && end != begin ? std::optional(number) : std::nullopt;
}

// Calls that put work on a GPU, which may have the name of that work; others of the host are operators of XLA's
// runtime, or Python.
std::string_view host_category(std::string_view name, bool has_correlation) {
    if (name.starts_with('$')) return "python_function";
    if (!has_correlation) return "cpu_op";
    if (name.starts_with("hip")) return "hip_runtime";
    if (name.starts_with("cuda")) return "cuda_runtime";
    return name.starts_with("cu") ? "cuda_driver" : "xla_runtime";
}

}  // namespace

XPlaneEvents::XPlaneEvents(const XSpaceFacts& facts, std::uint64_t file_bytes)
    : facts_(facts), text_left_(64 * file_bytes + (std::uint64_t{16} << 20)), copies_left_(kMostCopies) {
    std::vector<const XPlaneFacts*> planes;
    for (const XPlaneFacts& plane : facts.planes)
        if (plane.work > 0 && planes.size() < kMostRanks) planes.push_back(&plane);
    std::ranges::stable_sort(planes, {}, &XPlaneFacts::device);
    for (const XPlaneFacts* const plane : planes) {
        ranks_.push_back(std::make_unique<XPlaneRank>(XPlaneRank{
            .device = plane->device, .memory_bytes = plane->memory_bytes, .multiprocessors = plane->multiprocessors}));
        rank_of_plane_[plane] = ranks_.back().get();
    }
    if (ranks_.empty()) ranks_.push_back(std::make_unique<XPlaneRank>(XPlaneRank{.device = -1}));
}

XPlaneRank* XPlaneEvents::rank_of(const XPlaneFacts& plane) const {
    const auto found = rank_of_plane_.find(&plane);
    return found == rank_of_plane_.end() ? nullptr : found->second;
}

bool XPlaneEvents::read(WireStream& stream, bool hosts, const JobContext& context) {
    std::size_t at = 0;
    for (WireStream::Field field; stream.next(WireStream::kNoEnd, field);) {
        if (!field.is_bytes) continue;
        const XPlaneFacts* const plane =
            field.number == 1 && at < facts_.planes.size() ? &facts_.planes[at++] : nullptr;
        const bool wanted = plane != nullptr && (hosts ? plane->kind == XPlaneKind::Host : rank_of(*plane) != nullptr);
        if (!wanted)
            stream.skip(field);
        else if (!read_plane(stream, *plane, field.end, context))
            return false;
    }
    return !context.checkpoint();
}

bool XPlaneEvents::read_plane(WireStream& stream, const XPlaneFacts& plane, std::uint64_t end,
                              const JobContext& context) {
    std::size_t at = 0;
    for (WireStream::Field field; stream.next(end, field);) {
        if (!field.is_bytes) continue;
        if (field.number == 3 && at < plane.lines.size())
            read_line(stream, plane, plane.lines[at++], field.end);
        else
            stream.skip(field);
        if (context.checkpoint()) return false;
    }
    return true;
}

void XPlaneEvents::read_line(WireStream& stream, const XPlaneFacts& plane, const XLineFacts& line, std::uint64_t end) {
    XPlaneRank& rank = plane.kind == XPlaneKind::Host ? *ranks_.front() : *rank_of(plane);
    if (line.events > 0) name_line(rank, plane, line);
    for (WireStream::Field field; stream.next(end, field);) {
        if (!field.is_bytes) continue;
        if (field.number != 4 || field.value > kMostEvent) {
            if (field.number == 4) rank.stage.drop("event-malformed", "an event of more than 1 MiB");
            stream.skip(field);
            continue;
        }
        if (!stream.read(field, message_)) return;
        ++events_;
        const Event event = parse_event(message_, line, rank);
        if (event.is_total)
            rank.stage.drop("object-event", "\"" + std::string(name_of(plane, event.name)) + "\" sums up many events");
        else if (plane.kind == XPlaneKind::Host)
            add_host_event(plane, line, event);
        else
            add_device_event(plane, line, event, rank);
    }
}

XPlaneEvents::Event XPlaneEvents::parse_event(std::string_view message, const XLineFacts& line, XPlaneRank& rank) {
    Event event{.message = message};
    std::int64_t offset_ps = 0, duration_ps = 0;
    WireReader reader(message);
    for (WireField field; reader.next(field);) {
        const auto value = static_cast<std::int64_t>(field.value);
        if (field.number == 1) event.name = value;
        if (field.number == 2) offset_ps = value;
        if (field.number == 3) duration_ps = value;
        if (field.number == 5) event.is_total = true;
    }
    if (duration_ps < 0) rank.stage.note("negative-duration", "on the line " + line.name);
    const std::int64_t length_ps = std::max<std::int64_t>(duration_ps, 0);
    std::int64_t end_ps = 0;
    if (__builtin_add_overflow(offset_ps, length_ps, &end_ps)) end_ps = std::numeric_limits<std::int64_t>::max();
    event.start_ns = add_picoseconds(line.start_ns, offset_ps);
    event.duration_ns = std::max<std::int64_t>(add_picoseconds(line.start_ns, end_ps) - event.start_ns, 0);
    if (line.start_ns > kLongestTime || line.start_ns < -kLongestTime)
        rank.stage.note("absurd-duration", "the line " + line.name);
    return event;
}

std::string_view XPlaneEvents::name_of(const XPlaneFacts& plane, std::int64_t id) const {
    const auto found = plane.events.find(id);
    return found == plane.events.end() || found->second.name.empty() ? std::string_view("event without a name")
                                                                     : std::string_view(found->second.name);
}

void XPlaneEvents::add_stats(const XPlaneFacts& plane, const Event& event) {
    arguments_.clear();
    correlation_.reset();
    step_.reset();
    hlo_op_.clear();
    if (const auto name = plane.events.find(event.name); name != plane.events.end())
        for (std::string_view rest = name->second.stats; !rest.empty();) {
            std::uint64_t length = 0;
            if (!take_varint(rest, length) || length > rest.size()) break;
            add_stat(plane, parse_xstat(rest.substr(0, static_cast<std::size_t>(length)), plane));
            rest.remove_prefix(static_cast<std::size_t>(length));
        }
    WireReader reader(event.message);
    for (WireField field; reader.next(field);)
        if (field.number == 4 && field.is_bytes) add_stat(plane, parse_xstat(field.bytes, plane));
}

void XPlaneEvents::add_stat(const XPlaneFacts& plane, const XStat& stat) {
    const auto found = plane.stats.find(stat.key);
    if (found == plane.stats.end() || stat.type == XStat::Type::None) return;
    const std::string& key = found->second;
    const auto value = static_cast<std::int64_t>(stat.bits);
    const bool is_whole = stat.type == XStat::Type::Integer || (stat.type == XStat::Type::Unsigned && value >= 0);
    if (is_whole && key == "correlation_id") {
        correlation_ = value;
        return;
    }
    if (is_whole && key == "step_num") step_ = value;
    if (is_whole) return arguments_.add(key, value);
    if (stat.type == XStat::Type::Unsigned) return arguments_.add_json(key, std::to_string(stat.bits));
    if (stat.type == XStat::Type::Real) {
        if (std::isfinite(stat.real())) arguments_.add_json(key, std::to_string(stat.real()));
        return;
    }
    const std::string_view text = cut_utf8(repair_text(stat.text, scratch_), kMostText);
    if (text.size() + key.size() > text_left_) return;  // no valid file has so much
    text_left_ -= text.size() + key.size();
    if (key == "hlo_op") hlo_op_ = text;
    if (key == "kernel_details") return add_kernel_details(text);
    arguments_.add(key, text);
    if (key == "memcpy_details") add_bytes(text);
}

// "regs:32 static_shared:0 dynamic_shared:1024 grid:128,1,1 block:256,1,1 occ_pct:50", or of AMD "group_mem:0".
void XPlaneEvents::add_kernel_details(std::string_view text) {
    for (std::string_view rest = text; !rest.empty();) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        const std::string_view pair = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        const std::size_t colon = pair.find(':');
        if (colon == std::string_view::npos || colon == 0) continue;
        const std::string_view value = pair.substr(colon + 1);
        const bool is_list = !value.empty() && is_digit(value.front()) && is_digit(value.back()) &&
                             value.find(",,") == std::string_view::npos &&
                             std::ranges::all_of(value, [](char c) { return is_digit(c) || c == ','; }) &&
                             !(value.size() > 1 && value.front() == '0' && value[1] != ',');
        if (is_list && value.find(',') != std::string_view::npos && value.find(",0") == std::string_view::npos)
            arguments_.add_json(pair.substr(0, colon), "[" + std::string(value) + "]");
        else if (is_list && value.find(',') == std::string_view::npos && value.size() < 19)
            arguments_.add_json(pair.substr(0, colon), value);
        else
            arguments_.add(pair.substr(0, colon), value);
    }
}

// "kind_src:pinned kind_dst:device size:4096 dest:0 async:1"
void XPlaneEvents::add_bytes(std::string_view details) {
    const std::optional<std::int64_t> bytes = number_behind(details, "size:");
    if (!bytes || *bytes < 0) return;
    arguments_.add("bytes", Arg::Bytes, *bytes);
    if (row_.duration_ns <= 0) return;
    // Bytes per nanosecond are GB/s; the column holds MB/s.
    const double rate = static_cast<double>(*bytes) / static_cast<double>(row_.duration_ns);
    if (rate < 9e12) arguments_.add_column(Arg::BandwidthMbPerS, std::llround(rate * 1000));
}

void XPlaneEvents::add_device_event(const XPlaneFacts& plane, const XLineFacts& line, const Event& event,
                                    XPlaneRank& rank) {
    const XLineKind kind = kind_of_line(plane, line);
    row_ = StagedRow{};
    row_.start_ns = event.start_ns;
    row_.duration_ns = event.duration_ns;
    name_ = name_of(plane, event.name);
    add_stats(plane, event);
    pid_ = std::to_string(plane.device);
    const std::optional<std::int64_t> stream = number_behind(line.name, "#");
    tid_ = stream ? std::to_string(*stream) : line.name.empty() ? std::to_string(line.id) : line.name;
    row_.pid = pid_;
    row_.tid = tid_;
    const std::string_view copy = copy_name(name_);
    const bool is_asynchronous_copy = kind == XLineKind::AsynchronousWork && contains_any_case(name_, "copy");
    const bool is_communication = is_collective(hlo_op_.empty() ? std::string_view(name_) : hlo_op_) &&
                                  (plane.kind == XPlaneKind::Tpu || contains_any_case(name_, "nccl"));
    if (kind == XLineKind::Annotation ||
        (kind == XLineKind::AsynchronousWork && !is_communication && !is_asynchronous_copy))
        row_.category = "gpu_user_annotation";
    else if (!copy.empty() || is_asynchronous_copy)
        row_.category = "gpu_memcpy";
    else
        row_.category = name_.starts_with("Memset") ? "gpu_memset" : "kernel";
    if (!copy.empty()) {
        arguments_.add("operation", name_);
        name_ = copy;
    }
    row_.name = name_;
    const bool is_work = row_.category != "gpu_user_annotation";
    if (is_work && is_communication) {
        row_.has_collective = true;
        arguments_.add_column(Arg::CollectiveName, hlo_op_.empty() ? std::string_view(name_) : hlo_op_);
    }
    arguments_.add("device", Arg::Device, plane.device);
    if (stream && is_work) arguments_.add("stream", Arg::Stream, *stream);
    if (correlation_ && is_work) {
        arguments_.add("correlation", Arg::Correlation, *correlation_);
        if (&rank != ranks_.front().get()) rank_of_call_.try_emplace(*correlation_, &rank);
    }
    rank.stage.add(row_, arguments_);
}

void XPlaneEvents::add_host_event(const XPlaneFacts& plane, const XLineFacts& line, const Event& event) {
    row_ = StagedRow{};
    row_.start_ns = event.start_ns;
    row_.duration_ns = event.duration_ns;
    name_ = name_of(plane, event.name);
    add_stats(plane, event);
    tid_ = std::to_string(line.id);
    row_.pid = kHostProcess;
    row_.tid = tid_;
    row_.category = host_category(name_, correlation_.has_value());
    XPlaneRank* rank = ranks_.front().get();
    if (correlation_) {
        arguments_.add("correlation", Arg::Correlation, *correlation_);
        if (const auto owner = rank_of_call_.find(*correlation_); owner != rank_of_call_.end()) rank = owner->second;
    }
    if (!step_) {
        row_.name = name_;
        if (rank != ranks_.front().get()) name_line(*rank, plane, line);
        return rank->stage.add(row_, arguments_);
    }
    // A mark of JAX and TensorFlow says its number, as PyTorch's does.
    arguments_.add("annotation", name_);
    const std::string step = "ProfilerStep#" + std::to_string(*step_);
    row_.name = step;
    row_.category = "user_annotation";
    for (const std::unique_ptr<XPlaneRank>& each : ranks_) {
        if (each != ranks_.front() && (copies_left_ == 0 || copies_left_-- == 0)) break;
        StagedRow copy = row_;
        RowArguments arguments = arguments_;
        each->stage.add(copy, arguments);
    }
}

void XPlaneEvents::name_line(XPlaneRank& rank, const XPlaneFacts& plane, const XLineFacts& line) {
    if (plane.kind != XPlaneKind::Host || line.name.empty() || !named_.insert({&rank, line.id}).second) return;
    const std::string tid = std::to_string(line.id);
    rank.stage.name(MetadataKind::ThreadName, kHostProcess, tid, line.name);
}

void XPlaneEvents::finish() {
    for (const std::unique_ptr<XPlaneRank>& rank : ranks_) {
        if (rank->device >= 0)
            rank->stage.name(MetadataKind::ProcessLabels, std::to_string(rank->device), "",
                             "device " + std::to_string(rank->device));
        rank->stage.flush();
    }
}

}  // namespace core
