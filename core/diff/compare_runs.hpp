#pragma once
// One analysis of two runs, side by side: asks both through the same filter, joins the answers, and says
// in notes how ranks and steps were paired and what is an average.

#include "core/analysis/engine/analysis.hpp"
#include "core/diff/compare_tables.hpp"

namespace core {

struct DiffQuery {
    const Analysis* analysis = nullptr;
    Params params;
    Filter filter;               // in the baseline's numbers; times count from the anchor of each side
    NameMatching names = NameMatching::Exact;
    std::vector<NamePair> pairs{};  // by hand, before the rule
    std::string table{};            // of the answers; empty: the main one
    bool averages = true;           // of sums, where the runs differ in steps or ranks
};

// The analysis that is to be asked so that names can be matched so: of `kernels` with their operators
// kernels-by-operator, else itself; refused if its rows know no operators.
Result<const Analysis*> analysis_with_names(const Analysis&, NameMatching);

// The names of an answer's tables whose rows have keys and are no single events: so partners in another run; the main one first.
std::vector<std::string> comparable_tables(const Answer&);
// Joins answers that are there already, each to the filter that alignment.filter_for gives; both have the query's table.
Comparison compare_answers(const DiffQuery&, const BySide<const Answer*>&, const BySide<const Run*>&,
                           const RunAlignment&);

// In words why an analysis that is not comparable is refused.
Error refuse_incomparable(const Analysis&);

// How ranks, and steps if it matters, were paired, in words.
std::vector<std::string> note_pairing(const RunAlignment&, const BySide<Filter>& filters, bool about_steps);

// The one side that has ranks which the filter takes, as each side is asked; nullopt if both have or neither. And that in
// words: "rank 9 is only in the candidate"; empty for nullopt. O(ranks).
std::optional<Side> find_only_side(const BySide<const Run*>&, const BySide<Filter>& filters);
std::string note_only_side(const BySide<const Run*>&, const BySide<Filter>& filters);

// Asks both runs. Refuses a filter that takes no rank of a side.
Result<BySide<Answer>> ask_both_runs(const Analysis&, const Params&, const BySide<Filter>& filters,
                                     const BySide<const Run*>&, unsigned threads, const JobContext&);

struct RunComparison {
    Comparison comparison;
    BySide<Answer> answers;
};
// Refuses an analysis or a table whose rows have no partner in another run, and what ask_both_runs and analysis_with_names refuse.
Result<RunComparison> compare_runs(const DiffQuery&, const BySide<const Run*>&, const RunAlignment&, unsigned threads,
                                   const JobContext&);

}  // namespace core
