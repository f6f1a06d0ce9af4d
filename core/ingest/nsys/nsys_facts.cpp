#include "core/ingest/nsys/nsys_facts.hpp"

#include "core/base/ascii.hpp"
#include "core/ingest/json/timestamp.hpp"
#include "core/ingest/sqlite/launch_environment.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace core {
namespace {

constexpr int kMostRank = 10'000'000;
constexpr std::size_t kMostNames = 1'000'000;       // of processes or threads
constexpr std::size_t kMostToldBytes = 4000;        // of Nsight's diagnostics of one severity
constexpr std::size_t kMostSearched = std::size_t{1} << 20;  // of a program's output

std::optional<std::int64_t> whole_number(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    return whole ? std::optional(number) : std::nullopt;
}

std::optional<int> rank_number(std::optional<std::int64_t> number) {
    const bool fits = number && *number >= 0 && *number <= kMostRank;
    return fits ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

// RANK="3" → {RANK, 3}.
std::pair<std::string_view, std::string_view> split_variable(std::string_view text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) return {};
    std::string_view value = text.substr(equals + 1);
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
    return {text.substr(0, equals), value};
}

class FactReader {
public:
    explicit FactReader(NsysDatabase& database) : database_(database) {}

    NsysFacts run() {
        read_export();
        read_session();
        read_host();
        read_gpus();
        read_names();
        read_contexts();
        read_mpi_ranks();
        read_environment();
        read_output();
        read_diagnostics();
        return std::move(facts_);
    }

private:
    template <std::size_t N, class Visit>
    void each(std::string_view table, const std::array<std::string_view, N>& columns, const Visit& visit) {
        database_.visit(table, columns, [&](const SqliteRows& row) {
            visit(row);
            return true;
        });
    }
    std::string repaired(std::string_view text) { return std::string(database_.repaired(text, scratch_)); }

    void read_export() {
        const auto read = [&](const SqliteRows& row) {
            const std::optional<std::string_view> name = row.text(0), value = row.text(1);
            if (!name || !value) return;
            if (*name == "EXPORT_PRODUCT_VERSION") facts_.product_version = repaired(*value);
            if (*name == "EXPORT_SCHEMA_VERSION") facts_.schema_version = repaired(*value);
            if (*name == "EXPORT_PARAM_TIME_NORMALIZE") normalized_ = is_same_column(*value, "true") || *value == "1";
            if (*name == "EXPORT_PARAM_TIME_SHIFT") shift_ns_ = whole_number(*value).value_or(0);
        };
        constexpr std::array<std::string_view, 2> kColumns{"name", "value"};
        each("META_DATA_EXPORT", kColumns, read);
        each("EXPORT_META_DATA", kColumns, read);  // up to schema 2
    }

    // ANALYSIS_DETAILS and systemClockNs are on another clock.
    void read_session() {
        std::optional<std::int64_t> began;
        constexpr std::array<std::string_view, 1> kColumns{"utcEpochNs"};
        each("TARGET_INFO_SESSION_START_TIME", kColumns, [&](const SqliteRows& row) {
            if (!began) began = row.integer(0);
        });
        facts_.has_utc = normalized_ || began;
        std::int64_t base = normalized_ ? 0 : began.value_or(0);
        if (__builtin_add_overflow(base, shift_ns_, &facts_.base_time_ns)) facts_.base_time_ns = base;
        facts_.base_time_ns = std::clamp(facts_.base_time_ns, -kLongestTime, kLongestTime);
    }

    void read_host() {
        constexpr std::array<std::string_view, 2> kColumns{"name", "value"};
        each("TARGET_INFO_SYSTEM_ENV", kColumns, [&](const SqliteRows& row) {
            const std::optional<std::string_view> name = row.text(0), value = row.text(1);
            if (name == "Hostname" && value && facts_.host.empty()) facts_.host = repaired(*value);
        });
    }

    void read_gpus() {
        constexpr std::array<std::string_view, 6> kColumns{"id",      "name",      "totalMemory",
                                                           "smCount", "clockRate", "memoryBandwidth"};
        each("TARGET_INFO_GPU", kColumns, [&](const SqliteRows& row) {
            const std::optional<std::int64_t> id = row.integer(0);
            if (!id || facts_.gpus.size() > kMostNames) return;
            NsysGpu gpu;
            if (const auto name = row.text(1)) gpu.name = repaired(*name);
            gpu.memory_bytes = row.integer(2).value_or(0);
            gpu.multiprocessors = row.integer(3).value_or(0);
            gpu.clock_hz = row.integer(4).value_or(0);
            gpu.memory_bytes_per_s = row.integer(5).value_or(0);
            facts_.gpus.try_emplace(*id, std::move(gpu));
        });
        constexpr std::array<std::string_view, 3> kDevice{"gpuId", "cudaId", "pid"};
        each("TARGET_INFO_CUDA_DEVICE", kDevice, [&](const SqliteRows& row) {
            const std::optional<std::int64_t> gpu = row.integer(0), device = row.integer(1), process = row.integer(2);
            if (gpu && device && process && facts_.gpu_of_device.size() < kMostNames)
                facts_.gpu_of_device.try_emplace({*process, *device}, *gpu);
        });
    }

