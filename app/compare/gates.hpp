#pragma once
// The gates of a comparison for CI: conditions that fail or warn, and reports about them.

#include "app/options.hpp"
#include "core/diff/gates/fail_if.hpp"
#include "core/export/gate_report.hpp"

namespace app {

struct Gate {
    std::string_view option;  // "--fail-if", "--warn-if"
    std::string text;
    bool fails = true;
};

struct Gates {
    std::vector<Gate> conditions;  // as text: parsed once the table's columns are known
    bool fail_if_undecided = false;
    std::filesystem::path junit;   // empty: none
    std::filesystem::path markdown;
    bool any() const { return !conditions.empty() || fail_if_undecided; }
};

std::span<const Option> gate_options();
Gates read_gates(const Options&);

// Parses the conditions. Fails for one that does not fit the columns.
core::Result<std::vector<core::FailIf>> parse_gates(const Gates&, std::span<const core::Column>);

// Prints the conditions that hold to standard error and writes the reports. Returns kDone, kConditionHolds, kUndecided
// or the status of a failed write.
int check_gates(const Gates&, const std::vector<core::FailIf>&, const core::Comparison&, const core::RunStatistics&,
                core::GateReport, const core::InputFiles& inputs);

// The two halves of check_gates, for several comparisons in one report. check_conditions adds its outcomes to the
// report; their conditions begin with `of`.
int check_conditions(const Gates&, const std::vector<core::FailIf>&, const core::Comparison&,
                     const core::RunStatistics&, const std::string& of, core::GateReport&);
int write_gate_reports(const Gates&, const core::GateReport&, const core::InputFiles& inputs);

}  // namespace app
