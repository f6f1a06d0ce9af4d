#include "core/diff/fail_if.hpp"

#include "core/base/nearest.hpp"
#include "core/index/run.hpp"

#include <algorithm>
#include <cassert>
#include <ranges>
#include <set>

namespace core {
namespace {

constexpr std::string_view kPresence = "presence";

bool holds(Relation relation, long double value, long double limit) {
    switch (relation) {
        case Relation::Greater:
            return value > limit;
        case Relation::GreaterOrEqual:
            return value >= limit;
        case Relation::Less:
            return value < limit;
        case Relation::LessOrEqual:
            return value <= limit;
        case Relation::Equal:
            return value == limit;
        case Relation::NotEqual:
            return value != limit;
    }
    return false;
}

std::size_t find_measure(const Comparison& comparison, const Condition& condition) {
    return comparison.table.find_column(condition.measure + "." + std::string(name_of(condition.part)));
}

bool holds(const Condition& condition, const Comparison& comparison, std::size_t row) {
    const Table& table = comparison.table;
    const std::size_t column = find_measure(comparison, condition);
    assert(column < table.columns().size());
    if (table.absent(row, column)) return false;
    const long double value = is_integer(table.columns()[column].unit)
                                  ? static_cast<long double>(table.integer(row, column))
                                  : static_cast<long double>(table.number(row, column));
    return holds(condition.relation, value, condition.limit);
}

bool holds(const FailIf& fail_if, const Comparison& comparison, std::size_t row) {
    return std::ranges::any_of(fail_if.any_of, [&](const std::vector<Condition>& all_of) {
        return std::ranges::all_of(all_of,
                                   [&](const Condition& condition) { return holds(condition, comparison, row); });
    });
}

// A key as written after `where`: plain digits, "3·b", or the text.
std::string key_text(const Table& table, std::size_t row, std::size_t column) {
    if (table.absent(row, column)) return "-";
    const Unit unit = table.columns()[column].unit;
    if (unit == Unit::Text) return std::string(table.text(row, column));
    if (unit == Unit::Rank) return format_rank(RankKey::unpacked(table.integer(row, column)));
    return is_integer(unit) ? std::to_string(table.integer(row, column)) : format_cell_exact(table, row, column);
}

bool meets(const KeyCondition& condition, const Table& table, std::size_t row) {
    return key_text(table, row, table.find_column(condition.key)) == condition.value;
}

bool is_of_key(const KeyCondition& condition) { return condition.key != kPresence; }

// Names the conditions that no row meets, with suggestions.
std::string explain_no_rows(const FailIf& fail_if, const Table& table) {
    for (const KeyCondition& condition : fail_if.where | std::views::filter(is_of_key)) {
        const std::size_t column = table.find_column(condition.key);
        std::set<std::string> values;
        for (std::size_t row = 0; row < table.rows(); ++row) values.insert(key_text(table, row, column));
        if (values.contains(condition.value)) continue;
        const std::vector<std::string_view> known(values.begin(), values.end());
        const bool is_text = table.columns()[column].unit == Unit::Text;
        return "where: no row has " + condition.key + "=" + condition.value +
               (is_text ? nearest_hint(condition.value, known) : "");
    }
    return "where: no row has all of these";
}

}  // namespace

Result<std::vector<std::size_t>> find_failing_rows(const FailIf& fail_if, const Comparison& comparison) {
    const Table& table = comparison.table;
    std::vector<std::size_t> failing;
    bool any_named = fail_if.where.empty();
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const auto meets_all = [&](auto conditions) {
            return std::ranges::all_of(conditions, [&](const KeyCondition& c) { return meets(c, table, row); });
        };
        // No row being removed is fine; no row having this name is a typo.
        if (!meets_all(fail_if.where | std::views::filter(is_of_key))) continue;
        any_named = true;
        if (meets_all(std::views::all(fail_if.where)) && holds(fail_if, comparison, row)) failing.push_back(row);
    }
    if (!any_named && table.rows() > 0) return Error{ErrorCode::NotFound, explain_no_rows(fail_if, table)};
    return failing;
}

std::string describe_failing_row(const FailIf& fail_if, const Comparison& comparison, std::size_t row) {
    std::string text;
    for (std::size_t c = 0; c < comparison.keys; ++c) {
        text += (c ? ", " : "") + comparison.table.columns()[c].name + " " + key_text(comparison.table, row, c);
    }
    std::set<std::size_t> columns;
    for (const std::vector<Condition>& all_of : fail_if.any_of) {
        for (const Condition& condition : all_of) columns.insert(find_measure(comparison, condition));
    }
    std::string values;
    for (const std::size_t c : columns) {
        values += (values.empty() ? ": " : ", ") + comparison.table.columns()[c].name + " " +
                  format_cell_exact(comparison.table, row, c);
    }
    return text + values;
}

}  // namespace core
