#include "app/console.hpp"
#include "app/options.hpp"
#include "core/analysis/engine/analysis.hpp"
#include "core/export/analysis_text.hpp"
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

std::string params_json(const core::Analysis& analysis) {
    std::string out;
    for (const core::Param& param : analysis.params) {
        const bool named = !param.choices.empty();
        out += std::string(out.empty() ? "" : ", ") + "{\"name\": " + core::json_text(param.name) + ", \"default\": " +
               (named ? core::json_text(param.choices[static_cast<std::size_t>(param.standard)])
                      : std::to_string(param.standard));
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
        if (output->format == Format::Table) return write_output(core::format_analysis(**one), output->file);
    }
    return write_output(output->format == Format::Json ? to_json(chosen) : list_analyses(), output->file);
}

}  // namespace app
