#pragma once
// Content differences of two open runs, computed on the pool once both are fully read. Main thread
// only.

#include "core/diff/join/unique_events.hpp"
#include "core/session/session.hpp"

namespace ui {

class RunDifferences {
public:
    void update(const core::Session&);          // call every frame; unchanged runs cost nothing
    bool busy() const { return static_cast<bool>(job_); }
    // Differences of the runs of the last update(); null until known.
    const core::UniqueEvents* found() const { return found_ ? &*found_ : nullptr; }

private:
    core::BySide<std::uint64_t> asked_;         // ids of the runs; 0: no request
    core::Job<core::UniqueEvents> job_;
    std::optional<core::UniqueEvents> found_;
};

}  // namespace ui
