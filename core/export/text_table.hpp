#pragma once
// A readable table: a header, columns aligned by displayed width (UTF-8 code points, wide ones
// count twice), numbers right-aligned with a unit chosen by size, absent cells "-". Control
// characters in names become '?', so a trace cannot control the terminal.

#include "core/analysis/engine/table.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace core {

struct TextTableOptions {
    std::size_t most_columns =
        0;  // target width, reached by shortening names of kernels, then by cutting in the middle; 0: neither
    std::size_t most_rows = 0;     // 0: all; else the last line counts the omitted rows
};

std::string to_text_table(const Table&, const TextTableOptions& = {});

// The same layout for rows that aren't an analysis table.
struct TextColumn {
    std::string title;
    bool right_aligned = false;
};
std::string layout_text_table(std::span<const TextColumn>, std::span<const std::vector<std::string>> rows,
                              std::size_t most_columns = 0);

// Width of a text in terminal cells.
std::size_t display_width(std::string_view text);

}  // namespace core
