#include "core/analysis/telemetry/rank_samples.hpp"

#include "core/analysis/telemetry/align_log.hpp"
#include "core/analysis/telemetry/place_gpus.hpp"
#include "core/base/ascii.hpp"
#include "core/base/format.hpp"
#include "core/telemetry/log_lines.hpp"
#include "core/telemetry/read_telemetry.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <set>

namespace core {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kFirstWallClock = 1'000'000'000 * kSecond;  // 2001: times before are since some start

bool has_wall_clock(const RankSlot& rank) { return ns_of(rank.index->gpu_window().begin) >= kFirstWallClock; }

// The span of GPU work, on a clock of UTC; absent: no rank has one.
std::optional<TelemetryWindow> window_of(const Run& run, std::span<const std::uint32_t> slots) {
    std::optional<TelemetryWindow> window;
    for (const std::uint32_t slot : slots) {
        const RankRange own = run.rank(slot).index->gpu_window();
        if (own.empty() || !has_wall_clock(run.rank(slot))) continue;
        if (!window) window = TelemetryWindow{.begin = ns_of(own.begin), .end = ns_of(own.end)};
        window->begin = std::min(window->begin, ns_of(own.begin));
        window->end = std::max(window->end, ns_of(own.end));
    }
    return window;
}

std::vector<std::uint32_t> all_slots(const Run& run) {
    std::vector<std::uint32_t> slots(run.ranks().size());
    for (std::uint32_t slot = 0; slot < slots.size(); ++slot) slots[slot] = slot;
    return slots;
}

std::vector<std::filesystem::path> log_paths(const Run& run) {
    std::vector<std::filesystem::path> paths;
    for (const Companion& companion : run.companions())
        if (companion.trace().info.trace_name == kTelemetryLog) paths.push_back(companion.trace().info.path);
    std::ranges::sort(paths);
    return paths;
}

// Runs of the same ranks follow each other when clocks or ranks change, and need not read the logs again.
struct LogsKey {
    std::vector<std::filesystem::path> paths;
    std::vector<std::filesystem::file_time_type> changed;
    std::int64_t begin = 0, end = 0;
    bool operator==(const LogsKey&) const = default;
};

std::shared_ptr<const TelemetryLogs> read_logs(const Run& run, TelemetryWindow window) {
    static std::mutex mutex;
    static std::pair<LogsKey, std::shared_ptr<const TelemetryLogs>> kept;
    LogsKey key{.paths = log_paths(run), .changed = {}, .begin = window.begin, .end = window.end};
    for (const std::filesystem::path& path : key.paths) {
        std::error_code ignored;
        key.changed.push_back(std::filesystem::last_write_time(path, ignored));
    }
    const std::lock_guard lock(mutex);
    if (kept.second && kept.first == key) return kept.second;
    kept.second = std::make_shared<const TelemetryLogs>(read_telemetry(key.paths, window, JobContext{}));
    kept.first = std::move(key);
    return kept.second;
}

// Takes samples of a metric unless better ones are there; the trace itself comes first, then what has the most in the
// window.
void offer(RankSamples& rank, Metric metric, MetricSamples samples, RankRange window) {
    const auto inside = [&](const MetricSamples& one) {
        const auto begin = std::ranges::lower_bound(one.time, window.begin);
        return std::ranges::lower_bound(one.time, window.end) - begin;
    };
    MetricSamples& known = rank.metrics[static_cast<std::size_t>(metric)];
    if (samples.empty() || known.source == "trace" || (!known.empty() && inside(known) >= inside(samples))) return;
    known = std::move(samples);
}

void add_gpu(const GpuSamples& gpu, std::int64_t offset, std::string_view source, const RankSlot& slot,
             const PlacedGpu& place, RankSamples& rank) {
    const std::int64_t hold = hold_of(gpu.time);
    for (std::size_t m = 0; m < kMetrics; ++m) {
        const std::vector<double>& column = gpu.values[m];
        MetricSamples samples{.time = {}, .value = {}, .hold = Duration{hold}, .source = std::string(source)};
        for (std::size_t i = 0; i < column.size(); ++i) {
            if (std::isnan(column[i])) continue;
            samples.time.push_back(rank_time(gpu.time[i] - offset));
            samples.value.push_back(column[i]);
        }
        offer(rank, static_cast<Metric>(m), std::move(samples), slot.index->gpu_window());
    }
    if (!rank.empty() && rank.is_measured) return;
    rank.mapping = place.how;
    if (gpu.gpu.uuid.starts_with("MIG-")) rank.mapping += ", MIG: clock and power are those of the whole GPU";
    rank.is_measured = place.is_measured;
}

// "GPU 3 Counters" of Kineto's counters is the GPU's ordinal in the process.
std::int64_t gpu_of_counters(const RankTrace& trace, const CounterTrack& track) {
    const Process& process = trace.processes[track.process];
    if (process.device >= 0) return process.device;
    for (const NameId text : {process.pid, process.name}) {
        const std::string_view name = trace.text(text);
        if (!contains_any_case(name, "gpu")) continue;
        const std::size_t digit = name.find_first_of("0123456789");
        if (digit == std::string_view::npos) continue;
        const std::string_view digits = name.substr(digit);
        return trailing_number(digits.substr(0, digits.find_first_not_of("0123456789")));
    }
    return -1;
}

void add_counters(const RankSlot& slot, RankSamples& rank) {
    const RankTrace& trace = slot.trace();
    const std::int64_t own = main_gpu_of(trace);
    for (const CounterTrack& track : trace.counters) {
        const FieldMeaning meaning = meaning_of(trace.text(track.name));
        if (meaning.field != LogField::Value || gpu_of_counters(trace, track) != own || own < 0) continue;
        MetricSamples samples{.time = {}, .value = {}, .hold = {}, .source = "trace"};
        std::vector<std::int64_t> times;
        for (std::uint64_t i = track.first; i < track.last; ++i) {
            if (!std::isfinite(trace.counter_values[i])) continue;
            samples.time.push_back(trace.counter_times[i]);
            samples.value.push_back(trace.counter_values[i] * meaning.factor);
            times.push_back(ns_of(trace.counter_times[i]));
        }
        if (samples.empty() || !std::ranges::is_sorted(samples.time)) continue;
        samples.hold = Duration{hold_of(times)};
        rank.metrics[static_cast<std::size_t>(meaning.metric)] = std::move(samples);
        rank.mapping = "in the trace";
        rank.is_measured = true;
    }
}

class LogJoiner {
public:
    LogJoiner(const Run& run, const TelemetryLogs& logs, Telemetry& to) : run_(run), logs_(logs), to_(to) {}

