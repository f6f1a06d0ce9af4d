#pragma once
// One trace file being read. Any number of threads may help: each calls work() until it returns; then the owner
// alone calls finish(). What a format is to load_run.

#include "core/ingest/load/load_run.hpp"

namespace core {

class TraceReader {
public:
    virtual ~TraceReader() = default;
    // Returns when there is nothing left to begin: at the end, after a failure, or when cancelled.
    virtual void work(const JobContext&) = 0;
    // Waits for the others in work(). An Error of code NotFound says that the file is no trace at all.
    virtual Result<RankTracePtr> finish(const JobContext&) = 0;
};

}  // namespace core
