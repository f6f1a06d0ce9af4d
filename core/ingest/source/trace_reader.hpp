#pragma once
// Reader of one trace file, implemented by each format. Any number of threads may help: each calls
// work() until it returns; then the owner alone calls finish().

#include "core/base/jobs.hpp"
#include "core/base/result.hpp"
#include "core/ingest/source/load_progress.hpp"
#include "core/store/rank_trace.hpp"

#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace core {

// An exception while a file is read, as the error of that file: the other files of the run still open.
inline Error reader_error(const std::exception& exception) {
    if (dynamic_cast<const std::bad_alloc*>(&exception) != nullptr)
        return {ErrorCode::Internal, "not enough memory to read it: open it alone, or with more memory"};
    return {ErrorCode::Internal,
            "its reader failed (" + std::string(exception.what()) + "): report this with the file"};
}

class TraceReader {
public:
    virtual ~TraceReader() = default;
    // Before work(): ranges of this name are steps, see TraceBuilder::mark_steps.
    virtual void choose_steps(std::string_view) {}
    // Returns when nothing is left to start: at the end, after a failure, or when cancelled.
    virtual void work(const JobContext&) = 0;
    // Waits for threads in work(). An Error NotFound means that the file isn't a trace.
    virtual Result<RankTracePtr> finish(const JobContext&) = 0;
    // The same for a format whose files can hold several ranks: one trace each, with their numbers in RankInfo::rank.
    // Never empty. Such files have no index file.
    virtual Result<std::vector<RankTracePtr>> finish_ranks(const JobContext& job) {
        Result<RankTracePtr> trace = finish(job);
        if (!trace) return std::move(trace).error();
        return std::vector<RankTracePtr>{std::move(*trace)};
    }
};

// finish() of a format whose finish_ranks() does the work.
inline Result<RankTracePtr> only_rank(Result<std::vector<RankTracePtr>> ranks) {
    if (!ranks) return std::move(ranks).error();
    if (ranks->size() != 1)
        return bad_input("the file holds " + std::to_string(ranks->size()) + " ranks: open it as a run");
    return std::move(ranks->front());
}

}  // namespace core
