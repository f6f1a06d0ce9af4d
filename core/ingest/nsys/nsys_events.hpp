#pragma once
// Reads the tables of an Nsight Systems export as events of ranks: GPU work first, because it says which ranks there
// are, then calls, ranges and all else. Streams row by row.

#include "core/ingest/nsys/nsys_facts.hpp"
#include "core/ingest/nsys/rank_stage.hpp"

#include <functional>
#include <map>
#include <memory>
#include <set>

namespace core {

inline constexpr std::int64_t kAnyProcess = -1;  // the file does not name the process of its events

// A rank of the file: a process that owns GPU work, or all there is.
struct NsysRank {
    std::int64_t process = kAnyProcess;
    std::int64_t first_device = 0;
    std::set<std::int64_t> devices;
    std::optional<int> nccl_rank, nccl_size;  // in the largest communicator it made
    std::set<std::pair<std::int64_t, std::int64_t>> threads;  // with events
    RankStage stage;
};

class NsysRows;

class NsysEvents {
public:
    NsysEvents(NsysDatabase& database, const NsysFacts& facts, const JobContext& job,
               std::function<void()> on_table_read);
    ~NsysEvents();
    bool read();  // false: cancelled
    std::vector<std::unique_ptr<NsysRank>> release_ranks();  // by device, then process

private:
    std::unique_ptr<NsysRows> rows_;
};

}  // namespace core
