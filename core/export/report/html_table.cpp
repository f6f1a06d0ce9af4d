#include "core/export/report/html_table.hpp"

#include "core/analysis/engine/explain_column.hpp"
#include "core/export/number_text.hpp"
#include "core/export/report/html_text.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace core {
namespace {

constexpr std::size_t kMostNameLetters = 64;
constexpr std::size_t kMostHoverLetters = 16384;

struct PageColumn {
    std::string title;
    std::string part;  // comparisons: below the title
    std::string meaning;
};

bool is_number(Unit unit) { return unit != Unit::Text; }

std::string head_of(const PageColumn& column, Unit unit) {
    return "<th" + std::string(is_number(unit) ? " class=\"n\"" : "") + " title=\"" + html_text(column.meaning) +
           "\">" + html_text(column.title) +
           (column.part.empty() ? "" : " <span>" + html_text(column.part) + "</span>") + "</th>";
}

std::string raw_of(const Table& table, std::size_t row, std::size_t column) {
    if (table.absent(row, column)) return "-Infinity";
    if (is_integer(table.columns()[column].unit)) return std::to_string(table.integer(row, column));
    const double number = table.number(row, column);
    return std::isfinite(number) ? shortest_text(number) : "-Infinity";
}

bool has_short_names(const Column& column) { return column.facet == Facet::Kernel || column.facet == Facet::Operator; }

std::string name_cell(const Column& column, std::string_view text, std::string_view brief) {
    const bool is_name = has_short_names(column) || column.facet == Facet::Annotation;
    const std::string title =
        brief == text ? "" : " title=\"" + html_text(cut_in_the_middle(text, kMostHoverLetters)) + "\"";
    return "<td" + std::string(is_name ? " class=\"name\"" : "") + title + ">" + html_text(brief) + "</td>";
}

std::string number_cell(const Table& table, std::size_t row, std::size_t column, std::string_view sign,
                        std::string_view more_on_hover) {
    const std::string brief = format_cell(table, row, column);
    const std::string exact = format_cell_exact(table, row, column);
    std::string title = exact == brief ? std::string() : std::string(sign) + exact;
    if (!more_on_hover.empty()) title = std::string(more_on_hover);
    return "<td class=\"n\" data-v=\"" + raw_of(table, row, column) + "\"" +
           (title.empty() ? "" : " title=\"" + html_text(title) + "\"") + ">" + std::string(sign) + html_text(brief) +
           "</td>";
}

// Cells of a column in the chosen rows.
std::vector<std::string> cells_of(const Table& table, std::size_t column, std::span<const std::size_t> rows,
                                  const ShortName& short_name) {
    const Column& about = table.columns()[column];
    std::vector<std::string> cells;
    if (is_number(about.unit)) {
        for (const std::size_t row : rows) cells.push_back(number_cell(table, row, column, "", ""));
        return cells;
    }
    std::vector<std::string> texts;
    for (const std::size_t row : rows) texts.push_back(format_cell(table, row, column));
    const bool shortens = has_short_names(about);
    const std::vector<std::string> briefs =
        brief_names(texts, shortens ? short_name : ShortName(), shortens ? kMostNameLetters : 2 * kMostNameLetters);
    for (std::size_t i = 0; i < rows.size(); ++i) cells.push_back(name_cell(about, texts[i], briefs[i]));
    return cells;
}

void append_cells(std::vector<std::string>& rows, const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] += cells[i];
}

std::string table_of_rows(const std::string& head, std::span<const std::string> rows) {
    std::string out = "<div class=\"wide\"><table>\n<thead><tr>" + head + "</tr></thead>\n<tbody>\n";
    for (const std::string& row : rows) out += "<tr>" + row + "</tr>\n";
    return out + "</tbody></table></div>\n";
}

std::string more_rows(std::size_t shown, std::size_t all, std::string_view which) {
    if (shown >= all) return {};
    return "<p class=\"more\">" + counted_noun(all - shown, "more row", "more rows") + std::string(which) + "</p>\n";
}

// True if every row is empty: another parameter would fill the column.
bool is_empty(const Table& table, std::size_t column) {
    if (table.columns()[column].role == Role::Measure) return false;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (table.absent(row, column)) continue;
        if (table.columns()[column].unit != Unit::Text || !table.text(row, column).empty()) return false;
    }
    return true;
}

std::vector<std::size_t> choose_rows(const Table& table, std::size_t lead) {
    std::vector<std::size_t> rows(table.rows());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    if (rows.size() <= kMostReportRows) return rows;
    if (lead < table.columns().size()) {
        const auto weight = [&](std::size_t row) {
            const double value = table.number(row, lead);
            return std::isfinite(value) ? value : -INFINITY;
        };
        std::ranges::stable_sort(rows, std::ranges::greater{}, weight);
    }
    rows.resize(kMostReportRows);
    return rows;
}

bool says_both_in_all(const Comparison& comparison) {
    for (std::size_t row = 0; row < comparison.table.rows(); ++row)
        if (comparison.table.text(row, comparison.keys) != "both") return false;
    return true;
}

