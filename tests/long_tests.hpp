#pragma once
// Tests that take half a minute or more and would rarely be broken by a small change alone.

#include <doctest/doctest.h>

#include <cstdlib>

namespace core::testing {

// `scripts/test.sh full` runs them, `scripts/test.sh` does not.
inline bool may_take_minutes() {
    const bool all = std::getenv("LOCKSTEP_ALL_TESTS") != nullptr;
    if (!all) MESSAGE("skipped: takes long; scripts/test.sh full runs it");
    return all;
}

}  // namespace core::testing
