#pragma once
// A table as CSV: one header line, raw values, lines end with '\n'. Fields are quoted as in RFC
// 4180. Headers include the unit where numbers need one (compute_ns, size_bytes,
// busbw_bytes_per_s); ratios are plain numbers (1 = 100 %), absent cells are empty, ranks "3" or
// "3·b".

#include "core/analysis/engine/table.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace core {

// Treatment of texts from traces. Numbers are the same in both.
enum class CsvCells {
    // For spreadsheets: a text that would be taken for a formula (starting with = + - @, tab or carriage return) gets
    // an apostrophe in front, unless it is a number; control characters become '?'.
    Guarded,
    Raw,
};
std::string to_csv(const Table&, CsvCells = CsvCells::Guarded);

// Chosen rows and columns in order, with the same header and numbers, tab-separated and unquoted:
// tabs and line ends in texts become blanks. Stops before a row that would exceed `most` bytes.
struct TsvText {
    std::string text;
    std::size_t rows = 0;
};
TsvText to_tsv(const Table&, std::span<const std::size_t> rows, std::span<const std::size_t> columns, std::size_t most);

}  // namespace core
