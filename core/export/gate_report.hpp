#pragma once
// The outcome of gates for a CI system: JUnit XML and a Markdown summary. Names and sentences may hold text of a trace,
// so everything is escaped. Pure functions.

#include <string>
#include <vector>

namespace core {

struct GateOutcome {
    std::string option;  // "--fail-if"
    std::string condition;  // as written; empty for options without one
    bool holds = false;
    bool fails = false;  // if it holds
    std::vector<std::string> rows;  // rows that satisfy it, or the reason why it holds
};

struct GateReport {
    std::string baseline;
    std::string candidate;
    std::string sentence;  // about the step
    std::vector<std::string> notes;
    std::vector<GateOutcome> gates;
};

std::string to_junit(const GateReport&);
std::string to_markdown(const GateReport&);

}  // namespace core
