// `lockstep analyses ID` prints what the window shows on hover.

#include "core/export/analysis_text.hpp"

#include "core/analysis/catalogue/registry.hpp"
#include "core/analysis/engine/explain_column.hpp"

#include <doctest/doctest.h>

using namespace core;

namespace {

// Undoes the line breaks.
std::string in_one_line(std::string_view text) {
    std::string line;
    for (const char c : text) {
        if (c != ' ' && c != '\n')
            line += c;
        else if (!line.empty() && line.back() != ' ')
            line += ' ';
    }
    return line;
}

std::vector<std::string> split_at_stops(const std::string& text) {
    std::vector<std::string> sentences;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find(". ", begin), text.size() - 1);
        sentences.push_back(text.substr(begin, end + 1 - begin));
        begin = end + 2;
    }
    return sentences;
}

}  // namespace

TEST_CASE("every column of every analysis has an explanation that the command also prints") {
    for (const Analysis& analysis : all_analyses()) {
        CAPTURE(analysis.id);
        const std::string printed = in_one_line(format_analysis(analysis));
        for (const Column& column : analysis.columns()) {
            CAPTURE(column.name);
            const Explanation said = explain_column(analysis, column);
            CHECK(said.name == column.name);
            CHECK_FALSE(said.unit.empty());
            CHECK_FALSE(said.meaning.empty());
            CHECK_FALSE(said.summary.empty());
            CHECK_FALSE(said.definition.empty());
            CHECK(said.definition.size() < 1000);
            const std::string row =
                column.name + " " + std::string(said.unit) + " " + std::string(name_of(column.role)) + " ";
            CHECK(printed.find(row + in_one_line(said.meaning)) != std::string::npos);
            CHECK(printed.find(in_one_line(said.summary)) != std::string::npos);
            for (const std::string& sentence : split_at_stops(in_one_line(said.definition))) {
                CAPTURE(sentence);
                CHECK(printed.find(sentence) != std::string::npos);
            }
        }
    }
}
