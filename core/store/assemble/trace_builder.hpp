#pragma once
// Turns batches of records into a RankTrace: pairs begins with ends, sorts every track by (start,
// longer first, file order), puts overlapping events into separate rows, builds call trees, launch
// links, steps and flow links, and writes all columns into one blob.

#include "core/base/jobs.hpp"
#include "core/store/event_batch.hpp"

#include <map>
#include <string>

namespace core {

struct Staged;

// append() must be called in file order, from one thread at a time. O(n log n) at worst, close to O(n) for nearly
// sorted files. Nothing is dropped without a diagnostic.
class TraceBuilder {
public:
    TraceBuilder();
    ~TraceBuilder();
    TraceBuilder(TraceBuilder&&) noexcept;
    TraceBuilder& operator=(TraceBuilder&&) noexcept;

    void append(EventBatch&& batch);
    // A hint that this share (0 to 1) of the file has been appended: reserves room for the rest, so columns
    // grow without repeated copies.
    void expect_rest(double share);
    // Takes ranges of this name, apart from digits, as steps instead of ProfilerStep#N. With an empty name: where there
    // is no ProfilerStep#N, the repeating annotation that launches most of the GPU time.
    void mark_steps(std::string name);
    // Processes that are ranks, by the texts of their numbers: what finish_ranks() goes by, if two of them have events.
    void divide_by_process(std::map<std::string, std::int32_t> ranks);
    // Adds base_time_ns to every time (the file may state it at its end).
    Result<RankTracePtr> finish(RankInfo info, Diagnostics diagnostics, const JobContext&) &&;
    // The same for a file that may hold several ranks, told apart by the names of its processes and threads. One rank
    // if `info` states it. The first of several has the file's metadata and sizes.
    Result<std::vector<RankTracePtr>> finish_ranks(RankInfo info, Diagnostics diagnostics, const JobContext&) &&;

private:
    struct State;
    Result<Staged> take_staged(Diagnostics diagnostics);
    std::unique_ptr<State> state_;
};

}  // namespace core
