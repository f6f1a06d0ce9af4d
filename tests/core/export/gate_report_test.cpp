#include "core/export/gate_report.hpp"

#include <doctest/doctest.h>

using namespace core;

namespace {

GateReport hostile_report() {
    return {.baseline = "a&b",
            .candidate = "c<d>",
            .sentence = "step: improved 13.1 %",
            .notes = {"a [link](http://evil) by @everyone"},
            .gates = {
                {.option = "--fail-if",
                 .condition = "time > 1 where kernel='x'",
                 .holds = true,
                 .fails = true,
                 .rows = {"kernel ]]><script>|`rm`\x1b[2J\n<!-- \xff: total 5 ns"}},
                {.option = "--warn-if", .condition = "step.n < 5", .holds = true, .fails = false, .rows = {"step.n 2"}},
                {.option = "--fail-if-undecided", .condition = {}, .holds = false, .fails = true, .rows = {}}}};
}

}  // namespace

TEST_CASE("JUnit counts what failed, and no text of a trace becomes markup") {
    const std::string xml = to_junit(hostile_report());
    CHECK(xml.find("<testsuites tests=\"3\" failures=\"1\">") != std::string::npos);
    CHECK(xml.find("name=\"lockstep diff a&amp;b c&lt;d&gt;\"") != std::string::npos);
    CHECK(xml.find("name=\"--fail-if time &gt; 1 where kernel=&apos;x&apos;\"") != std::string::npos);
    CHECK(xml.find("<failure message=\"holds in 1 place\">kernel ]]&gt;&lt;script&gt;|`rm`?[2J?&lt;!-- \xEF\xBF\xBD: "
                   "total 5 ns") != std::string::npos);
    CHECK(xml.find("<system-out>warning: step.n 2\n</system-out>") != std::string::npos);
    CHECK(xml.find("name=\"--fail-if-undecided\"/>") != std::string::npos);
    CHECK(xml.find('\x1b') == std::string::npos);
}

TEST_CASE("Markdown has a table of gates, and no text of a trace becomes a link, a mention or HTML") {
    const std::string text = to_markdown(hostile_report());
    CHECK(text.find("| gate | outcome |\n|---|---|\n| --fail-if time &#62; 1 where kernel='x' | failed |\n") !=
          std::string::npos);
    CHECK(text.find("step.n &#60; 5 | warning |") != std::string::npos);
    CHECK(text.find("| --fail-if-undecided | passed |") != std::string::npos);
    CHECK(text.find("**step&#58; improved 13.1 %**") != std::string::npos);
    for (const char* const bad : {"<script", "](", "@everyone", "`rm`", "\x1b"})
        CHECK(text.find(bad) == std::string::npos);
}

TEST_CASE("many rows are counted and not all listed") {
    GateReport report{.baseline = "a", .candidate = "b", .sentence = {}, .notes = {}, .gates = {}};
    report.gates.push_back({.option = "--fail-if",
                            .condition = "x > 0",
                            .holds = true,
                            .fails = true,
                            .rows = std::vector<std::string>(80, "row")});
    CHECK(to_junit(report).find("holds in 80 places") != std::string::npos);
    CHECK(to_markdown(report).find("- ... and 30 more\n") != std::string::npos);
}
