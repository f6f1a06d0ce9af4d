#include "core/diff/operators/op_by_op.hpp"

#include "core/analysis/engine/rounding.hpp"

#include <algorithm>
#include <map>

namespace core {
namespace {

constexpr std::string_view kReplacedBy = " \xE2\x86\x92 ";

constexpr std::array<std::string_view, 2> kRowChoices = {"changed", "all"};
constexpr std::array<Param, 1> kParams = {Param{
    .name = "rows", .summary = "operators with a row: those that are not the same, or all", .choices = kRowChoices}};

std::vector<Column> op_by_op_columns() {
    return {{"place", Unit::Count, Role::Key, Facet::None,
             "position in the alignment of all operators of both sides, from 1"},
            {"edit", Unit::Text, Role::Key, Facet::None, "same, changed, replaced, inserted or removed"},
            {"module", Unit::Text, Role::Key, Facet::None, "the innermost nn.Module around it"},
            {"operator", Unit::Text, Role::Key, Facet::None, "its name; of a replaced one both"},
            {"difference", Unit::Text, Role::Key, Facet::None, "what differs: inputs, and what became of its kernels"},
            {"kernel_time", Unit::Ns, Role::Measure, Facet::None,
             "durations of the GPU events that it launched and no operator inside it did"},
            {"kernels", Unit::Count, Role::Measure, Facet::None, "their number"},
            {"duration", Unit::Ns, Role::Measure, Facet::None, "its own on the CPU"},
            {"inputs", Unit::Text, Role::Measure, Facet::None, "shapes of its inputs"},
            {"types", Unit::Text, Role::Measure, Facet::None, "types of its inputs"},
            {"launched", Unit::Text, Role::Measure, Facet::None,
             "names of these GPU events in the order of their launches"}};
}

std::vector<Column> kernel_change_columns() {
    return {{"operator", Unit::Text, Role::Key, Facet::None, "name of the operator; of a replaced one both"},
            {"difference", Unit::Text, Role::Key, Facet::None, "what became of its kernels"},
            {"before", Unit::Text, Role::Key, Facet::None, "GPU events that it launched in the baseline"},
            {"after", Unit::Text, Role::Key, Facet::None, "GPU events that it launched in the candidate"},
            {"kernel_time", Unit::Ns, Role::Measure, Facet::None, "sum of their durations over its calls in the step"},
            {"kernels", Unit::Count, Role::Measure, Facet::None, "their number"},
            {"calls", Unit::Count, Role::Measure, Facet::None, "calls of the operator with these kernels"}};
}

Comparison empty_comparison(std::vector<Column> columns, std::size_t keys) {
    Comparison comparison;
    comparison.keys = keys;
    comparison.measures = columns.size() - keys;
    const std::vector<Column> measures(columns.begin() + static_cast<std::ptrdiff_t>(keys), columns.end());
    columns.resize(keys);
    columns.push_back({"presence", Unit::Text, Role::Info, Facet::None, "both, added (candidate only), removed"});
    for (const Column& measure : measures)
        for (const Part part : {Part::Baseline, Part::Candidate, Part::Change, Part::Ratio})
            columns.push_back({measure.name + "." + std::string(name_of(part)),
                               part == Part::Ratio ? Unit::Ratio : measure.unit, Role::Measure, Facet::None,
                               measure.meaning + ": " + std::string(name_of(part))});
    comparison.table = Table(std::move(columns));
    return comparison;
}

std::string_view presence_of(const AlignedOperator& row) {
    return row.at.baseline && row.at.candidate ? "both" : row.at.candidate ? "added" : "removed";
}

using Number = std::optional<std::int64_t>;

void add_numbers(std::vector<Cell>& cells, const BySide<Number>& numbers) {
    for (const Side side : kSides) cells.push_back(numbers[side] ? Cell{*numbers[side]} : Cell{});
    const bool both = numbers.baseline && numbers.candidate;
    cells.push_back(both ? Cell{*numbers.candidate - *numbers.baseline} : Cell{});
    cells.push_back(both && *numbers.baseline != 0 ? ratio_cell(Wide{*numbers.candidate}, Wide{*numbers.baseline})
                                                   : Cell{});
}

void add_texts(std::vector<Cell>& cells, const BySide<std::optional<std::string_view>>& texts) {
    for (const Side side : kSides) cells.push_back(texts[side] ? Cell{*texts[side]} : Cell{});
    cells.insert(cells.end(), 2, Cell{});
}

// One row of the alignment, with the texts that its cells point to.
class RowWriter {
public:
    RowWriter(const OperatorComparison& all, const BySide<const Run*>& runs, const AlignedOperator& row)
        : all_(all), runs_(runs), row_(row) {}

