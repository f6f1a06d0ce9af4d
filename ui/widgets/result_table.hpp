#pragma once
// Draws any core::Table: sorted by a click on a header, searched, with thousands of rows at the cost of
// the visible ones. Numbers right-aligned in the fixed-width face, exact on hover, absent as a dash;
// kernel names shortened, whole on hover. Holds the order of the rows only; the table is the caller's.

#include "core/analysis/analysis.hpp"

#include <imgui.h>

#include <optional>
#include <string>
#include <vector>

namespace ui {

struct TableOptions {
    std::vector<std::string_view> hidden;       // columns left out
    std::string_view bar_column = {};           // a ratio drawn as a bar behind its number
    std::string_view sort_column = {};          // at first; largest first
    std::string_view search = {};               // rows with this text in a text column, whatever its case
    std::optional<std::size_t> marked;          // a row shown as chosen
    const std::vector<bool>* marked_rows = nullptr;
};

struct TableHit {
    std::optional<std::size_t> clicked;         // row of the table
    std::optional<std::size_t> activated;       // double-clicked
    std::optional<std::size_t> hovered;
};

class ResultTable {
public:
    // `identity` changes when the table's content does (the answer's address will do).
    TableHit draw(const char* id, const core::Table&, const void* identity, const TableOptions&, ImVec2 size);
    std::size_t shown_rows() const { return order_.size(); }

private:
    void update(const core::Table&, const void* identity, const TableOptions&);
    void draw_header(const core::Table&, const std::vector<std::size_t>& columns);
    void draw_cell(const core::Table&, std::size_t row, std::size_t column, const TableOptions&);

    const void* identity_ = nullptr;
    std::size_t rows_ = 0;
    std::string search_;
    std::size_t sort_column_ = 0;
    bool sorted_ = false;                       // else in the table's own order
    bool descending_ = true;
    bool chosen_ = false;                       // the user has sorted
    bool dirty_ = true;
    std::vector<std::size_t> order_;
};

// What the columns ask for, names given little room; narrower tables scroll sideways.
float find_table_width(const core::Table&, const TableOptions&);
// "exposed_communication" → "Exposed communication".
std::string title_of(std::string_view column_name);
// Rows that contain the text in a text column, in table order, then sorted; no ImGui.
std::vector<std::size_t> find_rows(const core::Table&, std::string_view text);
void sort_rows(const core::Table&, std::size_t column, bool descending, std::vector<std::size_t>& rows);

}  // namespace ui
