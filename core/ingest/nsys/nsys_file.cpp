#include "core/ingest/nsys/nsys_file.hpp"

#include "core/ingest/nsys/nsys_events.hpp"
#include "core/ingest/source/ranks_reader.hpp"
#include "core/ingest/sqlite/database_kind.hpp"

#include <algorithm>
#include <set>

namespace core {
namespace {

constexpr std::uint64_t kTables = 24;  // about how many are read, for progress

class NsysFile final : public RanksReader {
public:
    using RanksReader::RanksReader;

private:
    Result<bool> read_all(const JobContext& context) override {
        Result<std::unique_ptr<NsysDatabase>> database = NsysDatabase::open(path(), context);
        if (!database) return std::move(database).error();
        facts_ = read_nsys_facts(**database);
        NsysEvents events(**database, facts_, context,
                          [&] { report(file_bytes() / kTables, (*database)->rows_read()); });
        if (!events.read()) return cancelled_error();
        ranks_ = events.release_ranks();
        const bool empty = std::ranges::all_of(ranks_, [](const auto& rank) { return rank->stage.records() == 0; });
        return keep(std::move((*database)->diagnostics()), empty);
    }

    std::vector<Rank> describe_ranks() override {
        identify();
        std::vector<Rank> ranks;
        for (const std::unique_ptr<NsysRank>& rank : ranks_)
            ranks.push_back({.builder = &rank->stage.builder(), .info = describe(*rank, ranks.size())});
        return ranks;
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
        info.rank = numbers_[at];
        if (rank.nccl_size && rank.nccl_rank) info.world_size = rank.nccl_size;
        if (!info.world_size && ranks_.size() == 1 && facts_.launched_rank) info.world_size = facts_.launched_world;
        info.host = facts_.host;
        info.trace_name = "Nsight Systems";
        info.base_time_ns = facts_.base_time_ns;
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

    NsysFacts facts_;
    std::vector<std::unique_ptr<NsysRank>> ranks_;
    std::vector<std::optional<int>> numbers_;
};

}  // namespace

Result<std::unique_ptr<TraceReader>> open_nsys_file(const std::filesystem::path& path, LoadProgress& progress) {
    if (Result<bool> finished = check_is_finished(path); !finished) return std::move(finished).error();
    return std::unique_ptr<TraceReader>(std::make_unique<NsysFile>(path, progress));
}

}  // namespace core
