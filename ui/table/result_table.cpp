#include "ui/table/result_table.hpp"

#include "core/base/ascii.hpp"
#include "core/base/short_name.hpp"
#include "ui/model/charts/words.hpp"
#include "ui/style/compat.hpp"
#include "ui/style/items.hpp"
#include "ui/style/key_focus.hpp"
#include "ui/style/text.hpp"
#include "ui/table/explainer.hpp"
#include "ui/widgets/chart_export.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr float kCellPadding = 6;   // left and right, at scale 1

bool is_text(const core::Column& column) { return column.unit == core::Unit::Text; }

bool contains(std::string_view text, std::string_view lowered) {
    const auto found = std::search(text.begin(), text.end(), lowered.begin(), lowered.end(),
                                   [](char a, char b) { return core::lower_ascii(a) == b; });
    return found != text.end();
}

// Fits numbers of the unit and, within limits, the title with its arrow.
float column_width(const core::Column& column, std::string_view title) {
    const bool narrow =
        column.unit == core::Unit::Rank || column.unit == core::Unit::Step || column.unit == core::Unit::Stream;
    return std::clamp(text_width(small_style(), title) + px(14), px(narrow ? 48 : 70), px(140));
}

bool has_kernels(const core::Table& table) {
    return std::ranges::any_of(table.columns(), [](const core::Column& c) { return c.facet == core::Facet::Kernel; });
}

// A class next to a kernel's name is only a swatch; otherwise it also has text.
float class_width(const core::Table& table) { return has_kernels(table) ? px(12) : px(120); }

float least_width(const core::Table& table, const core::Column& column, std::string_view title) {
    const float content = !is_text(column)                     ? column_width(column, title)
                          : column.facet == core::Facet::Class ? class_width(table)
                                                               : px(140);
    return content + px(2 * kCellPadding);
}

ImU32 swatch_of(const core::Column& column, std::string_view cell) {
    if (column.facet != core::Facet::Class) return 0;
    for (unsigned set = 0; set < core::kClassSets; ++set)
        if (core::name_of_set(static_cast<core::ClassSet>(set)) == cell)
            return color::of_set(static_cast<core::ClassSet>(set));
    return 0;
}

std::string shown_text(const core::Column& column, std::string_view cell) {
    if (column.name == "kernels" && column.unit == core::Unit::Text) return core::describe_sequence(cell);
    return column.facet == core::Facet::Kernel ? core::short_name(cell).normal : words_of_cell(column, cell);
}

// Shortens the middle of a text, because similar kernel names differ at their ends.
std::string fit_ends(const TextStyle& style, std::string_view text, float width) {
    if (text_width(style, text) <= width) return std::string(text);
    const std::string head = fit_text(style, text, width * 0.55f);  // includes the ellipsis
    const float room = width - text_width(style, head);
    std::size_t from = text.size();
    while (from > 0 && text_width(style, text.substr(from - 1)) <= room) --from;
    while (from < text.size() && (static_cast<unsigned char>(text[from]) & 0xC0) == 0x80) ++from;
    return head + std::string(text.substr(from));
}

bool is_pointed_at(ImVec2 at, ImVec2 size) {
    return ImGui::IsMouseHoveringRect(at, {at.x + size.x, at.y + size.y}) && ImGui::IsWindowHovered();
}

// name: the short name of a kernel among those of the table, or null.
void draw_text_cell(const core::Table& table, std::size_t row, std::size_t column, const std::string* name, ImVec2 at,
                    ImVec2 size, int place, ImU32 ink) {
    const core::Column& info = table.columns()[column];
    const std::string_view whole = table.absent(row, column) ? kAbsentText : table.text(row, column);
    ImDrawList* list = ImGui::GetWindowDrawList();
    float indent = 0;
    if (const ImU32 swatch = swatch_of(info, whole)) {
        const float side = px(9);
        const float top = std::floor(at.y + (size.y - side) / 2);
        draw_rect(list, {at.x, top}, {at.x + side, top + side}, swatch, px(2));
        record_rect("##swatch:" + std::to_string(place), {at.x, top}, {at.x + side, top + side}, false);
        indent = px(16);
    }
    if (info.facet == core::Facet::Class && has_kernels(table)) {
        if (is_pointed_at(at, size)) show_tooltip(whole);
        return;
    }
    const std::string shown = name ? *name : shown_text(info, whole);
    const float room = size.x - indent;
    const std::string fitted = name ? fit_ends(ui_style(), shown, room) : shown;
    const bool cut = draw_text(list, ui_style(), {at.x + indent, at.y}, ink, fitted, room);
    if ((cut || fitted != whole) && is_pointed_at(at, size)) show_tooltip(whole);
}

