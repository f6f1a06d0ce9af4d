#pragma once
// Turns batches of records into a RankTrace: pairs begins with ends, sorts every track by
// (start, longer first, file order), puts overlapping events into rows of their own, builds call
// trees, launch links, steps and flow links, and writes all columns into one blob.
//
// append() must be called in file order, from one thread at a time. O(n log n) at worst, close to
// O(n) for nearly sorted files. Nothing is dropped without a diagnostic.

#include "core/base/jobs.hpp"
#include "core/store/event_batch.hpp"

namespace core {

class TraceBuilder {
public:
    TraceBuilder();
    ~TraceBuilder();
    TraceBuilder(TraceBuilder&&) noexcept;
    TraceBuilder& operator=(TraceBuilder&&) noexcept;

    void append(EventBatch&& batch);
    // About this share (0 to 1) of everything has been appended: sets room aside for the rest, so that growing does
    // not copy it again and again. Only a hint.
    void expect_rest(double share);
    // base_time_ns is added to every time (it may stand at the end of the file).
    Result<RankTracePtr> finish(RankInfo info, Diagnostics diagnostics, const JobContext&) &&;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace core
