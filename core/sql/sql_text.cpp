#include "core/sql/sql_text.hpp"

#include "core/analysis/catalogue/registry.hpp"
#include "core/export/json.hpp"
#include "core/export/text_table.hpp"
#include "core/query/filter_text.hpp"
#include "core/sql/sqlite_modules.hpp"

#include <nlohmann/json.hpp>

namespace core {
namespace {

std::string type_text(const SqlColumn& column) {
    return column.any_type ? "any" : column.unit == Unit::Text ? "text" : is_integer(column.unit) ? "integer" : "real";
}

std::string unit_text(const SqlColumn& column) {
    return column.any_type || column.unit == Unit::Text ? "" : std::string(name_of(column.unit));
}

void add_cell_of_markdown(std::string& out, std::string_view text) {
    out += ' ';
    for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
    out += text.empty() ? "|" : " |";
}

bool is_pushed_down(const SqlColumn& column) {
    return column.push != SqlPush::None && column.push != SqlPush::Argument;
}

void add_table_of_columns(std::string& out, const SqlTable& table) {
    out += "| column | type | unit | meaning |\n|---|---|---|---|\n";
    for (const SqlColumn& column : table.columns) {
        if (column.push == SqlPush::Argument) continue;
        out += '|';
        add_cell_of_markdown(out, "`" + column.name + "`" + (is_pushed_down(column) ? " ▸" : ""));
        add_cell_of_markdown(out, type_text(column));
        add_cell_of_markdown(out, unit_text(column));
        add_cell_of_markdown(out, column.meaning);
        out += '\n';
    }
}

}  // namespace

std::string list_sql_tables(std::size_t most_columns) {
    const TextColumn columns[] = {{"table"}, {"column"}, {"type"}, {"unit"}, {"meaning"}};
    std::vector<std::vector<std::string>> rows;
    const auto add = [&](const std::vector<SqlTable>& tables) {
        for (const SqlTable& table : tables) {
            rows.push_back({table.name, "", "", "", table.summary});
            for (const SqlColumn& column : table.columns)
                if (column.push != SqlPush::Argument)
                    rows.push_back({table.name, column.name, type_text(column), unit_text(column), column.meaning});
        }
    };
    add(sql_tables());
    add(analysis_tables());
    return layout_text_table(columns, rows, most_columns);
}

std::string document_sql_tables() {
    std::string out;
    for (const SqlTable& table : sql_tables()) {
        out += "\n### " + table.name + "\n\n" + table.summary + "\n\n";
        add_table_of_columns(out, table);
    }
    out +=
        "\n## Functions\n\nColumns are those of the analysis: `lockstep analyses ID`.\n\n| function | analysis | "
        "summary |\n|---|---|---|\n";
    for (const Analysis& analysis : all_analyses()) {
        out += '|';
        add_cell_of_markdown(out, "`" + sql_name(analysis) + "`");
        add_cell_of_markdown(out, analysis.id);
        add_cell_of_markdown(out, analysis.summary);
        out += '\n';
    }
    return out;
}

std::string sql_to_json(const Run& run, const Filter& filter, std::string_view query, const SqlAnswer& answer,
                        const JsonOrigin& origin) {
    SmallJson first = json_header(origin);
    first["query"] = query;
    first["run"] = run.name();
    first["filter"] = format_filter(filter);
    SmallJson last = SmallJson::object();
    last["notes"] = SmallJson::array();
    last["diagnostics"] = json_diagnostics(run.all_diagnostics());
    return "{" + json_members(first) + ",\n " + json_table(answer.table, answer.numbers) + ",\n " + json_members(last) +
           json_footer(origin) + "}\n";
}

}  // namespace core