CellText write_number(const core::Table& table, std::size_t row, std::size_t column) {
    if (table.absent(row, column))
        return {.text = std::string(kAbsentText), .ink = color::palette().faint, .exact = {}, .words = false};
    return {.text = core::format_cell(table, row, column),
            .ink = color::palette().text,
            .exact = core::format_cell_exact(table, row, column),
            .words = false};
}

void draw_number_cell(const core::Table& table, std::size_t row, std::size_t column, const TableOptions& options,
                      ImVec2 at, ImVec2 size) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    if (!table.absent(row, column) && table.columns()[column].name == options.bar_column) {
        const float share = static_cast<float>(std::clamp(table.number(row, column), 0.0, 1.0));
        draw_rect(list, {at.x, at.y + 1}, {at.x + std::max(1.0f, share * size.x), at.y + size.y - 1},
                  color::rgb(0x4C9BE8, 60), px(2));
    }
    const CellText cell = options.write ? options.write(table, row, column) : write_number(table, row, column);
    const TextStyle style = cell.words ? small_style() : mono_style();
    draw_text_right(list, style, {at.x + size.x, at.y}, cell.ink, cell.text);
    if (cell.exact.empty() || !is_pointed_at(at, size)) return;
    if (options.explainer)
        options.explainer->draw_value(table, row, column, cell.text, cell.exact);
    else if (cell.exact != cell.text)
        ImGui::SetTooltip("%s", cell.exact.c_str());
}

// `place`: position among the shown rows.
void draw_cell(const core::Table& table, std::size_t row, std::size_t column, const std::string* name,
               const TableOptions& options, int place) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImVec2 size{ImGui::GetContentRegionAvail().x, ImGui::GetTextLineHeight()};
    if (is_text(table.columns()[column])) {
        if (options.paint && options.paint(table, row, column, at, size)) return;
        const bool quiet = options.quiet && options.quiet(table, row);
        return draw_text_cell(table, row, column, name, at, size, place,
                              quiet ? color::palette().faint : color::palette().text);
    }
    draw_number_cell(table, row, column, options, at, size);
}

// Records the whole row, although called for its first cell.
void record_row(int place) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float left = ImGui::GetWindowPos().x;
    const float low = list->GetClipRectMin().y;
    const float high = list->GetClipRectMax().y;
    list->PushClipRect({left, low}, {left + ImGui::GetWindowWidth(), high});
    record_item("##row:" + std::to_string(place));
    list->PopClipRect();
}

// Draws the outline of the whole row, after its first cell.
void outline_row() {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float left = ImGui::GetWindowPos().x;
    const float right =
        left + ImGui::GetWindowWidth() - (ImGui::GetScrollMaxY() > 0 ? ImGui::GetStyle().ScrollbarSize : 0);
    const ImVec2 low = list->GetClipRectMin(), high = list->GetClipRectMax();
    list->PushClipRect({left, low.y}, {right, high.y});
    draw_key_focus({left + 1, ImGui::GetItemRectMin().y}, {right - 1, ImGui::GetItemRectMax().y});
    list->PopClipRect();
}

// Extent of a group's columns so far.
struct GroupSpan {
    float begin = 0, end = 0;            // all columns
    float seen_begin = 0, seen_end = 0;  // visible columns
};

// Centred over several columns, or above the title of a single one.
void draw_group(std::string_view title, const GroupSpan& span, bool several, float y, ImU32 ink) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float begin = std::max(span.begin, span.seen_begin);
    const float end = std::min(span.end, span.seen_end);
    const std::string fitted = fit_text(small_style(), title, end - begin);
    const float width = text_width(small_style(), fitted);
    const float low = list->GetClipRectMin().y;
    const float high = list->GetClipRectMax().y;
    list->PushClipRect({span.seen_begin, low}, {span.seen_end, high});
    draw_text(list, small_style(), {several ? (begin + end - width) / 2 : end - width, y + px(3)}, ink, fitted);
    draw_rect(list, {span.begin, y + px(20)}, {span.end, y + px(20) + 1}, color::palette().line);
    list->PopClipRect();
}

