#include "core/ingest/nsys/nsys_database.hpp"

#include "core/base/ascii.hpp"
#include "core/base/utf8.hpp"
#include "core/ingest/nsys/sqlite_pages.hpp"

#include <algorithm>
#include <charconv>

namespace core {
namespace {

constexpr std::string_view kStrings = "StringIds";

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

DatabaseKind kind_of_tables(const std::vector<std::string>& names) {
    const auto any = [&](std::string_view prefix) {
        return std::ranges::any_of(names, [&](const std::string& name) { return name.starts_with(prefix); });
    };
    const auto has = [&](std::string_view name) { return std::ranges::find(names, name) != names.end(); };
    if (has("META_DATA_EXPORT") || has("EXPORT_META_DATA") || any("CUPTI_ACTIVITY_KIND_") ||
        (any(kStrings) && any("NVTX_EVENTS")))
        return DatabaseKind::Nsys;
    if (any("rocpd_op") || any("rocpd_kernelapi")) return DatabaseKind::Rpd;
    if (any("rocpd_")) return DatabaseKind::Rocpd;
    if (has("STRING_IDS") && (has("TASK") || has("CANN_API") || has("PYTORCH_API"))) return DatabaseKind::Ascend;
    return DatabaseKind::Other;
}

}  // namespace

DatabaseKind kind_of_database(const std::filesystem::path& path) {
    const JobContext alone;
    const Result<std::unique_ptr<SqliteDatabase>> database = SqliteDatabase::open(path, alone);
    return database ? kind_of_tables((*database)->table_names()) : DatabaseKind::NotOne;
}

Result<std::unique_ptr<NsysDatabase>> NsysDatabase::open(const std::filesystem::path& path, const JobContext& job) {
    Result<std::unique_ptr<SqliteDatabase>> database = SqliteDatabase::open(path, job);
    if (!database) return std::move(database).error();
    std::unique_ptr<NsysDatabase> opened(new NsysDatabase(std::move(*database)));
    if (const std::string fault = find_page_fault(path, opened->database_->root_pages()); !fault.empty())
        opened->diagnostics_.add("file-truncated", fault);
    return opened;
}

std::string NsysDatabase::resolve(std::string_view table) const {
    if (database_->has_table(table)) return std::string(table);
    std::string found;
    int highest = 0;
    for (const std::string& name : database_->table_names()) {
        const int suffix = suffix_of(name, table);
        if (suffix <= highest) continue;
        highest = suffix;
        found = name;
    }
    return found;
}

bool NsysDatabase::has_column(std::string_view table, std::string_view column) {
    const std::string name = resolve(table);
    if (name.empty()) return false;
    const Result<SqliteDatabase::Table> described = database_->describe(name);
    return described &&
           std::ranges::any_of(described->columns, [&](const auto& c) { return is_same_column(c, column); });
}

bool NsysDatabase::visit(std::string_view table, std::span<const std::string_view> columns,
                         const std::function<bool(const SqliteRows&)>& visit) {
    const std::string name = resolve(table);
    if (name.empty()) return true;
    const auto fail = [&](const Error& error) {
        if (error.code == ErrorCode::Cancelled) return false;
        diagnostics_.add("file-truncated", error.message);
        return true;
    };
    const Result<SqliteDatabase::Table> described = database_->describe(name);
    if (!described) return fail(described.error());
    SqliteRows rows = database_->rows(*described, columns);
    while (rows.next()) {
        ++rows_read_;
        if (!visit(rows)) break;
    }
    return !rows.failure() || fail(*rows.failure());
}

std::string_view NsysDatabase::repaired(std::string_view text, std::string& scratch) {
    if (is_utf8(text)) return text;
    scratch.clear();
    for (std::string_view rest = text; !rest.empty();) {
        const CodePoint point = decode_utf8(rest);
        scratch.append(point.valid ? rest.substr(0, point.bytes) : kReplacementCharacter);
        rest.remove_prefix(point.bytes);
    }
    diagnostics_.add("text-repaired", "\"" + scratch.substr(0, 80) + "\"");
    return scratch;
}

// Texts are found one by one where their id is the key of the table; else all are kept.
void NsysDatabase::prepare_texts() {
    texts_prepared_ = true;
    const std::string name = resolve(kStrings);
    if (name.empty()) return;
    Result<SqliteDatabase::Table> described = database_->describe(name);
    if (!described) return;
    strings_ = std::move(*described);
    texts_by_key_ = is_same_column(strings_->row_key, "id");
    if (texts_by_key_) return;
    constexpr std::string_view kColumns[] = {"id", "value"};
    visit(name, kColumns, [&](const SqliteRows& row) {
        const std::optional<std::int64_t> id = row.integer(0);
        const std::optional<std::string_view> value = row.text(1);
        if (id && value) texts_.try_emplace(*id, repaired(*value, scratch_));
        return true;
    });
}

std::string_view NsysDatabase::text(std::int64_t id) {
    if (!texts_prepared_) prepare_texts();
    const auto known = texts_.find(id);
    if (known != texts_.end()) return known->second;
    if (!texts_by_key_ || !strings_) return {};
    const std::optional<std::string> found = database_->find_text(*strings_, "value", id);
    const std::string_view text = found ? repaired(*found, scratch_) : std::string_view();
    return texts_.emplace(id, text).first->second;
}

}  // namespace core
