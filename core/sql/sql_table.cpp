#include "core/sql/sql_table.hpp"

#include <sqlite3.h>

#include <algorithm>

namespace core {
namespace {

bool is_equal(const SqlValue& value, const Cell& cell) {
    if (const auto* const text = std::get_if<std::string>(&value)) {
        const auto* const held = std::get_if<std::string_view>(&cell);
        return held != nullptr && *held == *text;
    }
    const std::int64_t number = std::get<std::int64_t>(value);
    if (const auto* const held = std::get_if<std::int64_t>(&cell)) return *held == number;
    // A text such as 3·b, or a number with a fraction: SQLite decides.
    return !std::holds_alternative<std::monostate>(cell);
}

bool is_ordered(SqlOp op, std::int64_t held, std::int64_t bound) {
    switch (op) {
        case SqlOp::Less:
            return held < bound;
        case SqlOp::AtMost:
            return held <= bound;
        case SqlOp::More:
            return held > bound;
        default:
            return held >= bound;
    }
}

}  // namespace

bool SqlBound::holds(const Cell& cell) const {
    if (std::holds_alternative<std::monostate>(cell)) return false;
    if (op == SqlOp::Equal)
        return std::ranges::any_of(values, [&](const SqlValue& value) { return is_equal(value, cell); });
    if (values.empty()) return false;
    if (op == SqlOp::Like || op == SqlOp::Glob) {
        const auto* const pattern = std::get_if<std::string>(values.data());
        const auto* const held = std::get_if<std::string_view>(&cell);
        if (pattern == nullptr || held == nullptr) return true;
        const std::string text(*held);
        return op == SqlOp::Like ? sqlite3_strlike(pattern->c_str(), text.c_str(), 0) == 0
                                 : sqlite3_strglob(pattern->c_str(), text.c_str()) == 0;
    }
    const auto* const bound = std::get_if<std::int64_t>(values.data());
    const auto* const held = std::get_if<std::int64_t>(&cell);
    return bound == nullptr || held == nullptr || is_ordered(op, *held, *bound);
}

std::int64_t sql_event_id(std::size_t slot, EventId event) {
    return static_cast<std::int64_t>(slot) << 32 | static_cast<std::int64_t>(index_of(event));
}

std::optional<EventRef> find_sql_event(const Run& run, std::int64_t id) {
    if (id < 0) return std::nullopt;
    const auto slot = static_cast<std::size_t>(id >> 32);
    const auto event = static_cast<std::uint32_t>(id & 0xFFFFFFFF);
    if (slot >= run.ranks().size() || event >= run.rank(slot).trace().size()) return std::nullopt;
    return EventRef{static_cast<std::uint32_t>(slot), EventId{event}};
}

const std::vector<SqlTable>& sql_tables() {
    static const std::vector<SqlTable> kTables = [] {
        std::vector<SqlTable> all;
        for (auto* const part :
             {event_tables, argument_tables, collective_tables, run_tables, graph_tables, sample_tables, total_tables})
            for (SqlTable& table : part()) all.push_back(std::move(table));
        return all;
    }();
    return kTables;
}

}  // namespace core
