#pragma once
// Draws any core::Table: sorted by a click on a header, searched, with thousands of rows at the cost of
// the visible ones. Numbers right-aligned in the fixed-width face, exact on hover, absent as a dash;
// kernel names shortened, whole on hover. Which columns there are, how their numbers are written and what
// they are sorted by can be said from outside.

#include "core/analysis/engine/analysis.hpp"
#include "ui/theme.hpp"
#include "ui/model/derived.hpp"

#include <imgui.h>
#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ui {

class Explainer;

using TablePtr = std::shared_ptr<const core::Table>;   // of an answer: it keeps the answer alive
TablePtr main_table(const core::AnswerPtr&);

// A column shown; of one that the table lacks nothing is.
struct TableColumn {
    std::string name;
    std::string title = {};    // empty: made of the name
    ImU32 ink = 0;             // of the title; 0: as titles are
    std::string group = {};    // columns of one group, side by side, have its title above theirs
    float least_width = 0;     // at scale 1
};

// A number as its table's owner writes it.
struct CellText {
    std::string text;
    ImU32 ink = color::kText;
    std::string exact = {};    // on hover
    bool words = false;        // in the small face
};

struct TableOptions {
    std::vector<std::string_view> hidden;       // columns left out
    std::string_view bar_column = {};           // a ratio drawn as a bar behind its number
    std::string_view sort_column = {};          // at first and whenever it changes; largest first
    std::string_view search = {};               // rows with this text in a text column, whatever its case
    std::function<bool(const core::Table&, std::size_t row)> marked;   // rows shown as chosen; may be empty
    std::vector<TableColumn> columns = {};      // those shown, in this order; empty: all but the hidden ones
    std::size_t kept = 0;                       // so many columns stay when the others scroll sideways
    std::function<CellText(const core::Table&, std::size_t row, std::size_t column)> write = {};  // of numbers
    // What rows are sorted by instead of the cell's number (not a number: last). For a worker: owns all it reads,
    // and depends on the table and the column alone.
    std::function<double(const core::Table&, std::size_t row, std::size_t column)> weight = {};
    std::function<ImU32(const core::Table&, std::size_t row)> tint = {};  // behind a row; 0: none
    const Explainer* explainer = nullptr;       // of titles and numbers, on hover; null: a column's meaning
};

struct TableHit {                               // rows of `table`, which may be older than the table asked for
    TablePtr table;
    std::optional<std::size_t> clicked;
    std::optional<std::size_t> activated;       // double-clicked; its first click came before
    std::optional<std::size_t> hovered;
    std::optional<std::size_t> column;          // of the table, under the pointer when it was clicked
    std::string group;                          // whose title was clicked; else empty
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
    struct Shown {                              // a column as it is drawn
        std::size_t column;
        std::string title;
        ImU32 ink;
        std::string group;
        float width;
    };
    static std::vector<Shown> choose_columns(const core::Table&, const TableOptions&);
    void update(core::JobPool&, const TablePtr&, const TableOptions&);
    void draw_titles(const core::Table&, const std::vector<Shown>& columns, const Explainer*);
    void draw_rows(const std::vector<Shown>& columns, const TableOptions&, TableHit&);

    std::string sort_by_;                       // a column; empty: the table's own order
    std::string first_sort_;                    // what the options asked for last
    bool descending_ = true;
    Derived<Key, Ordered> order_;
    std::shared_ptr<const Ordered> ordered_;
    std::size_t first_drawn_ = 0;               // of ordered_->rows, half-open
    std::size_t last_drawn_ = 0;
};

// The titles and a few rows: a table is no lower where there is less room, its panel scrolls.
float least_table_height();
// What the columns ask for, names given little room; narrower tables scroll sideways.
float find_table_width(const core::Table&, const TableOptions&);
// "exposed_communication" → "Exposed communication".
std::string title_of(std::string_view column_name);
// Rows that contain the text in a text column, in table order, then sorted; no ImGui.
std::vector<std::size_t> find_rows(const core::Table&, std::string_view text);
void sort_rows(const core::Table&, std::size_t column, bool descending, std::vector<std::size_t>& rows,
               const std::function<double(const core::Table&, std::size_t, std::size_t)>& weight = {});

}  // namespace ui
