#pragma once
// Compares one analysis of two runs: queries both with the same filter, joins the answers, and
// notes how ranks and steps were paired and which values are averages.

#include "core/analysis/engine/analysis.hpp"
#include "core/diff/join/compare_tables.hpp"

namespace core {

struct DiffQuery {
    const Analysis* analysis = nullptr;
    Params params;
    Filter filter;               // baseline numbers; times count from each side's anchor
    NameMatching names = NameMatching::Exact;
    std::vector<NamePair> pairs{};  // manual pairs, applied before the rule
    std::string table{};            // empty: the main table
    bool averages = true;           // average sums if the runs differ in steps or ranks
};

// The analysis to query for this name matching: kernels-by-operator for `kernels` matched by
// operator, else the analysis itself. Refused if its rows have no operators.
Result<const Analysis*> analysis_with_names(const Analysis&, NameMatching);

// Names of the tables whose rows can have partners in another run (keyed, not single events); the
// main one first.
std::vector<std::string> comparable_tables(const Answer&);
// Joins existing answers, each queried with alignment.filter_for; both contain the query's table.
Comparison compare_answers(const DiffQuery&, const BySide<const Answer*>&, const BySide<const Run*>&,
                           const RunAlignment&);

// The error for an analysis that isn't comparable.
Error refuse_incomparable(const Analysis&);

// Notes on how ranks, and steps if relevant, were paired.
std::vector<std::string> note_pairing(const RunAlignment&, const BySide<Filter>& filters, bool about_steps);

// The only side with ranks in the filter; nullopt if both or neither have any. Also as a sentence:
// "rank 9 is only in the candidate"; empty for nullopt. O(ranks).
std::optional<Side> find_only_side(const BySide<const Run*>&, const BySide<Filter>& filters);
std::string note_only_side(const BySide<const Run*>&, const BySide<Filter>& filters);

// Queries both runs. Refuses a filter that excludes all ranks of a side.
Result<BySide<Answer>> ask_both_runs(const Analysis&, const Params&, const BySide<Filter>& filters,
                                     const BySide<const Run*>&, unsigned threads, const JobContext&);

struct RunComparison {
    Comparison comparison;
    BySide<Answer> answers;
};
// Refuses an analysis or table whose rows have no partner in another run, and whatever
// ask_both_runs and analysis_with_names refuse.
Result<RunComparison> compare_runs(const DiffQuery&, const BySide<const Run*>&, const RunAlignment&, unsigned threads,
                                   const JobContext&);

}  // namespace core
