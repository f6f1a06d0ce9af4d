#pragma once
// What a run has that a filter can name: for completion and for the choices beside the filter bar.

#include "core/base/jobs.hpp"
#include "core/index/run.hpp"

#include <string>
#include <vector>

namespace core {

struct FilterVocabulary {
    std::vector<std::int64_t> ranks;    // rising, each once
    std::vector<std::int64_t> steps;
    std::vector<std::int64_t> streams;
    std::vector<std::string> kernels;   // names of GPU events, by total time over all ranks, longest first
    std::vector<std::string> groups;    // process groups: the description, or the name where there is none
};

// O(events) once per run: for a worker. What was found so far if the job is cancelled.
FilterVocabulary collect_vocabulary(const Run&, const JobContext&);

}  // namespace core
