#pragma once
// Cached answers, requested by key every frame. request() never blocks; equal keys share one job. A
// key holds everything an answer depends on (analysis, run id, filter text, params) and runs are
// immutable, so nothing is ever invalidated. Of a run summary with whole ranks the answer is the summary's. Call from
// the UI thread; only analyses run on the pool.

#include "core/analysis/engine/analysis.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace core {

struct Request {
    AnswerPtr answer;  // for this key if fresh, else the slot's last answer (may be null)
    bool fresh = false;
    double progress = 0;  // 0..1 while not fresh
    std::string error;  // set if the key's job failed
    std::string scope{};  // what the answer is of, for the head of what shows it (describe_scope)
    bool pending() const { return !fresh && error.empty(); }
};

// A slot identifies the requester (panel and side): a new key cancels the slot's old job unless another slot wants it;
// newest work runs first. Finished answers are evicted by size, least recently requested first, so undo is instant.
// Analyses and runs share selections and per-rank partials: one more rank costs that rank's work and one merge.
// Answers advance (a merge starts, a result is collected) only when requested, so finished work must wake the window:
// JobPool::set_on_rest.
class ResultCache {
public:
    ResultCache(JobPool& pool, std::size_t budget_bytes = std::size_t{256} << 20);
    ~ResultCache();

    Request request(std::uint64_t slot, const Analysis&, const RunPtr&, const Filter&, const Params&);
    SelectionPtr find_selection(const RunPtr&, std::size_t rank_slot, const Filter&) const;  // null if not built yet
    void end_frame();  // idle slots release their jobs
    std::size_t running() const;
    std::size_t resident_bytes() const;  // finished entries

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace core
