#include "core/ingest/nsys/nsys_database.hpp"

#include <algorithm>
#include <charconv>

namespace core {
namespace {

// 2 for "NAME_V2", 0 for another table.
int suffix_of(std::string_view table, std::string_view name) {
    if (!table.starts_with(name)) return 0;
    table.remove_prefix(name.size());
    if (!table.starts_with("_V")) return 0;
    table.remove_prefix(2);
    int number = 0;
    const auto [end, error] = std::from_chars(table.data(), table.data() + table.size(), number);
    return error == std::errc{} && end == table.data() + table.size() ? std::max(number, 0) : 0;
}

std::string resolve_in(const SqliteTables& tables, std::string_view table) {
    if (tables.has(table)) return std::string(table);
    std::string found;
    int highest = 0;
    for (const std::string& name : tables.names()) {
        const int suffix = suffix_of(name, table);
        if (suffix <= highest) continue;
        highest = suffix;
        found = name;
    }
    return found;
}

}  // namespace

NsysDatabase::NsysDatabase(std::unique_ptr<SqliteTables> tables)
    : tables_(std::move(tables)), texts_(*tables_, resolve_in(*tables_, "StringIds"), "id", "value") {}

Result<std::unique_ptr<NsysDatabase>> NsysDatabase::open(const std::filesystem::path& path, const JobContext& job) {
    Result<std::unique_ptr<SqliteTables>> tables = SqliteTables::open(path, job);
    if (!tables) return std::move(tables).error();
    return std::unique_ptr<NsysDatabase>(new NsysDatabase(std::move(*tables)));
}

std::string NsysDatabase::resolve(std::string_view table) const { return resolve_in(*tables_, table); }

}  // namespace core
