#include "core/diff/join/compare_runs.hpp"

#include "core/analysis/catalogue/registry.hpp"
#include "core/analysis/run/run_analysis.hpp"
#include "core/diff/join/join_rows.hpp"

#include <algorithm>

namespace core {
namespace {

constexpr std::size_t kMostShown = 6;

std::string shown_pairs(const std::vector<std::pair<std::string, std::string>>& pairs) {
    std::string text;
    for (std::size_t i = 0; i < std::min(pairs.size(), kMostShown); ++i)
        text += (i ? ", " : "") + pairs[i].first + " = " + pairs[i].second;
    if (pairs.size() > kMostShown) text += ", ... " + pairs.back().first + " = " + pairs.back().second;
    return text;
}

std::string shown_list(const std::vector<std::string>& items) {
    std::string text;
    for (std::size_t i = 0; i < std::min(items.size(), kMostShown); ++i) text += (i ? ", " : "") + items[i];
    if (items.size() > kMostShown) text += ", ... (" + std::to_string(items.size()) + ")";
    return text;
}

void add_lone(std::vector<std::string>& notes, std::string_view what, Side side,
              const std::vector<std::string>& items) {
    if (items.empty()) return;
    notes.push_back(std::string(what) + (items.size() == 1 ? " " : "s ") + "only in the " + std::string(name_of(side)) +
                    ": " + shown_list(items));
}

void add_rank_notes(std::vector<std::string>& notes, const RunAlignment& alignment, const BySide<Filter>& filters) {
    if (!alignment.ranks_by_number) {
        std::vector<std::pair<std::string, std::string>> pairs;
        for (const BySide<RankKey>& pair : alignment.ranks)
            pairs.emplace_back(format_rank(pair.baseline), format_rank(pair.candidate));
        const bool are_parts = !alignment.within.baseline.empty() || !alignment.within.candidate.empty();
        notes.push_back(std::string(are_parts ? "parts of one run" : "the runs share no rank") +
                        ": ranks are paired by order, baseline = candidate: " + shown_pairs(pairs) +
                        "; rows show the baseline's");
    }
    for (const Side side : kSides) {
        std::vector<std::string> lone;
        for (const RankKey key : alignment.lone_ranks[side]) {
            if (filters[side].accepts_rank(key)) lone.push_back(format_rank(key));
        }
        add_lone(notes, "rank", side, lone);
    }
}

// Ranks that lost records: left out of both runs, or all that the filter takes.
void add_lost_notes(std::vector<std::string>& notes, const RunAlignment& alignment, const BySide<Filter>& filters) {
    for (const Side side : kSides) {
        std::vector<std::string> out, taken;
        for (const RankKey key : alignment.lost[side])
            (filters[side].accepts_rank(key) ? taken : out).push_back(format_rank(key));
        const auto whose = [&](const std::vector<std::string>& ranks) {
            return (ranks.size() == 1 ? "rank " : "ranks ") + shown_list(ranks) + " of the " +
                   std::string(name_of(side));
        };
        if (!out.empty() && taken.empty())
            notes.push_back("records of " + whose(out) + " are missing: " + (out.size() == 1 ? "it is" : "they are") +
                            " left out of both runs");
        if (!taken.empty())
            notes.push_back("records of " + whose(taken) +
                            " are missing: times, counts and what changed are of what is left of them");
    }
}

bool is_about_steps(const Filter& filter, const std::vector<Column>& columns) {
    const auto names_steps = [](const FilterTerm& term) {
        const auto* const step = std::get_if<StepTerm>(&term.what);
        return step && !step->complete;
    };
    return std::ranges::any_of(filter.terms, names_steps) || std::ranges::any_of(columns, [](const Column& column) {
               return column.role == Role::Key && column.facet == Facet::Step;
           });
}

void add_step_notes(std::vector<std::string>& notes, const RunAlignment& alignment) {
    if (!alignment.steps_by_number) {
        std::vector<std::pair<std::string, std::string>> pairs;
        for (const BySide<StepBegin>& pair : alignment.steps)
            pairs.emplace_back(std::to_string(pair.baseline.number), std::to_string(pair.candidate.number));
        notes.push_back("steps are paired by order, baseline = candidate: " + shown_pairs(pairs) +
                        "; rows and filters use the baseline's");
    }
    for (const Side side : kSides) {
        std::vector<std::string> lone;
        for (const std::int64_t number : alignment.lone_steps[side]) lone.push_back(std::to_string(number));
        add_lone(notes, "step", side, lone);
    }
}

bool has_operators_of_kernels(const Analysis& analysis) {
    const std::vector<Column> columns = analysis.columns();
    const auto has = [&](Facet facet) {
        return std::ranges::any_of(columns,
                                   [&](const Column& column) { return is_name(column) && column.facet == facet; });
    };
    return has(Facet::Operator) && has(Facet::Kernel);
}

// Single events have no partner in another run.
bool has_partners(const Table& table) {
    const auto any = [&](auto is) { return std::ranges::any_of(table.columns(), is); };
    return any([](const Column& column) { return column.role == Role::Key; }) &&
           any([](const Column& column) { return column.role == Role::Measure; }) &&
           !any([](const Column& column) { return column.unit == Unit::Event; });
}

// The reason why a table can't be joined with another run's; nullopt if it can.
std::optional<Error> refuse_table(const Answer& answer, const std::string& name) {
    if (name.empty()) return std::nullopt;
    const std::vector<std::string> names = comparable_tables(answer);
    if (std::ranges::find(names, name) != names.end()) return std::nullopt;
    if (answer.find(name))
        return Error{ErrorCode::BadInput,
                     "the rows of the table '" + name + "' are single events, which have no partner in another run"};
    return Error{ErrorCode::NotFound, "there is no table '" + name + "'; there are: " + shown_list(names)};
}

bool takes_any_rank(const Run& run, const Filter& filter) {
    return std::ranges::any_of(run.ranks(), [&](const RankSlot& rank) { return filter.accepts_rank(rank.key); });
}

}  // namespace

std::vector<std::string> note_pairing(const RunAlignment& alignment, const BySide<Filter>& filters, bool about_steps) {
    std::vector<std::string> notes;
    add_rank_notes(notes, alignment, filters);
    add_lost_notes(notes, alignment, filters);
    if (about_steps) add_step_notes(notes, alignment);
    return notes;
}

std::optional<Side> find_only_side(const BySide<const Run*>& runs, const BySide<Filter>& filters) {
    BySide<bool> any;
    for (const Side side : kSides) any[side] = takes_any_rank(*runs[side], filters[side]);
    if (any.baseline == any.candidate) return std::nullopt;
    return any.baseline ? Side::Baseline : Side::Candidate;
}

std::string note_only_side(const BySide<const Run*>& runs, const BySide<Filter>& filters) {
    const std::optional<Side> side = find_only_side(runs, filters);
    if (!side) return {};
    std::vector<std::string> ranks;
    for (const RankSlot& rank : runs[*side]->ranks()) {
        if (filters[*side].accepts_rank(rank.key)) ranks.push_back(format_rank(rank.key));
    }
    return (ranks.size() == 1 ? "rank " : "ranks ") + shown_list(ranks) + (ranks.size() == 1 ? " is" : " are") +
           " only in the " + std::string(name_of(*side));
}

Result<const Analysis*> analysis_with_names(const Analysis& analysis, NameMatching names) {
    if (names != NameMatching::Operator || has_operators_of_kernels(analysis)) return &analysis;
    if (analysis.id == "kernels") return find_analysis("kernels-by-operator");
    return Error{ErrorCode::BadInput, std::string(analysis.id) +
                                          " cannot be paired by operator: its rows are not kernels with the operator "
                                          "that launched them; kernels, kernels-by-operator and step-parts are"};
}

std::vector<std::string> comparable_tables(const Answer& answer) {
    std::vector<std::string> names;
    for (const NamedTable& named : answer.tables)
        if (&named == &answer.tables.front() || has_partners(named.table)) names.push_back(named.name);
    return names;
}

Comparison compare_answers(const DiffQuery& query, const BySide<const Answer*>& answers, const BySide<const Run*>& runs,
                           const RunAlignment& alignment) {
    const BySide<const Table*> tables{answers.baseline->find(query.table), answers.candidate->find(query.table)};
    const BySide<Filter> filters{alignment.filter_for(Side::Baseline, query.filter),
                                 alignment.filter_for(Side::Candidate, query.filter)};
    const std::vector<Column>& columns = tables.baseline->columns();
    const Averages averages = query.averages ? choose_averages(columns, runs, filters, alignment) : Averages{};
    Comparison comparison = compare_tables(tables, alignment, averages,
                                           {.lead = query.table.empty() ? query.analysis->lead : std::string_view{},
                                            .names = query.names,
                                            .pairs = query.pairs});
    std::vector<std::string> notes = note_pairing(alignment, filters, is_about_steps(query.filter, columns));
    if (!averages.note.empty()) notes.insert(notes.begin(), averages.note);
    comparison.notes.insert(comparison.notes.begin(), notes.begin(), notes.end());
    return comparison;
}

Error refuse_incomparable(const Analysis& analysis) {
    return {ErrorCode::BadInput, std::string(analysis.id) +
                                     " cannot be compared: its rows are single events, which have no partner in "
                                     "another run"};
}

Result<BySide<Answer>> ask_both_runs(const Analysis& analysis, const Params& params, const BySide<Filter>& filters,
                                     const BySide<const Run*>& runs, unsigned threads, const JobContext& context) {
    BySide<Answer> answers;
    for (const Side side : kSides) {
        if (!takes_any_rank(*runs[side], filters[side])) {
            const std::string only = note_only_side(runs, filters);
            return Error{ErrorCode::NotFound, "no rank of the " + std::string(name_of(side)) + ", " +
                                                  runs[side]->name() + ", matches the filter" +
                                                  (only.empty() ? "" : ": " + only)};
        }
        Result<Answer> answer = run_analysis(analysis, *runs[side], filters[side], params, threads, context);
        if (!answer) return std::move(answer).error().within(name_of(side));
        answers[side] = *std::move(answer);
    }
    return answers;
}

Result<RunComparison> compare_runs(const DiffQuery& given, const BySide<const Run*>& runs,
                                   const RunAlignment& alignment, unsigned threads, const JobContext& context) {
    if (!given.analysis->comparable) return refuse_incomparable(*given.analysis);
    const Result<const Analysis*> analysis = analysis_with_names(*given.analysis, given.names);
    if (!analysis) return analysis.error();
    DiffQuery query = given;
    query.analysis = *analysis;
    const BySide<Filter> filters{alignment.filter_for(Side::Baseline, query.filter),
                                 alignment.filter_for(Side::Candidate, query.filter)};
    Result<BySide<Answer>> answers = ask_both_runs(*query.analysis, query.params, filters, runs, threads, context);
    if (!answers) return std::move(answers).error();
    for (const Side side : kSides) {
        if (auto refused = refuse_table((*answers)[side], query.table))
            return std::move(*refused).within(name_of(side));
    }
    Comparison comparison = compare_answers(query, {&answers->baseline, &answers->candidate}, runs, alignment);
    return RunComparison{std::move(comparison), *std::move(answers)};
}

}  // namespace core
