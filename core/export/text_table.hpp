#pragma once
// A table for people: a header, columns aligned by what is seen (UTF-8 code points, wide ones counted
// twice), numbers right-aligned with a unit chosen by size, absent cells "-". Control characters in names
// are shown as '?', so that a trace cannot steer a terminal.

#include "core/analysis/engine/table.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace core {

struct TextTableOptions {
    std::size_t most_columns = 0;  // width to keep to by cutting long names in the middle; 0: cut nothing
    std::size_t most_rows = 0;     // 0: all; else the last line says how many were left out
};

std::string to_text_table(const Table&, const TextTableOptions& = {});

// The same layout for rows that are no analysis table.
struct TextColumn {
    std::string title;
    bool right_aligned = false;
};
std::string layout_text_table(std::span<const TextColumn>, std::span<const std::vector<std::string>> rows,
                              std::size_t most_columns = 0);

// With '?' for control characters and U+FFFD for what is no UTF-8.
std::string harmless(std::string_view text);
// How many terminal cells a text takes.
std::size_t display_width(std::string_view text);

}  // namespace core
