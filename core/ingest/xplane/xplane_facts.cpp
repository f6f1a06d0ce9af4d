#include "core/ingest/xplane/xplane_facts.hpp"

#include "core/base/ascii.hpp"
#include "core/base/utf8.hpp"
#include "core/ingest/perfetto/wire.hpp"
#include "core/ingest/source/repair_text.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

namespace core {
namespace {

constexpr std::uint64_t kMostMessage = std::uint64_t{16} << 20;  // of a name with its arguments
constexpr std::size_t kMostName = 4096;
constexpr std::size_t kMostStats = 4096;
constexpr std::size_t kMostPlanes = 100'000;
constexpr std::size_t kMostNames = 4'000'000;

std::string name_text(std::string_view text) {
    std::string scratch;
    return std::string(cut_utf8(repair_text(text, scratch), kMostName));
}

std::string length_of(std::size_t size) {
    std::string bytes;
    for (; size >= 0x80; size >>= 7) bytes += static_cast<char>((size & 0x7F) | 0x80);
    return bytes += static_cast<char>(size);
}

// "/device:GPU:3" → 3. Planes of parts of a device are none.
std::optional<std::int64_t> device_number(std::string_view name, std::string_view prefix) {
    if (!name.starts_with(prefix)) return std::nullopt;
    name.remove_prefix(prefix.size());
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    const bool whole = error == std::errc{} && end == name.data() + name.size() && number >= 0 && number < 4096;
    return whole ? std::optional(number) : std::nullopt;
}

void set_name(XPlaneFacts& plane, std::string_view name) {
    plane.name = name_text(name);
    const auto gpu = device_number(plane.name, "/device:GPU:"), tpu = device_number(plane.name, "/device:TPU:");
    const bool is_host = plane.name.starts_with("/host:") && plane.name != "/host:metadata";
    plane.kind = gpu ? XPlaneKind::Gpu : tpu ? XPlaneKind::Tpu : is_host ? XPlaneKind::Host : XPlaneKind::Other;
    plane.device = gpu.value_or(tpu.value_or(0));
}

// An operation of a TPU is named by its text: "%fusion.3 = bf16[…] fusion(…)".
std::string short_name(std::string_view name, std::string_view display) {
    if (!display.empty()) return name_text(display);
    if (name.starts_with('%')) name = name.substr(1, name.find(" = ") - 1);
    return name_text(name);
}

class FactReader {
public:
    FactReader(WireStream& stream, const JobContext& context) : stream_(stream), context_(context) {}

    XSpaceFacts read() {
        for (WireStream::Field field; stream_.next(WireStream::kNoEnd, field);) {
            if (field.number == 1 && field.is_bytes && facts_.planes.size() < kMostPlanes)
                read_plane(field.end);
            else if (field.number == 4 && field.is_bytes && field.value <= kMostName && stream_.read(field, message_))
                facts_.host = facts_.host.empty() ? name_text(message_) : facts_.host;
            else if (field.is_bytes)
                stream_.skip(field);
            if (context_.checkpoint()) break;
        }
        facts_.fault = stream_.fault();
        for (XPlaneFacts& plane : facts_.planes) count_work(plane);
        return std::move(facts_);
    }

private:
    void read_plane(std::uint64_t end) {
        XPlaneFacts& plane = facts_.planes.emplace_back();
        std::vector<std::string> stats;
        for (WireStream::Field field; stream_.next(end, field);) {
            if (!field.is_bytes) continue;
            const bool wanted = plane.name.empty() || plane.kind != XPlaneKind::Other;
            if (field.number == 3 && wanted)
                read_line(plane, field.end);
            else if (field.value > kMostMessage || (!wanted && plane.name != "Task Environment"))
                stream_.skip(field);
            else if (stream_.read(field, message_))
                read_fact(plane, field.number, stats);
        }
        for (const std::string& stat : stats) add_plane_stat(plane, stat);
    }

    void read_fact(XPlaneFacts& plane, std::uint32_t number, std::vector<std::string>& stats) {
        if (number == 2) set_name(plane, message_);
        if (number == 4) add_event_name(plane);
        if (number == 5) add_stat_name(plane);
        if (number == 6 && stats.size() < kMostStats) stats.push_back(message_);
    }

    void read_line(XPlaneFacts& plane, std::uint64_t end) {
        XLineFacts surplus;
        XLineFacts& line = plane.lines.size() < kMostXLines ? plane.lines.emplace_back() : surplus;
        for (WireStream::Field field; stream_.next(end, field);) {
            if (field.number == 1) line.id = field.value;
            if (field.number == 3) line.start_ns = static_cast<std::int64_t>(field.value);
            if (field.number == 4) ++line.events;
            if (!field.is_bytes) continue;
            const bool is_name = (field.number == 2 || field.number == 11) && field.value <= kMostMessage;
            if (!is_name) {
                stream_.skip(field);
            } else if (stream_.read(field, message_)) {
                (field.number == 2 ? line.name : line.display_name) = name_text(message_);
            }
        }
    }

