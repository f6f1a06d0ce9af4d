#include "core/export/gate_report.hpp"

#include "core/base/terminal_text.hpp"

#include <algorithm>

namespace core {
namespace {

constexpr std::size_t kMostRowsReported = 50;

// One line without control characters and broken bytes: XML cannot hold them even escaped.
std::string escape_xml(const std::string& text) {
    std::string escaped;
    for (const char c : terminal_text(text)) {
        switch (c) {
            case '&':
                escaped += "&amp;";
                break;
            case '<':
                escaped += "&lt;";
                break;
            case '>':
                escaped += "&gt;";
                break;
            case '"':
                escaped += "&quot;";
                break;
            case '\'':
                escaped += "&apos;";
                break;
            default:
                escaped += c;
        }
    }
    return escaped;
}

// Replaces every character that could begin Markdown or a mention by a character reference.
std::string escape_markdown(const std::string& text) {
    constexpr std::string_view kSpecial = "\\`*_{}[]<>()#+!|~@&$:";
    std::string escaped;
    for (const char c : terminal_text(text)) {
        if (kSpecial.find(c) == std::string_view::npos)
            escaped += c;
        else
            escaped += "&#" + std::to_string(static_cast<int>(c)) + ";";
    }
    return escaped;
}

std::string title_of(const GateOutcome& gate) {
    return gate.condition.empty() ? gate.option : gate.option + " " + gate.condition;
}

bool has_failed(const GateOutcome& gate) { return gate.holds && gate.fails; }

std::vector<std::string> reported_rows(const GateOutcome& gate) {
    std::vector<std::string> rows(gate.rows.begin(), gate.rows.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                                             gate.rows.size(), kMostRowsReported)));
    if (gate.rows.size() > kMostRowsReported)
        rows.push_back("... and " + std::to_string(gate.rows.size() - kMostRowsReported) + " more");
    return rows;
}

std::string junit_case(const GateOutcome& gate) {
    std::string text = "    <testcase classname=\"lockstep.diff\" name=\"" + escape_xml(title_of(gate)) + "\"";
    if (!gate.holds) return text + "/>\n";
    std::string rows;
    for (const std::string& row : reported_rows(gate)) rows += escape_xml(row) + "\n";
    const std::string count = std::to_string(gate.rows.size()) + (gate.rows.size() == 1 ? " place" : " places");
    text += ">\n";
    text += gate.fails ? "      <failure message=\"holds in " + count + "\">" + rows + "</failure>\n"
                       : "      <system-out>warning: " + rows + "</system-out>\n";
    return text + "    </testcase>\n";
}

}  // namespace

std::string to_junit(const GateReport& report) {
    const auto failed = std::ranges::count_if(report.gates, has_failed);
    const std::string counts =
        "tests=\"" + std::to_string(report.gates.size()) + "\" failures=\"" + std::to_string(failed) + "\"";
    std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites " + counts + ">\n  <testsuite name=\"" +
                       escape_xml("lockstep diff " + report.baseline + " " + report.candidate) + "\" " + counts +
                       ">\n    <properties>\n      <property name=\"step\" value=\"" + escape_xml(report.sentence) +
                       "\"/>\n    </properties>\n";
    for (const GateOutcome& gate : report.gates) text += junit_case(gate);
    return text + "  </testsuite>\n</testsuites>\n";
}

std::string to_markdown(const GateReport& report) {
    std::string text = "### Lockstep: " + escape_markdown(report.baseline) + " and " +
                       escape_markdown(report.candidate) + "\n\n**" + escape_markdown(report.sentence) + "**\n";
    if (!report.notes.empty()) text += "\n";
    for (const std::string& note : report.notes) text += "- " + escape_markdown(note) + "\n";
    if (report.gates.empty()) return text;
    text += "\n| gate | outcome |\n|---|---|\n";
    for (const GateOutcome& gate : report.gates)
        text += "| " + escape_markdown(title_of(gate)) + " | " +
                (has_failed(gate) ? "failed"
                 : gate.holds     ? "warning"
                                  : "passed") +
                " |\n";
    for (const GateOutcome& gate : report.gates) {
        if (!gate.holds) continue;
        text += "\n" + escape_markdown(title_of(gate)) + "\n\n";
        for (const std::string& row : reported_rows(gate)) text += "- " + escape_markdown(row) + "\n";
    }
    return text;
}

}  // namespace core