    const SequencedOperator* find(Side side) const {
        return row_.at[side] ? &all_.sequences[side].operators[*row_.at[side]] : nullptr;
    }
    template <class Get>
    auto both(Get get) const {
        BySide<std::optional<std::decay_t<decltype(get(*find(Side::Baseline)))>>> values;
        for (const Side side : kSides)
            if (const SequencedOperator* const one = find(side)) values[side] = get(*one);
        return values;
    }
    std::string name() const {
        const SequencedOperator *const b = find(Side::Baseline), *const c = find(Side::Candidate);
        if (!b || !c || b->name == c->name) return std::string((b ? b : c)->name);
        return std::string(b->name) + std::string(kReplacedBy) + std::string(c->name);
    }
    std::string_view module() const {
        return (find(Side::Baseline) ? find(Side::Baseline) : find(Side::Candidate))->module;
    }
    std::string launched(Side side) const { return list_kernels(all_, runs_, row_, side); }

    void write(Comparison& comparison, std::size_t place) const {
        const std::string title = name(), difference = describe_edit(all_, runs_, row_);
        const BySide<std::string> launches{launched(Side::Baseline), launched(Side::Candidate)};
        std::vector<Cell> cells{
            static_cast<std::int64_t>(place + 1), name_of(row_.edit), module(), std::string_view(title),
            std::string_view(difference),         presence_of(row_)};
        add_numbers(cells, both([](const SequencedOperator& one) { return one.kernel_ns; }));
        add_numbers(cells, both([](const SequencedOperator& one) { return static_cast<std::int64_t>(one.count()); }));
        add_numbers(cells, both([](const SequencedOperator& one) { return one.ns; }));
        add_texts(cells, both([](const SequencedOperator& one) { return one.inputs; }));
        add_texts(cells, both([](const SequencedOperator& one) { return one.types; }));
        BySide<std::optional<std::string_view>> names;
        for (const Side side : kSides)
            if (find(side)) names[side] = launches[side];
        add_texts(cells, names);
        comparison.table.add_row(cells);
        BySide<std::vector<std::size_t>> sources;
        for (const Side side : kSides)
            if (row_.at[side]) sources[side].push_back(*row_.at[side]);
        comparison.sources.push_back(std::move(sources));
    }

private:
    const OperatorComparison& all_;
    const BySide<const Run*>& runs_;
    const AlignedOperator& row_;
};

std::vector<std::string> notes_of(const OperatorComparison& compared) {
    std::vector<std::string> notes{describe_operators(compared)};
    notes.insert(notes.end(), compared.notes.begin(), compared.notes.end());
    return notes;
}

// Calls of one operator with the same kernels before and the same after.
struct KernelGroup {
    BySide<std::vector<std::size_t>> at;
    BySide<std::int64_t> ns, kernels;
    std::string_view presence;
};

}  // namespace

const Analysis& op_by_op() {
    static constexpr Analysis kOpByOp{
        .id = "op-by-op",
        .title = "Op by op",
        .summary = "The operators of one step of both runs, aligned: inserted, removed, replaced and changed ones.",
        .definition = R"(
Operators that begin in the step, by thread (the one that began first first) and start. The longest common
subsequence by module class and name, where both runs recorded modules, else by name; of equally long ones those
with the same shapes and types, then in the same module instance. Matched operators with other inputs or other
kernels are changed. Between two matches, operators that are equally deep replace each other in order; the rest is
removed or inserted. The rank is the first pair that the filter takes, the step the first pair that verdicts count,
so that a filter by rank and step chooses them; without steps it is the whole trace. Kernels are the GPU events that
an operator launched and no operator inside it did.
)",
        .params = kParams,
        .chart = {},
        .comparable = true,
        .rank = nullptr,
        .merge = nullptr,
        .columns = op_by_op_columns,
        .lead = "kernel_time"};
    return kOpByOp;
}

