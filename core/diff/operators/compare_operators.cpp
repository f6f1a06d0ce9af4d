#include "core/diff/operators/compare_operators.hpp"

#include "core/base/format.hpp"
#include "core/diff/align/step_sample.hpp"
#include "core/diff/operators/align_sequences.hpp"

#include <algorithm>
#include <unordered_map>

namespace core {
namespace {

constexpr std::string_view kBecomes = " \xE2\x86\x92 ";

using Names = std::vector<std::string_view>;

Names names_of(const Run& run, const OperatorSequence& sequence, const SequencedOperator& one) {
    Names names;
    for (const EventId e : sequence.kernels_of(one)) names.push_back(run.rank(sequence.slot).trace().name_text(e));
    return names;
}

std::string join(const Names& names) {
    std::string text;
    for (std::size_t i = 0; i < names.size();) {
        std::size_t end = i + 1;
        while (end < names.size() && names[end] == names[i]) ++end;
        text.append(text.empty() ? "" : "; ").append(names[i]);
        if (end - i > 1) text += " x" + std::to_string(end - i);
        i = end;
    }
    return text;
}

// --- alignment

// Dense ids of texts.
class Ids {
public:
    std::uint32_t of(std::string text) {
        return ids_.try_emplace(std::move(text), static_cast<std::uint32_t>(ids_.size())).first->second;
    }

private:
    std::unordered_map<std::string, std::uint32_t> ids_;
};

class Aligning {
public:
    Aligning(OperatorComparison& result, const BySide<const Run*>& runs, const NameRules& rules)
        : result_(result),
          runs_(runs),
          names_(rules.matching == NameMatching::Normalised ? NameMatching::Normalised : NameMatching::Exact,
                 rules.pairs) {}

    bool align(const JobContext& context) {
        const bool by_module = sequence(Side::Baseline).has_modules && sequence(Side::Candidate).has_modules;
        BySide<std::vector<OperatorItem>> items;
        for (const Side side : kSides) items[side] = items_of(side, by_module);
        const Result<std::vector<MatchedItems>> pairs = align_sequences(items.baseline, items.candidate, context);
        if (!pairs) return false;
        BySide<std::size_t> done;
        for (const MatchedItems& pair : *pairs) {
            add_between(done, {pair.baseline, pair.candidate});
            add_pair(pair.baseline, pair.candidate, false);
            done = {std::size_t{pair.baseline} + 1, std::size_t{pair.candidate} + 1};
        }
        add_between(done, {sequence(Side::Baseline).operators.size(), sequence(Side::Candidate).operators.size()});
        for (const AlignedOperator& row : result_.rows) ++result_.counts[static_cast<std::size_t>(row.edit)];
        return true;
    }

private:
    const OperatorSequence& sequence(Side side) const { return result_.sequences[side]; }
    const SequencedOperator& at(Side side, std::size_t place) const { return sequence(side).operators[place]; }

    std::vector<OperatorItem> items_of(Side side, bool by_module) {
        std::vector<OperatorItem> items;
        for (const SequencedOperator& one : sequence(side).operators) {
            std::string symbol = names_.key(side, one.name);
            if (by_module) symbol.append("\n").append(module_class(one.module));
            std::string detail(one.inputs);
            detail.append("\n").append(one.types);
            items.push_back({.symbol = symbols_.of(std::move(symbol)),
                             .detail = details_.of(std::move(detail)),
                             .place = places_.of(std::string(one.module))});
        }
        return items;
    }

    // Operators between two matches: those as deep as each other replace each other in order.
    void add_between(BySide<std::size_t> from, const BySide<std::size_t>& to) {
        while (from.baseline < to.baseline || from.candidate < to.candidate) {
            const bool has_baseline = from.baseline < to.baseline, has_candidate = from.candidate < to.candidate;
            const std::uint32_t b = has_baseline ? at(Side::Baseline, from.baseline).depth : 0;
            const std::uint32_t c = has_candidate ? at(Side::Candidate, from.candidate).depth : 0;
            if (has_baseline && has_candidate && b == c)
                add_pair(from.baseline++, from.candidate++, true);
            else if (has_baseline && (!has_candidate || b > c))
                result_.rows.push_back({.edit = OperatorEdit::Removed, .at = {from.baseline++, std::nullopt}});
            else
                result_.rows.push_back({.edit = OperatorEdit::Inserted, .at = {std::nullopt, from.candidate++}});
        }
    }

