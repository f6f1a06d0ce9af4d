#include "core/ingest/nsys/nsys_file.hpp"

#include "core/base/format.hpp"
#include "core/base/platform/files.hpp"
#include "core/ingest/nsys/nsys_events.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <set>

namespace core {
namespace {

constexpr std::uint64_t kTables = 24;  // about how many are read, for progress

class NsysFile final : public TraceReader {
public:
    NsysFile(std::filesystem::path path, LoadProgress& progress) : path_(std::move(path)), progress_(progress) {
        std::error_code unknown;
        const std::uintmax_t bytes = std::filesystem::file_size(path_, unknown);
        file_bytes_ = unknown ? 0 : static_cast<std::uint64_t>(bytes);
    }

    void work(const JobContext& context) override {
        const std::unique_lock lock(reading_, std::try_to_lock);  // one thread reads; others have nothing to do
        if (!lock || done_) return;
        done_ = true;
        try {
            read_all(context);
        } catch (const std::exception& exception) {
            failure_ = reader_error(exception);
        }
    }

    void choose_steps(std::string_view marks) override { step_marks_ = marks; }

    Result<RankTracePtr> finish(const JobContext& context) override { return only_rank(finish_ranks(context)); }

    Result<std::vector<RankTracePtr>> finish_ranks(const JobContext& context) override {
        const std::lock_guard lock(reading_);
        if (context.checkpoint()) return cancelled_error();
        if (failure_) return *failure_;
        identify();
        if (ranks_.size() > 1)
            diagnostics_.add("ranks-in-one-file",
                             format_plural(ranks_.size(), "rank", "ranks") + ", told apart by process");
        std::vector<RankTracePtr> traces;
        for (const std::unique_ptr<NsysRank>& rank : ranks_) {
            RankInfo info = describe(*rank, traces.size());
            Diagnostics diagnostics;
            if (traces.empty()) diagnostics = std::move(diagnostics_);
            rank->stage.builder().mark_steps(step_marks_);
            Result<RankTracePtr> trace =
                std::move(rank->stage.builder()).finish(std::move(info), std::move(diagnostics), context);
            if (!trace) return std::move(trace).error();
            traces.push_back(std::move(*trace));
        }
        return traces;
    }

private:
    void read_all(const JobContext& context) {
        Result<std::unique_ptr<NsysDatabase>> database = NsysDatabase::open(path_, context);
        if (!database) {
            failure_ = std::move(database).error();
            return;
        }
        facts_ = read_nsys_facts(**database);
        NsysEvents events(**database, facts_, context, [&, read = std::uint64_t{0}]() mutable {
            const std::uint64_t step = std::min(file_bytes_ / kTables, file_bytes_ - reported_);
            progress_.bytes_done += step;
            reported_ += step;
            progress_.events += (*database)->rows_read() - read;
            read = (*database)->rows_read();
        });
        if (!events.read()) {
            failure_ = cancelled_error();
            return;
        }
        ranks_ = events.release_ranks();
        progress_.bytes_done += file_bytes_ - reported_;
        diagnostics_ = std::move((*database)->diagnostics());
        const bool empty = std::ranges::all_of(ranks_, [](const auto& rank) { return rank->stage.records() == 0; });
        if (!empty || diagnostics_.count("file-truncated") == 0) return;
        for (const Diagnostic& entry : diagnostics_.entries())
            if (entry.kind->id == "file-truncated")
                failure_ = bad_input("no event could be read: " + entry.first + ": export the report again");
    }

    // The number of each rank, where the file says it of all alike.
    void identify() {
        const auto state = [&](const auto& number_of) {
            std::set<int> numbers;
            std::vector<std::optional<int>> stated;
            for (const auto& rank : ranks_) {
                stated.push_back(number_of(*rank));
                if (!stated.back() || !numbers.insert(*stated.back()).second) return false;
            }
            numbers_ = std::move(stated);
            return true;
        };
        const auto in = [](const std::map<std::int64_t, int>& numbers, const NsysRank& rank) -> std::optional<int> {
            const auto found = numbers.find(rank.process);
            if (found != numbers.end()) return found->second;
            const bool only = rank.process == kAnyProcess && numbers.size() == 1;
            return only ? std::optional(numbers.begin()->second) : std::nullopt;
        };
        numbers_.assign(ranks_.size(), std::nullopt);
        if (state([&](const NsysRank& rank) { return in(facts_.mpi_ranks, rank); })) return;
        if (state([](const NsysRank& rank) { return rank.nccl_rank; })) return;
        const bool alone = ranks_.size() == 1;
        if (state([&](const NsysRank&) { return alone ? facts_.launched_rank : std::nullopt; })) return;
        state([&](const NsysRank& rank) { return in(facts_.printed_ranks, rank); });
    }

