#include "core/telemetry/read_telemetry.hpp"

#include "core/base/ascii.hpp"
#include "core/ingest/source/line_reader.hpp"
#include "core/telemetry/log_lines.hpp"
#include "core/telemetry/telemetry_settings.hpp"

#include <algorithm>

namespace core {
namespace {

constexpr std::size_t kTelemetryHead = std::size_t{64} << 10;
constexpr std::size_t kLongestLine = std::size_t{64} << 10;
constexpr int kLinesLookedAt = 64;

bool has_text(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool has_any(std::string_view text, std::initializer_list<std::string_view> parts) {
    return std::ranges::any_of(parts, [&](std::string_view part) { return contains_any_case(text, part); });
}

// "2026/09/02 21:14:03.117, 2, …": nvidia-smi's way to write a time, and values behind it.
bool is_row_without_header(std::string_view line) {
    const std::optional<FoundTime> time = find_time(line);
    if (!time || line.size() < 5 || line[4] != '/' || !trim_spaces(line.substr(time->end)).starts_with(','))
        return false;
    return std::ranges::count(line, ',') >= 2;
}

std::optional<TelemetryKind> kind_of_table(std::string_view line) {
    if (!has_text(line, ",") || is_digit(line.front()) || !is_table_header(line)) return std::nullopt;
    const bool is_nvidia = has_any(line, {"clocks.", "power.draw", "utilization.gpu", "temperature.gpu", "_reasons.",
                                          "pcie.link", "ecc.errors", "power.limit"});
    if (is_nvidia) return TelemetryKind::QueryCsv;
    const bool is_amd = has_any(line, {"gfx", "sclk", "socket_power", "socket power", "hotspot", "edge"});
    if (is_amd) return TelemetryKind::AmdCsv;
    // A table of one's own needs a time and a clock or power.
    const bool has_clock = has_any(line, {"sm_clock", "power_w", "power_watts"});
    return has_clock && has_any(line, {"time", "ts"}) ? std::optional(TelemetryKind::QueryCsv) : std::nullopt;
}

bool is_sample_object(std::string_view line) {
    return has_any(line, {"sm_clock", "clocks.sm", "clock_sm", "power_w", "power_mw", "power_draw", "power.draw",
                          "throttle_reasons", "clocks_event_reasons", "clocks.current.sm"}) &&
           has_any(line, {"\"timestamp", "\"ts\"", "\"time\""});
}

std::optional<TelemetryKind> kind_of_line(std::string_view line) {
    if (line.front() == '{') return is_sample_object(line) ? std::optional(TelemetryKind::JsonLines) : std::nullopt;
    if (line.starts_with("DCGM_FI_") || line.starts_with("# HELP DCGM_FI_")) return TelemetryKind::Exporter;
    if (has_text(line, "NVRM: Xid (") || has_text(line, "NVRM: GPU at ")) return TelemetryKind::KernelLog;
    if (const std::size_t mark = line.find('#'); mark < 64) {
        const std::string_view names = line.substr(mark);
        if (names.starts_with("#Entity") || names.starts_with("# Entity")) return TelemetryKind::DcgmDmon;
        const bool has_gpu = has_text(names, " gpu ") || has_text(names, "#gpu");
        if (has_gpu && has_any(names, {"pwr", "pclk", "gtemp", " sm "})) return TelemetryKind::Dmon;
        return std::nullopt;
    }
    if (is_row_without_header(line)) return TelemetryKind::QueryCsv;
    return kind_of_table(line);
}

std::string_view take_line(std::string_view& text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return trim_spaces(line);
}

std::string read_head_of(const std::filesystem::path& path) {
    Result<std::unique_ptr<ByteSource>> source = open_bytes(path);
    if (!source) return {};
    std::string head(kTelemetryHead, '\0');
    const Result<std::size_t> got = read_fully(**source, head);
    head.resize(got ? *got : 0);
    return head;
}

std::string_view without_mark(std::string_view text) {
    return text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text;
}

// The header of a table; empty: it has none.
std::string header_in(std::string_view head) {
    head = without_mark(head);
    for (int i = 0; i < kLinesLookedAt && !head.empty(); ++i) {
        const std::string_view line = take_line(head);
        if (!line.empty() && !is_digit(line.front()) && is_table_header(line)) return std::string(line);
    }
    return {};
}

std::size_t columns_in(std::string_view line) { return static_cast<std::size_t>(std::ranges::count(line, ',')) + 1; }

// Tables with a header, by folder: for those of the same folder that have none.
struct KnownHeader {
    std::filesystem::path folder;
    std::string header;
};

std::string header_for(const std::filesystem::path& path, std::string_view head, std::span<const KnownHeader> known,
                       const TelemetrySettings& settings) {
    if (!header_in(head).empty()) return {};
    if (!settings.columns.empty()) return settings.columns;
    std::string_view rest = without_mark(head);
    std::string_view line;
    while (line.empty() && !rest.empty()) line = take_line(rest);
    const std::string* found = nullptr;
    for (const KnownHeader& one : known) {
        if (one.folder != path.parent_path() || columns_in(one.header) != columns_in(line)) continue;
        if (found && *found != one.header) return {};
        found = &one.header;
    }
    return found ? *found : std::string();
}

// "gpu3", "GPU_3", "rank3" in a name.
std::int64_t number_after(std::string_view name, std::string_view word) {
    for (std::size_t at = 0; at + word.size() < name.size(); ++at) {
        if (!contains_any_case(name.substr(at, word.size()), word)) continue;
        std::size_t digits = at + word.size();
        if (name[digits] == '_' || name[digits] == '-') ++digits;
        std::size_t end = digits;
        while (end < name.size() && is_digit(name[end])) ++end;
        if (end > digits) return trailing_number(name.substr(digits, end - digits));
    }
    return -1;
}

LoggedGpu gpu_in_name(const std::filesystem::path& path) {
    const std::string name = path.filename().string();
    return {.host = {}, .uuid = {}, .bus = {}, .index = number_after(name, "gpu"), .rank = number_after(name, "rank")};
}

std::unique_ptr<LogLines> lines_of(TelemetryKind kind, const std::string& header, const std::filesystem::path& path) {
    switch (kind) {
        case TelemetryKind::QueryCsv:
        case TelemetryKind::AmdCsv:
            return make_table_lines(header, gpu_in_name(path));
        case TelemetryKind::Dmon:
        case TelemetryKind::DcgmDmon:
            return make_dmon_lines();
        case TelemetryKind::Exporter:
            return make_exporter_lines();
        case TelemetryKind::KernelLog:
            return make_kernel_lines();
        case TelemetryKind::JsonLines:
            return make_json_lines();
    }
    return nullptr;
}

void read_lines(ByteSource& source, LogLines& lines, LogBuilder& builder, TelemetryLog& log,
                const JobContext& context) {
    LineReader reader(source, kLongestLine);
    std::string_view line;
    for (;;) {
        const Result<bool> more = reader.next(line);
        if (!more) {
            log.failure = more.error().message;
            return;
        }
        constexpr std::uint64_t kLinesBetweenChecks = 4'096;
        if (!*more || (reader.number() % kLinesBetweenChecks == 0 && context.cancelled())) return;
        // The last line of a log that is still written may be cut within a number.
        const bool is_cut = reader.is_cut() || (reader.is_last_open() && reader.number() > 1);
        if (is_cut && log.kind != TelemetryKind::JsonLines) {
            builder.count_unread();
            continue;
        }
        lines.add_line(reader.number() == 1 ? without_mark(line) : line, builder);
    }
}

}  // namespace

std::optional<TelemetryKind> recognise_telemetry(std::string_view head) {
    head = without_mark(head);
    if (head.find('\0') != std::string_view::npos) return std::nullopt;
    for (int i = 0; i < kLinesLookedAt && !head.empty(); ++i) {
        const std::string_view line = take_line(head).substr(0, kLongestLine);
        if (line.empty()) continue;
        if (const std::optional<TelemetryKind> kind = kind_of_line(line)) return kind;
    }
    return has_text(head, "NVRM: Xid (") ? std::optional(TelemetryKind::KernelLog) : std::nullopt;
}

std::optional<TelemetryKind> recognise_telemetry_file(const std::filesystem::path& path) {
    return recognise_telemetry(read_head_of(path));
}

TelemetryLogs read_telemetry(std::span<const std::filesystem::path> paths, TelemetryWindow window,
                             const JobContext& context) {
    const std::shared_ptr<const TelemetrySettings> settings = telemetry_settings();
    TelemetryLogs logs{.logs = {}, .map = settings->map};
    std::vector<KnownHeader> headers;
    for (const std::filesystem::path& path : paths)
        if (std::string header = header_in(read_head_of(path)); !header.empty())
            headers.push_back({.folder = path.parent_path(), .header = std::move(header)});
    for (const std::filesystem::path& path : paths) {
        const std::string head = read_head_of(path);
        const std::optional<TelemetryKind> kind = recognise_telemetry(head);
        Result<std::unique_ptr<ByteSource>> source = open_bytes(path);
        if (!kind || !source || context.cancelled()) continue;
        TelemetryLog& log = logs.logs.emplace_back(TelemetryLog{.path = path, .kind = *kind});
        LogBuilder builder(log, window, settings->utc_offset);
        const std::unique_ptr<LogLines> lines = lines_of(*kind, header_for(path, head, headers, *settings), path);
        read_lines(**source, *lines, builder, log, context);
        builder.finish();
    }
    return logs;
}

}  // namespace core