Comparison to_comparison(const OperatorComparison& compared, const BySide<const Run*>& runs, bool all) {
    constexpr std::size_t kKeys = 5;
    Comparison comparison = empty_comparison(op_by_op_columns(), kKeys);
    comparison.notes = notes_of(compared);
    for (std::size_t place = 0; place < compared.rows.size(); ++place)
        if (all || compared.rows[place].edit != OperatorEdit::Same)
            RowWriter(compared, runs, compared.rows[place]).write(comparison, place);
    return comparison;
}

Comparison to_kernel_comparison(const OperatorComparison& compared, const BySide<const Run*>& runs, bool all) {
    constexpr std::size_t kKeys = 4;
    using Key = std::array<std::string, kKeys>;
    std::map<Key, KernelGroup> groups;
    for (const AlignedOperator& row : compared.rows) {
        const RowWriter writer(compared, runs, row);
        const bool is_pair = row.at.baseline && row.at.candidate;
        const BySide<std::string> names{writer.launched(Side::Baseline), writer.launched(Side::Candidate)};
        if (names.baseline.empty() && names.candidate.empty()) continue;
        if (!all && is_pair && row.kernels == KernelEdit::Same) continue;
        KernelGroup& group = groups[{writer.name(), std::string(is_pair ? name_of(row.kernels) : name_of(row.edit)),
                                     names.baseline, names.candidate}];
        group.presence = presence_of(row);
        for (const Side side : kSides) {
            const SequencedOperator* const one = writer.find(side);
            if (!one) continue;
            group.at[side].push_back(*row.at[side]);
            group.ns[side] = clamped(Wide{group.ns[side]} + one->kernel_ns);
            group.kernels[side] += static_cast<std::int64_t>(one->count());
        }
    }
    Comparison comparison = empty_comparison(kernel_change_columns(), kKeys);
    comparison.notes = notes_of(compared);
    std::vector<std::pair<const Key*, const KernelGroup*>> order;
    for (const auto& [key, group] : groups) order.emplace_back(&key, &group);
    std::ranges::stable_sort(order, std::ranges::greater{}, [](const auto& one) {
        return std::abs(one.second->ns.candidate - one.second->ns.baseline);
    });
    for (const auto& [key, group] : order) {
        std::vector<Cell> cells;
        for (const std::string& text : *key) cells.emplace_back(std::string_view(text));
        cells.emplace_back(group->presence);
        BySide<Number> ns, kernels, calls;
        for (const Side side : kSides) {
            if (group->at[side].empty()) continue;
            ns[side] = group->ns[side];
            kernels[side] = group->kernels[side];
            calls[side] = static_cast<std::int64_t>(group->at[side].size());
        }
        for (const BySide<Number>& numbers : {ns, kernels, calls}) add_numbers(cells, numbers);
        comparison.table.add_row(cells);
        comparison.sources.push_back(group->at);
    }
    return comparison;
}

Result<RunComparison> compare_op_by_op(const DiffQuery& query, const BySide<const Run*>& runs,
                                       const RunAlignment& alignment, const JobContext& context) {
    if (!query.table.empty() && query.table != kKernelsTable)
        return Error{ErrorCode::NotFound, "there is no table '" + query.table + "'; there are: main, kernels"};
    const Result<OperatorComparison> compared =
        compare_operators(runs, alignment, query.filter, {query.names, query.pairs}, context);
    if (!compared) return compared.error();
    const bool all = !query.params.empty() && query.params.front() == 1;
    RunComparison result{
        query.table.empty() ? to_comparison(*compared, runs, all) : to_kernel_comparison(*compared, runs, all), {}};
    for (const Side side : kSides) {  // what gates read: the columns before they are compared
        result.answers[side].tables = {{"main", Table(op_by_op_columns())},
                                       {std::string(kKernelsTable), Table(kernel_change_columns())}};
    }
    return result;
}

}  // namespace core
