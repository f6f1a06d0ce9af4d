#pragma once
// Makes the answers that a run summary keeps, as bytes for its ranks and its run. References to events are left out, as
// a summary has no single events. What is too large is left out, too.

#include "core/analysis/run/run_analysis.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace core {

// Answers to keep with a rank; the run itself is no summary. Fails when cancelled. steps: whose answers are kept as
// well, the first ones until they take about step_bytes; those of any rank, as a rank without a step has an answer,
// too.
Result<std::string> encode_answers_of_rank(std::span<const Analysis>, const Run&, std::size_t slot,
                                           std::span<const std::int64_t> steps, std::size_t step_bytes,
                                           const JobContext&);

struct SummaryText {  // what is no answer: what the trace doctor says
    std::string_view id;
    std::string_view bytes;
};
// Answers to keep with the run; those of analyses_of_run.
Result<std::string> encode_answers_of_run(std::span<const Analysis>, const Run&, unsigned threads,
                                          std::span<const SummaryText>, const JobContext&);
// The same with the partials of all ranks from `source`.
Result<std::string> encode_answers_of_run(std::span<const Analysis>, const Run&, unsigned threads,
                                          std::span<const SummaryText>, PartialsSource& source, const JobContext&);
std::vector<const Analysis*> analyses_of_run(std::span<const Analysis>);

}  // namespace core