    // The key and the message of an entry of a map.
    static std::pair<std::int64_t, std::string_view> entry_of(std::string_view entry) {
        std::pair<std::int64_t, std::string_view> found{0, {}};
        WireReader reader(entry);
        for (WireField field; reader.next(field);) {
            if (field.number == 1) found.first = static_cast<std::int64_t>(field.value);
            if (field.number == 2) found.second = field.bytes;
        }
        return found;
    }

    void add_event_name(XPlaneFacts& plane) {
        const auto [key, message] = entry_of(message_);
        std::string_view name, display;
        std::string stats;
        WireReader reader(message);
        for (WireField field; reader.next(field);) {
            if (field.number == 2) name = field.bytes;
            if (field.number == 4) display = field.bytes;
            const bool fits = field.bytes.size() + stats.size() < kMostStats;
            if (field.number == 5 && fits && plane.kind != XPlaneKind::Host)
                stats.append(length_of(field.bytes.size())).append(field.bytes);
        }
        if (plane.events.size() >= kMostNames) return;
        plane.events.insert_or_assign(key, XEventName{.name = short_name(name, display), .stats = std::move(stats)});
    }

    void add_stat_name(XPlaneFacts& plane) {
        const auto [key, message] = entry_of(message_);
        WireReader reader(message);
        for (WireField field; reader.next(field);)
            if (field.number == 2 && field.is_bytes && plane.stats.size() < kMostNames)
                plane.stats.insert_or_assign(key, name_text(field.bytes));
    }

    void add_plane_stat(XPlaneFacts& plane, std::string_view message) {
        const XStat stat = parse_xstat(message, plane);
        const auto key = plane.stats.find(stat.key);
        const auto value = static_cast<std::int64_t>(stat.bits);
        if (key == plane.stats.end() || value < 0) return;
        if (key->second == "memory_size") plane.memory_bytes = value;
        if (key->second == "core_count") plane.multiprocessors = value;
        if (key->second == "profile_start_time") facts_.start_utc_ns = value;
    }

    static void count_work(XPlaneFacts& plane) {
        for (const XLineFacts& line : plane.lines)
            if (kind_of_line(plane, line) != XLineKind::Annotation) plane.work += line.events;
    }

    WireStream& stream_;
    const JobContext& context_;
    XSpaceFacts facts_;
    std::string message_;
};

}  // namespace

double XStat::real() const { return std::bit_cast<double>(bits); }

XStat parse_xstat(std::string_view message, const XPlaneFacts& plane) {
    XStat stat;
    WireReader reader(message);
    for (WireField field; reader.next(field);) {
        stat.bits = field.number >= 2 && field.number <= 4 ? field.value : stat.bits;
        switch (field.number) {
            case 1:
                stat.key = static_cast<std::int64_t>(field.value);
                break;
            case 2:
                stat.type = XStat::Type::Real;
                break;
            case 3:
                stat.type = XStat::Type::Unsigned;
                break;
            case 4:
                stat.type = XStat::Type::Integer;
                break;
            case 5:
                stat.type = XStat::Type::Text;
                stat.text = field.bytes;
                break;
            case 7:
                if (const auto text = plane.stats.find(static_cast<std::int64_t>(field.value));
                    text != plane.stats.end()) {
                    stat.type = XStat::Type::Text;
                    stat.text = text->second;
                }
                break;
            default:  // bytes of any kind
                break;
        }
    }
    return stat;
}

XSpaceFacts read_xspace_facts(WireStream& stream, const JobContext& context) {
    return FactReader(stream, context).read();
}

XLineKind kind_of_line(const XPlaneFacts& plane, const XLineFacts& line) {
    const std::string& name = line.display_name.empty() ? line.name : line.display_name;
    if (plane.kind == XPlaneKind::Gpu) return name.starts_with("Stream") ? XLineKind::Work : XLineKind::Annotation;
    if (plane.kind != XPlaneKind::Tpu) return XLineKind::Annotation;
    if (name == "XLA Ops") return XLineKind::Work;
    return name == "Async XLA Ops" ? XLineKind::AsynchronousWork : XLineKind::Annotation;
}

bool begins_xplane(std::string_view head) {
    std::uint64_t tag = 0, length = 0;
    if (!take_varint(head, tag) || tag != (1 << 3 | 2) || !take_varint(head, length) || length == 0) return false;
    WireReader reader(head.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(length, head.size()))));
    for (WireField field; reader.next(field) && field.number <= 2;) {
        if (field.number == 1 && field.is_bytes) return false;
        if (field.number == 2)
            return field.is_bytes && (field.bytes.starts_with("/device:") || field.bytes.starts_with("/host:") ||
                                      field.bytes == "Task Environment");
    }
    return false;
}

}  // namespace core
