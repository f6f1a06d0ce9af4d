#include "core/analysis/run/summary_answers.hpp"

#include "core/analysis/run/kept_answers.hpp"
#include "core/base/format.hpp"

#include <algorithm>

namespace core {
namespace {

bool is_of_all_events(const Filter& filter) { return std::ranges::all_of(filter.terms, is_of_ranks); }

std::string steps_too(const Analysis& analysis) {
    return analysis.in_summary == InSummary::OfRankAndSteps
               ? ", or for one of its first steps: step:N and ranks can be chosen"
               : ": ranks can be chosen";
}

bool is_whole(const Run& run) {
    return std::ranges::all_of(run.ranks(), [&](const RankSlot& rank) {
        const SummaryFacts* const facts = summary_of(rank.trace());
        return facts && facts->ranks == run.ranks().size();
    });
}

Error refuse(const Run& run, const std::string& why) {
    return {ErrorCode::NotFound, run.name() + ": a run summary " + why + ": open the run's traces or index files"};
}

std::string_view kept_bytes(const Run& run, std::size_t slot, InSummary use) {
    return use == InSummary::OfRun ? answers_of_run(run) : answers_of_rank(run.rank(slot).trace());
}

std::optional<Error> refuse_kept(const Run& run, const Analysis& analysis, const Filter& filter, InSummary use) {
    const std::string id(analysis.id);
    const std::uint64_t damaged = count_damaged_ranks(run);
    if (use == InSummary::OfRun && filter.empty() && damaged > 0)
        return Error{ErrorCode::NotFound, run.name() + ": " + format_plural(damaged, "rank", "ranks") +
                                              " of the run summary " + (damaged == 1 ? "is" : "are") +
                                              " damaged, and " + id +
                                              " is of all ranks together: copy the summary again"};
    if (use == InSummary::OfRun && (!filter.empty() || !is_whole(run)))
        return refuse(run, "keeps " + id + " for all of its ranks together, without a filter");
    const std::uint64_t schema = schema_of(analysis);
    for (std::size_t slot = 0; slot < run.ranks().size(); ++slot) {
        if (!filter.accepts_rank(run.rank(slot).key)) continue;
        if (!is_as_summarised(run, slot))
            return refuse(run, "keeps " + id + " for the clocks and ranks that it was written with (--clocks auto)");
        if (use == InSummary::OfRun && slot > 0) continue;
        const std::optional<KeptAnswer> kept = find_kept(kept_bytes(run, slot, use), key_of(analysis, filter));
        if (!kept && is_of_all_events(filter))
            return refuse(run, "does not keep " + id + " of this run, as it is too large or could not be made");
        if (!kept) return refuse(run, "has " + id + " for all events only" + steps_too(analysis));
        if (kept->schema != schema) return refuse(run, "of another version does not keep " + id + " as it is now");
    }
    return std::nullopt;
}

}  // namespace

std::string text_of_summary(const Run& run, std::string_view id) {
    const std::optional<KeptAnswer> kept = find_kept(answers_of_run(run), id);
    return kept ? kept->read().value_or("") : "";
}

namespace summary {

std::optional<Error> find_refusal(const Run& run, const Analysis& analysis, const Filter& filter,
                                  const Params& params) {
    if (!is_summary(run)) return std::nullopt;
    const std::string id(analysis.id);
    const InSummary use = analysis.in_summary;
    if (use == InSummary::Nothing) return needs_events(run, "which " + id + " is computed from");
    if (use == InSummary::Computed && !is_of_all_events(filter))
        return refuse(run, "has " + id + " for all events only" + steps_too(analysis));
    if (use == InSummary::Computed) return std::nullopt;
    const Result<Params> standard = make_params(analysis, {});
    if (!standard || *standard != params) return refuse(run, "keeps " + id + " for its standard parameters");
    return refuse_kept(run, analysis, filter, use);
}

std::optional<Result<Partial>> find_partial(const Run& run, std::size_t slot, const Analysis& analysis,
                                            const Filter& filter) {
    const RankTrace& trace = run.rank(slot).trace();
    if (!summary_of(trace) || !is_kept_of_rank(analysis)) return std::nullopt;
    const std::optional<KeptAnswer> kept = find_kept(answers_of_rank(trace), key_of(analysis, filter));
    if (!kept) return Result<Partial>(needs_events(run, "which " + std::string(analysis.id) + " is computed from"));
    const std::optional<std::string> bytes = kept->read();
    Result<Answer> partial =
        bytes ? decode_kept(analysis, *bytes) : Result<Answer>(bad_input("the summary's answers are damaged"));
    if (partial && partial->tables.size() != 1) return Result<Partial>(bad_input("the summary's answer is damaged"));
    return partial;
}

std::optional<Result<Answer>> find_answer(const Run& run, const Analysis& analysis) {
    if (analysis.in_summary != InSummary::OfRun || !is_summary(run)) return std::nullopt;
    const std::optional<KeptAnswer> kept = find_kept(answers_of_run(run), analysis.id);
    if (!kept) return Result<Answer>(needs_events(run, "which " + std::string(analysis.id) + " is computed from"));
    const std::optional<std::string> bytes = kept->read();
    if (!bytes) return Result<Answer>(bad_input("the summary's answers are damaged"));
    return decode_kept(analysis, *bytes);
}

}  // namespace summary
}  // namespace core