    void add_pair(std::size_t baseline, std::size_t candidate, bool replaced) {
        const SequencedOperator &b = at(Side::Baseline, baseline), &c = at(Side::Candidate, candidate);
        AlignedOperator row;
        row.at = {baseline, candidate};
        row.inputs_differ = differ(b.inputs, c.inputs) || differ(b.types, c.types);
        row.kernels = compare_kernels(names_of(*runs_.baseline, sequence(Side::Baseline), b),
                                      names_of(*runs_.candidate, sequence(Side::Candidate), c), names_);
        const bool same = !row.inputs_differ && row.kernels == KernelEdit::Same;
        row.edit = replaced ? OperatorEdit::Replaced : same ? OperatorEdit::Same : OperatorEdit::Changed;
        result_.rows.push_back(row);
    }
    static bool differ(std::string_view b, std::string_view c) { return !b.empty() && !c.empty() && b != c; }

    OperatorComparison& result_;
    BySide<const Run*> runs_;
    NamePairing names_;
    Ids symbols_, details_, places_;
};

void note_what_is_missing(OperatorComparison& result) {
    const BySide<OperatorSequence>& sequences = result.sequences;
    if (sequences.baseline.has_modules != sequences.candidate.has_modules)
        result.notes.push_back("only the " +
                               std::string(name_of(sequences.baseline.has_modules ? Side::Baseline : Side::Candidate)) +
                               " has recorded modules: operators are aligned by name alone");
    for (const Side side : kSides)
        if (!sequences[side].has_inputs)
            result.notes.push_back(std::string(name_of(side)) +
                                   ": no shapes were recorded (record_shapes=True), so changed inputs are not seen");
}

// --- what is aligned

struct Place {
    BySide<std::size_t> slots;
    BySide<std::optional<std::int64_t>> steps;
};

std::optional<std::size_t> find_slot(const Run& run, RankKey key) {
    for (std::size_t slot = 0; slot < run.ranks().size(); ++slot)
        if (run.rank(slot).key == key) return slot;
    return std::nullopt;
}

std::optional<BySide<std::size_t>> choose_ranks(const BySide<const Run*>& runs, const RunAlignment& alignment,
                                                const BySide<Filter>& filters) {
    for (const BySide<RankKey>& pair : alignment.ranks) {
        if (!filters.baseline.accepts_rank(pair.baseline) || !filters.candidate.accepts_rank(pair.candidate)) continue;
        const auto b = find_slot(*runs.baseline, pair.baseline), c = find_slot(*runs.candidate, pair.candidate);
        if (b && c) return BySide<std::size_t>{*b, *c};
    }
    return std::nullopt;
}

// The first pair of steps that count on both sides, else of any that the filter takes.
std::optional<BySide<std::int64_t>> choose_steps(const BySide<StepSample>& samples, const RunAlignment& alignment) {
    for (const bool counting : {true, false}) {
        BySide<std::vector<std::int64_t>> numbers;
        for (const Side side : kSides) {
            for (const StepValue& step : samples[side].steps) numbers[side].push_back(step.number);
            if (counting) continue;
            for (const DroppedStep& dropped : samples[side].dropped) numbers[side].push_back(dropped.step.number);
        }
        for (const std::int64_t number : numbers.baseline) {
            const std::optional<std::int64_t> partner = alignment.partner_of_step(Side::Baseline, number);
            if (partner && std::ranges::find(numbers.candidate, *partner) != numbers.candidate.end())
                return BySide<std::int64_t>{number, *partner};
        }
    }
    return std::nullopt;
}

bool has_steps_at(const Run& run, std::size_t slot) { return !run.rank(slot).trace().steps.empty(); }

Result<Place> choose_place(const BySide<const Run*>& runs, const RunAlignment& alignment,
                           const BySide<Filter>& filters) {
    const std::optional<BySide<std::size_t>> slots = choose_ranks(runs, alignment, filters);
    if (!slots) return Error{ErrorCode::NotFound, "no rank of the filter is in both runs: there is nothing to align"};
    Place place{.slots = *slots, .steps = {}};
    if (!has_steps_at(*runs.baseline, slots->baseline) || !has_steps_at(*runs.candidate, slots->candidate))
        return place;
    const BySide<StepSample> samples{collect_step_sample(*runs.baseline, filters.baseline),
                                     collect_step_sample(*runs.candidate, filters.candidate)};
    const std::optional<BySide<std::int64_t>> steps = choose_steps(samples, alignment);
    if (!steps) return Error{ErrorCode::NotFound, "no step of the filter is in both runs: there is nothing to align"};
    place.steps = {steps->baseline, steps->candidate};
    return place;
}

std::string name_place(const Run& run, const OperatorSequence& sequence) {
    return (sequence.step ? "step " + std::to_string(*sequence.step) : std::string("the whole trace")) + " of rank " +
           format_rank(run.rank(sequence.slot).key);
}

bool has_other_terms(const Filter& filter) {
    return std::ranges::any_of(filter.terms, [](const FilterTerm& term) {
        return !std::holds_alternative<RankTerm>(term.what) && !std::holds_alternative<StepTerm>(term.what) &&
               !std::holds_alternative<CaptureTerm>(term.what);
    });
}

}  // namespace

std::string_view name_of(OperatorEdit edit) {
    constexpr std::array<std::string_view, 5> kNames = {"same", "changed", "replaced", "inserted", "removed"};
    return kNames[static_cast<std::size_t>(edit)];
}

Result<OperatorComparison> align_operators(BySide<OperatorSequence> sequences, const BySide<const Run*>& runs,
                                           const NameRules& rules, const JobContext& context) {
    OperatorComparison result;
    result.sequences = std::move(sequences);
    if (!Aligning(result, runs, rules).align(context)) return cancelled_error();
    note_what_is_missing(result);
    return result;
}

Result<OperatorComparison> compare_operators(const BySide<const Run*>& runs, const RunAlignment& alignment,
                                             const Filter& filter, const NameRules& rules, const JobContext& context) {
    const BySide<Filter> filters{alignment.filter_for(Side::Baseline, filter),
                                 alignment.filter_for(Side::Candidate, filter)};
    const Result<Place> place = choose_place(runs, alignment, filters);
    if (!place) return place.error();
    BySide<OperatorSequence> sequences;
    for (const Side side : kSides) {
        Result<OperatorSequence> sequence =
            collect_operator_sequence(*runs[side], place->slots[side], place->steps[side], context);
        if (!sequence) return std::move(sequence).error();
        if (sequence->operators.empty())
            return Error{ErrorCode::NotFound, std::string(name_of(side)) + ": " + name_place(*runs[side], *sequence) +
                                                  " has no operators: there is nothing to align"};
        sequences[side] = *std::move(sequence);
    }
    std::string title =
        name_place(*runs.baseline, sequences.baseline) + " against " + name_place(*runs.candidate, sequences.candidate);
    Result<OperatorComparison> compared = align_operators(std::move(sequences), runs, rules, context);
    if (!compared) return compared;
    compared->notes.insert(compared->notes.begin(), std::move(title));
    if (has_other_terms(filter))
        compared->notes.emplace_back("only ranks, captures and steps of the filter are used: whole steps are aligned");
    return compared;
}

std::string describe_operators(const OperatorComparison& compared) {
    const auto size = [&](Side side) { return static_cast<std::uint64_t>(compared.sequences[side].operators.size()); };
    std::string text = format_plural(size(Side::Baseline), "operator", "operators") + " against " +
                       format_count(size(Side::Candidate)) + ": ";
    for (const OperatorEdit edit : kOperatorEdits) {
        const std::size_t count = compared.count(edit);
        text += (edit == OperatorEdit::Same ? "" : ", ") +
                (count == 0 ? std::string("none") : format_count(static_cast<std::uint64_t>(count))) +
                (edit == OperatorEdit::Same ? " the same" : " " + std::string(name_of(edit)));
    }
    return text;
}

std::string list_kernels(const OperatorComparison& compared, const BySide<const Run*>& runs, const AlignedOperator& row,
                         Side side) {
    if (!row.at[side]) return {};
    const OperatorSequence& sequence = compared.sequences[side];
    return join(names_of(*runs[side], sequence, sequence.operators[*row.at[side]]));
}

std::string describe_edit(const OperatorComparison& compared, const BySide<const Run*>& runs,
                          const AlignedOperator& row) {
    if (!row.at.baseline || !row.at.candidate) return {};
    const SequencedOperator& b = compared.sequences.baseline.operators[*row.at.baseline];
    const SequencedOperator& c = compared.sequences.candidate.operators[*row.at.candidate];
    std::string text;
    const auto add = [&](std::string_view what, std::string_view before, std::string_view after) {
        const auto shown = [](std::string_view one) { return one.empty() ? std::string_view("none") : one; };
        text.append(text.empty() ? "" : "; ").append(what).append(shown(before)).append(kBecomes).append(shown(after));
    };
    if (!b.inputs.empty() && !c.inputs.empty() && b.inputs != c.inputs) add("inputs ", b.inputs, c.inputs);
    if (!b.types.empty() && !c.types.empty() && b.types != c.types) add("types ", b.types, c.types);
    if (row.kernels != KernelEdit::Same)
        add(std::string(name_of(row.kernels)) + ": ", list_kernels(compared, runs, row, Side::Baseline),
            list_kernels(compared, runs, row, Side::Candidate));
    return text;
}

}  // namespace core