struct GroupHit {
    std::string pressed;                 // clicked title, or empty
    std::optional<std::size_t> hovered;  // first column of the group
};

// A row of group titles above the column titles.
GroupHit draw_groups(const std::vector<std::string_view>& groups) {
    GroupHit hit;
    ImGui::TableNextRow(ImGuiTableRowFlags_Headers, px(24));
    for (std::size_t first = 0, last = 0; first < groups.size(); first = last) {
        last = first + 1;
        if (groups[first].empty()) continue;
        while (last < groups.size() && groups[last] == groups[first]) ++last;
        GroupSpan span;
        bool hovered = false;
        std::optional<int> seen;   // last visible column
        float y = 0;
        for (std::size_t c = first; c < last; ++c) {
            const bool visible = ImGui::TableSetColumnIndex(static_cast<int>(c));
            const ImVec2 at = ImGui::GetCursorScreenPos();
            const float width = ImGui::GetContentRegionAvail().x;
            if (c == first) span.begin = at.x;
            span.end = at.x + width;
            y = at.y;
            if (!visible) continue;
            const ImDrawList* list = ImGui::GetWindowDrawList();
            span.seen_begin = seen ? std::min(span.seen_begin, list->GetClipRectMin().x) : list->GetClipRectMin().x;
            span.seen_end = seen ? std::max(span.seen_end, list->GetClipRectMax().x) : list->GetClipRectMax().x;
            seen = static_cast<int>(c);
            ImGui::PushID(static_cast<int>(c));
            if (invisible_button("group", {std::max(1.0f, width), px(20)})) hit.pressed = groups[first];
            if (c == first) record_item("##group:" + std::string(groups[first]));
            hovered |= ImGui::IsItemHovered();
            ImGui::PopID();
        }
        if (hovered) hit.hovered = first;
        if (!seen || !ImGui::TableSetColumnIndex(*seen)) continue;
        draw_group(groups[first], span, last - first > 1, y, hovered ? color::palette().text : color::palette().muted);
    }
    return hit;
}

// Name with unit: "total_ns".
std::string described_name(const core::Column& column) {
    switch (column.unit) {
        case core::Unit::Ns:
            return column.name + "_ns";
        case core::Unit::Bytes:
            return column.name + "_bytes";
        case core::Unit::BytesPerSecond:
            return column.name + "_bytes_per_second";
        case core::Unit::FlopPerSecond:
            return column.name + "_flop_per_second";
        default:
            return column.name;
    }
}

nlohmann::json described_cell(const core::Table& table, std::size_t row, std::size_t column) {
    if (table.absent(row, column)) return nullptr;
    const core::Unit unit = table.columns()[column].unit;
    if (unit == core::Unit::Text) return std::string(table.text(row, column));
    if (unit == core::Unit::Rank) return core::format_rank(core::RankKey::unpacked(table.integer(row, column)));
    if (core::is_integer(unit)) return table.integer(row, column);
    return table.number(row, column);
}

}  // namespace

std::vector<std::size_t> find_rows(const core::Table& table, std::string_view text) {
    std::string lowered(text);
    std::ranges::transform(lowered, lowered.begin(), core::lower_ascii);
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        bool found = lowered.empty();
        for (std::size_t c = 0; c < table.columns().size() && !found; ++c)
            found = is_text(table.columns()[c]) && !table.absent(row, c) &&
                    (contains(table.text(row, c), lowered) ||
                     (core::holds_ids(table.columns()[c]) &&
                      contains(words_of_cell(table.columns()[c], table.text(row, c)), lowered)));
        if (found) rows.push_back(row);
    }
    return rows;
}

