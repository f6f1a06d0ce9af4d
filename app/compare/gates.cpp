#include "app/compare/gates.hpp"

#include "core/diff/statistics/statistics_text.hpp"

#include <algorithm>

namespace app {
namespace {

constexpr std::size_t kMostRowsNamed = 5;

constexpr Option kGateOptions[] = {
    {"--fail-if", "EXPR",
     "exit with 3 if any row satisfies it: 'total.ratio > 1.05 and total.change > 1ms';\n"
     "                                for one row add: where kernel='NAME'; of the step: 'step.verdict = regressed'"},
    {"--warn-if", "EXPR", "warn if any row satisfies it: 'step.detectable > 3%'"},
    {"--fail-if-undecided", "", "exit with 4 if the step's verdict is undecided"},
    {"--junit", "FILE", "write the outcome of these conditions as JUnit XML"},
    {"--markdown", "FILE", "write the verdict and the outcome as Markdown"},
};

core::GateOutcome outcome_of(const Gate& gate, const core::FailIf& condition, const core::Comparison& comparison,
                             const core::RunStatistics& statistics, const std::vector<std::size_t>& rows) {
    core::GateOutcome outcome{.option = std::string(gate.option),
                              .condition = gate.text,
                              .holds = !rows.empty(),
                              .fails = gate.fails,
                              .rows = {}};
    for (const std::size_t row : rows)
        outcome.rows.push_back(core::describe_failing_row(condition, comparison, row, &statistics));
    return outcome;
}

void report_holding(const core::GateOutcome& outcome, const core::FailIf& condition, std::size_t rows) {
    const std::string of = condition.is_of_step()
                               ? "the step"
                               : std::to_string(outcome.rows.size()) + " of " + std::to_string(rows) + " rows";
    say(std::string(outcome.fails ? "" : "warning: ") + outcome.option + " '" + outcome.condition + "' holds for " +
        of);
    for (std::size_t i = 0; i < std::min(outcome.rows.size(), kMostRowsNamed); ++i) say_detail(outcome.rows[i]);
    if (outcome.rows.size() > kMostRowsNamed)
        say_detail("... and " + std::to_string(outcome.rows.size() - kMostRowsNamed) + " more");
}

int write_report(const std::filesystem::path& file, const std::string& text, const core::InputFiles& inputs) {
    if (file.empty()) return kDone;
    return write_output(text, {.file = file, .kind = TextKind::Raw, .inputs = inputs});
}

}  // namespace

std::span<const Option> gate_options() { return kGateOptions; }

Gates read_gates(const Options& options) {
    Gates gates;
    for (const std::string& text : options.all("--fail-if")) gates.conditions.push_back({"--fail-if", text, true});
    for (const std::string& text : options.all("--warn-if")) gates.conditions.push_back({"--warn-if", text, false});
    gates.fail_if_undecided = options.has("--fail-if-undecided");
    gates.junit = options.last("--junit");
    gates.markdown = options.last("--markdown");
    return gates;
}

core::Result<std::vector<core::FailIf>> parse_gates(const Gates& gates, std::span<const core::Column> columns) {
    std::vector<core::FailIf> parsed;
    for (const Gate& gate : gates.conditions) {
        core::Result<core::FailIf> condition = core::parse_fail_if(gate.text, columns);
        if (!condition) return std::move(condition).error().within(gate.option);
        parsed.push_back(*std::move(condition));
    }
    return parsed;
}

int check_conditions(const Gates& gates, const std::vector<core::FailIf>& conditions,
                     const core::Comparison& comparison, const core::RunStatistics& statistics, const std::string& of,
                     core::GateReport& report) {
    int status = kDone;
    for (std::size_t i = 0; i < conditions.size(); ++i) {
        const Gate& gate = gates.conditions[i];
        core::Result<std::vector<std::size_t>> rows = core::find_failing_rows(conditions[i], comparison, &statistics);
        if (!rows)
            return report_failure(std::move(rows).error().within(std::string(gate.option) + " '" + gate.text + "'"));
        report.gates.push_back(outcome_of(gate, conditions[i], comparison, statistics, *rows));
        report.gates.back().condition.insert(0, of);
        if (rows->empty()) continue;
        report_holding(report.gates.back(), conditions[i], comparison.table.rows());
        if (gate.fails) status = kConditionHolds;
    }
    if (gates.fail_if_undecided) {
        const bool holds = statistics.step.step.judgement.verdict == core::stats::Verdict::Undecided;
        const std::string sentence = of + core::describe_step(statistics.step);
        report.gates.push_back(
            {.option = "--fail-if-undecided", .condition = of, .holds = holds, .fails = true, .rows = {}});
        if (holds) {
            report.gates.back().rows.push_back(sentence);
            say("--fail-if-undecided: " + sentence);
            if (status == kDone) status = kUndecided;
        }
    }
    return status;
}

int write_gate_reports(const Gates& gates, const core::GateReport& report, const core::InputFiles& inputs) {
    for (const int written : {write_report(gates.junit, core::to_junit(report), inputs),
                              write_report(gates.markdown, core::to_markdown(report), inputs)})
        if (written != kDone) return written;
    return kDone;
}

int check_gates(const Gates& gates, const std::vector<core::FailIf>& conditions, const core::Comparison& comparison,
                const core::RunStatistics& statistics, core::GateReport report, const core::InputFiles& inputs) {
    const int status = check_conditions(gates, conditions, comparison, statistics, {}, report);
    if (status == kFailed) return status;
    const int written = write_gate_reports(gates, report, inputs);
    return written == kDone ? status : written;
}

}  // namespace app
