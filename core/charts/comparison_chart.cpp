#include "core/charts/comparison_chart.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace core {

Table side_table(const Comparison& comparison, Side side, const std::vector<std::size_t>& rows) {
    const Part part = side == Side::Baseline ? Part::Baseline : Part::Candidate;
    std::vector<Column> columns;
    std::vector<std::size_t> from;
    for (std::size_t key = 0; key < comparison.keys; ++key) from.push_back(key);
    for (std::size_t measure = 0; measure < comparison.measures; ++measure)
        from.push_back(comparison.column(measure, part));
    for (const std::size_t column : from) columns.push_back(comparison.table.columns()[column]);
    for (std::size_t measure = 0; measure < comparison.measures; ++measure)
        columns[comparison.keys + measure].name = comparison.measure_name(measure);
    Table table(columns);
    std::vector<Cell> cells(from.size());
    for (const std::size_t row : rows) {
        for (std::size_t c = 0; c < from.size(); ++c) cells[c] = comparison.table.cell(row, from[c]);
        table.add_row(cells);
    }
    return table;
}

ComparisonChart ComparisonChart::of(const Analysis& analysis, const Comparison& comparison,
                                    std::string_view chosen_series, OverRanks over) {
    std::vector<std::size_t> rows(comparison.table.rows());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    for (const std::string_view by : {analysis.chart.series, analysis.chart.category}) {
        const std::size_t column = comparison.table.find_column(by);
        if (column >= comparison.keys || !is_integer(comparison.table.columns()[column].unit)) continue;
        std::ranges::stable_sort(rows, {}, [&](std::size_t row) { return comparison.table.integer(row, column); });
    }
    const BySide<Table> tables{side_table(comparison, Side::Baseline, rows),
                               side_table(comparison, Side::Candidate, rows)};
    const std::array<const Table*, 2> both{&tables.baseline, &tables.candidate};
    ChartChoice choice = choose_chart(analysis, both);
    ComparisonChart chart;
    for (const Side side : kSides) {
        const ChartModel& first = chart.sides.baseline;
        const bool knows = std::ranges::find(first.series, chosen_series) != first.series.end();
        const std::string_view series = first.series.empty() || knows ? chosen_series : first.series.front();
        ChartModel model = ChartModel::of(analysis, tables[side], series, &choice, over);
        for (ChartModel::Item& item : model.items) {
            item.row = rows[item.row];
            for (std::optional<std::size_t>& row : item.rows_of_parts)
                if (row) row = rows[*row];
        }
        for (std::optional<std::size_t>& row : model.part_rows)
            if (row) row = rows[*row];
        if (side == Side::Baseline && !model.series.empty())
            choice.series = std::ranges::find(model.series, series) != model.series.end() ? std::string(series)
                                                                                          : model.series.front();
        chart.sides[side] = std::move(model);
    }
    return chart;
}

}  // namespace core
