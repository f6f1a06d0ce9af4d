#include "core/analysis/engine/table.hpp"

#include "core/analysis/engine/flop_text.hpp"
#include "core/base/format.hpp"
#include "core/index/run.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <limits>

namespace core {
namespace {

constexpr std::array<std::string_view, 15> kUnitNames = {"text",    "count",   "number", "ns",     "bytes",
                                                         "bytes/s", "ratio",   "rank",   "step",   "stream",
                                                         "event",   "percent", "flop",   "flop/s", "flop/byte"};
constexpr std::array<std::string_view, 3> kRoleNames = {"key", "measure", "info"};
constexpr std::string_view kAbsent = "-";
constexpr std::string_view kAtLeast = "\xE2\x89\xA5 ";

std::string all_digits(double value) {
    std::array<char, 40> buffer;
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return std::string(buffer.data(), end.ptr);
}

std::string format_integer(Unit unit, std::int64_t value) {
    switch (unit) {
        case Unit::Ns:
            return format_duration(Duration{value});
        case Unit::Bytes:
            return format_bytes(value);
        case Unit::Count:
            return format_count(value);
        case Unit::Rank:
            return format_rank(RankKey::unpacked(value));
        case Unit::Flop:
            return format_flop(static_cast<double>(value));
        default:
            return std::to_string(value);
    }
}

std::string format_integer_exact(Unit unit, std::int64_t value) {
    switch (unit) {
        case Unit::Ns:
            return format_duration_exact(Duration{value});
        case Unit::Bytes:
            return format_bytes_exact(value);
        case Unit::Flop:
            return format_count(value) + " FLOP";
        default:
            return format_integer(unit, value);
    }
}

std::string format_double(Unit unit, double value) {
    switch (unit) {
        case Unit::Ratio:
            return format_ratio(value);
        case Unit::BytesPerSecond:
            return format_bytes_per_second(value);
        case Unit::FlopPerSecond:
            return format_flop_per_second(value);
        case Unit::FlopPerByte:
            return format_flop_per_byte(value);
        default:
            return format_number(value);
    }
}

std::string format_double_exact(Unit unit, double value) {
    switch (unit) {
        case Unit::Ratio:
            return all_digits(value * 100) + " %";
        case Unit::BytesPerSecond:
            return all_digits(value) + " B/s";
        case Unit::FlopPerSecond:
            return all_digits(value) + " FLOP/s";
        case Unit::FlopPerByte:
            return all_digits(value) + " FLOP/B";
        default:
            return all_digits(value);
    }
}

using SharedColumns = std::shared_ptr<const std::vector<Column>>;

// One of the last few that this thread made, if it is equal.
SharedColumns share_columns(std::vector<Column> columns) {
    constexpr std::size_t kRemembered = 32;
    thread_local std::array<SharedColumns, kRemembered> remembered;
    thread_local std::size_t next = 0;
    for (const SharedColumns& known : remembered)
        if (known && *known == columns) return known;
    SharedColumns made = std::make_shared<const std::vector<Column>>(std::move(columns));
    remembered[next++ % kRemembered] = made;
    return made;
}

}  // namespace

std::string_view name_of(Unit unit) { return kUnitNames[static_cast<std::size_t>(unit)]; }

bool holds_ids(const Column& column) {
    constexpr std::array<std::string_view, 4> kIds{"bound_by", "cause", "kind", "part"};
    return column.facet == Facet::None && std::ranges::find(kIds, column.name) != kIds.end();
}

Better better_of(Unit unit) {
    if (unit == Unit::Ns) return Better::Less;
    return unit == Unit::BytesPerSecond || unit == Unit::FlopPerSecond ? Better::More : Better::Neither;
}

Better better_of(const Column& column) {
    return column.better == Better::ByUnit ? better_of(column.unit) : column.better;
}

std::string_view name_of(Role role) { return kRoleNames[static_cast<std::size_t>(role)]; }

bool is_integer(Unit unit) {
    return unit != Unit::Text && unit != Unit::Number && unit != Unit::BytesPerSecond && unit != Unit::Ratio &&
           unit != Unit::FlopPerSecond && unit != Unit::FlopPerByte;
}

Table::Table(std::vector<Column> columns) : columns_(share_columns(std::move(columns))), data_(columns_->size()) {}

const std::vector<Column>& Table::columns() const {
    static const std::vector<Column> kNone;
    return columns_ ? *columns_ : kNone;
}

void Table::add_row(std::initializer_list<Cell> cells) { add_cells({cells.begin(), cells.size()}); }
void Table::add_row(const std::vector<Cell>& cells) { add_cells(cells); }

void Table::add_cells(std::span<const Cell> cells) {
    assert(cells.size() == columns().size());
    for (std::size_t c = 0; c < cells.size(); ++c) push(c, cells[c]);
    ++rows_;
}

void Table::push(std::size_t column, const Cell& cell) {
    const Unit unit = columns()[column].unit;
    Data& data = data_[column];
    const double* const number = std::get_if<double>(&cell);
    const bool absent = std::holds_alternative<std::monostate>(cell) || (number && !std::isfinite(*number));
    data.absent.push_back(absent);
    if (unit == Unit::Text) {
        assert(absent || std::holds_alternative<std::string_view>(cell));
        const NameId id = absent ? NameId{0} : pool_.intern(std::get<std::string_view>(cell));
        data.integers.push_back(static_cast<std::int64_t>(index_of(id)));
    } else if (is_integer(unit)) {
        assert(absent || std::holds_alternative<std::int64_t>(cell));
        data.integers.push_back(absent ? 0 : std::get<std::int64_t>(cell));
    } else {
        assert(absent || number);
        data.numbers.push_back(absent ? std::numeric_limits<double>::quiet_NaN() : *number);
    }
}

Cell Table::cell(std::size_t row, std::size_t column) const {
    if (absent(row, column)) return {};
    const Unit unit = columns()[column].unit;
    if (unit == Unit::Text) return text(row, column);
    if (is_integer(unit)) return data_[column].integers[row];
    return data_[column].numbers[row];
}

std::int64_t Table::integer(std::size_t row, std::size_t column) const {
    assert(is_integer(columns()[column].unit));
    return data_[column].integers[row];
}

double Table::number(std::size_t row, std::size_t column) const {
    if (absent(row, column)) return std::numeric_limits<double>::quiet_NaN();
    return is_integer(columns()[column].unit) ? static_cast<double>(data_[column].integers[row])
                                              : data_[column].numbers[row];
}

std::string_view Table::text(std::size_t row, std::size_t column) const {
    assert(columns()[column].unit == Unit::Text);
    return pool_.text(NameId{static_cast<std::uint32_t>(data_[column].integers[row])});
}

std::size_t Table::find_column(std::string_view name) const {
    std::size_t i = 0;
    while (i < columns().size() && columns()[i].name != name) ++i;
    return i;
}

std::size_t Table::resident_bytes() const {
    std::size_t bytes = pool_.bytes().size() + pool_.offsets().size_bytes();
    for (const Data& data : data_)
        bytes += data.integers.capacity() * 8 + data.numbers.capacity() * 8 + data.absent.capacity() / 8;
    return bytes;
}

void Table::append(const Table& other) {
    assert(columns().size() == other.columns().size());
    for (std::size_t row = 0; row < other.rows_; ++row) {
        for (std::size_t c = 0; c < columns().size(); ++c) push(c, other.cell(row, c));
    }
    rows_ += other.rows_;
}

void Table::sort_rows(const std::vector<std::size_t>& order) {
    assert(order.size() == rows_);
    const auto gather = [&](auto& values) {
        if (values.empty()) return;
        auto sorted = values;
        for (std::size_t i = 0; i < order.size(); ++i) sorted[i] = values[order[i]];
        values = std::move(sorted);
    };
    for (Data& data : data_) {
        gather(data.integers);
        gather(data.numbers);
        gather(data.absent);
    }
}

bool is_lower_bound(const Table& table, std::size_t row, std::size_t column) {
    const std::string& share = table.columns()[column].counted_by;
    if (share.empty() || table.absent(row, column)) return false;
    const std::size_t counted = table.find_column(share);
    return counted < table.columns().size() && table.number(row, counted) < kCountedInFull;
}

std::string format_cell(const Table& table, std::size_t row, std::size_t column) {
    if (table.absent(row, column)) return std::string(kAbsent);
    const Unit unit = table.columns()[column].unit;
    if (unit == Unit::Text) return std::string(table.text(row, column));
    const std::string text = is_integer(unit) ? format_integer(unit, table.integer(row, column))
                                              : format_double(unit, table.number(row, column));
    return is_lower_bound(table, row, column) ? std::string(kAtLeast) + text : text;
}

std::string format_cell_exact(const Table& table, std::size_t row, std::size_t column) {
    if (table.absent(row, column)) return std::string(kAbsent);
    const Unit unit = table.columns()[column].unit;
    if (unit == Unit::Text) return std::string(table.text(row, column));
    const std::string text = is_integer(unit) ? format_integer_exact(unit, table.integer(row, column))
                                              : format_double_exact(unit, table.number(row, column));
    return is_lower_bound(table, row, column) ? std::string(kAtLeast) + text : text;
}

}  // namespace core
