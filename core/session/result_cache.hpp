#pragma once
// Cached answers, requested by key every frame. request() never blocks; equal keys share one job. A
// key holds everything an answer depends on (analysis, run id, filter text, params) and runs are
// immutable, so nothing is ever invalidated. A run summary with whole ranks gets the answer of the summary. Call from
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
    std::string scope{};  // run and filter that the answer is about, as its heading shows them (describe_scope)
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
    // Builds the selections of a filter for the ranks it accepts, shared with the answers; a summary has none. The
    // request has no answer and is fresh once all of them are built. Slots are separate from those of answers.
    Request request_selection(std::uint64_t slot, const RunPtr&, const Filter&);
    SelectionPtr find_selection(const RunPtr&, std::size_t rank_slot, const Filter&) const;  // null if not built yet
    void end_frame();  // idle slots release their jobs
    std::size_t running() const;  // requests that are not done
    std::size_t resident_bytes() const;  // finished entries

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace core
