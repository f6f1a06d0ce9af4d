#include "core/sql/sql_completion.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace core;

namespace {

// The bar marks the cursor.
SqlCompletions complete(std::string text, std::size_t most = 100) {
    const std::size_t cursor = text.find('|');
    REQUIRE(cursor != std::string::npos);
    text.erase(cursor, 1);
    return complete_sql(text, cursor, most);
}

std::vector<std::string> words(const std::string& text, std::size_t most = 100) {
    std::vector<std::string> found;
    for (const SqlCompletion& completion : complete(text, most).found) found.push_back(completion.word);
    return found;
}

bool offers(const std::string& text, std::string_view word) {
    const std::vector<std::string> found = words(text);
    return std::ranges::find(found, word) != found.end();
}

}  // namespace

TEST_CASE("where a table belongs, tables and analyses are offered") {
    CHECK(words("select * from ker|", 2) == std::vector<std::string>{"kernels", "kernel_totals"});
    CHECK(offers("select * from ker|", "kernels_analysis"));
    CHECK(offers("select * from |", "events"));
    CHECK(offers("select * from |", "selection"));
    CHECK(offers("select * from events join |", "ranks"));
    CHECK(offers("select * from temporal|", "temporal_breakdown"));
    CHECK_FALSE(offers("select * from |", "select"));
}

TEST_CASE("columns are those of the tables that the query names, wherever it names them") {
    CHECK(words("select du| from kernels").front() == "dur");
    CHECK(offers("select k.na| from kernels k", "name"));
    CHECK(offers("select k.| from kernels as k", "stream"));
    CHECK_FALSE(offers("select k.| from kernels as k", "world_size"));
    CHECK(offers("select r.| from kernels k join ranks r on r.rank = k.rank", "world_size"));
    CHECK(words("select x.| from kernels k").empty());
    CHECK_FALSE(offers("select wor| from kernels", "world_size"));
    CHECK(offers("select WOR| from ranks", "world_size"));
}

TEST_CASE("a word is replaced whole, and none is offered for what is there already, in texts and in comments") {
    const SqlCompletions completions = complete("select na|xx from kernels");
    CHECK(completions.begin == 7);
    CHECK(completions.end == 11);
    CHECK_FALSE(offers("select * from kernels where name| = 1", "name"));
    CHECK(words("select |").empty());
    CHECK(words("select 'du|' from kernels").empty());
    CHECK(words("select 'du|").empty());
    CHECK(words("select 1 -- du|\nfrom kernels").empty());
    CHECK(words("select 1 /* du|").empty());
    CHECK(words("|").empty());
    CHECK(words("select d| from kernels", 1).size() == 1);
    CHECK(complete_sql("sel", 99).found.front().word == "select");
}
