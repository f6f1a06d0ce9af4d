// docs/definitions.md ends with the output of `lockstep analyses ID` for every row of the registry.
// After a change of a row, LOCKSTEP_RECORD=1 rewrites that part.

#include "core/analysis/catalogue/registry.hpp"
#include "core/export/analysis_text.hpp"
#include "tests/places.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace core;

namespace {

constexpr std::string_view kGeneratedMark = "<!-- Generated from the registry below this line; see HACKING.md. -->\n";

std::filesystem::path definitions_path() { return core::testing::source_folder() / "docs" / "definitions.md"; }

std::string without_trailing_blanks(const std::string& text) {
    std::string out;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + "\n";
    }
    return out;
}

std::string format_all_definitions() {
    std::string text;
    for (const Analysis& analysis : all_analyses()) {
        text += "\n## " + std::string(analysis.id) + "\n\n```text\n" +
                without_trailing_blanks(format_analysis(analysis)) + "```\n";
    }
    return text;
}

}  // namespace

TEST_CASE("docs/definitions.md has the registry's definition of every analysis") {
    std::ostringstream read;
    read << std::ifstream(definitions_path()).rdbuf();
    const std::string text = read.str();
    const std::size_t mark = text.find(kGeneratedMark);
    REQUIRE(mark != std::string::npos);
    const std::string head = text.substr(0, mark + kGeneratedMark.size());
    const std::string generated = format_all_definitions();
    if (std::getenv("LOCKSTEP_RECORD") != nullptr) {
        std::ofstream(definitions_path()) << head << generated;
        MESSAGE("recorded " << definitions_path().string());
        return;
    }
    INFO("record it anew: LOCKSTEP_RECORD=1 lockstep_core_tests --source-file='*definitions_document_test.cpp'");
    CHECK(text.substr(head.size()) == generated);
}
