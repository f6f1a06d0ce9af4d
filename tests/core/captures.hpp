#pragma once
// Runs with several captures per rank.

#include "tests/core/trace_fixture.hpp"

namespace core::testing {

// Adjacent traces with equal rank numbers become captures a, b, … of that rank.
inline RunPtr run_of_captures(const std::vector<RankTracePtr>& traces) {
    RunParts parts = run_of(traces)->parts();
    for (std::size_t i = 1; i < parts.ranks.size(); ++i) {
        const RankKey before = parts.ranks[i - 1].key;
        if (parts.ranks[i].key.number == before.number) parts.ranks[i].key.capture = before.capture + 1;
    }
    return std::make_shared<const Run>(std::move(parts));
}

}  // namespace core::testing
