#pragma once
// The tables of an Nsight Systems export as events of ranks: GPU work first, which says what ranks there are, then calls,
// ranges and all else. Streams row by row.

#include "core/ingest/nsys/nsys_facts.hpp"
#include "core/ingest/nsys/rank_stage.hpp"

#include <functional>
#include <map>
#include <memory>
#include <set>

namespace core {

inline constexpr std::int64_t kAnyProcess = -1;  // the file does not say whose events these are

// A rank of the file: a process that owns GPU work, or all there is.
struct NsysRank {
    std::int64_t process = kAnyProcess;
    std::int64_t first_device = 0;
    std::set<std::int64_t> devices;
    std::optional<int> nccl_rank, nccl_size;  // in the largest communicator it made
    std::set<std::pair<std::int64_t, std::int64_t>> threads;  // with events
    RankStage stage;
};

class NsysEvents {
public:
    NsysEvents(NsysDatabase& database, const NsysFacts& facts, const JobContext& job,
               std::function<void()> on_table_read);
    ~NsysEvents();
    bool read();  // false: cancelled
    std::vector<std::unique_ptr<NsysRank>> take_ranks();  // by device, then process

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace core
