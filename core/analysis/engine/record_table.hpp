#pragma once
// Records as rows of a table: how a rank's partial hands them to a merge. `kFields<Record>` lists the members once,
// and columns, writing and reading follow from it. A member is an integer, a flag, an enum, a double, a duration, a
// point in time, an EventId (absent: kNoEvent), an optional of these, or a string_view, which borrows from the table.
//
//     template <>
//     inline constexpr auto kFields<Stay> = std::tuple{field("slot", &Stay::slot), field("begin", &Stay::begin)};

#include "core/analysis/engine/table.hpp"

#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace core {

// A cell that is absent where its value is.
template <class T>
Cell optional_cell(const std::optional<T>& value) {
    return value ? Cell{*value} : Cell{};
}

// A member, or a member of a member: each step of the path is a pointer to one.
template <class... Path>
struct Field {
    std::string_view name;
    std::tuple<Path...> path;
    Unit unit;
    Role role = Role::Info;
    Facet facet = Facet::None;

    constexpr Field as(Unit wanted, Role for_role, Facet of_facet = Facet::None) const {
        return {name, path, wanted, for_role, of_facet};
    }
    template <class Record>
    constexpr auto& in(Record& record) const {
        return std::apply([&](const auto... steps) -> auto& { return (record.*....*steps); }, path);
    }
};

namespace record_table {

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

template <class T>
Cell to_cell(const T& value) {
    if constexpr (kIsOptional<T>)
        return value ? to_cell(*value) : Cell{};
    else if constexpr (std::same_as<T, EventId>)
        return value == kNoEvent ? Cell{} : Cell{static_cast<std::int64_t>(value)};
    else if constexpr (std::floating_point<T>)
        return Cell{static_cast<double>(value)};
    else if constexpr (std::integral<T> || std::is_enum_v<T>)
        return Cell{static_cast<std::int64_t>(value)};
    else if constexpr (std::same_as<T, std::string_view>)
        return Cell{value};
    else if constexpr (std::same_as<T, Duration>)
        return Cell{value.count()};
    else
        return Cell{ns_of(value)};
}

template <class T>
T from_cell(const Table& table, std::size_t row, std::size_t column) {
    if constexpr (kIsOptional<T>) {
        if (table.absent(row, column)) return std::nullopt;
        return from_cell<typename T::value_type>(table, row, column);
    } else if constexpr (std::same_as<T, EventId>) {
        return table.absent(row, column) ? kNoEvent : static_cast<T>(table.integer(row, column));
    } else if constexpr (std::floating_point<T>) {
        return static_cast<T>(table.number(row, column));
    } else if constexpr (std::same_as<T, bool>) {
        return table.integer(row, column) != 0;
    } else if constexpr (std::integral<T> || std::is_enum_v<T>) {
        return static_cast<T>(table.integer(row, column));
    } else if constexpr (std::same_as<T, std::string_view>) {
        return table.text(row, column);
    } else if constexpr (std::same_as<T, Duration>) {
        return Duration{table.integer(row, column)};
    } else {
        return T{typename T::duration{table.integer(row, column)}};
    }
}

template <class T>
constexpr Unit unit_of() {
    if constexpr (kIsOptional<T>) return unit_of<typename T::value_type>();
    if constexpr (std::same_as<T, EventId>) return Unit::Event;
    if constexpr (std::same_as<T, std::string_view>) return Unit::Text;
    return std::floating_point<T> ? Unit::Number : Unit::Count;
}

template <class Record, class T>
T member_type(T Record::*);

}  // namespace record_table

template <class... Path>
constexpr Field<Path...> field(std::string_view name, Path... path) {
    using Last = std::tuple_element_t<sizeof...(Path) - 1, std::tuple<Path...>>;
    using Member = decltype(record_table::member_type(std::declval<Last>()));
    return {.name = name, .path = {path...}, .unit = record_table::unit_of<Member>()};
}

// Specialised next to the record, as a std::tuple of fields.
template <class Record>
inline constexpr std::tuple<> kFields{};

template <class Record>
std::vector<Column> record_columns() {
    std::vector<Column> columns;
    std::apply(
        [&](const auto&... each) {
            (columns.push_back({std::string(each.name), each.unit, each.role, each.facet, ""}), ...);
        },
        kFields<Record>);
    return columns;
}

template <class Record>
Table make_record_table() {
    return Table(record_columns<Record>());
}

// table: of record_columns<Record>().
template <class Record>
void add_record(Table& table, const Record& record) {
    std::apply([&](const auto&... each) { table.add_row({record_table::to_cell(each.in(record))...}); },
               kFields<Record>);
}

template <class Record>
Record read_record(const Table& table, std::size_t row) {
    Record record;
    std::size_t column = 0;
    const auto read = [&](const auto& each) {
        auto& member = each.in(record);
        member = record_table::from_cell<std::remove_cvref_t<decltype(member)>>(table, row, column++);
    };
    std::apply([&](const auto&... each) { (read(each), ...); }, kFields<Record>);
    return record;
}

template <class Record>
std::vector<Record> read_records(const Table& table) {
    std::vector<Record> all;
    all.reserve(table.rows());
    for (std::size_t row = 0; row < table.rows(); ++row) all.push_back(read_record<Record>(table, row));
    return all;
}

}  // namespace core
