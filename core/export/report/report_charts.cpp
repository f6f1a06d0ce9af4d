#include "core/export/report/report_charts.hpp"

#include "core/charts/comparison_chart.hpp"
#include "core/export/report/html_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

namespace core {
namespace {

constexpr std::int64_t kLeastOfLargest = 1000;  // smaller shares of the largest change have no bar

// A measure by rank and step; nullopt if the table isn't keyed by them.
std::optional<HeatTable> grid_of(const Table& table, std::size_t keys, std::size_t measure) {
    const std::size_t rank = table.find_column("rank"), step = table.find_column("step");
    if (keys != 2 || rank >= keys || step >= keys || measure >= table.columns().size()) return std::nullopt;
    std::map<std::int64_t, std::size_t> rows, columns;
    for (std::size_t i = 0; i < table.rows(); ++i) {
        rows.emplace(table.integer(i, rank), 0);
        columns.emplace(table.integer(i, step), 0);
    }
    HeatTable grid{.rows = {},
                   .columns = {},
                   .row_title = "rank",
                   .column_title = "step",
                   .values = {},
                   .unit = table.columns()[measure].unit,
                   .is_change = false};
    for (auto& [number, place] : rows) {
        place = grid.rows.size();
        grid.rows.push_back(format_rank(RankKey::unpacked(number)));
    }
    for (auto& [number, place] : columns) {
        place = grid.columns.size();
        grid.columns.push_back(std::to_string(number));
    }
    grid.values.assign(grid.rows.size() * grid.columns.size(), std::nan(""));
    for (std::size_t i = 0; i < table.rows(); ++i) {
        if (table.absent(i, measure)) continue;
        const std::size_t row = rows[table.integer(i, rank)], column = columns[table.integer(i, step)];
        grid.values[row * grid.columns.size() + column] = table.number(i, measure);
    }
    return grid;
}

std::size_t keys_of(const Table& table) {
    return static_cast<std::size_t>(std::ranges::count(table.columns(), Role::Key, &Column::role));
}

// True if the items of a chart have a natural order.
bool is_numbered(const Analysis& analysis, const Table& table) {
    const std::size_t category = table.find_column(analysis.chart.category);
    return category < table.columns().size() && is_integer(table.columns()[category].unit);
}

// Number of key values without a part of their own.
std::size_t count_undrawn(const ChartModel& model, const Table& table) {
    if (!model.split) return 0;
    std::set<std::string> values;
    for (std::size_t row = 0; row < table.rows(); ++row) values.insert(format_cell(table, row, *model.split));
    return values.size() - std::min(values.size(), model.parts.size() - (model.has_others ? 1 : 0));
}

SvgContext context_of(const Analysis& analysis, const ChartModel& model, const Table& table,
                      const ShortName& short_name) {
    SvgContext context{.title = std::string(analysis.title), .short_name = short_name, .notes = {}};
    std::string drawn;
    if (!model.split && !model.parts.empty())
        drawn = spoken_name(model.parts.front());
    else if (!analysis.chart.measures.empty())
        drawn = spoken_name(analysis.chart.measures.front());
    if (model.kind == ChartKind::ErrorBars && !model.series.empty()) {
        const std::string& name = model.series.front();
        context.notes.push_back("Duration of " + cut_in_the_middle(short_name ? short_name(name) : name, 80) +
                                ", the one that takes most time.");
    } else if (model.parts.size() == 1 || model.split) {
        context.notes.push_back("Shown: " + drawn + ".");
    }
    if (const std::string ranks = model.words_of_ranks(); !ranks.empty())
        context.notes.push_back("Each bar: " + ranks + ".");
    if (const std::size_t undrawn = count_undrawn(model, table); undrawn > 0) {
        context.notes.push_back("By " + spoken_name(table.columns()[*model.split].name) + "; " +
                                counted_noun(undrawn, "more is", "more are") +
                                (model.has_others ? " in (other)." : " not drawn."));
    }
    return context;
}

std::string chart_of_answer(const Analysis& analysis, const Answer& answer, const HtmlReport& report) {
    const std::string title(analysis.title);
    if (const Run* const run = report.runs.baseline.run; !answer.series.empty()) {
        std::string lines = lines_to_svg(answer.series, *run, {.title = title});
        if (!lines.empty()) return lines;
    }
    const Table& table = answer.main();
    if (const std::size_t lead = table.find_column(analysis.lead); lead < table.columns().size()) {
        const std::optional<HeatTable> grid = grid_of(table, keys_of(table), lead);
        if (grid)
            return heat_map_to_svg(
                *grid, {.title = title, .short_name = {}, .notes = {"Shown: " + spoken_name(analysis.lead) + "."}});
    }
    const ChartModel model = ChartModel::of(analysis, table, "");
    return bars_to_svg(model, nullptr, is_numbered(analysis, table),
                       context_of(analysis, model, table, report.short_name));
}

std::string chart_of_comparison(const Analysis& analysis, const Comparison& comparison, const HtmlReport& report) {
    if (comparison.lead < comparison.measures) {
        std::optional<HeatTable> grid =
            grid_of(comparison.table, comparison.keys, comparison.column(comparison.lead, Part::Change));
        if (grid) {
            grid->is_change = true;
            const std::string shown = spoken_name(comparison.measure_name(comparison.lead));
            return heat_map_to_svg(
                *grid,
                {.title = std::string(analysis.title), .short_name = {}, .notes = {"Shown: change of " + shown + "."}});
        }
    }
    const ComparisonChart chart = ComparisonChart::of(analysis, comparison, "");
    return bars_to_svg(chart.sides.baseline, &chart.sides.candidate, is_numbered(analysis, comparison.table),
                       context_of(analysis, chart.sides.baseline, comparison.table, report.short_name));
}

}  // namespace

std::string chart_of_part(const ReportPart& part, const HtmlReport& report) {
    if (part.comparison) return chart_of_comparison(*part.analysis, part.comparison->comparison, report);
    return part.answer ? chart_of_answer(*part.analysis, *part.answer, report) : std::string();
}

std::string chart_of_change(const StepChange& change, const ShortName& short_name) {
    ChartModel model;
    model.kind = ChartKind::StackedBars;
    model.parts = {"longer", "shorter"};
    std::int64_t most = 0;
    for (const PartChange& part : change.parts) most = std::max(most, std::abs(part.change()));
    for (const PartChange& part : change.parts) {
        if (std::abs(part.change()) * kLeastOfLargest <= most) continue;
        const auto ns = static_cast<double>(part.change());
        const std::string label = part.name.empty() ? spoken_name(name_of(part.part)) : part.name;
        model.items.push_back({label, {std::max(ns, 0.0), std::min(ns, 0.0)}, 0, true});
    }
    return bars_to_svg(
        model, nullptr, false,
        {.title = "Change of the mean step by its parts", .short_name = short_name, .notes = {}, .of_changes = true});
}

}  // namespace core
