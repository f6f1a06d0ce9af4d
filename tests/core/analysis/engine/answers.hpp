#pragma once
// Runs an analysis and reads its table in one line each.

#include "core/analysis/catalogue/registry.hpp"
#include "core/analysis/run/run_analysis.hpp"
#include "core/query/filter_text.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace core::testing {

using GivenParams = std::vector<std::pair<std::string, std::string>>;

inline Answer answer_of(const Run& run, std::string_view id, std::string_view filter_text = "",
                        const GivenParams& given = {}) {
    const Analysis* const analysis = find_analysis(id);
    REQUIRE(analysis);
    const Result<Filter> filter = parse_filter(filter_text);
    REQUIRE(filter);
    const Result<Params> params = make_params(*analysis, given);
    REQUIRE(params);
    Result<Answer> answer = run_analysis(*analysis, run, *filter, *params, 2, {});
    REQUIRE_MESSAGE(answer, (answer ? std::string() : answer.error().message));
    return *std::move(answer);
}

// The row as stored: plain integers and doubles, "-" for absent cells.
inline std::string row_text(const Table& table, std::size_t row, std::size_t columns = 999) {
    std::string text;
    for (std::size_t c = 0; c < std::min(columns, table.columns().size()); ++c) {
        const Unit unit = table.columns()[c].unit;
        if (c > 0) text += ' ';
        if (table.absent(row, c))
            text += '-';
        else if (unit == Unit::Text)
            text += table.text(row, c);
        else if (unit == Unit::Rank)
            text += format_rank(RankKey::unpacked(table.integer(row, c)));
        else if (is_integer(unit))
            text += std::to_string(table.integer(row, c));
        else
            text += std::to_string(table.number(row, c));
    }
    return text;
}

// `columns`: only the first of them.
inline std::vector<std::string> rows_of(const Table& table, std::size_t columns = 999) {
    std::vector<std::string> rows;
    for (std::size_t row = 0; row < table.rows(); ++row) rows.push_back(row_text(table, row, columns));
    return rows;
}

using Rows = std::vector<std::string>;

inline Rows sorted(Rows rows) {
    std::ranges::sort(rows);
    return rows;
}

// The integer in a column of the row with this rank (first key), 0 if absent.
inline std::int64_t value_of(const Table& table, std::string_view column, std::int64_t rank) {
    const std::size_t at = table.find_column(column);
    REQUIRE(at < table.columns().size());
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (table.integer(row, 0) == RankKey{static_cast<std::int32_t>(rank), 0}.packed())
            return table.integer(row, at);
    }
    FAIL("no row of that rank");
    return 0;
}

// Rows of `findings` in all its tables: those that stand, those that a cause explains, those that a replay makes minor.
inline Table all_findings(const Answer& answer) {
    Table all(answer.main().columns());
    for (const std::string_view name : {"main", "explained", "minor"})
        if (const Table* const table = answer.find(name)) all.append(*table);
    return all;
}

}  // namespace core::testing
