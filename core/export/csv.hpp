#pragma once
// A table as CSV: one header line, raw values, lines end with '\n'. Fields are quoted as in RFC 4180.
// The header carries the unit where a number alone would not say it (compute_ns, size_bytes,
// busbw_bytes_per_s); ratios are plain numbers (1 = 100 %), absent cells are empty, ranks "3" or "3·b".

#include "core/analysis/table.hpp"

#include <string>

namespace core {

std::string to_csv(const Table&);

}  // namespace core
