#include "ui/widgets/result_table.hpp"

#include "core/base/ascii.hpp"
#include "ui/timeline/short_name.hpp"
#include "ui/widgets/items.hpp"
#include "ui/widgets/text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr std::string_view kAbsent = "\xE2\x80\x93";

bool is_text(const core::Column& column) { return column.unit == core::Unit::Text; }

bool contains(std::string_view text, std::string_view lowered) {
    const auto found = std::search(text.begin(), text.end(), lowered.begin(), lowered.end(),
                                   [](char a, char b) { return core::lower_ascii(a) == b; });
    return found != text.end();
}

// Room for the numbers of a unit and, within reason, for the title with its arrow.
float column_width(const core::Column& column) {
    const bool narrow =
        column.unit == core::Unit::Rank || column.unit == core::Unit::Step || column.unit == core::Unit::Stream;
    const float title = text_width(small_style(), title_of(column.name)) + px(14);
    return std::clamp(title, px(narrow ? 48 : 70), px(140));
}

bool has_kernels(const core::Table& table) {
    return std::ranges::any_of(table.columns(), [](const core::Column& c) { return c.facet == core::Facet::Kernel; });
}

// Beside a kernel's name its class is a swatch; alone it is a word as well.
float class_width(const core::Table& table) { return has_kernels(table) ? px(12) : px(120); }

float least_width(const core::Table& table, const core::Column& column) {
    const float content = !is_text(column)                     ? column_width(column)
                          : column.facet == core::Facet::Class ? class_width(table)
                                                               : px(140);
    return content + px(12);
}

ImU32 swatch_of(const core::Column& column, std::string_view cell) {
    if (column.facet != core::Facet::Class) return 0;
    for (unsigned set = 0; set < core::kClassSets; ++set)
        if (core::name_of_set(static_cast<core::ClassSet>(set)) == cell)
            return color::of_set(static_cast<core::ClassSet>(set));
    return 0;
}

std::string shown_text(const core::Column& column, std::string_view cell) {
    return column.facet == core::Facet::Kernel ? short_name(cell).normal : std::string(cell);
}

// With its unit: "total_ns".
std::string described_name(const core::Column& column) {
    switch (column.unit) {
        case core::Unit::Ns:
            return column.name + "_ns";
        case core::Unit::Bytes:
            return column.name + "_bytes";
        case core::Unit::BytesPerSecond:
            return column.name + "_bytes_per_second";
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

std::string title_of(std::string_view column_name) {
    std::string title(column_name);
    std::ranges::replace(title, '_', ' ');
    if (!title.empty() && title[0] >= 'a' && title[0] <= 'z') title[0] = static_cast<char>(title[0] - 'a' + 'A');
    return title;
}

std::vector<std::size_t> find_rows(const core::Table& table, std::string_view text) {
    std::string lowered(text);
    std::ranges::transform(lowered, lowered.begin(), core::lower_ascii);
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        bool found = lowered.empty();
        for (std::size_t c = 0; c < table.columns().size() && !found; ++c)
            found = is_text(table.columns()[c]) && !table.absent(row, c) && contains(table.text(row, c), lowered);
        if (found) rows.push_back(row);
    }
    return rows;
}

// Absent cells come last either way; equal ones keep the table's order.
void sort_rows(const core::Table& table, std::size_t column, bool descending, std::vector<std::size_t>& rows) {
    const auto before = [&](std::size_t a, std::size_t b) {
        const bool absent_a = table.absent(a, column);
        const bool absent_b = table.absent(b, column);
        if (absent_a || absent_b) return !absent_a && absent_b;
        const std::size_t low = descending ? b : a;
        const std::size_t high = descending ? a : b;
        if (is_text(table.columns()[column])) return table.text(low, column) < table.text(high, column);
        return table.number(low, column) < table.number(high, column);
    };
    std::ranges::stable_sort(rows, before);
}

TablePtr main_table(const core::AnswerPtr& answer) { return answer ? TablePtr(answer, &answer->main()) : nullptr; }

void ResultTable::update(core::JobPool& pool, const TablePtr& table, const TableOptions& options) {
    if (first_sort_ != options.sort_column) {
        first_sort_ = options.sort_column;
        sort_by_ = options.sort_column;
        descending_ = true;
    }
    const Key key{table, std::string(options.search), sort_by_, descending_};
    ordered_ = order_.ask(pool, key, [key] {
        Ordered ordered{key.table, find_rows(*key.table, key.search)};
        const std::size_t column = key.table->find_column(key.sort_by);
        if (column < key.table->columns().size()) sort_rows(*key.table, column, key.descending, ordered.rows);
        return ordered;
    });
}

void ResultTable::draw_header(const core::Table& table, const std::vector<std::size_t>& columns) {
    ImGui::TableNextRow(ImGuiTableRowFlags_Headers, px(26));
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const core::Column& column = table.columns()[columns[i]];
        if (!ImGui::TableSetColumnIndex(static_cast<int>(i))) continue;
        const bool only_swatch = column.facet == core::Facet::Class && has_kernels(table);
        const std::string title = only_swatch ? std::string() : title_of(column.name);
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const float width = ImGui::GetContentRegionAvail().x;
        ImGui::PushID(static_cast<int>(columns[i]));
        const bool clicked = ImGui::InvisibleButton("header", {std::max(1.0f, width), px(20)});
        record_item("##sort:" + column.name);
        const bool hovered = ImGui::IsItemHovered();
        if (!column.meaning.empty()) tooltip(column.meaning);
        ImGui::PopID();
        const bool on = sort_by_ == column.name;
        const std::string words = on ? title + (descending_ ? " \xE2\x86\x93" : " \xE2\x86\x91") : title;
        const ImU32 ink = on || hovered ? color::kText : color::kMuted;
        const std::string fitted = fit_text(small_style(), words, width);
        const float left = is_text(column) ? at.x : at.x + width - text_width(small_style(), fitted);
        draw_text(ImGui::GetWindowDrawList(), small_style(), {left, at.y + px(3)}, ink, fitted);
        if (!clicked) continue;
        descending_ = on ? !descending_ : !is_text(column);
        sort_by_ = column.name;
    }
}