std::string both_values(const Comparison& comparison, std::size_t row, std::size_t measure) {
    const auto part = [&](Part p) { return format_cell_exact(comparison.table, row, comparison.column(measure, p)); };
    return "baseline " + part(Part::Baseline) + ", candidate " + part(Part::Candidate) + ", change " +
           part(Part::Change) + ", ratio " + part(Part::Ratio);
}

std::string change_cell(const Comparison& comparison, std::size_t row, std::size_t measure) {
    const std::size_t column = comparison.column(measure, Part::Change);
    const bool is_more = !comparison.table.absent(row, column) && comparison.table.number(row, column) > 0;
    const bool is_bound = format_cell(comparison.table, row, column).starts_with('<');  // "<0.01 %"
    return number_cell(comparison.table, row, column, is_more && !is_bound ? "+" : "",
                       both_values(comparison, row, measure));
}

std::string compared_head(const Analysis& analysis, const Comparison& comparison, bool with_presence) {
    const std::vector<Column>& columns = comparison.table.columns();
    std::string head;
    const auto add = [&](std::size_t column, std::string title, std::string_view part) {
        head += head_of({.title = std::move(title),
                         .part = std::string(part),
                         .meaning = explain_column(analysis, columns[column]).meaning},
                        columns[column].unit);
    };
    for (std::size_t key = 0; key < comparison.keys; ++key)
        if (!is_empty(comparison.table, key)) add(key, spoken_name(columns[key].name), {});
    if (with_presence) head += "<th>in</th>";
    if (comparison.lead < comparison.measures) {
        for (std::size_t p = 0; p < kParts; ++p) {
            const auto part = static_cast<Part>(p);
            add(comparison.column(comparison.lead, part), spoken_name(comparison.measure_name(comparison.lead)),
                name_of(part));
        }
    }
    for (std::size_t m = 0; m < comparison.measures; ++m)
        if (m != comparison.lead)
            add(comparison.column(m, Part::Change), spoken_name(comparison.measure_name(m)), "change");
    return head;
}

std::vector<std::string> compared_rows(const Comparison& comparison, std::size_t count, bool with_presence,
                                       const ShortName& short_name) {
    std::vector<std::string> rows(count);
    std::vector<std::size_t> first(count);
    std::iota(first.begin(), first.end(), std::size_t{0});
    const auto add = [&](std::size_t column) {
        append_cells(rows, cells_of(comparison.table, column, first, short_name));
    };
    const auto add_change = [&](std::size_t measure) {
        for (std::size_t row = 0; row < count; ++row) rows[row] += change_cell(comparison, row, measure);
    };
    for (std::size_t key = 0; key < comparison.keys; ++key)
        if (!is_empty(comparison.table, key)) add(key);
    if (with_presence) add(comparison.keys);
    if (comparison.lead < comparison.measures) {
        add(comparison.column(comparison.lead, Part::Baseline));
        add(comparison.column(comparison.lead, Part::Candidate));
        add_change(comparison.lead);
        add(comparison.column(comparison.lead, Part::Ratio));
    }
    for (std::size_t m = 0; m < comparison.measures; ++m)
        if (m != comparison.lead) add_change(m);
    return rows;
}

}  // namespace

std::string table_to_html(const Analysis& analysis, const Table& table, const ShortName& short_name) {
    std::string head;
    std::vector<std::size_t> columns;
    for (std::size_t c = 0; c < table.columns().size(); ++c) {
        const Column& column = table.columns()[c];
        if (column.unit == Unit::Event || is_empty(table, c)) continue;
        columns.push_back(c);
        head += head_of(
            {.title = spoken_name(column.name), .part = {}, .meaning = explain_column(analysis, column).meaning},
            column.unit);
    }
    const std::size_t lead = table.find_column(analysis.lead);
    const std::vector<std::size_t> chosen = choose_rows(table, lead);
    std::vector<std::string> rows(chosen.size());
    for (const std::size_t c : columns) append_cells(rows, cells_of(table, c, chosen, short_name));
    if (rows.empty()) return "<p class=\"muted\">No rows.</p>\n";
    const std::string which = lead < table.columns().size()
                                  ? "; shown are those with most " + html_text(spoken_name(analysis.lead))
                                  : "; shown are the first";
    return table_of_rows(head, rows) + more_rows(rows.size(), table.rows(), which);
}

std::string comparison_to_html(const Analysis& analysis, const Comparison& comparison, const ShortName& short_name) {
    const std::size_t all = comparison.table.rows();
    if (all == 0) return "<p class=\"muted\">No rows.</p>\n";
    const bool with_presence = !says_both_in_all(comparison);
    const std::vector<std::string> rows =
        compared_rows(comparison, std::min(all, kMostReportRows), with_presence, short_name);
    std::string out = table_of_rows(compared_head(analysis, comparison, with_presence), rows) +
                      more_rows(rows.size(), all, "; shown are those that changed most");
    for (const std::string& note : comparison.notes) out += "<p class=\"more\">" + html_text(note) + "</p>\n";
    return out;
}

}  // namespace core
