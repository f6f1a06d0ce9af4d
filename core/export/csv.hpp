#pragma once
// A table as CSV: one header line, raw values, lines end with '\n'. Fields are quoted as in RFC 4180.
// The header carries the unit where a number alone would not say it (compute_ns, size_bytes,
// busbw_bytes_per_s); ratios are plain numbers (1 = 100 %), absent cells are empty, ranks "3" or "3·b".

#include "core/analysis/engine/table.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace core {

std::string to_csv(const Table&);

// These rows and columns as they are asked for, the same header and numbers with tabs between them and nothing quoted:
// tabs and line ends in texts are blanks. Ends before the row that would make it longer than `most` bytes.
struct TsvText {
    std::string text;
    std::size_t rows = 0;
};
TsvText to_tsv(const Table&, std::span<const std::size_t> rows, std::span<const std::size_t> columns, std::size_t most);

}  // namespace core