// Sorts absent cells last in both directions; equal ones keep the table's order.
void sort_rows(const core::Table& table, std::size_t column, bool descending, std::vector<std::size_t>& rows,
               const std::function<double(const core::Table&, std::size_t, std::size_t)>& weight) {
    if (is_text(table.columns()[column])) {
        const auto before = [&](std::size_t a, std::size_t b) {
            const bool absent_a = table.absent(a, column);
            const bool absent_b = table.absent(b, column);
            if (absent_a || absent_b) return !absent_a && absent_b;
            return table.text(descending ? b : a, column) < table.text(descending ? a : b, column);
        };
        std::ranges::stable_sort(rows, before);
        return;
    }
    std::vector<double> weights(table.rows());
    for (const std::size_t row : rows) weights[row] = weight ? weight(table, row, column) : table.number(row, column);
    std::ranges::stable_sort(rows, [&](std::size_t a, std::size_t b) {
        if (std::isnan(weights[a]) || std::isnan(weights[b])) return !std::isnan(weights[a]) && std::isnan(weights[b]);
        return descending ? weights[a] > weights[b] : weights[a] < weights[b];
    });
}

TablePtr main_table(const core::AnswerPtr& answer) { return answer ? TablePtr(answer, &answer->main()) : nullptr; }

// Shortens kernel names; different kernels get different names within a table.
void ResultTable::name_kernels(Ordered& ordered) {
    const core::Table& table = *ordered.table;
    const auto kernel = std::ranges::find(table.columns(), core::Facet::Kernel, &core::Column::facet);
    ordered.named = static_cast<std::size_t>(kernel - table.columns().begin());
    if (kernel == table.columns().end()) return;
    std::vector<std::string_view> full(table.rows());
    for (std::size_t row = 0; row < full.size(); ++row)
        if (!table.absent(row, ordered.named)) full[row] = table.text(row, ordered.named);
    ordered.names = core::distinct_short_names(full);
}

void ResultTable::update(core::JobPool& pool, const TablePtr& table, const TableOptions& options) {
    if (first_sort_ != options.sort_column) {
        first_sort_ = options.sort_column;
        sort_by_ = options.sort_column;
        descending_ = true;
    }
    const Key key{table, std::string(options.search), sort_by_, descending_, options.only};
    ordered_ = order_.ask(pool, key, [key, weight = options.weight] {
        Ordered ordered{.table = key.table, .rows = find_rows(*key.table, key.search)};
        if (key.only && key.only->size() == key.table->rows())
            std::erase_if(ordered.rows, [&](std::size_t row) { return !(*key.only)[row]; });
        name_kernels(ordered);
        const std::size_t column = key.table->find_column(key.sort_by);
        if (column < key.table->columns().size()) sort_rows(*key.table, column, key.descending, ordered.rows, weight);
        return ordered;
    });
}

std::vector<ResultTable::Shown> ResultTable::choose_columns(const core::Table& table, const TableOptions& options) {
    std::vector<Shown> shown;
    const auto add = [&](std::size_t at, const TableColumn& column) {
        const core::Column& info = table.columns()[at];
        const bool only_swatch = info.facet == core::Facet::Class && has_kernels(table);
        std::string title = only_swatch ? "" : column.title.empty() ? title_of(info.name) : column.title;
        const float asked = px(column.least_width) + px(2 * kCellPadding);
        const float width = column.fixed ? asked : std::max(least_width(table, info, title), asked);
        shown.push_back({.column = at,
                         .title = std::move(title),
                         .ink = column.ink,
                         .group = column.group,
                         .width = width,
                         .fixed = column.fixed});
    };
    if (options.columns.empty()) {
        for (std::size_t c = 0; c < table.columns().size(); ++c)
            if (std::ranges::find(options.hidden, table.columns()[c].name) == options.hidden.end()) add(c, {});
    }
    for (const TableColumn& column : options.columns)
        if (const std::size_t at = table.find_column(column.name); at < table.columns().size()) add(at, column);
    constexpr std::size_t kMostColumns = 60;  // Dear ImGui's limit is 64
    if (shown.size() > kMostColumns) shown.erase(shown.begin() + kMostColumns, shown.end());
    return shown;
}

