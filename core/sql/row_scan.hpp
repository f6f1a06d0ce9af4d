#pragma once
// A scan over rows that are numbered from 0, for tables that are small or an array already. A source has `rows()` and
// `cell(row, column)`; the bounds are checked row by row, those on its `id` column at once.

#include "core/sql/sql_table.hpp"

#include <algorithm>
#include <utility>

namespace core {

template <class Source>
class RowScan final : public SqlScan {
public:
    // The rows [first, last) of the source.
    RowScan(SqlContext& context, SqlBounds bounds, Source source, std::size_t first, std::size_t last)
        : context_(context), bounds_(std::move(bounds)), source_(std::move(source)), row_(first), last_(last) {
        skip_filtered();
    }

    bool done() const override { return row_ >= last_; }
    void next() override {
        ++row_;
        skip_filtered();
    }
    std::int64_t id() const override { return static_cast<std::int64_t>(row_); }
    Cell cell(std::size_t column) override { return source_.cell(row_, column); }

private:
    void skip_filtered() {
        for (; row_ < last_; ++row_) {
            if (++context_.examined % kRowsBetweenChecks == 0 && context_.job.cancelled()) {
                fail(cancelled_error());
                row_ = last_;
                return;
            }
            const bool passes = std::ranges::all_of(
                bounds_, [&](const SqlBound& bound) { return bound.holds(source_.cell(row_, bound.column)); });
            if (passes) return;
        }
    }

    static constexpr std::uint64_t kRowsBetweenChecks = 256;
    SqlContext& context_;
    SqlBounds bounds_;
    Source source_;
    std::size_t row_;
    std::size_t last_;
};

// `id_column`: the column with the row's number, or none. Bounds on it choose the rows.
template <class Source>
SqlScanPtr scan_rows(SqlContext& context, SqlBounds bounds, Source source, std::optional<std::size_t> id_column = {}) {
    std::size_t first = 0, last = source.rows();
    for (const SqlBound& bound : bounds) {
        if (!id_column || bound.column != *id_column || bound.op != SqlOp::Equal || bound.values.size() > 1) continue;
        const auto* const id = bound.values.empty() ? nullptr : std::get_if<std::int64_t>(bound.values.data());
        const bool exists = id != nullptr && *id >= 0 && static_cast<std::size_t>(*id) < last;
        first = exists ? std::max(first, static_cast<std::size_t>(*id)) : last;
        if (exists) last = std::min(last, static_cast<std::size_t>(*id) + 1);
    }
    return std::make_unique<RowScan<Source>>(context, std::move(bounds), std::move(source), first, last);
}

}  // namespace core
