#pragma once
// Answers that a run summary keeps, as it has no single events to compute them from: of each rank, or of the whole run,
// for all events (some also for single steps) and standard parameters, on the clocks of the run that was summarised.
// What comes from collectives alone is computed from the summary. Everything else is refused, with the reason. Numbers
// in kept answers are those of the whole run; references to events are left out.

#include "core/analysis/engine/analysis.hpp"
#include "core/index/summary_rank.hpp"

#include <functional>
#include <vector>

namespace core {

// Answers to keep with the ranks and the run of a summary, as bytes; the run itself is no summary. Fails when
// cancelled. steps: whose answers are kept as well, the first ones until they take about step_bytes; those of any rank,
// as a rank without a step has an answer, too.
Result<std::string> encode_answers_of_rank(const Run&, std::size_t slot, std::span<const std::int64_t> steps,
                                           std::size_t step_bytes, const JobContext&);
struct SummaryText {  // what is no answer: what the trace doctor says
    std::string_view id;
    std::string_view bytes;
};
Result<std::string> encode_answers_of_run(const Run&, unsigned threads, std::span<const SummaryText>,
                                          const JobContext&);
// The same with the partials of all ranks from `source`.
Result<std::string> encode_answers_of_run(const Run&, unsigned threads, std::span<const SummaryText>,
                                          PartialsSource& source, const JobContext&);
std::vector<const Analysis*> analyses_of_run();  // whose answers these are
std::string text_of_summary(const Run&, std::string_view id);  // empty: there is none

namespace summary {

// Why a run that is a summary has no such answer; absent: it has, or the run is no summary.
std::optional<Error> find_refusal(const Run&, const Analysis&, const Filter&, const Params&);
// The kept partial of a rank; absent: to be computed.
std::optional<Result<Partial>> find_partial(const Run&, std::size_t slot, const Analysis&, const Filter&);
// The answer that is kept for all ranks together; absent: to be computed. `compute` makes one of the run that it is
// given, in which the tables that are kept beside the main one are looked up: used only to learn their columns.
std::optional<Result<Answer>> find_answer(const Run&, const Analysis&,
                                          const std::function<Result<Answer>(const Run&)>& compute);

}  // namespace summary
}  // namespace core