void ResultTable::draw_titles(const core::Table& table, const std::vector<Shown>& columns, const Explainer* explainer) {
    ImGui::TableNextRow(ImGuiTableRowFlags_Headers, px(26));
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const core::Column& column = table.columns()[columns[i].column];
        if (!ImGui::TableSetColumnIndex(static_cast<int>(i))) continue;
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const float width = ImGui::GetContentRegionAvail().x;
        ImGui::PushID(static_cast<int>(columns[i].column));
        const bool clicked = invisible_button("header", {std::max(1.0f, width), px(20)});
        record_item("##sort:" + column.name);
        const bool hovered = ImGui::IsItemHovered();
        if (explainer && hovered)
            explainer->draw_column(column);
        else if (!column.meaning.empty())
            tooltip(column.meaning);
        ImGui::PopID();
        const bool on = sort_by_ == column.name;
        std::string words = columns[i].title;
        if (on) words += descending_ ? " \xE2\x86\x93" : " \xE2\x86\x91";
        const ImU32 quiet = columns[i].ink != 0 ? columns[i].ink : color::palette().muted;
        const std::string fitted = fit_text(small_style(), words, width);
        const float left = is_text(column) ? at.x : at.x + width - text_width(small_style(), fitted);
        draw_text(ImGui::GetWindowDrawList(), small_style(), {left, at.y + px(3)},
                  on || hovered ? color::palette().text : quiet, fitted);
        if (!clicked) continue;
        descending_ = on ? !descending_ : !is_text(column);
        sort_by_ = column.name;
    }
}

float least_table_height() {
    constexpr float kLeastRows = 2.5f;  // half a row shows that there are more
    const float padding = px(6);  // of a cell, top and bottom
    return px(26) + padding + kLeastRows * (ImGui::GetTextLineHeight() + padding) + ImGui::GetStyle().ScrollbarSize;
}

float find_table_width(const core::Table& table, const TableOptions& options) {
    float width = px(24);
    for (const core::Column& column : table.columns())
        if (std::ranges::find(options.hidden, column.name) == options.hidden.end())
            width += least_width(table, column, title_of(column.name));
    return width;
}

// The first row that begins with the text, starting at the keyboard's row; typing one character repeatedly moves to the
// next one each time. The keyboard's row if none matches.
std::size_t ResultTable::find_typed(std::string_view typed) const {
    const core::Table& table = *ordered_->table;
    const auto column = std::ranges::find_if(table.columns(), is_text);
    const auto at =
        column == table.columns().end() ? std::size_t{0} : static_cast<std::size_t>(column - table.columns().begin());
    const std::size_t shown = ordered_->named < table.columns().size() ? ordered_->named : at;
    const bool repeats = typed.size() > 1 && typed.find_first_not_of(typed.front()) == std::string_view::npos;
    const auto begins = [&](std::size_t place, std::string_view text) {
        const std::size_t row = ordered_->rows[place];
        if (table.absent(row, shown)) return false;
        const std::string words = shown == ordered_->named ? ordered_->names[row]
                                  : is_text(table.columns()[shown])
                                      ? shown_text(table.columns()[shown], table.text(row, shown))
                                      : core::format_cell(table, row, shown);
        const std::string_view start = std::string_view(words).substr(0, text.size());
        return std::ranges::equal(start, text, {}, core::lower_ascii, core::lower_ascii);
    };
    const std::size_t rows = ordered_->rows.size();
    const auto find = [&](std::string_view text, std::size_t first) -> std::optional<std::size_t> {
        for (std::size_t i = 0; i < rows; ++i)
            if (const std::size_t place = (cursor_ + first + i) % rows; begins(place, text)) return place;
        return std::nullopt;
    };
    std::optional<std::size_t> found = find(typed, typed.size() == 1 ? 1 : 0);
    if (!found && repeats) found = find(typed.substr(0, 1), 1);
    return found.value_or(cursor_);
}

