#pragma once
// Reader of one trace file, implemented by each format. Any number of threads may help: each calls
// work() until it returns; then the owner alone calls finish().

#include "core/base/jobs.hpp"
#include "core/base/result.hpp"
#include "core/ingest/source/load_progress.hpp"
#include "core/store/rank_trace.hpp"

namespace core {

class TraceReader {
public:
    virtual ~TraceReader() = default;
    // Returns when nothing is left to start: at the end, after a failure, or when cancelled.
    virtual void work(const JobContext&) = 0;
    // Waits for threads in work(). An Error NotFound means that the file isn't a trace.
    virtual Result<RankTracePtr> finish(const JobContext&) = 0;
};

}  // namespace core