void ResultTable::draw_cell(const core::Table& table, std::size_t row, std::size_t column,
                            const TableOptions& options) {
    const core::Column& info = table.columns()[column];
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const float height = ImGui::GetTextLineHeight();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const bool absent = table.absent(row, column);
    if (is_text(info)) {
        const std::string_view whole = absent ? kAbsent : table.text(row, column);
        float indent = 0;
        if (const ImU32 swatch = swatch_of(info, whole)) {
            const float side = px(9);
            const float top = std::floor(at.y + (height - side) / 2);
            draw_rect(list, {at.x, top}, {at.x + side, top + side}, swatch, px(2));
            indent = px(16);
        }
        if (info.facet == core::Facet::Class && has_kernels(table)) {
            if (ImGui::IsMouseHoveringRect(at, {at.x + width, at.y + height}) && ImGui::IsWindowHovered())
                ImGui::SetTooltip("%.*s", static_cast<int>(whole.size()), whole.data());
            return;
        }
        const std::string shown = shown_text(info, whole);
        const bool cut = draw_text(list, ui_style(), {at.x + indent, at.y}, color::kText, shown, width - indent);
        if ((cut || shown != whole) && ImGui::IsMouseHoveringRect(at, {at.x + width, at.y + height}) &&
            ImGui::IsWindowHovered())
            ImGui::SetTooltip("%.*s", static_cast<int>(std::min<std::size_t>(whole.size(), 2000)), whole.data());
        return;
    }
    const std::string shown = absent ? std::string(kAbsent) : core::format_cell(table, row, column);
    if (!absent && info.name == options.bar_column) {
        const float share = static_cast<float>(std::clamp(table.number(row, column), 0.0, 1.0));
        draw_rect(list, {at.x, at.y + 1}, {at.x + std::max(1.0f, share * width), at.y + height - 1},
                  color::rgb(0x4C9BE8, 60), px(2));
    }
    draw_text_right(list, mono_style(), {at.x + width, at.y}, absent ? color::kFaint : color::kText, shown);
    if (absent || !ImGui::IsMouseHoveringRect(at, {at.x + width, at.y + height}) || !ImGui::IsWindowHovered()) return;
    const std::string exact = core::format_cell_exact(table, row, column);
    if (exact != shown) ImGui::SetTooltip("%s", exact.c_str());
}

float find_table_width(const core::Table& table, const TableOptions& options) {
    float width = px(24);
    for (const core::Column& column : table.columns())
        if (std::ranges::find(options.hidden, column.name) == options.hidden.end()) width += least_width(table, column);
    return width;
}

