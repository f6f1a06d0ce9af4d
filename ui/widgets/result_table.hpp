#pragma once
// Draws any core::Table: sorted by a click on a header, searched, with thousands of rows at the cost of
// the visible ones. Numbers right-aligned in the fixed-width face, exact on hover, absent as a dash;
// kernel names shortened, whole on hover.

#include "core/analysis/analysis.hpp"
#include "ui/view_models/derived.hpp"

#include <imgui.h>
#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ui {

using TablePtr = std::shared_ptr<const core::Table>;   // of an answer: it keeps the answer alive
TablePtr main_table(const core::AnswerPtr&);

struct TableOptions {
    std::vector<std::string_view> hidden;       // columns left out
    std::string_view bar_column = {};           // a ratio drawn as a bar behind its number
    std::string_view sort_column = {};          // at first and whenever it changes; largest first
    std::string_view search = {};               // rows with this text in a text column, whatever its case
    std::function<bool(const core::Table&, std::size_t row)> marked;   // rows shown as chosen; may be empty
};

struct TableHit {                               // rows of `table`, which may be older than the table asked for
    TablePtr table;
    std::optional<std::size_t> clicked;
    std::optional<std::size_t> activated;       // double-clicked; its first click came before
    std::optional<std::size_t> hovered;
};

class ResultTable {
public:
    // Rows are searched and sorted on the pool; until that is done the last table stays.
    TableHit draw(const char* id, core::JobPool&, const TablePtr&, const TableOptions&, ImVec2 size);
    std::size_t shown_rows() const { return ordered_ ? ordered_->rows.size() : 0; }
    bool fresh() const { return order_.fresh(); }
    void describe(nlohmann::json& shown) const;  // how it is sorted and the rows that the last draw showed

private:
    struct Key {
        TablePtr table;
        std::string search;
        std::string sort_by;
        bool descending = true;
        bool operator==(const Key&) const = default;
    };
    struct Ordered {
        TablePtr table;
        std::vector<std::size_t> rows;
    };
    void update(core::JobPool&, const TablePtr&, const TableOptions&);
    void draw_header(const core::Table&, const std::vector<std::size_t>& columns);
    void draw_rows(const std::vector<std::size_t>& columns, const TableOptions&, TableHit&);
    void draw_cell(const core::Table&, std::size_t row, std::size_t column, const TableOptions&);

    std::string sort_by_;                       // a column; empty: the table's own order
    std::string first_sort_;                    // what the options asked for last
    bool descending_ = true;
    Derived<Key, Ordered> order_;
    std::shared_ptr<const Ordered> ordered_;
    std::size_t first_drawn_ = 0;               // of ordered_->rows, half-open
    std::size_t last_drawn_ = 0;
};

// What the columns ask for, names given little room; narrower tables scroll sideways.
float find_table_width(const core::Table&, const TableOptions&);
// "exposed_communication" → "Exposed communication".
std::string title_of(std::string_view column_name);
// Rows that contain the text in a text column, in table order, then sorted; no ImGui.
std::vector<std::size_t> find_rows(const core::Table&, std::string_view text);
void sort_rows(const core::Table&, std::size_t column, bool descending, std::vector<std::size_t>& rows);

}  // namespace ui
