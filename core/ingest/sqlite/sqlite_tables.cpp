#include "core/ingest/sqlite/sqlite_tables.hpp"

#include "core/base/utf8.hpp"
#include "core/ingest/source/repair_text.hpp"
#include "core/ingest/sqlite/sqlite_pages.hpp"

#include <algorithm>

namespace core {

Result<std::unique_ptr<SqliteTables>> SqliteTables::open(const std::filesystem::path& path, const JobContext& job) {
    Result<std::unique_ptr<SqliteDatabase>> database = SqliteDatabase::open(path, job);
    if (!database) return std::move(database).error();
    std::unique_ptr<SqliteTables> opened(new SqliteTables(std::move(*database)));
    if (const std::string fault = find_page_fault(path, opened->database_->root_pages()); !fault.empty())
        opened->diagnostics_.add("file-truncated", fault);
    return opened;
}

std::optional<SqliteDatabase::Table> SqliteTables::describe(std::string_view table) {
    if (!has(table)) return std::nullopt;
    Result<SqliteDatabase::Table> described = database_->describe(table);
    return described ? std::optional(std::move(*described)) : std::nullopt;
}

bool SqliteTables::has_column(std::string_view table, std::string_view column) {
    const std::optional<SqliteDatabase::Table> described = describe(table);
    return described &&
           std::ranges::any_of(described->columns, [&](const auto& c) { return is_same_column(c, column); });
}

bool SqliteTables::visit(std::string_view table, std::span<const std::string_view> columns,
                         const std::function<bool(const SqliteRows&)>& visit) {
    if (!has(table)) return true;
    const auto fail = [&](const Error& error) {
        if (error.code == ErrorCode::Cancelled) return false;
        diagnostics_.add("file-truncated", error.message);
        return true;
    };
    const Result<SqliteDatabase::Table> described = database_->describe(table);
    if (!described) return fail(described.error());
    SqliteRows rows = database_->rows(*described, columns);
    while (rows.next()) {
        ++rows_read_;
        if (!visit(rows)) break;
    }
    return !rows.failure() || fail(*rows.failure());
}

bool SqliteTables::each(std::string_view table, std::span<const std::string_view> columns, const JobContext& job,
                        const std::function<void(const SqliteRows&)>& read) {
    constexpr std::uint64_t kRowsBetweenChecks = 1024;
    std::uint64_t rows = 0;
    const bool whole = visit(table, columns, [&](const SqliteRows& row) {
        read(row);
        return ++rows % kRowsBetweenChecks != 0 || !job.checkpoint();
    });
    return whole && !job.cancelled();
}

std::string_view SqliteTables::repaired(std::string_view text, std::string& scratch) {
    if (is_utf8(text)) return text;
    const std::string_view repaired = repair_text(text, scratch);
    diagnostics_.add("text-repaired", "\"" + scratch.substr(0, 80) + "\"");
    return repaired;
}

void SqliteTexts::prepare() {
    is_prepared_ = true;
    described_ = tables_.describe(table_);
    if (!described_) return;
    is_by_id_ = is_same_column(described_->row_key, key_);
    if (is_by_id_) return;
    const std::string_view columns[] = {key_, text_};
    tables_.visit(table_, columns, [&](const SqliteRows& row) {
        const std::optional<std::int64_t> key = row.integer(0);
        const std::optional<std::string_view> text = row.text(1);
        if (key && text) texts_.try_emplace(*key, tables_.repaired(*text, scratch_));
        return true;
    });
}

std::string_view SqliteTexts::find(std::int64_t key) {
    if (!is_prepared_) prepare();
    const auto known = texts_.find(key);
    if (known != texts_.end()) return known->second;
    if (!is_by_id_) return {};
    const std::optional<std::string> found = tables_.database().find_text(*described_, text_, key);
    const std::string_view text = found ? tables_.repaired(*found, scratch_) : std::string_view();
    return texts_.emplace(key, text).first->second;
}

SqliteLookup::~SqliteLookup() {
    if (rows_ && rows_->failure()) tables_.diagnostics().add("file-truncated", rows_->failure()->message);
}

void SqliteLookup::prepare() {
    is_prepared_ = true;
    const std::optional<SqliteDatabase::Table> described = tables_.describe(table_);
    if (!described) return;
    is_by_id_ = is_same_column(described->row_key, key_);
    if (!is_by_id_) {
        const std::string_view columns[] = {key_};
        tables_.visit(table_, columns, [&](const SqliteRows& row) {
            if (const std::optional<std::int64_t> key = row.integer(0)) row_of_key_.emplace_back(*key, row.id());
            return true;
        });
        std::ranges::sort(row_of_key_);
    }
    rows_.emplace(tables_.database().rows_by_id(*described, columns_));
}

const SqliteRows* SqliteLookup::find(std::int64_t key) {
    if (!is_prepared_) prepare();
    if (!rows_) return nullptr;
    if (!is_by_id_) {
        const auto at = std::ranges::lower_bound(row_of_key_, key, {}, &std::pair<std::int64_t, std::int64_t>::first);
        if (at == row_of_key_.end() || at->first != key) return nullptr;
        key = at->second;
    }
    return rows_->find(key) ? &*rows_ : nullptr;
}

}  // namespace core
