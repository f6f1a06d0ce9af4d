#include "app/console.hpp"
#include "app/options.hpp"
#include "core/analysis/analysis.hpp"
#include "core/export/json.hpp"
#include "core/export/text_table.hpp"

#include <algorithm>
#include <cstdio>

namespace app {
namespace {

std::string list_analyses() {
    std::vector<std::vector<std::string>> rows;
    for (const core::Analysis& analysis : core::all_analyses()) {
        rows.push_back({std::string(analysis.id), std::string(analysis.summary)});
    }
    const core::TextColumn columns[] = {{"id", false}, {"what it says", false}};
    return core::layout_text_table(columns, rows) + "\nlockstep analyses ID: its definition, parameters and columns\n";
}

std::string value_text(const core::Param& param, std::int64_t value) {
    return param.choices.empty() ? std::to_string(value) : std::string(param.choices[static_cast<std::size_t>(value)]);
}

std::string range_text(const core::Param& param) {
    if (param.choices.empty()) return std::to_string(param.least) + " .. " + std::to_string(param.most);
    std::string text;
    for (const std::string_view choice : param.choices) text += (text.empty() ? "" : ", ") + std::string(choice);
    return text;
}

std::string describe_params(const core::Analysis& analysis) {
    if (analysis.params.empty()) return "Parameters: none\n";
    std::vector<std::vector<std::string>> rows;
    for (const core::Param& param : analysis.params) {
        rows.push_back({"  " + std::string(param.name), value_text(param, param.standard), range_text(param),
                        std::string(param.summary)});
    }
    const core::TextColumn columns[] = {
        {"  parameter", false}, {"default", false}, {"allowed", false}, {"meaning", false}};
    return "Parameters (--param NAME=VALUE)\n" + core::layout_text_table(columns, rows);
}

std::string describe_columns(const core::Analysis& analysis) {
    std::vector<std::vector<std::string>> rows;
    for (const core::Column& column : analysis.columns()) {
        rows.push_back(
            {"  " + column.name, std::string(name_of(column.unit)), std::string(name_of(column.role)), column.meaning});
    }
    const core::TextColumn columns[] = {{"  column", false}, {"unit", false}, {"role", false}, {"meaning", false}};
    return "Columns\n" + core::layout_text_table(columns, rows);
}

// Breaks at blanks so that no line is longer than `width`.
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

std::string describe(const core::Analysis& analysis) {
    return std::string(analysis.id) + " - " + std::string(analysis.title) + "\n" + wrapped(analysis.summary, 100) +
           "\n\n" + wrapped(analysis.definition, 100) + "\n\n" + describe_params(analysis) + "\n" +
           describe_columns(analysis) +
           (analysis.comparable ? "\nRows of two runs are compared by their keys.\n"
                                : "\nRows of two runs are not compared.\n");
}

std::string params_json(const core::Analysis& analysis) {
    std::string out;
    for (const core::Param& param : analysis.params) {
        const bool named = !param.choices.empty();
        out += std::string(out.empty() ? "" : ", ") + "{\"name\": " + core::json_text(param.name) + ", \"default\": " +
               (named ? core::json_text(value_text(param, param.standard)) : std::to_string(param.standard));
        if (named) {
            out += ", \"choices\": [";
            for (std::size_t i = 0; i < param.choices.size(); ++i)
                out += (i ? ", " : "") + core::json_text(param.choices[i]);
            out += ']';
        } else {
            out += ", \"least\": " + std::to_string(param.least) + ", \"most\": " + std::to_string(param.most);
        }
        out += ", \"unit\": " + core::json_text(name_of(param.unit)) +
               ", \"meaning\": " + core::json_text(param.summary) + "}";
    }
    return out;
}

std::string columns_json(const core::Analysis& analysis) {
    std::string out;
    for (const core::Column& column : analysis.columns()) {
        out += std::string(out.empty() ? "" : ",") + "\n    {\"name\": " + core::json_text(column.name) +
               ", \"unit\": " + core::json_text(name_of(column.unit)) +
               ", \"role\": " + core::json_text(name_of(column.role)) +
               ", \"meaning\": " + core::json_text(column.meaning) + "}";
    }
    return out;
}

std::string to_json(std::span<const core::Analysis> analyses) {
    std::string out = "{\"schema\": " + std::to_string(core::kJsonSchema) +
                      ", \"version\": " + core::json_text(LOCKSTEP_VERSION) + ",\n \"analyses\": [";
    for (const core::Analysis& analysis : analyses) {
        out += std::string(&analysis == analyses.data() ? "" : ",") + "\n  {\"id\": " + core::json_text(analysis.id) +
               ", \"title\": " + core::json_text(analysis.title) +
               ", \"summary\": " + core::json_text(analysis.summary) +
               ",\n   \"definition\": " + core::json_text(analysis.definition) + ",\n   \"params\": [" +
               params_json(analysis) + "],\n   \"columns\": [" + columns_json(analysis) + "]}";
    }
    return out + "]}\n";
}

}  // namespace

int run_analyses(Arguments args) {
    const std::vector<Option> known = join_options({output_options()});
    const core::Result<Options> options = parse_options(known, args);
    if (!options) return refuse_usage("analyses", options.error().message);
    if (options->has("--help")) return write_output(format_help(*find_command("analyses"), known), {});
    const core::Result<Output> output = read_output(*options);
    if (!output) return refuse_usage("analyses", output.error().message);
    if (output->format == Format::Csv) return refuse_usage("analyses", "--format: the list is there as table and json");
    if (options->words().size() > 1) return refuse_usage("analyses", "takes one ID at most");
    std::span<const core::Analysis> chosen = core::all_analyses();
    if (!options->words().empty()) {
        const core::Result<const core::Analysis*> one = read_analysis(options->words()[0]);
        if (!one) return refuse_usage("analyses", one.error().message);
        chosen = {*one, 1};
        if (output->format == Format::Table) return write_output(describe(**one), output->file);
    }
    return write_output(output->format == Format::Json ? to_json(chosen) : list_analyses(), output->file);
}

}  // namespace app
