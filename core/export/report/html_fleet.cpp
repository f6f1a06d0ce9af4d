#include "core/export/report/html_fleet.hpp"

#include "core/export/report/html_style.hpp"
#include "core/export/report/html_text.hpp"

namespace core {

std::string fleet_to_html(const Table& table) {
    std::string out = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/><title>Runs</title>\n<style>";
    out += kReportStyle;
    out += "</style></head>\n<body><main><h1>" + counted_noun(table.rows(), "run", "runs") +
           "</h1>\n<table class=\"fleet\">\n<thead><tr>";
    for (const Column& column : table.columns())
        out += "<th title=\"" + html_text(column.meaning) + "\">" + html_text(spoken_name(column.name)) + "</th>";
    out += "</tr></thead>\n<tbody>\n";
    for (std::size_t row = 0; row < table.rows(); ++row) {
        out += "<tr>";
        for (std::size_t column = 0; column < table.columns().size(); ++column) {
            const bool is_text = table.columns()[column].unit == Unit::Text;
            out += (is_text ? "<td>" : "<td class=\"n\">") + html_text(format_cell(table, row, column)) + "</td>";
        }
        out += "</tr>\n";
    }
    return out + "</tbody></table></main></body></html>\n";
}

}  // namespace core
