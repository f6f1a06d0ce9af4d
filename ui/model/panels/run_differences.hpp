#pragma once
// Differences in content of two open runs, found on the pool once both are read to the end. Main thread only.

#include "core/diff/join/unique_events.hpp"
#include "core/session/session.hpp"

namespace ui {

class RunDifferences {
public:
    void update(const core::Session&);          // every frame; asking again costs nothing
    bool busy() const { return static_cast<bool>(job_); }
    // Differences of the runs of the last update(); null until they are known.
    const core::UniqueEvents* found() const { return found_ ? &*found_ : nullptr; }

private:
    core::BySide<std::uint64_t> asked_;         // ids of the runs; 0: nothing was asked
    core::Job<core::UniqueEvents> job_;
    std::optional<core::UniqueEvents> found_;
};

}  // namespace ui
