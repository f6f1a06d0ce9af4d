#pragma once
// What every analysis returns: columns with a unit (how a value is printed and exported), a role (how
// two tables line up) and a facet (what a key means as a filter). Columnar; texts are pooled; any cell
// may be absent. A Table has all its columns from the start and grows by whole rows.

#include "core/base/units.hpp"
#include "core/store/string_table.hpp"

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace core {

// Ns, Bytes, Count, Rank, Step, Stream, Event are integers; Number, BytesPerSecond, Ratio are doubles.
// Rank cells hold RankKey::packed(); Event cells hold an EventId.
enum class Unit : std::uint8_t {
    Text,
    Count,
    Number,
    Ns,
    Bytes,
    BytesPerSecond,
    Ratio,
    Rank,
    Step,
    Stream,
    Event,
    Percent,  // of parameters, which are integers
};
std::string_view name_of(Unit);  // "text", "count", "number", "ns", "bytes", "bytes/s", "ratio", "rank", …
bool is_integer(Unit);

enum class Role : std::uint8_t { Key, Measure, Info };  // Info is neither joined nor compared
std::string_view name_of(Role);

enum class Facet : std::uint8_t { None, Rank, Step, Stream, Class, Kernel, Operator, Group, Annotation };

struct Column {
    std::string name;         // "exposed_communication": stable
    Unit unit = Unit::Text;
    Role role = Role::Measure;
    Facet facet = Facet::None;
    std::string meaning = {}; // one line: what the number is
    bool adds_up = false;     // over disjoint steps and over names: counts and sums; not means, extremes, shares
};

using Cell = std::variant<std::monostate, std::int64_t, double, std::string_view>;

class Table {
public:
    Table() = default;
    explicit Table(std::vector<Column> columns);

    const std::vector<Column>& columns() const { return columns_; }
    std::size_t rows() const { return rows_; }
    // One cell per column, of the column's kind (integer, double or text) or monostate.
    void add_row(std::initializer_list<Cell> cells);
    void add_row(const std::vector<Cell>& cells);

    bool absent(std::size_t row, std::size_t column) const { return data_[column].absent[row]; }
    Cell cell(std::size_t row, std::size_t column) const;
    std::int64_t integer(std::size_t row, std::size_t column) const;   // asserts an integer column, 0 if absent
    double number(std::size_t row, std::size_t column) const;          // integer or double as double; NaN if absent
    std::string_view text(std::size_t row, std::size_t column) const;
    std::size_t find_column(std::string_view name) const;              // columns().size() if there is none
    std::size_t resident_bytes() const;

    void append(const Table& other);                                   // same columns
    void sort_rows(const std::vector<std::size_t>& order);             // the new row i is the old row order[i]

private:
    struct Data {
        std::vector<std::int64_t> integers;   // integers; of texts: NameId in pool_
        std::vector<double> numbers;
        std::vector<bool> absent;
    };
    void push(std::size_t column, const Cell& cell);
    void add_cells(std::span<const Cell> cells);
    std::vector<Column> columns_;
    std::vector<Data> data_;
    StringPool pool_;
    std::size_t rows_ = 0;
};

// The text of a cell as the tables of the CLI and the panels print it: units chosen by size, "-" if absent.
std::string format_cell(const Table&, std::size_t row, std::size_t column);
// Exact: integers with unit, doubles with all digits; for copying and hovering.
std::string format_cell_exact(const Table&, std::size_t row, std::size_t column);

}  // namespace core
