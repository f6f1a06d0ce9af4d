#pragma once
// Draws any core::Table: sortable by header, searchable; thousands of rows cost only the visible
// ones. Numbers are right-aligned in the fixed-width face, exact on hover; absent ones are dashes;
// kernel names are shortened, full on hover. Keys walk the rows (KeyFocus), Enter and Space click,
// typing goes to the next row that begins with the text. Options choose columns, number formats and
// sort weights.

#include "core/analysis/engine/analysis.hpp"
#include "ui/model/charts/words.hpp"
#include "ui/model/deferred.hpp"
#include "ui/style/theme.hpp"

#include <imgui.h>
#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ui {

class Explainer;

using TablePtr = std::shared_ptr<const core::Table>;  // shares ownership of the answer
TablePtr main_table(const core::AnswerPtr&);

// A column to show; skipped if the table lacks it.
struct TableColumn {
    std::string name;
    std::string title = {};  // empty: derived from the name
    ImU32 ink = 0;  // colour of the title; 0: default
    std::string group = {};  // adjacent columns of one group share a title above theirs
    float least_width = 0;  // at scale 1
    bool fixed = false;  // exactly this wide, even with text
};

// A cell's text as the table's owner formats it.
struct CellText {
    std::string text;
    ImU32 ink = color::palette().text;
    std::string exact = {};  // shown on hover
    bool words = false;  // text in the proportional small face
};

struct TableOptions {
    std::vector<std::string_view> hidden;  // omitted columns
    std::string_view bar_column = {};  // ratio drawn as a bar behind its number
    std::string_view sort_column = {};  // initial sort, largest first; applied again when it changes
    std::string_view search = {};  // keeps rows with this text in a text column, case-insensitive
    std::function<bool(const core::Table&, std::size_t row)> marked;  // rows shown as selected; may be empty
    std::vector<TableColumn> columns = {};  // columns in order; empty: all but the hidden ones
    std::size_t kept = 0;  // number of columns that stay when others scroll sideways
    std::function<CellText(const core::Table&, std::size_t row, std::size_t column)> write = {};  // formats numbers
    // Sort weight instead of the cell's number (NaN: last). Called on a worker: owns what it reads and depends on table
    // and column only.
    std::function<double(const core::Table&, std::size_t row, std::size_t column)> weight = {};
    std::function<ImU32(const core::Table&, std::size_t row)> tint = {};  // row background; 0: none
    std::function<bool(const core::Table&, std::size_t row)> quiet = {};  // rows with faint text
    // Draws a cell of a text column instead of its text; returns false to leave it to the table.
    std::function<bool(const core::Table&, std::size_t row, std::size_t column, ImVec2 at, ImVec2 size)> paint = {};
    std::shared_ptr<const std::vector<bool>> only = {};  // by row: kept or not; null: all. A new object for each choice
    const Explainer* explainer = nullptr;  // tooltips of titles and numbers; null: the column's meaning
};

struct TableHit {  // row indices of `table`, which may be older than the requested one
    TablePtr table;
    std::optional<std::size_t> clicked;
    std::optional<std::size_t> activated;  // double-clicked, after a click
    std::optional<std::size_t> hovered;
    std::optional<std::size_t> column;  // column under the pointer when clicked
    std::string group;  // clicked group title; else empty
    std::optional<std::size_t> shown;  // Shift+Enter: show it on the timeline
    bool escaped = false;  // Escape while the table has the keyboard
};

class ResultTable {
public:
    // Draws the table. Rows are searched and sorted on the pool; the last table stays meanwhile.
    TableHit draw(const char* id, core::JobPool&, const TablePtr&, const TableOptions&, ImVec2 size);
    std::size_t shown_rows() const { return ordered_ ? ordered_->rows.size() : 0; }
    bool fresh() const { return order_.fresh(); }
    bool busy() const { return order_.busy(); }
    void describe(nlohmann::json& shown) const;  // sort order and drawn rows

private:
    struct Key {
        TablePtr table;
        std::string search;
        std::string sort_by;
        bool descending = true;
        std::shared_ptr<const std::vector<bool>> only{};
        bool operator==(const Key&) const = default;
    };
    struct Ordered {
        TablePtr table;
        std::vector<std::size_t> rows;
        std::size_t named = 0;  // column of kernel names; none: past the last
        std::vector<std::string> names = {};  // displayed names, by row of the table
    };
    struct Shown {  // a column as drawn
        std::size_t column;
        std::string title;
        ImU32 ink;
        std::string group;
        float width;
        bool fixed;
    };
    static std::vector<Shown> choose_columns(const core::Table&, const TableOptions&);
    static void name_kernels(Ordered&);
    void update(core::JobPool&, const TablePtr&, const TableOptions&);
    void draw_titles(const core::Table&, const std::vector<Shown>& columns, const Explainer*);
    void draw_rows(const std::vector<Shown>& columns, const TableOptions&, TableHit&);
    void walk(TableHit&, bool has_keys, float head);
    std::size_t find_typed(std::string_view typed) const;  // in ordered_->rows

    std::string sort_by_;  // column; empty: the table's own order
    std::string first_sort_;  // the options' latest sort
    bool descending_ = true;
    Deferred<Key, Ordered> order_;
    std::shared_ptr<const Ordered> ordered_;
    std::size_t first_drawn_ = 0;  // in ordered_->rows, half-open
    std::size_t last_drawn_ = 0;
    ImGuiID id_ = 0;
    std::size_t cursor_ = 0;  // keyboard's row, in ordered_->rows
    std::vector<std::size_t> marked_;  // among drawn rows, in ordered_->rows
};

// Height of the titles and a few rows. Tables are never lower; if there is less room, the panel scrolls.
float least_table_height();
// Width the columns need, with short names; narrower tables scroll sideways.
float find_table_width(const core::Table&, const TableOptions&);
// Rows that contain the text in a text column, in table order. No ImGui.
std::vector<std::size_t> find_rows(const core::Table&, std::string_view text);
void sort_rows(const core::Table&, std::size_t column, bool descending, std::vector<std::size_t>& rows,
               const std::function<double(const core::Table&, std::size_t, std::size_t)>& weight = {});

}  // namespace ui
