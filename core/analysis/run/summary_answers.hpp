#pragma once
// Answers that a run summary has: those that it keeps, of each rank or of the whole run, for all events (some also for
// single steps) and standard parameters, on the clocks of the run that was summarised; and what collectives alone tell.
// Everything else is refused, with the reason. Numbers in kept answers of a run are those of the whole run.

#include "core/analysis/engine/analysis.hpp"
#include "core/index/summary_rank.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace core {

std::string text_of_summary(const Run&, std::string_view id);  // empty: there is none

namespace summary {

// Why a run that is a summary has no such answer; absent: it has, or the run is no summary.
std::optional<Error> find_refusal(const Run&, const Analysis&, const Filter&, const Params&);
// The kept partial of a rank; absent: to be computed.
std::optional<Result<Partial>> find_partial(const Run&, std::size_t slot, const Analysis&, const Filter&);
// The answer that is kept for all ranks together; absent: to be computed. An error if it has another table than the
// analysis declares, as those of other versions may.
std::optional<Result<Answer>> find_answer(const Run&, const Analysis&);

}  // namespace summary
}  // namespace core
