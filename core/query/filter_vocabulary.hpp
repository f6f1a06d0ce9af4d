#pragma once
// Values of a run that a filter can name, for completion and the choices next to the filter bar.

#include "core/base/jobs.hpp"
#include "core/index/run.hpp"

#include <string>
#include <vector>

namespace core {

struct FilterVocabulary {
    std::vector<std::int64_t> ranks;    // sorted, unique
    std::vector<std::int64_t> steps;
    std::vector<std::int64_t> streams;
    std::vector<std::string> kernels;   // names of GPU events, by total time over all ranks, longest first
    std::vector<std::string> captures;  // a, b, …; empty if no rank has more than one
    std::vector<std::string> groups;    // process groups: description, else name
    std::vector<std::string> operations;  // of collectives, by name
};

// O(events), once per run: run on a worker. A cancelled job returns what it found so far.
FilterVocabulary collect_vocabulary(const Run&, const JobContext&);

}  // namespace core
