#pragma once
// The events of one name: how long they take on one rank and on all, and which are the shortest and
// the longest. O(events) of every rank: belongs on a job. No ImGui.

#include "core/base/jobs.hpp"
#include "core/query/duration_bins.hpp"
#include "core/query/selection.hpp"

namespace ui {

struct Siblings {
    std::uint64_t count = 0;        // including the event itself
    std::uint64_t shorter = 0;      // events shorter than this one
    double total = 0;               // ns, like all below
    double least = 0;
    double most = 0;
    core::EventRef shortest;        // the first of equal ones
    core::EventRef longest;
    double mean() const { return count > 0 ? total / static_cast<double>(count) : 0; }
    // Share of the other events that is shorter: 1 for the longest; 0 without others.
    double percentile() const;
};

// Medians over the ranks other than the event's that have such events; 0 without any.
struct SiblingMedians {
    std::size_t ranks = 0;
    double count = 0;
    double mean = 0;                // ns, like all below
    double least = 0;
    double most = 0;
};

struct SiblingStats {
    Siblings rank;                  // on the event's own rank
    Siblings run;                   // on all ranks
    SiblingMedians others;
    core::DurationBins bins;        // of all ranks' events
};

// Events with the event's name and category. O(events of the ranks): for the pool. Incomplete if cancelled.
SiblingStats collect_siblings(const core::Run&, core::EventRef, const core::JobContext& = {});

}  // namespace ui
