#pragma once
// Ask by key, every frame. request() never blocks; the same key is the same job. The key holds all that
// the answer depends on (analysis, run id, filter text, params) and runs never change, so nothing is ever
// invalidated. A slot is who asks (panel and side): a new key in a slot cancels the slot's old job unless
// another slot wants it; newest work runs first. Finished answers are evicted by bytes, least recently
// asked first, so undo is instant. Selections and per-rank partials are shared between analyses and runs:
// a run with one more rank costs that rank's work and one merge.
//
// Threads: everything here is called from the UI thread; only analyses run on the pool. Answers move on
// (a merge starts, a result is taken) when they are asked for, so work that is done must wake the window:
// JobPool::set_on_rest.

#include "core/analysis/engine/analysis.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace core {

struct Request {
    AnswerPtr answer;         // of this key if fresh, else the slot's last one (may be null)
    bool fresh = false;
    double progress = 0;      // 0..1 while not fresh
    std::string error;        // set when the key's job failed
    bool pending() const { return !fresh && error.empty(); }
};

class ResultCache {
public:
    ResultCache(JobPool& pool, std::size_t budget_bytes = std::size_t{512} << 20);
    ~ResultCache();

    Request request(std::uint64_t slot, const Analysis&, const RunPtr&, const Filter&, const Params&);
    SelectionPtr find_selection(const RunPtr&, std::size_t rank_slot, const Filter&) const;  // if built already
    void end_frame();         // slots not asked for a while let go of their jobs
    std::size_t running() const;
    std::size_t resident_bytes() const;   // of what is finished and kept

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace core
