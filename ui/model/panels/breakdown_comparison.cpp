#include "ui/model/panels/breakdown_comparison.hpp"

#include "core/diff/compare_runs.hpp"
#include "ui/model/filter_clicks.hpp"
#include "ui/model/rank_pairs.hpp"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

using core::Cell;
using core::Column;
using core::Facet;
using core::Role;
using core::Table;
using core::Unit;

constexpr std::array kMembers{&RankTimes::compute, &RankTimes::exposed_communication, &RankTimes::exposed_memory,
                              &RankTimes::idle};

Cell ns_cell(double value) { return std::int64_t{std::llround(value)}; }

Table table_of_ranks(const BreakdownModel& model) {
    std::vector<Column> columns{{"rank", Unit::Rank, Role::Key, Facet::Rank},
                                {"window", Unit::Ns, Role::Measure, Facet::None, {}, true}};
    for (const BreakdownPart& part : kBreakdownParts)
        columns.push_back({std::string(part.column), Unit::Ns, Role::Measure, Facet::None, {}, true});
    Table table(std::move(columns));
    for (const RankTimes& rank : model.ranks) {
        std::vector<Cell> cells{rank.key.packed(), rank.absent ? Cell{} : ns_cell(rank.window())};
        for (const auto member : kMembers) cells.push_back(rank.absent ? Cell{} : ns_cell(rank.*member));
        table.add_row(cells);
    }
    return table;
}

Table empty_table_of_times() {
    return Table({{"name", Unit::Text, Role::Key, Facet::None},
                  {"time", Unit::Ns, Role::Measure, Facet::None, {}, true},
                  {"share", Unit::Ratio, Role::Measure, Facet::None}});
}

Table table_of_parts(const BreakdownModel& model) {
    double window = 0;
    std::array<double, kBreakdownParts.size()> times{};
    for (const RankTimes& rank : model.ranks) {
        if (rank.left_out || rank.absent) continue;
        window += rank.window();
        for (std::size_t part = 0; part < times.size(); ++part) times[part] += rank.*kMembers[part];
    }
    Table table = empty_table_of_times();
    if (window <= 0) return table;
    table.add_row({std::string_view("window"), ns_cell(window), 1.0});
    for (std::size_t part = 0; part < times.size(); ++part)
        table.add_row({kBreakdownParts[part].column, ns_cell(times[part]), times[part] / window});
    return table;
}

Table table_of_sets(const BreakdownModel& model) {
    Table table = empty_table_of_times();
    for (const SetTime& set : model.sets) table.add_row({core::name_of_set(set.set), ns_cell(set.time), set.share});
    return table;
}

core::Comparison compare(const BreakdownComparison::Input& input, const core::BySide<Table>& tables,
                         std::vector<std::string>& notes) {
    core::BySide<core::Filter> filters = input.filters;
    const bool by_rank = tables.baseline.columns().front().facet == Facet::Rank;
    if (by_rank)
        for (const core::Side side : core::kSides) filters[side] = without_rank(filters[side]);
    core::Averages averages;
    if (!input.same_window)
        averages =
            core::choose_averages(tables.baseline.columns(), {input.runs.baseline.get(), input.runs.candidate.get()},
                                  filters, input.alignment);
    add_note(notes, averages.note);
    return core::compare_tables({&tables.baseline, &tables.candidate}, input.alignment, averages, {});
}

template <class MakeTable>
core::BySide<Table> tables_of(const BreakdownComparison::Input& input, MakeTable make) {
    return {make(input.models.baseline), make(input.models.candidate)};
}

void add_ranks(const BreakdownComparison::Input& input, BreakdownComparison& result) {
    const core::Comparison joined = compare(input, tables_of(input, table_of_ranks), result.notes);
    for (std::size_t row = 0; row < joined.table.rows(); ++row) {
        ComparedRank rank;
        for (const core::Side side : core::kSides) {
            const std::vector<std::size_t>& rows = joined.sources[row][side];
            if (rows.empty()) continue;
            const RankTimes& times = input.models[side].ranks[rows.front()];
            rank.keys[side] = times.key;
            rank.left_out[side] = times.left_out;
        }
        rank.window = Compared::of(joined, row, 0);
        for (std::size_t part = 0; part < rank.parts.size(); ++part)
            rank.parts[part] = Compared::of(joined, row, part + 1);
        result.ranks.push_back(rank);
    }
    std::ranges::stable_sort(result.ranks, [&](const ComparedRank& a, const ComparedRank& b) {
        return comes_before(a.keys, b.keys, input.alignment.ranks_by_number);
    });
}

std::vector<ComparedTime> read_times(const core::Comparison& joined) {
    std::vector<ComparedTime> times;
    for (std::size_t row = 0; row < joined.table.rows(); ++row)
        times.push_back(
            {std::string(joined.table.text(row, 0)), 0, Compared::of(joined, row, 0), Compared::of(joined, row, 1)});
    return times;
}

void add_parts(const BreakdownComparison::Input& input, BreakdownComparison& result) {
    result.parts = read_times(compare(input, tables_of(input, table_of_parts), result.notes));
    const auto place = [](const ComparedTime& part) {
        const auto at = std::ranges::find(kBreakdownParts, part.name, &BreakdownPart::column);
        return at == kBreakdownParts.end() ? -1 : at - kBreakdownParts.begin();
    };
    std::ranges::stable_sort(result.parts, {}, place);
}

void add_sets(const BreakdownComparison::Input& input, BreakdownComparison& result) {
    result.sets = read_times(compare(input, tables_of(input, table_of_sets), result.notes));
    for (ComparedTime& set : result.sets) set.set = find_set(set.name);
    std::ranges::stable_sort(result.sets, std::greater{}, [](const ComparedTime& set) {
        return std::max(set.time.baseline.value_or(0), set.time.candidate.value_or(0));
    });
}

}  // namespace

void add_note(std::vector<std::string>& notes, std::string note) {
    if (note.empty()) return;
    for (std::string& known : notes) {
        if (known.starts_with(note)) return;
        if (!note.starts_with(known)) continue;
        known = std::move(note);
        return;
    }
    notes.push_back(std::move(note));
}

BreakdownComparison BreakdownComparison::of(const Input& input) {
    BreakdownComparison result;
    add_note(result.notes,
             core::note_only_side({input.runs.baseline.get(), input.runs.candidate.get()}, input.filters));
    add_ranks(input, result);
    add_parts(input, result);
    add_sets(input, result);
    return result;
}

}  // namespace ui
