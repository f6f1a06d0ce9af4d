#pragma once
// Rows of AMD's profiler databases on their way to ranks: which rank a row belongs to, its times and place. The readers
// of single formats fill in the rest. GPU work is read first, because it says which processes are ranks.

#include "core/ingest/nsys/rank_stage.hpp"
#include "core/ingest/sqlite/sqlite_tables.hpp"

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace core {

// A process: the part of the file that has it, and its number there.
using RocmProcessId = std::pair<std::uint32_t, std::int64_t>;
inline constexpr RocmProcessId kAnyRocmProcess{std::numeric_limits<std::uint32_t>::max(), -1};

struct RocmProcess {
    std::int64_t pid = 0;
    std::string name{};
    std::string host{};
    std::optional<int> rank{}, world{};
};

// A process that owns GPU work, or all there is.
struct RocmRank {
    RocmProcessId process;
    std::int64_t first_device = std::numeric_limits<std::int64_t>::max();
    std::map<std::int64_t, std::string> devices{};  // names; empty: unknown
    std::set<std::pair<std::int64_t, std::int64_t>> threads{};  // with events: pid and thread
    RankStage stage{};
};

struct RocmTimes {
    std::optional<std::int64_t> start_ns, end_ns;
};

class RocmRows {
public:
    RocmRows(SqliteTables& tables, const JobContext& job, std::function<void()> on_table_read)
        : tables_(tables), job_(job), on_table_read_(std::move(on_table_read)) {}

    // False: cancelled. A table that the file lacks has no rows.
    bool each(std::string_view table, std::span<const std::string_view> columns,
              const std::function<void(const SqliteRows&)>& read);
    void add_process(const RocmProcessId& id, const RocmProcess& process);
    const RocmProcess* find_process(const RocmProcessId& id) const;
    // Null: there are none or several.
    const RocmProcess* only_process() const { return processes_.size() == 1 ? &processes_.begin()->second : nullptr; }
    void name_thread(std::int64_t pid, std::int64_t thread, std::string_view name);

    // From now on no process becomes a rank. Without a rank, one takes the events of any process.
    void close_ranks();
    // Null: the row is dropped, or its process isn't a rank. Otherwise `event` has times and place, and `arguments` is
    // empty. A GPU row makes its process a rank.
    RocmRank* begin_gpu_row(const SqliteRows&, const RocmProcessId&, const RocmTimes&, std::int64_t device,
                            std::string stream, std::string_view device_name = {});
    RocmRank* begin_thread_row(const SqliteRows&, const RocmProcessId&, const RocmTimes&, std::int64_t thread);
    void finish_row(RocmRank&, const SqliteRows&);
    void drop(std::string_view kind, const SqliteRows&, std::string_view why);  // a row of no rank
    // A value of a GPU, for each rank of this part of the file that uses it, or for the only one; else it is counted as
    // left out. After close_ranks().
    void add_sample(std::uint32_t part, std::int64_t device, std::string_view name, std::int64_t time_ns, double value);
    void finish();
    std::vector<std::unique_ptr<RocmRank>> release_ranks();  // by part of the file, device, process

    SqliteTables& tables() { return tables_; }
    const std::vector<std::unique_ptr<RocmRank>>& ranks() const { return ranks_; }
    std::string_view repaired(std::string_view text, std::string& scratch) { return tables_.repaired(text, scratch); }
    std::string place(const SqliteRows&) const;

    // Arguments from columns; absent values add nothing.
    void add_optional(std::string_view key, const SqliteRows&, std::size_t column);
    void add_bytes(std::optional<std::int64_t> bytes);  // and the bandwidth
    // "Memcpy HtoD (Host -> Device)" of "MEMORY_COPY_HOST_TO_DEVICE" or "CopyHostToDevice", which is an argument.
    std::string name_copy(std::string_view name);

    StagedRow event;  // the row being read
    RowArguments arguments;  // and its arguments

private:
    RocmRank* find_rank(const RocmProcessId& id, bool on_gpu);
    void set_times(RocmRank& rank, const SqliteRows& row, const RocmTimes& times);
    void name_tracks(RocmRank& rank);
    void count_left_out();

    SqliteTables& tables_;
    const JobContext& job_;
    std::function<void()> on_table_read_;
    std::string table_;
    std::map<RocmProcessId, RocmProcess> processes_;
    std::map<std::pair<std::int64_t, std::int64_t>, std::string> thread_names_;
    std::vector<std::unique_ptr<RocmRank>> ranks_;
    std::map<RocmProcessId, RocmRank*> rank_of_process_;
    std::map<RocmProcessId, std::uint64_t> left_out_;
    std::map<std::int64_t, std::uint64_t> samples_left_out_;  // by device
    std::uint64_t sample_copies_ = 0;  // for ranks that share a device
    struct Dropped {
        std::string kind;
        std::string first;
        std::uint64_t rows = 0;
    };
    std::vector<Dropped> dropped_;  // by kind
    bool closed_ = false;
    std::string pid_, tid_, scratch_;
};

}  // namespace core
