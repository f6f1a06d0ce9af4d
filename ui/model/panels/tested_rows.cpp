#include "ui/model/panels/tested_rows.hpp"

#include <cmath>

namespace ui {

TestedRows TestedRows::of(const core::Comparison& comparison, const core::RowStatistics& statistics) {
    TestedRows rows;
    const core::Table& table = comparison.table;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const std::optional<core::Tested> none;
        const std::optional<core::Tested>& tested = row < statistics.rows.size() ? statistics.rows[row] : none;
        const std::optional<RowVerdict> verdict = core::verdict_of_row(table.text(row, comparison.keys), tested);
        if (verdict) ++rows.counts[static_cast<std::size_t>(*verdict)];
        rows.verdicts.push_back(verdict);
    }
    rows.points = core::find_volcano_points(statistics);
    return rows;
}

core::Table with_tests(const core::Comparison& comparison, const core::RowStatistics& statistics) {
    using core::Facet, core::Role, core::Unit;
    const core::Table& table = comparison.table;
    std::vector<core::Column> columns = table.columns();
    columns.push_back({std::string(kVerdictColumn), Unit::Text, Role::Info, Facet::None,
                       "regressed, improved, same or undecided, by the interval of the change and q"});
    columns.push_back({std::string(kMarginColumn), Unit::Ns, Role::Info, Facet::None,
                       "half of the 95 % interval of the change of the mean per step (Welch)"});
    columns.push_back({std::string(kQColumn), Unit::Number, Role::Info, Facet::None,
                       "Welch's p, adjusted for the number of rows that are tested (Benjamini and Hochberg)"});
    columns.push_back({std::string(kValuesColumn), Unit::Text, Role::Info, Facet::None,
                       "a dot per step: baseline above, candidate below; the line is the mean"});
    const TestedRows rows = TestedRows::of(comparison, statistics);
    core::Table extended(std::move(columns));
    for (std::size_t row = 0; row < table.rows(); ++row) {
        std::vector<core::Cell> cells;
        for (std::size_t c = 0; c < table.columns().size(); ++c) cells.push_back(table.cell(row, c));
        const core::Tested* const tested =
            row < statistics.rows.size() && statistics.rows[row] ? &*statistics.rows[row] : nullptr;
        cells.push_back(rows.verdicts[row] ? core::Cell{words_of(*rows.verdicts[row])} : core::Cell{});
        const bool has_interval = tested && tested->samples.welch;
        cells.push_back(has_interval
                            ? core::Cell{static_cast<std::int64_t>(std::llround(
                                  (tested->samples.welch->interval.high - tested->samples.welch->interval.low) / 2))}
                            : core::Cell{});
        cells.push_back(tested && tested->q ? core::Cell{*tested->q} : core::Cell{});
        cells.emplace_back();
        extended.add_row(cells);
    }
    return extended;
}

}  // namespace ui