    void join(TelemetryWindow whole) {
        std::vector<bool> in_time;
        for (const TelemetryLog& log : logs_.logs) {
            JoinedLog& joined = to_.logs.emplace_back(JoinedLog{.file = log.path.filename().string(),
                                                                .kind = log.kind,
                                                                .rows = log.rows,
                                                                .unread = log.unread,
                                                                .is_cut = log.is_cut,
                                                                .failure = log.failure});
            offsets_.push_back(offsets_of(log, whole));
            refuse_by_form(log, offsets_.back(), joined);
            in_time.push_back(joined.fate == LogFate::Used);
        }
        const GpuPlaces places =
            place_gpus(run_, logs_, in_time, [&](std::size_t log, std::size_t gpu, std::uint32_t slot) {
                return compare_activity(logs_.logs[log].gpus[gpu], offsets_[log].front(), run_.rank(slot));
            });
        for (std::size_t log = 0; log < logs_.logs.size(); ++log)
            if (in_time[log]) use_log(log, places);
        // Once every log has named its GPUs: an error has a PCI address alone, whose rank another log can know.
        for (std::size_t log = 0; log < logs_.logs.size(); ++log)
            if (in_time[log] && to_.logs[log].fate == LogFate::Used)
                add_errors(logs_.logs[log], to_.logs[log].utc_offset * kSecond);
        std::ranges::stable_sort(to_.errors, {}, &JoinedError::time);
    }

private:
    // By the windows of the ranks on its hosts.
    std::vector<std::int64_t> offsets_of(const TelemetryLog& log, TelemetryWindow whole) const {
        std::set<std::uint32_t> slots;
        for (const GpuSamples& gpu : log.gpus)
            for (const std::uint32_t slot : slots_on_host(run_, gpu.gpu, log.path)) slots.insert(slot);
        const std::vector<std::uint32_t> on_hosts(slots.begin(), slots.end());
        return find_offsets(log, window_of(run_, on_hosts).value_or(whole));
    }

    static void refuse_by_form(const TelemetryLog& log, std::span<const std::int64_t> offsets, JoinedLog& joined) {
        const auto refuse = [&](LogFate fate, std::string_view why) {
            joined.fate = fate;
            joined.why = why;
        };
        if (!log.has_header)
            refuse(LogFate::NoHeader, "its columns have no header: --telemetry-columns names them");
        else if (!log.has_time)
            refuse(LogFate::NoTime, "its lines have no time");
        else if (offsets.empty())
            refuse(LogFate::OtherTime, log.has_zone
                                           ? "none of its times are in the trace"
                                           : "no UTC offset of -12:00 to +14:00 makes the log overlap the trace");
    }

