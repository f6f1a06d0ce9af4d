#include "core/export/text_table.hpp"

#include "core/base/short_name.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/utf8.hpp"

#include <algorithm>

namespace core {
namespace {

constexpr std::string_view kGap = "  ";
constexpr std::size_t kLeastNameWidth = 12;

std::size_t cells_of(char32_t c) {
    const bool combining = (c >= 0x300 && c <= 0x36F) || c == 0x200B || c == 0x200D || (c >= 0xFE00 && c <= 0xFE0F);
    const bool wide = (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) || (c >= 0xAC00 && c <= 0xD7A3) ||
                      (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
                      (c >= 0x1F300 && c <= 0x1FAFF) || (c >= 0x20000 && c <= 0x3FFFD);
    return combining ? 0 : wide ? 2 : 1;
}

// The longest start of the text that takes at most `width` cells.
std::string_view leading(std::string_view text, std::size_t width) {
    std::size_t bytes = 0;
    while (bytes < text.size()) {
        const CodePoint point = decode_utf8(text.substr(bytes));
        if (cells_of(point.value) > width) break;
        width -= cells_of(point.value);
        bytes += point.bytes;
    }
    return text.substr(0, bytes);
}

std::string_view trailing(std::string_view text, std::size_t width) {
    while (display_width(text) > width) text.remove_prefix(decode_utf8(text).bytes);
    return text;
}

std::string cut_in_middle(const std::string& text, std::size_t width) {
    if (display_width(text) <= width) return text;
    const std::size_t kept = width - 1;
    return std::string(leading(text, kept - kept / 2)) + std::string(kEllipsis) + std::string(trailing(text, kept / 2));
}

void add_padded(std::string& line, const std::string& text, std::size_t width, bool right_aligned) {
    const std::string blanks(width - display_width(text), ' ');
    line += right_aligned ? blanks + text : text + blanks;
}

void add_line(std::string& out, std::span<const TextColumn> columns, const std::vector<std::string>& cells,
              const std::vector<std::size_t>& widths) {
    std::string line;
    for (std::size_t c = 0; c < columns.size(); ++c) {
        if (c > 0) line += kGap;
        add_padded(line, cut_in_middle(cells[c], widths[c]), widths[c], columns[c].right_aligned);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
}

// Shrinks the widest left-aligned column repeatedly until the table fits.
void fit(std::vector<std::size_t>& widths, std::span<const TextColumn> columns, std::size_t most) {
    std::size_t total = widths.empty() ? 0 : (widths.size() - 1) * kGap.size();
    for (const std::size_t width : widths) total += width;
    while (total > most) {
        std::size_t widest = columns.size();
        for (std::size_t c = 0; c < columns.size(); ++c) {
            if (columns[c].right_aligned || widths[c] <= kLeastNameWidth) continue;
            if (widest == columns.size() || widths[c] > widths[widest]) widest = c;
        }
        if (widest == columns.size()) return;
        const std::size_t less = std::min(total - most, widths[widest] - kLeastNameWidth);
        widths[widest] -= less;
        total -= less;
    }
}

bool is_left_aligned(Unit unit) { return unit == Unit::Text; }

}  // namespace

std::size_t display_width(std::string_view text) {
    std::size_t width = 0;
    while (!text.empty()) {
        const CodePoint point = decode_utf8(text);
        width += cells_of(point.value);
        text.remove_prefix(point.bytes);
    }
    return width;
}

std::string layout_text_table(std::span<const TextColumn> columns, std::span<const std::vector<std::string>> rows,
                              std::size_t most_columns) {
    std::vector<std::string> titles;
    std::vector<std::size_t> widths;
    for (std::size_t c = 0; c < columns.size(); ++c) {
        titles.push_back(columns[c].title);
        widths.push_back(display_width(columns[c].title));
        for (const std::vector<std::string>& row : rows)
            widths[c] = std::max(widths[c], display_width(terminal_text(row[c])));
    }
    if (most_columns > 0) fit(widths, columns, most_columns);
    std::string out;
    add_line(out, columns, titles, widths);
    for (std::vector<std::string> row : rows) {
        for (std::string& cell : row) cell = terminal_text(cell);
        add_line(out, columns, row, widths);
    }
    return out;
}

namespace {

// Names of kernels as the window shortens them, where the table is too wide for them in full.
void shorten_kernels(const Table& table, std::vector<std::vector<std::string>>& rows, std::size_t most_columns) {
    std::size_t total = 0;
    for (std::size_t c = 0; c < table.columns().size(); ++c) {
        std::size_t width = display_width(table.columns()[c].name);
        for (const std::vector<std::string>& row : rows) width = std::max(width, display_width(row[c]));
        total += width + (c > 0 ? kGap.size() : 0);
    }
    if (total <= most_columns) return;
    for (std::size_t c = 0; c < table.columns().size(); ++c) {
        const Column& column = table.columns()[c];
        if (column.facet != Facet::Kernel || column.unit != Unit::Text) continue;
        const std::vector<std::string_view> full = [&] {
            std::vector<std::string_view> names;
            for (const std::vector<std::string>& row : rows) names.push_back(row[c]);
            return names;
        }();
        const std::vector<std::string> names = distinct_short_names(full);
        for (std::size_t row = 0; row < rows.size(); ++row) rows[row][c] = names[row];
    }
}

}  // namespace

std::string to_text_table(const Table& table, const TextTableOptions& options) {
    std::vector<TextColumn> columns;
    for (const Column& column : table.columns()) columns.push_back({column.name, !is_left_aligned(column.unit)});
    const std::size_t shown = options.most_rows ? std::min(options.most_rows, table.rows()) : table.rows();
    std::vector<std::vector<std::string>> rows(shown);
    for (std::size_t row = 0; row < shown; ++row) {
        for (std::size_t c = 0; c < columns.size(); ++c) rows[row].push_back(format_cell(table, row, c));
    }
    if (options.most_columns > 0) shorten_kernels(table, rows, options.most_columns);
    std::string out = layout_text_table(columns, rows, options.most_columns);
    if (shown < table.rows()) out += "... and " + std::to_string(table.rows() - shown) + " more rows\n";
    return out;
}

}  // namespace core