void ResultTable::draw_rows(const std::vector<std::size_t>& columns, const TableOptions& options, TableHit& hit) {
    const core::Table& table = *ordered_->table;
    first_drawn_ = ordered_->rows.size();
    last_drawn_ = 0;
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(ordered_->rows.size()));
    while (clipper.Step()) {
        for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
            const std::size_t place = static_cast<std::size_t>(i);
            const std::size_t row = ordered_->rows[place];
            first_drawn_ = std::min(first_drawn_, place);
            last_drawn_ = std::max(last_drawn_, place + 1);
            ImGui::TableNextRow();
            ImGui::TableSetColumnIndex(0);
            ImGui::PushID(static_cast<int>(row));
            const ImVec2 start = ImGui::GetCursorPos();
            const bool marked = options.marked && options.marked(table, row);
            if (ImGui::Selectable("##row", marked, ImGuiSelectableFlags_SpanAllColumns)) {
                const bool again = ImGui::GetIO().MouseClickedLastCount[0] > 1;
                (again ? hit.activated : hit.clicked) = row;
            }
            record_item("##row:" + std::to_string(i));
            if (ImGui::IsItemHovered()) hit.hovered = row;
            ImGui::SetCursorPos(start);
            for (std::size_t c = 0; c < columns.size(); ++c)
                if (ImGui::TableSetColumnIndex(static_cast<int>(c))) draw_cell(table, row, columns[c], options);
            ImGui::PopID();
        }
    }
    clipper.End();
}

TableHit ResultTable::draw(const char* id, core::JobPool& pool, const TablePtr& asked, const TableOptions& options,
                           ImVec2 size) {
    update(pool, asked, options);
    if (!ordered_) return {};
    TableHit hit{ordered_->table, {}, {}, {}};
    const core::Table& table = *ordered_->table;
    std::vector<std::size_t> columns;
    for (std::size_t c = 0; c < table.columns().size(); ++c)
        if (std::ranges::find(options.hidden, table.columns()[c].name) == options.hidden.end()) columns.push_back(c);
    constexpr std::size_t kMostColumns = 60;  // Dear ImGui takes 64
    columns.resize(std::min(columns.size(), kMostColumns));
    if (columns.empty()) return hit;
    constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_Resizable |
                                       ImGuiTableFlags_NoBordersInBody | ImGuiTableFlags_PadOuterX;
    const float least = find_table_width(table, options);
    const bool has_text = std::ranges::any_of(columns, [&](std::size_t c) { return is_text(table.columns()[c]); });
    const bool wide = least > size.x;
    ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, {px(6), px(3)});
    ImGui::PushStyleColor(ImGuiCol_TableBorderStrong, 0);
    ImGui::PushStyleColor(ImGuiCol_TableBorderLight, 0);
    const bool open = ImGui::BeginTable(id, static_cast<int>(columns.size()),
                                        kFlags | (wide ? ImGuiTableFlags_ScrollX : 0), size, wide ? least : 0.0f);
    ImGui::PopStyleColor(2);
    ImGui::PopStyleVar();
    if (!open) return hit;
    ImGui::TableSetupScrollFreeze(0, 1);
    for (const std::size_t c : columns) {
        const core::Column& column = table.columns()[c];
        const bool stretch = is_text(column) || (!has_text && c == columns.back());
        const bool narrow = column.facet == core::Facet::Class;
        ImGui::TableSetupColumn(
            column.name.c_str(),
            stretch && !narrow ? ImGuiTableColumnFlags_WidthStretch : ImGuiTableColumnFlags_WidthFixed,
            stretch && !narrow ? 1.0f
            : narrow           ? class_width(table)
                               : column_width(column));
    }
    ImGui::PushStyleColor(ImGuiCol_TableHeaderBg, color::kPanel);
    draw_header(table, columns);
    ImGui::PopStyleColor();
    draw_rows(columns, options, hit);
    ImGui::EndTable();
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
    shown["rows"] = nlohmann::json::array();
    for (std::size_t i = first_drawn_; i < std::min(last_drawn_, ordered_->rows.size()); ++i) {
        nlohmann::json row;
        for (std::size_t c = 0; c < table.columns().size(); ++c)
            row[described_name(table.columns()[c])] = described_cell(table, ordered_->rows[i], c);
        shown["rows"].push_back(std::move(row));
    }
}

}  // namespace ui