    void read_names() {
        constexpr std::array<std::string_view, 2> kProcess{"globalPid", "name"};
        each("PROCESSES", kProcess, [&](const SqliteRows& row) {
            const std::optional<std::int64_t> global = row.integer(0);
            const std::optional<std::string_view> name = row.text(1);
            if (global && name && facts_.process_names.size() < kMostNames)
                facts_.process_names.try_emplace(process_of(*global), repaired(*name));
        });
        // Several names of one thread: the least priority is the program's own.
        std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> priorities;
        constexpr std::array<std::string_view, 3> kThread{"nameId", "priority", "globalTid"};
        each("ThreadNames", kThread, [&](const SqliteRows& row) {
            const std::optional<std::int64_t> name = row.integer(0), global = row.integer(2);
            if (!name || !global || priorities.size() >= kMostNames) return;
            const std::pair key{process_of(*global), thread_of(*global)};
            const std::int64_t priority = row.integer(1).value_or(0);
            const auto [known, fresh] = priorities.try_emplace(key, priority);
            if (!fresh && priority >= known->second) return;
            known->second = priority;
            facts_.thread_names[key] = database_.text(*name);
        });
        for (const auto& [thread, name] : facts_.thread_names)  // "MPI Rank 3" is how launchers name the main thread
            if (const std::optional<int> rank = name.starts_with("MPI Rank ") ? printed_rank(name) : std::nullopt)
                facts_.printed_ranks.try_emplace(thread.first, *rank);
    }

    void read_contexts() {
        constexpr std::array<std::string_view, 3> kColumns{"processId", "contextId", "deviceId"};
        for (const std::string_view table : {"TARGET_INFO_CUDA_CONTEXT_INFO", "TARGET_INFO_CUDA_NULL_STREAM"})
            each(table, kColumns, [&](const SqliteRows& row) {
                const std::optional<std::int64_t> process = row.integer(0), context = row.integer(1);
                const std::optional<std::int64_t> device = row.integer(2);
                if (process && context && device && facts_.device_of_context.size() < kMostNames)
                    facts_.device_of_context.try_emplace({*process, *context}, *device);
            });
    }

    void read_mpi_ranks() {
        constexpr std::array<std::string_view, 2> kColumns{"globalTid", "rank"};
        each("MPI_RANKS", kColumns, [&](const SqliteRows& row) {
            const std::optional<std::int64_t> global = row.integer(0);
            const std::optional<int> rank = rank_number(row.integer(1));
            if (global && rank && facts_.mpi_ranks.size() < kMostNames)
                facts_.mpi_ranks.try_emplace(process_of(*global), *rank);
        });
    }

    // Environment of the process that nsys launched; children of a launcher may have another.
    void read_environment() {
        LaunchEnvironment environment;
        constexpr std::array<std::string_view, 2> kColumns{"name", "value"};
        each("META_DATA_CAPTURE", kColumns, [&](const SqliteRows& row) {
            const std::optional<std::string_view> name = row.text(0), value = row.text(1);
            if (!name || !value || !name->starts_with("PROCESS_") || !name->ends_with(":ENVIRONMENT_VARIABLE")) return;
            const auto [variable, content] = split_variable(*value);
            environment.consider(variable, content);
        });
        facts_.launched_rank = environment.rank();
        facts_.launched_world = environment.world();
    }

    void read_output() {
        constexpr std::array<std::string_view, 2> kColumns{"globalPid", "contentId"};
        each("ProcessStreams", kColumns, [&](const SqliteRows& row) {
            const std::optional<std::int64_t> global = row.integer(0), content = row.integer(1);
            if (!global || !content || facts_.printed_ranks.size() >= kMostNames) return;
            const std::string_view text = database_.text(*content);
            if (const std::optional<int> rank = printed_rank(text.substr(0, kMostSearched)))
                facts_.printed_ranks.try_emplace(process_of(*global), *rank);
        });
    }

    void read_diagnostics() {
        constexpr std::array<std::string_view, 2> kColumns{"severity", "text"};
        struct Told {
            std::string text;
            std::uint64_t count = 0;
        };
        Told warnings, errors;
        each("DIAGNOSTIC_EVENT", kColumns, [&](const SqliteRows& row) {
            const std::optional<std::int64_t> severity = row.integer(0);
            const std::optional<std::string_view> text = row.text(1);
            if (!severity || !text || *severity < 2) return;
            Told& told = *severity == 2 ? warnings : errors;
            ++told.count;
            const std::string message = repaired(*text);
            if (told.text.find(message) != std::string::npos || told.text.size() + message.size() > kMostToldBytes)
                return;
            told.text.append(told.text.empty() ? "" : "; ").append(message);
        });
        database_.diagnostics().add("nsys-warning", warnings.text, warnings.count);
        database_.diagnostics().add("nsys-error", errors.text, errors.count);
    }

    NsysDatabase& database_;
    NsysFacts facts_;
    bool normalized_ = false;
    std::int64_t shift_ns_ = 0;
    std::string scratch_;
};

}  // namespace

const NsysGpu* NsysFacts::find_gpu(std::int64_t process, std::int64_t device) const {
    const auto mapped = gpu_of_device.find({process, device});
    const auto found = gpus.find(mapped == gpu_of_device.end() ? device : mapped->second);
    return found == gpus.end() ? nullptr : &found->second;
}

std::optional<int> printed_rank(std::string_view text) {
    constexpr std::string_view kWord = "Rank ";
    std::optional<int> rank;
    for (std::size_t at = text.find(kWord); at != std::string_view::npos; at = text.find(kWord, at + 1)) {
        if (at > 0 && text[at - 1] != '\n' && !text.substr(0, at).ends_with("MPI ")) continue;
        std::size_t end = at + kWord.size();
        while (end < text.size() && is_digit(text[end])) ++end;
        const std::string_view digits = text.substr(at + kWord.size(), end - at - kWord.size());
        const std::optional<int> number = rank_number(whole_number(digits));
        if (!number) continue;
        if (rank && rank != number) return std::nullopt;
        rank = number;
    }
    return rank;
}

NsysFacts read_nsys_facts(NsysDatabase& database) { return FactReader(database).run(); }

}  // namespace core