// Moves the keyboard's row and scrolls to it. head: height of the titles.
void ResultTable::walk(TableHit& hit, bool has_keys, float head) {
    const std::size_t rows = ordered_->rows.size();
    if (rows == 0) return;
    cursor_ = std::min(cursor_, rows - 1);
    if (!has_keys) return;
    KeyFocus& keys = key_focus();
    const bool was_visible = keys.is_visible(id_);
    const float high = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
    const float room = std::max(high, ImGui::GetWindowHeight() - head);
    const auto page = static_cast<std::size_t>(std::max(1.0f, room / high - 1));
    const std::size_t before = cursor_;
    if (keys.pressed(id_, GLFW_KEY_DOWN)) cursor_ = std::min(cursor_ + 1, rows - 1);
    if (keys.pressed(id_, GLFW_KEY_UP)) cursor_ -= std::min<std::size_t>(cursor_, 1);
    if (keys.pressed(id_, GLFW_KEY_PAGE_DOWN)) cursor_ = std::min(cursor_ + page, rows - 1);
    if (keys.pressed(id_, GLFW_KEY_PAGE_UP)) cursor_ -= std::min(cursor_, page);
    if (keys.pressed(id_, GLFW_KEY_HOME)) cursor_ = 0;
    if (keys.pressed(id_, GLFW_KEY_END)) cursor_ = rows - 1;
    if (const KeyFocus::Typed typed = keys.typed(id_); typed.again) cursor_ = find_typed(typed.text);
    if (keys.pressed(id_, GLFW_KEY_ENTER))
        (ImGui::GetIO().KeyShift ? hit.shown : hit.clicked) = ordered_->rows[cursor_];
    if (keys.pressed(id_, GLFW_KEY_SPACE)) hit.clicked = ordered_->rows[cursor_];
    hit.escaped = compat::is_key_pressed(GLFW_KEY_ESCAPE);
    if (keys.pressed(id_, GLFW_KEY_ESCAPE)) keys.release();
    if (cursor_ == before && was_visible == keys.is_visible(id_)) return;
    const float top = static_cast<float>(cursor_) * high;
    const float scroll = ImGui::GetScrollY();
    if (top < scroll) ImGui::SetScrollY(top);
    if (top + high > scroll + room) ImGui::SetScrollY(top + high - room);
}

void ResultTable::draw_rows(const std::vector<Shown>& columns, const TableOptions& options, TableHit& hit) {
    const core::Table& table = *ordered_->table;
    first_drawn_ = ordered_->rows.size();
    last_drawn_ = 0;
    marked_.clear();
    const bool shows_cursor = key_focus().is_visible(id_);
    const float mouse = ImGui::GetIO().MousePos.x;
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(ordered_->rows.size()));
    while (clipper.Step()) {
        for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
            const std::size_t place = static_cast<std::size_t>(i);
            const std::size_t row = ordered_->rows[place];
            first_drawn_ = std::min(first_drawn_, place);
            last_drawn_ = std::max(last_drawn_, place + 1);
            ImGui::TableNextRow();
            if (const ImU32 tint = options.tint ? options.tint(table, row) : 0)
                ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg1, ImGui::GetColorU32(tint));
            ImGui::TableSetColumnIndex(0);
            ImGui::PushID(static_cast<int>(row));
            const ImVec2 start = ImGui::GetCursorPos();
            const bool marked = options.marked && options.marked(table, row);
            const bool pressed = ImGui::Selectable("##row", marked, ImGuiSelectableFlags_SpanAllColumns);
            if (marked) marked_.push_back(place);
            if (pressed) {
                key_focus().take(id_, false);
                cursor_ = place;
                const bool again = ImGui::GetIO().MouseClickedLastCount[0] > 1;
                (again ? hit.activated : hit.clicked) = row;
            }
            record_row(i);
            if (shows_cursor && place == cursor_) outline_row();
            if (ImGui::IsItemHovered()) hit.hovered = row;
            ImGui::SetCursorPos(start);
            for (std::size_t c = 0; c < columns.size(); ++c) {
                if (!ImGui::TableSetColumnIndex(static_cast<int>(c))) continue;
                const ImVec2 at = ImGui::GetCursorScreenPos();
                const float width = ImGui::GetContentRegionAvail().x;
                if (pressed && mouse >= at.x && mouse < at.x + width) hit.column = columns[c].column;
                const bool named = columns[c].column == ordered_->named && !table.absent(row, ordered_->named);
                draw_cell(table, row, columns[c].column, named ? &ordered_->names[row] : nullptr, options, i);
            }
            ImGui::PopID();
        }
    }
    clipper.End();
}

