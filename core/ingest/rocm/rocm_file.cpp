#include "core/ingest/rocm/rocm_file.hpp"

#include "core/ingest/rocm/rocpd_tables.hpp"
#include "core/ingest/rocm/rpd_tables.hpp"
#include "core/ingest/source/ranks_reader.hpp"
#include "core/ingest/sqlite/database_kind.hpp"

#include <algorithm>
#include <set>

namespace core {
namespace {

constexpr std::uint64_t kTables = 12;  // about how many are read, for progress

class RocmFile final : public RanksReader {
public:
    using ReadTables = bool (*)(RocmRows&);
    RocmFile(const std::filesystem::path& path, LoadProgress& progress, std::string_view writer, ReadTables read_tables)
        : RanksReader(path, progress), writer_(writer), read_tables_(read_tables) {}

private:
    Result<bool> read_all(const JobContext& context) override {
        Result<std::unique_ptr<SqliteTables>> tables = SqliteTables::open(path(), context);
        if (!tables) return std::move(tables).error();
        {
            RocmRows rows(**tables, context, [&] { report(file_bytes() / kTables, (*tables)->rows_read()); });
            if (!read_tables_(rows)) return cancelled_error();
            ranks_ = rows.release_ranks();
            for (const std::unique_ptr<RocmRank>& rank : ranks_) processes_.push_back(facts_of(rows, *rank));
        }
        const bool empty = std::ranges::all_of(ranks_, [](const auto& rank) { return rank->stage.records() == 0; });
        return keep(std::move((*tables)->diagnostics()), empty);
    }

    // A file of one rank may hold its process alone, though no GPU work names it.
    RocmProcess facts_of(const RocmRows& rows, const RocmRank& rank) const {
        const RocmProcess* process = rows.find_process(rank.process);
        if (process == nullptr && ranks_.size() == 1) process = rows.only_process();
        return process != nullptr ? *process : RocmProcess{};
    }

    // Numbers from the environment count if they tell the ranks apart.
    std::vector<Rank> describe_ranks() override {
        std::set<int> numbers;
        for (const RocmProcess& process : processes_)
            if (process.rank) numbers.insert(*process.rank);
        const bool all_differ = numbers.size() == ranks_.size();
        std::vector<Rank> described;
        for (std::size_t i = 0; i < ranks_.size(); ++i) {
            RankInfo info;
            if (all_differ) info.rank = processes_[i].rank;
            info.world_size = processes_[i].world;
            info.host = processes_[i].host;
            info.trace_name = writer_;
            add_devices(*ranks_[i], info);
            described.push_back({.builder = &ranks_[i]->stage.builder(), .info = std::move(info)});
        }
        return described;
    }

    // As PyTorch's profiler writes them.
    void add_devices(const RocmRank& rank, RankInfo& info) const {
        std::string json = "{\"traceName\": ";
        append_json_string(json, writer_);
        json += ", \"deviceProperties\": [";
        for (const auto& [device, name] : rank.devices) {
            if (!json.ends_with('[')) json += ", ";
            json += "{\"id\": " + std::to_string(device);
            if (!name.empty()) {
                json += ", \"name\": ";
                append_json_string(json, name);
                info.devices.push_back({.id = device, .name = name, .memory_bytes = 0});
            }
            json += "}";
        }
        info.metadata_json = json + "]}";
    }

    std::string_view writer_;
    ReadTables read_tables_;
    std::vector<std::unique_ptr<RocmRank>> ranks_;
    std::vector<RocmProcess> processes_;  // of the ranks
};

Result<std::unique_ptr<TraceReader>> open(const std::filesystem::path& path, LoadProgress& progress,
                                          std::string_view writer, RocmFile::ReadTables read_tables) {
    if (Result<bool> finished = check_is_finished(path); !finished) return std::move(finished).error();
    return std::unique_ptr<TraceReader>(std::make_unique<RocmFile>(path, progress, writer, read_tables));
}

}  // namespace

Result<std::unique_ptr<TraceReader>> open_rocpd_file(const std::filesystem::path& path, LoadProgress& progress) {
    return open(path, progress, "rocprofv3", read_rocpd);
}

Result<std::unique_ptr<TraceReader>> open_rpd_file(const std::filesystem::path& path, LoadProgress& progress) {
    return open(path, progress, "rpdTracer", read_rpd);
}

}  // namespace core
