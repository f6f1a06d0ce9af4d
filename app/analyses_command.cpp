#include "app/console.hpp"
#include "app/options.hpp"
#include "core/analysis/catalogue/registry.hpp"
#include "core/analysis/operators/flame_graph.hpp"
#include "core/export/analysis_text.hpp"
#include "core/export/json.hpp"
#include "core/export/text_table.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>

namespace app {
namespace {

std::string list_analyses() {
    std::vector<std::vector<std::string>> rows;
    for (const core::Analysis& analysis : core::all_analyses()) {
        rows.push_back({std::string(analysis.id), std::string(analysis.summary)});
    }
    rows.push_back({std::string(core::flame_graph().id), std::string(core::flame_graph().summary)});
    const core::TextColumn columns[] = {{"id", false}, {"summary", false}};
    return core::layout_text_table(columns, rows) + "\nlockstep analyses ID: its definition, parameters and columns\n";
}

core::SmallJson params_json(const core::Analysis& analysis) {
    core::SmallJson all = core::SmallJson::array();
    for (const core::Param& param : analysis.params) {
        core::SmallJson& one = all.emplace_back(core::SmallJson::object({{"name", param.name}}));
        if (param.choices.empty()) {
            one["default"] = param.standard;
            one["least"] = param.least;
            one["most"] = param.most;
        } else {
            one["default"] = param.choices[static_cast<std::size_t>(param.standard)];
            one["choices"] = param.choices;
        }
        one["unit"] = name_of(param.unit);
        one["meaning"] = param.summary;
    }
    return all;
}

std::string to_json(std::span<const core::Analysis> analyses, const std::string& command) {
    core::SmallJson object = core::json_header({.command = command, .sources = {}}, "lockstep.analyses/1");
    object["analyses"] = core::SmallJson::array();
    for (const core::Analysis& analysis : analyses)
        object["analyses"].push_back({{"id", analysis.id},
                                      {"title", analysis.title},
                                      {"summary", analysis.summary},
                                      {"definition", analysis.definition.join_lines()},
                                      {"params", params_json(analysis)},
                                      {"columns", core::json_columns(analysis.columns())}});
    return "{" + core::json_members(object) + "}\n";
}

}  // namespace

int run_analyses(Arguments args) {
    const std::vector<Option> known = join_options({output_options()});
    const core::Result<Options> options = parse_options(known, args);
    if (!options) return refuse_usage("analyses", options.error().message);
    if (options->has("--help")) return print_text(format_help(*find_command("analyses"), known));
    const core::Result<Output> output = read_output(*options, "analyses");
    if (!output) return refuse_usage("analyses", output.error().message);
    if (output->format == Format::Csv) return refuse_usage("analyses", "--format: the list supports table and json");
    if (options->words().size() > 1) return refuse_usage("analyses", "takes at most one ID");
    std::span<const core::Analysis> chosen = core::all_analyses();
    if (!options->words().empty()) {
        const core::Result<const core::Analysis*> one = read_analysis(options->words()[0]);
        if (!one) return refuse_usage("analyses", one.error().message);
        chosen = {*one, 1};
        if (output->format == Format::Table) return write_output(core::format_analysis(**one), {.file = output->file});
    }
    if (output->format == Format::Table) return write_output(list_analyses(), {.file = output->file});
    return write_output(to_json(chosen, output->command), {.file = output->file, .kind = TextKind::Json});
}

}  // namespace app