    RankInfo describe(const NsysRank& rank, std::size_t at) const {
        RankInfo info;
        info.path = path_;
        info.rank = numbers_[at];
        if (rank.nccl_size && rank.nccl_rank) info.world_size = rank.nccl_size;
        if (!info.world_size && ranks_.size() == 1 && facts_.launched_rank) info.world_size = facts_.launched_world;
        info.host = facts_.host;
        info.trace_name = "Nsight Systems";
        info.base_time_ns = facts_.base_time_ns;
        const std::uint64_t share = file_bytes_ / ranks_.size();
        info.file_bytes = info.json_bytes = at == 0 ? file_bytes_ - share * (ranks_.size() - 1) : share;
        add_environment(info);
        add_devices(rank, info);
        return info;
    }

    void add_environment(RankInfo& info) const {
        const auto add = [&](std::string_view key, const std::string& text) {
            if (text.empty()) return;
            std::string json;
            append_json_string(json, text);
            info.environment[std::string(key)] = json;
        };
        add("nsight_systems_version", facts_.product_version);
        add("nsight_systems_schema", facts_.schema_version);
    }

    // As PyTorch's profiler writes them.
    void add_devices(const NsysRank& rank, RankInfo& info) const {
        std::string json = "{\"traceName\": \"Nsight Systems\"";
        for (const auto& [key, value] : info.environment) json.append(", \"").append(key).append("\": ").append(value);
        json += ", \"deviceProperties\": [";
        for (const std::int64_t device : rank.devices) {
            const NsysGpu* const gpu = facts_.find_gpu(rank.process, device);
            Device described{.id = device, .name = {}, .memory_bytes = 0};
            if (gpu != nullptr) {
                described.name = gpu->name;
                described.memory_bytes = gpu->memory_bytes;
            }
            if (!json.ends_with('[')) json += ", ";
            json += "{\"id\": " + std::to_string(device);
            if (gpu != nullptr) {
                json += ", \"name\": ";
                append_json_string(json, gpu->name);
                const std::pair<std::string_view, std::int64_t> numbers[] = {{"totalGlobalMem", gpu->memory_bytes},
                                                                             {"numSms", gpu->multiprocessors}};
                for (const auto& [key, value] : numbers)
                    if (value > 0) json.append(", \"").append(key).append("\": ").append(std::to_string(value));
            }
            json += "}";
            if (!described.name.empty()) info.devices.push_back(std::move(described));  // else nothing is known of it
        }
        info.metadata_json = json + "]}";
    }

    std::filesystem::path path_;
    LoadProgress& progress_;
    std::uint64_t file_bytes_ = 0;
    std::uint64_t reported_ = 0;
    std::string step_marks_;

    std::mutex reading_;
    bool done_ = false;
    std::optional<Error> failure_;
    NsysFacts facts_;
    std::vector<std::unique_ptr<NsysRank>> ranks_;
    std::vector<std::optional<int>> numbers_;
    Diagnostics diagnostics_;
};

// The journal or the write-ahead log of a writer that is not done, or was interrupted.
bool has_beside(std::filesystem::path path, std::string_view ending) {
    path += ending;
    std::error_code unknown;
    const std::uintmax_t bytes = std::filesystem::file_size(path, unknown);
    return !unknown && bytes > 0;
}

// Whether SQLite can read the file as it lies on the disk: not packed.
bool begins_as_database(const std::filesystem::path& path) {
    OpenFile file(path, OpenFor::Reading);
    std::error_code error;
    std::array<char, 16> head{};
    return file && file.read(head, error) == head.size() && std::string_view(head.data(), head.size()) == kSqliteMagic;
}

}  // namespace

Result<std::unique_ptr<TraceReader>> open_nsys_file(const std::filesystem::path& path, LoadProgress& progress) {
    if (!begins_as_database(path)) return bad_input("the database is compressed: decompress it first");
    if (has_beside(path, "-journal"))
        return bad_input("a journal lies beside the database: its export is not finished; wait, or export it again");
    if (has_beside(path, "-wal"))
        return bad_input(
            "a write-ahead log (-wal) lies beside the database and holds a part of it: close what writes it, or put "
            "the "
            "log into the database (sqlite3 FILE 'PRAGMA wal_checkpoint(TRUNCATE)')");
    return std::unique_ptr<TraceReader>(std::make_unique<NsysFile>(path, progress));
}

}  // namespace core
