#include "app/compare/diff_configurations.hpp"

#include "app/resolve_baseline.hpp"
#include "core/base/format.hpp"
#include "core/diff/statistics/statistics_text.hpp"
#include "core/export/csv.hpp"
#include "core/export/json.hpp"
#include "core/export/statistics_json.hpp"
#include "core/export/text_table.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace app {
namespace {

core::Table table_of(const core::ComparedConfigurations& compared) {
    using core::Facet, core::Role, core::Unit;
    core::Table table(
        {{"configuration", Unit::Text, Role::Key, Facet::None, "its name"},
         {"verdict", Unit::Text, Role::Measure, Facet::None, "against the baseline, by Holm's p"},
         {"n", Unit::Count, Role::Measure, Facet::None, "values of the smaller side"},
         {"baseline", Unit::Ns, Role::Measure, Facet::None, "mean of the baseline"},
         {"step", Unit::Ns, Role::Measure, Facet::None, "mean of the configuration"},
         {"change", Unit::Ns, Role::Measure, Facet::None, "step - baseline"},
         {"low", Unit::Ns, Role::Measure, Facet::None, "of the change, 95 %"},
         {"high", Unit::Ns, Role::Measure, Facet::None, "of the change, 95 %"},
         {"detectable", Unit::Ns, Role::Measure, Facet::None, "the change that would be seen 8 times of 10"},
         {"p", Unit::Number, Role::Measure, Facet::None, "Welch's"},
         {"holm", Unit::Number, Role::Measure, Facet::None, "adjusted for the number of configurations"}});
    const auto ns = [](double value) { return core::Cell{static_cast<std::int64_t>(std::llround(value))}; };
    for (const core::ComparedConfiguration& one : compared.all) {
        const core::Tested& step = one.statistics.step;
        std::vector<core::Cell> cells{std::string_view(one.name), name_of(step.strict.verdict),
                                      static_cast<std::int64_t>(step.least_n())};
        cells.push_back(step.samples.baseline.n > 0 ? ns(step.samples.baseline.mean) : core::Cell{});
        cells.push_back(step.samples.candidate.n > 0 ? ns(step.samples.candidate.mean) : core::Cell{});
        if (const auto& welch = step.samples.welch) {
            for (const double value : {welch->change, welch->interval.low, welch->interval.high, welch->detectable})
                cells.push_back(ns(value));
            cells.emplace_back(welch->p);
        } else {
            cells.resize(cells.size() + 5);
        }
        cells.push_back(step.holm ? core::Cell{*step.holm} : core::Cell{});
        table.add_row(cells);
    }
    return table;
}

std::string to_configurations_json(const core::ComparedConfigurations& compared, const std::string& baseline,
                                   const std::string& command) {
    core::SmallJson json = core::json_header({.command = command, .sources = {}});
    json["baseline"] = baseline;
    json["omnibus"] = compared.omnibus_p ? core::SmallJson(*compared.omnibus_p) : core::SmallJson();
    json["configurations"] = core::SmallJson::array();
    for (const core::ComparedConfiguration& one : compared.all) {
        core::SmallJson step = core::json_tested(one.statistics.step);
        step["strict"] = name_of(one.statistics.step.strict.verdict);
        json["configurations"].push_back({{"name", one.name},
                                          {"sentence", core::describe_step(one.statistics)},
                                          {"notes", core::note_statistics(one.statistics)},
                                          {"step", std::move(step)}});
    }
    return "{" + core::json_members(json) + ",\n " + core::json_table(table_of(compared)) + "}\n";
}

}  // namespace

core::Result<NamedPaths> read_configurations(const Options& options) {
    NamedPaths configurations;
    for (const std::string& text : options.all("--config")) {
        const std::size_t equals = text.find('=');
        if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
            return core::bad_input("--config: '" + text + "' is not NAME=PATH");
        const std::string name = text.substr(0, equals);
        core::Result<std::string> path = resolve_baseline(text.substr(equals + 1));
        if (!path) return std::move(path).error().within("--config");
        auto it = std::ranges::find(configurations, name, &NamedPaths::value_type::first);
        if (it == configurations.end()) it = configurations.insert(it, {name, {}});
        it->second.push_back(*std::move(path));
    }
    return configurations;
}

std::string format_configurations(const core::ComparedConfigurations& compared, const std::string& baseline,
                                  const Output& output) {
    if (output.format == Format::Json) return to_configurations_json(compared, baseline, output.command);
    const core::Table table = table_of(compared);
    if (output.format == Format::Csv) return core::to_csv(table, output.cells);
    std::string text = "baseline " + baseline + ", Holm over " +
                       core::format_plural(compared.all.size(), "configuration", "configurations") + "\n";
    for (const core::ComparedConfiguration& one : compared.all)
        text += one.name + ": " + core::describe_step(one.statistics) + "\n";
    return text + core::to_text_table(table, {});
}

int check_configuration_gates(const Gates& gates, const core::ComparedConfigurations& compared,
                              const std::string& baseline, const core::InputFiles& inputs) {
    const core::Result<std::vector<core::FailIf>> conditions = parse_gates(gates, {});
    if (!conditions) return report_failure(conditions.error());
    core::GateReport report{.baseline = baseline, .candidate = {}, .sentence = {}, .notes = {}, .gates = {}};
    int status = kDone;
    for (const core::ComparedConfiguration& one : compared.all) {
        report.candidate += (report.candidate.empty() ? "" : ", ") + one.name;
        const std::string sentence = one.name + ": " + core::describe_step(one.statistics);
        report.sentence += (report.sentence.empty() ? "" : "\n") + sentence;
        const core::RunStatistics statistics{one.statistics, {}};
        const int checked = check_conditions(gates, *conditions, {}, statistics, one.name + ": ", report);
        if (checked == kFailed) return checked;
        status = status == kConditionHolds || checked == kDone ? status : checked;
    }
    const int written = write_gate_reports(gates, report, inputs);
    return written == kDone ? status : written;
}

}  // namespace app
