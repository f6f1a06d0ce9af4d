// docs/sql.md ends with every table and column. After a change of one, LOCKSTEP_RECORD=1 rewrites that part.

#include "core/base/small_file.hpp"
#include "core/sql/sql_text.hpp"
#include "tests/places.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>

using namespace core;

namespace {
constexpr std::string_view kGeneratedTables = "<!-- Generated from the tables below this line; see HACKING.md. -->\n";
}

TEST_CASE("docs/sql.md has every table, column and function of SQL") {
    const std::filesystem::path path = core::testing::source_folder() / "docs" / "sql.md";
    const Result<std::string> text = read_small_file(path);
    REQUIRE(text);
    const std::size_t mark = text->find(kGeneratedTables);
    REQUIRE(mark != std::string::npos);
    const std::string head = text->substr(0, mark + kGeneratedTables.size());
    if (std::getenv("LOCKSTEP_RECORD") != nullptr) {
        std::ofstream(path) << head << document_sql_tables();
        MESSAGE("recorded " << path.string());
        return;
    }
    INFO("record it anew: LOCKSTEP_RECORD=1 lockstep_core_tests --source-file='*/sql_document_test.cpp'");
    CHECK(text->substr(head.size()) == document_sql_tables());
}

TEST_CASE("the list of tables for the terminal names every column once") {
    const std::string list = list_sql_tables();
    for (const SqlTable& table : sql_tables()) CHECK(list.find(table.summary) != std::string::npos);
    CHECK(list.find("argument1") == std::string::npos);
}