    void use_log(std::size_t number, const GpuPlaces& places) {
        const TelemetryLog& log = logs_.logs[number];
        JoinedLog& joined = to_.logs[number];
        if (!log.gpus.empty() && places.fates[number] != LogFate::Used) {
            joined.fate = places.fates[number];
            joined.why = places.why[number];
            return;
        }
        const std::optional<std::int64_t> offset = choose_offset(number, places);
        if (!offset) {
            joined.fate = LogFate::ZoneUndecided;
            joined.why = format_plural(offsets_[number].size(), "UTC offset fits", "UTC offsets fit") +
                         ", and none clearly best: --telemetry-utc says it";
            return;
        }
        joined.utc_offset = *offset / kSecond;
        joined.is_zone_found = !log.has_zone;
        add_samples(log, places.logs[number], *offset, joined);
    }

    // Chooses the one of several offsets at which activity agrees with the traces, clearly more than at any other.
    std::optional<std::int64_t> choose_offset(std::size_t number, const GpuPlaces& places) const {
        constexpr double kLeastAlike = 0.6, kClearlyMore = 0.2;
        const std::vector<std::int64_t>& offsets = offsets_[number];
        if (offsets.size() == 1) return offsets.front();
        double best = -2, next = -2;
        std::int64_t at = 0;
        for (const std::int64_t offset : offsets) {
            double sum = 0;
            int count = 0;
            for (std::size_t gpu = 0; gpu < places.logs[number].size(); ++gpu)
                for (const std::uint32_t slot : places.logs[number][gpu].slots)
                    if (const auto alike = compare_activity(logs_.logs[number].gpus[gpu], offset, run_.rank(slot))) {
                        sum += *alike;
                        ++count;
                    }
            const double alike = count == 0 ? -2 : sum / count;
            if (alike > best) {
                next = best;
                best = alike;
                at = offset;
            } else {
                next = std::max(next, alike);
            }
        }
        return best >= kLeastAlike && best >= next + kClearlyMore ? std::optional(at) : std::nullopt;
    }

    void add_samples(const TelemetryLog& log, const std::vector<PlacedGpu>& places, std::int64_t offset,
                     JoinedLog& joined) {
        for (std::size_t gpu = 0; gpu < log.gpus.size(); ++gpu) {
            for (const std::uint32_t slot : places[gpu].slots) {
                const RankSlot& rank = run_.rank(slot);
                if (!has_wall_clock(rank)) continue;
                add_gpu(log.gpus[gpu], offset, name_of(log.kind), rank, places[gpu], to_.ranks[slot]);
                const RankRange window = rank.index->gpu_window();
                const auto& times = log.gpus[gpu].time;
                joined.in_window +=
                    static_cast<std::uint64_t>(std::ranges::lower_bound(times, ns_of(window.end) + offset) -
                                               std::ranges::lower_bound(times, ns_of(window.begin) + offset));
                if (!joined.mapping.empty()) joined.mapping += ", ";
                joined.mapping += "rank " + format_rank(rank.key) + " = " + describe_gpu(log.gpus[gpu].gpu);
            }
            for (const std::uint32_t slot : places[gpu].slots) slots_of_gpu_[name_key(log.gpus[gpu].gpu)].insert(slot);
        }
    }

    static std::string name_key(const LoggedGpu& gpu) { return gpu.bus.empty() ? gpu.uuid : plain_bus(gpu.bus); }

    // Hosts have the same addresses: of several ranks it is the one on the host that the line names, or none.
    std::optional<std::uint32_t> find_slot(const LoggedGpu& gpu) const {
        const auto known = slots_of_gpu_.find(name_key(gpu));
        if (known == slots_of_gpu_.end()) return std::nullopt;
        std::optional<std::uint32_t> found;
        for (const std::uint32_t slot : known->second) {
            if (known->second.size() > 1 && (gpu.host.empty() || run_.rank(slot).trace().info.host != gpu.host))
                continue;
            if (found) return std::nullopt;
            found = slot;
        }
        return found;
    }

    void add_errors(const TelemetryLog& log, std::int64_t offset) {
        for (const XidError& error : log.errors) {
            const std::optional<std::uint32_t> slot = find_slot(error.gpu);
            const RankSlot& rank = run_.rank(slot.value_or(0));
            to_.errors.push_back({.slot = slot,
                                  .time = rank.to_run(rank_time(error.time - offset)),
                                  .number = error.number,
                                  .gpu = describe_gpu(error.gpu)});
        }
    }

