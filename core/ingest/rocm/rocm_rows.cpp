#include "core/ingest/rocm/rocm_rows.hpp"

#include "core/base/ascii.hpp"
#include "core/base/format.hpp"
#include "core/ingest/json/timestamp.hpp"

#include <algorithm>
#include <array>
#include <tuple>

namespace core {
namespace {

constexpr std::int64_t kMostDevice = 4095;
constexpr std::int64_t kMostLocalDevices = 64;  // a process with a smaller number is not named like a device
constexpr std::size_t kMostRanks = 4096;        // of one file
constexpr std::uint64_t kMostSampleCopies = 10'000'000;
constexpr std::size_t kMostNames = 1'000'000;   // of processes or threads

// So that base + time + duration always fits.
std::int64_t clamp_time(std::int64_t ns) { return std::clamp(ns, -kLongestTime, kLongestTime); }

std::string pid_text(std::int64_t pid) {
    return pid < kMostLocalDevices ? "process " + std::to_string(pid) : std::to_string(pid);
}

}  // namespace

bool RocmRows::each(std::string_view table, std::span<const std::string_view> columns,
                    const std::function<void(const SqliteRows&)>& read) {
    table_ = table;
    const bool whole = tables_.each(table, columns, job_, read);
    on_table_read_();
    return whole;
}

void RocmRows::add_process(const RocmProcessId& id, const RocmProcess& process) {
    if (processes_.size() < kMostNames) processes_.try_emplace(id, process);
}

const RocmProcess* RocmRows::find_process(const RocmProcessId& id) const {
    const auto found = processes_.find(id);
    return found == processes_.end() ? nullptr : &found->second;
}

void RocmRows::name_thread(std::int64_t pid, std::int64_t thread, std::string_view name) {
    if (!name.empty() && thread_names_.size() < kMostNames)
        thread_names_.try_emplace({pid, thread}, tables_.repaired(name, scratch_));
}

void RocmRows::close_ranks() {
    if (ranks_.empty()) find_rank(kAnyRocmProcess, true);
    closed_ = true;
}

RocmRank* RocmRows::find_rank(const RocmProcessId& id, bool on_gpu) {
    const auto known = rank_of_process_.find(id);
    if (known != rank_of_process_.end()) return known->second;
    if (on_gpu && !closed_ && ranks_.size() < kMostRanks) {
        ranks_.push_back(std::make_unique<RocmRank>(RocmRank{.process = id}));
        return rank_of_process_[id] = ranks_.back().get();
    }
    if (ranks_.size() == 1) return ranks_.front().get();
    ++left_out_[id];
    return nullptr;
}

std::string RocmRows::place(const SqliteRows& row) const { return table_ + " row " + std::to_string(row.id()); }

void RocmRows::drop(std::string_view kind, const SqliteRows& row, std::string_view why) {
    auto entry = std::ranges::find(dropped_, kind, &Dropped::kind);
    if (entry == dropped_.end())
        entry = dropped_.insert(entry, {.kind = std::string(kind), .first = place(row) + ": " + std::string(why)});
    ++entry->rows;
}

void RocmRows::add_sample(std::uint32_t part, std::int64_t device, std::string_view name, std::int64_t time_ns,
                          double value) {
    bool is_added = false;
    for (const std::unique_ptr<RocmRank>& rank : ranks_) {
        const bool uses = rank->devices.contains(device) && rank->process.first == part;
        if (ranks_.size() > 1 && !uses) continue;
        if (is_added && ++sample_copies_ > kMostSampleCopies) break;
        rank->stage.add_counter(clamp_time(time_ns), std::to_string(device), name, name, value);
        is_added = true;
    }
    if (!is_added) ++samples_left_out_[device];
}

void RocmRows::set_times(RocmRank& rank, const SqliteRows& row, const RocmTimes& times) {
    const std::int64_t start = clamp_time(*times.start_ns), end = clamp_time(*times.end_ns);
    if (start != *times.start_ns || end != *times.end_ns || end - start > kLongestTime)
        rank.stage.note("absurd-duration", place(row));
    if (end < start) rank.stage.note("negative-duration", place(row));
    event = StagedRow{};
    event.start_ns = start;
    event.duration_ns = std::clamp<std::int64_t>(end - start, 0, kLongestTime);
    event.pid = pid_;
    event.tid = tid_;
    arguments.clear();
}

RocmRank* RocmRows::begin_gpu_row(const SqliteRows& row, const RocmProcessId& id, const RocmTimes& times,
                                  std::int64_t device, std::string stream, std::string_view device_name) {
    if (!times.start_ns || !times.end_ns || device < 0 || device > kMostDevice) {
        drop("event-malformed", row, times.start_ns && times.end_ns ? "no such device" : "no usable start or end");
        return nullptr;
    }
    RocmRank* const rank = find_rank(id, true);
    if (rank == nullptr) return nullptr;
    rank->first_device = std::min(rank->first_device, device);
    rank->devices.try_emplace(device, device_name);
    pid_ = std::to_string(device);
    tid_ = std::move(stream);
    set_times(*rank, row, times);
    arguments.add("device", Arg::Device, device);
    return rank;
}

RocmRank* RocmRows::begin_thread_row(const SqliteRows& row, const RocmProcessId& id, const RocmTimes& times,
                                     std::int64_t thread) {
    if (!times.start_ns || !times.end_ns) {
        drop("event-malformed", row, "no usable start or end");
        return nullptr;
    }
    RocmRank* const rank = find_rank(id, false);
    if (rank == nullptr) return nullptr;
    const RocmProcess* const process = find_process(id);
    const std::int64_t pid = process != nullptr ? process->pid : id.second;
    if (rank->threads.size() < kMostNames) rank->threads.insert({pid, thread});
    pid_ = pid_text(pid);
    tid_ = std::to_string(thread);
    set_times(*rank, row, times);
    return rank;
}

void RocmRows::finish_row(RocmRank& rank, const SqliteRows& row) {
    arguments.add("table", table_);
    arguments.add("row", row.id());
    rank.stage.add(event, arguments);
}

void RocmRows::add_optional(std::string_view key, const SqliteRows& row, std::size_t column) {
    if (const auto value = row.integer(column)) arguments.add(key, *value);
}

void RocmRows::add_bytes(std::optional<std::int64_t> bytes) {
    if (!bytes) return;
    if (*bytes < 0) return arguments.add("bytes", *bytes);
    arguments.add("bytes", Arg::Bytes, *bytes);
    if (event.duration_ns <= 0) return;
    // Bytes per nanosecond are GB/s; the column holds MB/s.
    const double rate = static_cast<double>(*bytes) / static_cast<double>(event.duration_ns);
    arguments.add_json("memory bandwidth (GB/s)", std::to_string(rate));
    const double column = rate * 1000 + 0.5;
    if (column < 9e15) arguments.add_column(Arg::BandwidthMbPerS, static_cast<std::int64_t>(column));
}

std::string RocmRows::name_copy(std::string_view name) {
    std::string word;
    for (const char c : name)
        if (c != '_') word += lower_ascii(c);
    const auto has = [&](std::string_view part) { return word.find(part) != std::string::npos; };
    constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kKinds{{
        {"hosttodevice", "Memcpy HtoD (Host -> Device)"},
        {"devicetohost", "Memcpy DtoH (Device -> Host)"},
        {"devicetodevice", "Memcpy DtoD (Device -> Device)"},
        {"peertopeer", "Memcpy PtoP (Device -> Device)"},
        {"hosttohost", "Memcpy HtoH (Host -> Host)"},
    }};
    if (!name.empty()) arguments.add("operation", name);
    for (const auto& [part, text] : kKinds)
        if (has(part)) return std::string(text);
    return "Memcpy";
}

void RocmRows::count_left_out() {
    for (const auto& [device, count] : samples_left_out_)
        tables_.diagnostics().add(
            "process-left-out",
            "GPU " + std::to_string(device) + ", which no rank uses: " + format_plural(count, "sample", "samples"),
            count);
    for (const auto& [id, count] : left_out_) {
        const RocmProcess* const process = find_process(id);
        std::string text = "process " + std::to_string(process != nullptr ? process->pid : id.second);
        if (process != nullptr && !process->name.empty()) text += " (" + process->name.substr(0, 80) + ")";
        tables_.diagnostics().add("process-left-out", text + ": " + format_plural(count, "event", "events"), count);
    }
}

void RocmRows::name_tracks(RocmRank& rank) {
    std::set<std::int64_t> processes;
    for (const auto& [pid, thread] : rank.threads) {
        if (processes.insert(pid).second) {
            const RocmProcess* const process = find_process(rank.process);
            if (process != nullptr && process->pid == pid && !process->name.empty())
                rank.stage.name(MetadataKind::ProcessName, pid_text(pid), "", process->name);
        }
        const auto name = thread_names_.find({pid, thread});
        if (name != thread_names_.end())
            rank.stage.name(MetadataKind::ThreadName, pid_text(pid), std::to_string(thread),
                            name->second + " (" + std::to_string(thread) + ")");
    }
    for (const auto& [device, name] : rank.devices) {
        const std::string pid = std::to_string(device);
        if (!name.empty()) rank.stage.name(MetadataKind::ProcessName, pid, "", name);
        rank.stage.name(MetadataKind::ProcessLabels, pid, "", "GPU " + pid);
    }
}

void RocmRows::finish() {
    close_ranks();
    for (const Dropped& dropped : dropped_)
        for (std::uint64_t i = 0; i < dropped.rows; ++i) ranks_.front()->stage.drop(dropped.kind, dropped.first);
    count_left_out();
    for (const std::unique_ptr<RocmRank>& rank : ranks_) {
        name_tracks(*rank);
        rank->stage.flush();
    }
}

std::vector<std::unique_ptr<RocmRank>> RocmRows::release_ranks() {
    std::ranges::sort(ranks_, {}, [](const auto& rank) {
        return std::tuple(rank->process.first, rank->first_device, rank->process.second);
    });
    return std::move(ranks_);
}

}  // namespace core
