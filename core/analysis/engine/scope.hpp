#pragma once
// Describes what an answer covers, for its head: ranks, steps, streams, time, and what the filter's other terms do.
// Composed from the answer's key alone, so that every table and chart says the same of the same question.

#include "core/analysis/engine/analysis.hpp"
#include "core/query/track_rows.hpp"

#include <optional>
#include <string>

namespace core {

// True if only ranks, steps, streams and time of a filter change the answer: its shares are of all work.
bool is_of_all_work(const Analysis&);

// "8 ranks · all steps", "rank 3 of 8 · steps 2-4 · 12.0 ms to 30.0 ms · only class:communication"; for analyses of all
// work "… · class:communication highlights".
std::string describe_scope(const Run&, const Analysis&, const Filter&);

// A part of the timeline that was dragged over or is in view.
struct ScopePart {
    std::optional<RunRange> range{};
    std::vector<TrackRows> rows{};  // empty: all rows
    bool of_all_work = false;  // names and classes of the filter highlight only
    bool operator==(const ScopePart&) const = default;
};
// The same of a part: "2 of 8 ranks · streams 7,20 · 12.0 ms to 30.0 ms", "… · 3 of 8 streams · 2 threads · …".
// O(rows).
std::string describe_scope(const Run&, const Filter&, const ScopePart&);

}  // namespace core
