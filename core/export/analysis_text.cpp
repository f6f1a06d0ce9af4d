#include "core/export/analysis_text.hpp"

#include "core/analysis/engine/explain_column.hpp"
#include "core/export/text_table.hpp"

#include <algorithm>

namespace core {
namespace {

std::string value_text(const Param& param, std::int64_t value) {
    return param.choices.empty() ? std::to_string(value) : std::string(param.choices[static_cast<std::size_t>(value)]);
}

std::string range_text(const Param& param) {
    if (param.choices.empty()) return std::to_string(param.least) + " .. " + std::to_string(param.most);
    std::string text;
    for (const std::string_view choice : param.choices) text += (text.empty() ? "" : ", ") + std::string(choice);
    return text;
}

std::string describe_params(const Analysis& analysis) {
    if (analysis.params.empty()) return "Parameters: none\n";
    std::vector<std::vector<std::string>> rows;
    for (const Param& param : analysis.params) {
        rows.push_back({"  " + std::string(param.name), value_text(param, param.standard), range_text(param),
                        std::string(param.summary)});
    }
    const TextColumn columns[] = {{"  parameter", false}, {"default", false}, {"allowed", false}, {"meaning", false}};
    return "Parameters (--param NAME=VALUE)\n" + layout_text_table(columns, rows);
}

std::string describe_columns(const Analysis& analysis) {
    std::vector<std::vector<std::string>> rows;
    for (const Column& column : analysis.columns()) {
        rows.push_back({"  " + column.name, std::string(explain_column(analysis, column).unit),
                        std::string(name_of(column.role)), explain_column(analysis, column).meaning});
    }
    const TextColumn columns[] = {{"  column", false}, {"unit", false}, {"role", false}, {"meaning", false}};
    return "Columns\n" + layout_text_table(columns, rows);
}

// Wraps at blanks to lines of at most `width`.
std::string wrapped(std::string_view text, std::size_t width) {
    std::string out;
    std::size_t line = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
        if (line > 0 && line + 1 + end > width) {
            out += '\n';
            line = 0;
        }
        if (line > 0) out += ' ';
        out += text.substr(0, end);
        line += (line > 0 ? 1 : 0) + end;
        const bool breaks = end < text.size() && text[end] == '\n';
        if (breaks) {
            out += '\n';
            line = 0;
        }
        text.remove_prefix(std::min(text.size(), end + 1));
    }
    return out;
}

}  // namespace

std::string format_analysis(const Analysis& analysis) {
    return std::string(analysis.id) + " - " + std::string(analysis.title) + "\n" + wrapped(analysis.summary, 100) +
           "\n\n" + wrapped(analysis.definition.join_lines(), 100) + "\n\n" + describe_params(analysis) + "\n" +
           describe_columns(analysis) +
           (analysis.comparable ? "\nRows of two runs are compared by their keys.\n"
                                : "\nRows of two runs are not compared.\n");
}

}  // namespace core