    const Run& run_;
    const TelemetryLogs& logs_;
    Telemetry& to_;
    std::vector<std::vector<std::int64_t>> offsets_;
    std::map<std::string, std::set<std::uint32_t>> slots_of_gpu_;
};

// Why a rank has no samples of its clock.
std::string explain_no_clock(const Telemetry& telemetry) {
    if (telemetry.logs.empty()) return "no clock data";
    for (const JoinedLog& log : telemetry.logs)
        if (!log.why.empty()) return log.file + ": " + log.why;
    return "no log has the clock of its GPU";
}

std::shared_ptr<const Telemetry> join_telemetry(const Run& run) {
    auto telemetry = std::make_shared<Telemetry>();
    telemetry->ranks.resize(run.ranks().size());
    for (std::size_t slot = 0; slot < run.ranks().size(); ++slot) add_counters(run.rank(slot), telemetry->ranks[slot]);
    const std::vector<std::filesystem::path> paths = log_paths(run);
    if (!paths.empty() && !run.ranks().empty()) {
        const std::optional<TelemetryWindow> window = window_of(run, all_slots(run));
        const std::shared_ptr<const TelemetryLogs> logs = read_logs(run, window.value_or(TelemetryWindow{}));
        LogJoiner(run, *logs, *telemetry).join(window.value_or(TelemetryWindow{}));
    }
    for (RankSamples& rank : telemetry->ranks)
        if (rank.of(Metric::SmClock).empty()) rank.why = explain_no_clock(*telemetry);
    return telemetry;
}

}  // namespace

Level level_of(const MetricSamples& samples, RankRange range) {
    Level level;
    double sum = 0;
    std::int64_t count = 0;
    auto at = static_cast<std::size_t>(
        std::distance(samples.time.begin(), std::ranges::lower_bound(samples.time, range.begin)));
    for (; at < samples.time.size() && samples.time[at] < range.end; ++at) {
        sum += samples.value[at];
        ++count;
        level.most = std::max(level.most.value_or(samples.value[at]), samples.value[at]);
    }
    if (count > 0) level.mean = sum / static_cast<double>(count);
    return level;
}

bool Telemetry::has_samples() const {
    return std::ranges::any_of(ranks, [](const RankSamples& rank) { return !rank.empty(); });
}

std::shared_ptr<const Telemetry> telemetry_of(const Run& run) {
    return run.derived().get<Telemetry>([&] { return join_telemetry(run); });
}

namespace {

struct HasTelemetry {
    bool has = false;
};

bool look_for_telemetry(const Run& run) {
    const auto is_log_of_gpus = [](const Companion& c) { return c.trace().info.trace_name == kTelemetryLog; };
    if (std::ranges::any_of(run.companions(), is_log_of_gpus)) return true;
    return std::ranges::any_of(run.ranks(), [](const RankSlot& rank) {
        const RankTrace& trace = rank.trace();
        return std::ranges::any_of(trace.counters, [&](const CounterTrack& track) {
            return meaning_of(trace.text(track.name)).field == LogField::Value;
        });
    });
}

}  // namespace

bool may_have_telemetry(const Run& run) {
    return run.derived()
        .get<HasTelemetry>([&] { return std::make_shared<const HasTelemetry>(look_for_telemetry(run)); })
        ->has;
}

std::string format_utc_offset(std::int64_t seconds) {
    if (seconds == 0) return "UTC";
    const std::int64_t minutes = std::abs(seconds) / 60;
    const auto two = [](std::int64_t number) { return (number < 10 ? "0" : "") + std::to_string(number); };
    return std::string("UTC") + (seconds < 0 ? "-" : "+") + two(minutes / 60) + ":" + two(minutes % 60);
}

std::string describe_log(const JoinedLog& log) {
    std::string text = log.file + " (" + std::string(name_of(log.kind)) + "): ";
    if (log.fate != LogFate::Used)
        text += "ignored, " + log.why;
    else if (log.mapping.empty())
        text += "errors only, " + format_utc_offset(log.utc_offset);
    else
        text += format_utc_offset(log.utc_offset) + ", " + log.mapping + "; " +
                format_plural(log.in_window, "row", "rows") + " in the GPU window";
    if (log.unread > 0) text += "; " + format_plural(log.unread, "line", "lines") + " not understood";
    if (log.is_cut) text += "; more rows near the traces than are held";
    if (!log.failure.empty()) text += "; ends early: " + log.failure;
    return text;
}

std::int64_t main_gpu_of(const RankTrace& trace) {
    std::map<std::int64_t, std::uint64_t> events;
    for (const Track& track : trace.tracks) {
        if (track.kind != TrackKind::Stream || trace.processes[track.process].device < 0) continue;
        for (std::uint32_t i = track.first_lane; i < track.first_lane + track.lane_count; ++i)
            events[trace.processes[track.process].device] +=
                index_of(trace.lanes[i].last) - index_of(trace.lanes[i].first);
    }
    const auto most = std::ranges::max_element(events, {}, [](const auto& one) { return one.second; });
    return most == events.end() ? -1 : most->first;
}

}  // namespace core
