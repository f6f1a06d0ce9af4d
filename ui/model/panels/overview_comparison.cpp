#include "ui/model/panels/overview_comparison.hpp"

#include "core/base/format.hpp"
#include "core/diff/compare_runs.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace ui {
namespace {

constexpr double kMoreThanOthers = 1.1;   // times the change of all

using core::Cell;
using core::Facet;
using core::Role;
using core::Table;
using core::Unit;
using Input = OverviewComparison::Input;

Table named_values() {
    return Table({{"name", Unit::Text, Role::Key, Facet::None}, {"value", Unit::Number, Role::Measure, Facet::None}});
}

// Mean over all steps of all ranks.
Cell mean_cell(const Table& steps, std::string_view column) {
    const std::size_t at = steps.find_column(column);
    if (at == steps.columns().size()) return {};
    double sum = 0;
    double count = 0;
    for (std::size_t row = 0; row < steps.rows(); ++row) {
        if (steps.absent(row, at)) continue;
        sum += steps.number(row, at);
        ++count;
    }
    return count > 0 ? Cell{sum / count} : Cell{};
}

Table table_of_side(const OverviewModel& model, const Table* steps) {
    Table table = named_values();
    table.add_row({std::string_view("window"), static_cast<double>(model.window.length().count())});
    if (!model.steps.all.points.empty()) table.add_row({std::string_view("median"), model.steps.all.median});
    if (!steps) return table;
    table.add_row({std::string_view("duration"), mean_cell(*steps, "duration")});
    for (const BreakdownPart& part : kBreakdownParts) table.add_row({part.column, mean_cell(*steps, part.column)});
    return table;
}

std::map<std::string, Compared, std::less<>> compare_values(const core::BySide<Table>& tables,
                                                            const core::RunAlignment& alignment) {
    const core::Comparison joined =
        core::compare_tables({&tables.baseline, &tables.candidate}, alignment, core::Averages{}, {});
    std::map<std::string, Compared, std::less<>> values;
    for (std::size_t row = 0; row < joined.table.rows(); ++row)
        values[std::string(joined.table.text(row, 0))] = Compared::of(joined, row, 0);
    return values;
}

std::string steps_per_rank(const StepTimes& steps) {
    const auto text = [](std::size_t count) { return core::format_count(static_cast<std::int64_t>(count)); };
    const std::string least = text(steps.least_per_rank);
    return steps.least_per_rank == steps.most_per_rank ? least : least + " to " + text(steps.most_per_rank);
}

void add_step_parts(const Input& input, OverviewComparison& both) {
    const auto values = compare_values({table_of_side(both.sides.baseline, input.steps.baseline),
                                        table_of_side(both.sides.candidate, input.steps.candidate)},
                                       input.alignment);
    const auto value = [&](std::string_view name) {
        const auto at = values.find(name);
        return at == values.end() ? Compared{} : at->second;
    };
    both.window = value("window");
    both.median_step = value("median");
    both.per_step = !both.sides.baseline.steps.all.points.empty() && !both.sides.candidate.steps.all.points.empty();
    if (!both.per_step) return;
    both.whole = value("duration");
    for (std::size_t part = 0; part < both.parts.size(); ++part) both.parts[part] = value(kBreakdownParts[part].column);
    const core::BySide<std::string> counts{steps_per_rank(both.sides.baseline.steps),
                                           steps_per_rank(both.sides.candidate.steps)};
    if (counts.baseline != counts.candidate || both.sides.baseline.ranks != both.sides.candidate.ranks)
        both.notes.push_back("averages per step and rank: " + counts.baseline + " steps in the baseline, " +
                             counts.candidate + " in the candidate");
}

// Runs without steps: what the ranks' windows are made of.
void add_window_parts(const Input& input, OverviewComparison& both) {
    if (!input.breakdowns.baseline || !input.breakdowns.candidate) return;
    BreakdownModel::Input windows{
        .runs = input.runs, .filters = input.filters, .alignment = input.alignment, .sides = {}, .same_window = false};
    for (const core::Side side : core::kSides)
        windows.sides[side] = RunBreakdown::of_answers(*input.breakdowns[side], nullptr, input.filters[side]);
    BreakdownModel breakdown = BreakdownModel::of(windows);
    for (const PairedTime& time : breakdown.parts) {
        const auto part = std::ranges::find(kBreakdownParts, time.name, &BreakdownPart::column);
        if (part == kBreakdownParts.end())
            both.whole = time.time;
        else
            both.parts[static_cast<std::size_t>(part - kBreakdownParts.begin())] = time.time;
    }
    for (std::string& note : breakdown.notes) add_note(both.notes, std::move(note));
}

void find_part_changed_most(OverviewComparison& both) {
    const double direction = both.headline().change.value_or(0);
    double most = 0;
    for (std::size_t part = 0; part < both.parts.size(); ++part) {
        const double change = both.parts[part].change.value_or(0) * (direction < 0 ? -1 : 1);
        if (change <= most) continue;
        most = change;
        both.part_changed_most = part;
    }
}

void find_rank_changed_most(const Input& input, OverviewComparison& both) {
    core::BySide<Table> tables;
    for (const core::Side side : core::kSides) {
        tables[side] =
            Table({{"rank", Unit::Rank, Role::Key, Facet::Rank}, {"median", Unit::Number, Role::Measure, Facet::None}});
        for (const SpreadPoint& rank : both.sides[side].steps.over_ranks.points)
            tables[side].add_row({rank.id, rank.value});
    }
    const core::Comparison joined =
        core::compare_tables({&tables.baseline, &tables.candidate}, input.alignment, core::Averages{}, {});
    const double direction = both.headline().change.value_or(0);
    double most = kMoreThanOthers * std::abs(direction);
    for (std::size_t row = 0; row < joined.table.rows(); ++row) {
        const Compared median = Compared::of(joined, row, 0);
        const double change = median.change.value_or(0) * (direction < 0 ? -1 : 1);
        if (change <= most) continue;
        most = change;
        ComparedRankStep found{{}, median};
        for (const core::Side side : core::kSides)
            found.rank[side] = core::RankKey::unpacked(tables[side].integer(joined.sources[row][side].front(), 0));
        both.rank_changed_most = found;
    }
}

std::string text_of(const EnvironmentLine& line) {
    return line.others > 0 ? line.value + " and " + std::to_string(line.others) + " more" : line.value;
}

void add_environment(OverviewComparison& both) {
    std::map<std::string, core::BySide<std::string>> lines;
    for (const core::Side side : core::kSides)
        for (const EnvironmentLine& line : both.sides[side].environment) lines[line.label][side] = text_of(line);
    for (const auto& [label, values] : lines) {
        if (values.baseline == values.candidate)
            ++both.same_environment;
        else
            both.environment.push_back({label, values});
    }
    std::ranges::stable_partition(both.environment, [](const auto& line) { return line.label == "Device"; });
}

}  // namespace

OverviewComparison OverviewComparison::of(const Input& input) {
    OverviewComparison both;
    for (const core::Side side : core::kSides)
        both.sides[side] =
            OverviewModel::of(*input.runs[side], input.breakdowns[side], input.steps[side], input.stragglers[side]);
    add_note(both.notes, core::note_only_side({input.runs.baseline.get(), input.runs.candidate.get()}, input.filters));
    const core::BySide<const core::Run*> runs{input.runs.baseline.get(), input.runs.candidate.get()};
    both.step = core::compare_steps_of(core::sample_runs(runs, input.filters, {}), {});
    add_step_parts(input, both);
    if (!both.per_step) add_window_parts(input, both);
    find_part_changed_most(both);
    find_rank_changed_most(input, both);
    add_environment(both);
    return both;
}

}  // namespace ui
