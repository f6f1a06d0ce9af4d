#include "core/diff/join/add_up_ranks.hpp"

#include "core/analysis/engine/rounding.hpp"

#include <map>
#include <optional>

namespace core {
namespace {

struct Sum {
    Wide whole = 0;
    double number = 0;
    bool known = false;
};

struct Row {
    std::size_t first;      // first source row in the table
    std::vector<Sum> sums;  // by kept measure
};

void add(Sum& sum, const Cell& cell) {
    if (const auto* const whole = std::get_if<std::int64_t>(&cell)) sum.whole += *whole;
    if (const auto* const number = std::get_if<double>(&cell)) sum.number += *number;
    sum.known |= !std::holds_alternative<std::monostate>(cell);
}

Cell cell_of(const Sum& sum, Unit unit) {
    if (!sum.known) return {};
    return is_integer(unit) ? Cell{clamped(sum.whole)} : Cell{sum.number};
}

}  // namespace

Table add_up_ranks(const Table& table) {
    std::vector<std::size_t> keys, measures;
    std::vector<Column> columns;
    for (std::size_t c = 0; c < table.columns().size(); ++c) {
        const Column& column = table.columns()[c];
        const bool is_key = column.role == Role::Key && column.facet != Facet::Rank;
        const bool is_sum = column.role == Role::Measure && column.adds_up;
        if (!is_key && !is_sum) continue;
        (is_key ? keys : measures).push_back(c);
        columns.push_back(column);
    }
    std::map<std::vector<Cell>, std::size_t> places;  // texts point into the table
    std::vector<Row> rows;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        std::vector<Cell> key;
        key.reserve(keys.size());
        for (const std::size_t c : keys) key.push_back(table.cell(row, c));
        const auto [at, is_new] = places.try_emplace(std::move(key), rows.size());
        if (is_new) rows.push_back({row, std::vector<Sum>(measures.size())});
        for (std::size_t i = 0; i < measures.size(); ++i) add(rows[at->second].sums[i], table.cell(row, measures[i]));
    }
    Table sums(columns);
    for (const Row& row : rows) {
        std::vector<Cell> cells;
        cells.reserve(columns.size());
        for (const std::size_t c : keys) cells.push_back(table.cell(row.first, c));
        for (std::size_t i = 0; i < measures.size(); ++i)
            cells.push_back(cell_of(row.sums[i], table.columns()[measures[i]].unit));
        sums.add_row(cells);
    }
    return sums;
}

}  // namespace core
