#pragma once
// Rows of an export's tables on their way to ranks: which rank a row belongs to, its times, place and arguments. The
// readers of single tables fill in the rest. GPU work is read first, because it says which processes are ranks.

#include "core/ingest/json/timestamp.hpp"
#include "core/ingest/nsys/nsys_events.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace core {

inline constexpr std::int64_t kNoNsysStream = 0xFFFFFFFF;  // CUPTI's number of no stream

struct NsysTimes {
    std::int64_t start_ns = 0;
    std::int64_t duration_ns = 0;
};

struct GpuPlace {
    std::int64_t process = kAnyProcess;
    std::int64_t device = 0;
    std::int64_t context = 0;
    std::int64_t stream = 0;
};

class NsysRows {
public:
    NsysRows(NsysDatabase& database, const NsysFacts& facts, const JobContext& job, std::function<void()> on_table_read)
        : database_(database), facts_(facts), job_(job), on_table_read_(std::move(on_table_read)) {}

    // False: cancelled. A table that the file lacks has no rows.
    bool each(std::string_view table, std::span<const std::string_view> columns,
              const std::function<void(const SqliteRows&)>& read);
    // From now on no process becomes a rank. Without a rank, one takes the events of any process.
    void close_ranks() { ranks_closed_ = ranks_closed_ || !ranks_.empty(); }
    void require_rank();
    // Null: the event belongs to no rank, and is counted.
    NsysRank* find_rank(std::int64_t process, bool on_gpu);
    // Counts what was left out, names ranks and threads, and closes the last batches.
    void finish();
    std::vector<std::unique_ptr<NsysRank>> release_ranks();  // by device, then process

    // Fills times, place and the arguments of GPU work. Columns 0 to 6 are start, end, device, context, stream,
    // correlation and global process. Null: dropped.
    NsysRank* begin_gpu_row(const SqliteRows&);
    // As begin_gpu_row, for waits, whose rows state device 0 for every context.
    NsysRank* begin_sync_row(const SqliteRows&, GpuPlace& at);
    // Fills times and place of what a thread did; columns 0 to 2 are start, end and global thread. Null: dropped.
    NsysRank* begin_thread_row(const SqliteRows&, bool may_be_open = false);
    void finish_row(NsysRank&, const SqliteRows&);
    // A counter's value, of the rank that alone uses the GPU; else, and where it is skipped, it is counted.
    void add_gpu_sample(std::int64_t gpu, std::string_view name, std::int64_t time_ns, double value);
    void skip_gpu_sample(const SqliteRows&);

    bool owns(const NsysRank&, const SqliteRows&, std::size_t column) const;  // column: a global process or thread
    std::string place(const SqliteRows&) const;  // of the row in the file
    // As other readers do, so that base + time + duration always fits.
    static std::int64_t clamp_time(std::int64_t ns) { return std::clamp(ns, -kLongestTime, kLongestTime); }
    NsysDatabase& database() { return database_; }

    // Arguments from columns; absent values add nothing.
    void add_optional(std::string_view key, const SqliteRows&, std::size_t column);
    void add_size(std::string_view key, const SqliteRows&, std::size_t first);  // three columns
    void add_graph_node(const SqliteRows&, std::size_t column);
    void add_graph(const SqliteRows&, std::size_t column);

    StagedRow event;         // the row being read
    RowArguments arguments;  // and its arguments
    std::map<std::pair<std::int64_t, std::int64_t>, std::string> thread_names;  // from NVTX, by process and thread

private:
    NsysRank* add_rank(std::int64_t process);
    void count_left_out();
    void defer_drop(std::int64_t process, const SqliteRows&);
    void drop_deferred();
    void name_rank(NsysRank&);
    std::optional<NsysTimes> times(const SqliteRows&, NsysRank&);  // from columns 0 and 1
    std::optional<GpuPlace> gpu_place(const SqliteRows&) const;
    void begin_row(const NsysTimes&, std::string pid, std::string tid);
    void add_gpu_place(const SqliteRows&, const GpuPlace&, bool is_own);
    std::string stream_text(const GpuPlace&);
    std::int64_t device_of(const GpuPlace&) const;

    NsysDatabase& database_;
    const NsysFacts& facts_;
    const JobContext& job_;
    std::function<void()> on_table_read_;
    std::string_view table_;

    std::vector<std::unique_ptr<NsysRank>> ranks_;
    std::map<std::int64_t, NsysRank*> rank_of_process_;
    std::map<std::int64_t, std::uint64_t> left_out_;  // events by process
    struct Dropped {
        std::uint64_t rows = 0;
        std::string first;
    };
    std::map<std::int64_t, Dropped> dropped_;  // rows without times of processes that were no ranks yet
    std::map<std::int64_t, NsysRank*> rank_of_gpu_;  // null: none, or several
    std::map<std::int64_t, std::uint64_t> samples_left_out_;  // by GPU
    bool ranks_closed_ = false;

    std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::int64_t> context_of_stream_;
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> device_of_context_;
    std::string pid_, tid_;
};

// Readers of tables, by subject. False: cancelled.
bool read_nsys_gpu_work(NsysRows&);
bool read_nsys_synchronization(NsysRows&);
bool read_nsys_gpu_metrics(NsysRows&);
bool read_nsys_cuda_calls(NsysRows&);
bool read_nsys_nvtx(NsysRows&);
bool read_nsys_calls(NsysRows&);  // of the OS and libraries; overheads, creation of graph nodes

}  // namespace core
