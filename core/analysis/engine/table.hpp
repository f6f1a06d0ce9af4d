#pragma once
// The result of an analysis: columns with a unit (printing and export), a role (joining two tables)
// and a facet (a key's meaning as a filter). Columnar; texts are pooled; any cell may be absent.
// Columns are fixed at construction; rows are appended whole.

#include "core/base/units.hpp"
#include "core/store/string_table.hpp"

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace core {

// Ns, Bytes, Count, Rank, Step, Stream, Event, Flop are integers; Number, BytesPerSecond, Ratio, FlopPerSecond,
// FlopPerByte are doubles.
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
    Percent,  // parameters only, which are integers
    Flop,     // floating-point operations; a rate of them is FlopPerSecond
    FlopPerSecond,
    FlopPerByte,
};
std::string_view name_of(Unit);  // "text", "count", "number", "ns", "bytes", "bytes/s", "ratio", "rank", …
bool is_integer(Unit);

enum class Role : std::uint8_t { Key, Measure, Info };  // Info is neither joined nor compared
std::string_view name_of(Role);

// Which change of a measure is for the better. ByUnit: less time, more of a rate; neither of all else.
enum class Better : std::uint8_t { ByUnit, Less, More, Neither };

enum class Facet : std::uint8_t { None, Rank, Step, Stream, Class, Kernel, Operator, Group, Annotation };

struct Column {
    std::string name;         // "exposed_communication": stable
    Unit unit = Unit::Text;
    Role role = Role::Measure;
    Facet facet = Facet::None;
    std::string meaning = {}; // one line that defines the number
    bool adds_up = false;  // over disjoint steps and names: true for counts and sums, false for means, extremes, shares
    std::string counted_by = {};  // the column with the share that was counted: below 0.95 this one prints with ≥
    Better better = Better::ByUnit;
    bool operator==(const Column&) const = default;
};
bool holds_ids(const Column&);  // its cells are our ids of causes, kinds or parts, not names of the trace
Better better_of(Unit);  // Less, More or Neither
Better better_of(const Column&);  // same

using Cell = std::variant<std::monostate, std::int64_t, double, std::string_view>;

class Table {
public:
    Table() = default;
    // Tables of equal columns made one after another on a thread share them: a run has one per rank and analysis.
    explicit Table(std::vector<Column> columns);

    const std::vector<Column>& columns() const;
    std::size_t rows() const { return rows_; }
    // One cell per column: the column's kind (integer, double or text) or monostate.
    void add_row(std::initializer_list<Cell> cells);
    void add_row(const std::vector<Cell>& cells);

    bool absent(std::size_t row, std::size_t column) const { return data_[column].absent[row]; }
    Cell cell(std::size_t row, std::size_t column) const;
    std::int64_t integer(std::size_t row, std::size_t column) const;  // asserts an integer column, 0 if absent
    double number(std::size_t row, std::size_t column) const;  // integer or double as double; NaN if absent
    std::string_view text(std::size_t row, std::size_t column) const;
    std::size_t find_column(std::string_view name) const;  // columns().size() if absent
    std::size_t resident_bytes() const;

    void append(const Table& other);  // needs equal columns
    void sort_rows(const std::vector<std::size_t>& order);  // new row i = old row order[i]

private:
    struct Data {
        std::vector<std::int64_t> integers;  // integers; for texts the NameId in pool_
        std::vector<double> numbers;
        std::vector<bool> absent;
    };
    void push(std::size_t column, const Cell& cell);
    void add_cells(std::span<const Cell> cells);
    std::shared_ptr<const std::vector<Column>> columns_;  // null: none
    std::vector<Data> data_;
    StringPool pool_;
    std::size_t rows_ = 0;
};

inline constexpr double kCountedInFull = 0.95;
// True if the cell is of a column with `counted_by`, and less than kCountedInFull of it was counted.
bool is_lower_bound(const Table&, std::size_t row, std::size_t column);
// The text of a cell in tables of CLI and panels: unit chosen by size, "-" if absent.
std::string format_cell(const Table&, std::size_t row, std::size_t column);
// Exact text for copying and hovering: integers with unit, doubles with all digits.
std::string format_cell_exact(const Table&, std::size_t row, std::size_t column);

}  // namespace core
