#include "core/ingest/nsys/nsys_events.hpp"

#include "core/ingest/nsys/nsys_rows.hpp"

namespace core {

NsysEvents::NsysEvents(NsysDatabase& database, const NsysFacts& facts, const JobContext& job,
                       std::function<void()> on_table_read)
    : rows_(std::make_unique<NsysRows>(database, facts, job, std::move(on_table_read))) {}

NsysEvents::~NsysEvents() = default;

bool NsysEvents::read() {
    if (!read_nsys_gpu_work(*rows_)) return false;
    rows_->require_rank();
    const bool whole = read_nsys_synchronization(*rows_) && read_nsys_cuda_calls(*rows_) && read_nsys_nvtx(*rows_) &&
                       read_nsys_calls(*rows_) && read_nsys_gpu_metrics(*rows_);
    if (whole) rows_->finish();
    return whole;
}

std::vector<std::unique_ptr<NsysRank>> NsysEvents::release_ranks() { return rows_->release_ranks(); }

}  // namespace core