TableHit ResultTable::draw(const char* id, core::JobPool& pool, const TablePtr& asked, const TableOptions& options,
                           ImVec2 size) {
    size.y = std::max(size.y, least_table_height());
    update(pool, asked, options);
    if (!ordered_) return {};
    TableHit hit;
    hit.table = ordered_->table;
    const core::Table& table = *ordered_->table;
    const std::vector<Shown> columns = choose_columns(table, options);
    if (columns.empty()) return hit;
    id_ = ImGui::GetID(id);
    const bool has_keys = key_focus().offer(id_, items().path_of(id), true);
    constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_Resizable |
                                       ImGuiTableFlags_NoBordersInBody | ImGuiTableFlags_PadOuterX;
    float least = px(24);
    for (const Shown& column : columns) least += column.width;
    const auto is_text_column = [&](const Shown& shown) {
        return is_text(table.columns()[shown.column]) && !shown.fixed;
    };
    const bool has_text = std::ranges::any_of(columns, is_text_column);
    const bool has_groups = std::ranges::any_of(columns, [](const Shown& shown) { return !shown.group.empty(); });
    const bool wide = least > size.x;
    ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, {px(kCellPadding), px(3)});
    ImGui::PushStyleColor(ImGuiCol_TableBorderStrong, 0);
    ImGui::PushStyleColor(ImGuiCol_TableBorderLight, 0);
    // Appended to the id because widths belong to these columns; other columns with the same id would inherit them.
    std::string own_id = id;
    for (const Shown& column : columns) own_id.append(" ").append(table.columns()[column.column].name);
    const bool open = ImGui::BeginTable(own_id.c_str(), static_cast<int>(columns.size()),
                                        kFlags | (wide ? ImGuiTableFlags_ScrollX : 0), size, wide ? least : 0.0f);
    ImGui::PopStyleColor(2);
    ImGui::PopStyleVar();
    if (!open) return hit;
    ImGui::TableSetupScrollFreeze(wide ? static_cast<int>(options.kept) : 0, has_groups ? 2 : 1);
    for (std::size_t c = 0; c < columns.size(); ++c) {
        const core::Column& column = table.columns()[columns[c].column];
        const bool stretch = (is_text(column) && !columns[c].fixed) || (!has_text && c + 1 == columns.size());
        const bool narrow = column.facet == core::Facet::Class;
        ImGui::TableSetupColumn(
            column.name.c_str(),
            stretch && !narrow ? ImGuiTableColumnFlags_WidthStretch : ImGuiTableColumnFlags_WidthFixed,
            stretch && !narrow ? 1.0f : columns[c].width - px(2 * kCellPadding));
    }
    ImGui::PushStyleColor(ImGuiCol_TableHeaderBg, color::palette().panel);
    if (has_groups) {
        std::vector<std::string_view> groups;
        for (const Shown& column : columns) groups.emplace_back(column.group);
        const GroupHit group = draw_groups(groups);
        hit.group = group.pressed;
        if (group.hovered && options.explainer)
            options.explainer->draw_column(table.columns()[columns[*group.hovered].column]);
    }
    draw_titles(table, columns, options.explainer);
    ImGui::PopStyleColor();
    walk(hit, has_keys, px(has_groups ? 50 : 26));
    draw_rows(columns, options, hit);
    ImGui::EndTable();
    TableSource source{.table = ordered_->table, .rows = {ordered_, &ordered_->rows}, .columns = {}};
    for (const Shown& column : columns) source.columns.push_back(column.column);
    chart_export().offer_table(id, ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), std::move(source));
    return hit;
}

void ResultTable::describe(nlohmann::json& shown) const {
    if (!ordered_) return;
    const core::Table& table = *ordered_->table;
    shown["rows_total"] = table.rows();
    shown["rows_found"] = ordered_->rows.size();
    shown["sorted_by"] = sort_by_;
    shown["descending"] = descending_;
    shown["first_row"] = first_drawn_;
    if (!marked_.empty()) shown["marked"] = marked_;
    if (key_focus().is_visible(id_)) shown["cursor"] = cursor_;
    shown["rows"] = nlohmann::json::array();
    for (std::size_t i = first_drawn_; i < std::min(last_drawn_, ordered_->rows.size()); ++i) {
        nlohmann::json row;
        for (std::size_t c = 0; c < table.columns().size(); ++c)
            row[described_name(table.columns()[c])] = described_cell(table, ordered_->rows[i], c);
        shown["rows"].push_back(std::move(row));
    }
}

}  // namespace ui
