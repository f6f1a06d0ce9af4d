#include "core/export/text_cards.hpp"

#include "core/index/run.hpp"

#include <doctest/doctest.h>

using namespace core;

namespace {

Table advice() {
    Table table({{"finding", Unit::Text, Role::Key},
                 {"rank", Unit::Rank, Role::Key, Facet::Rank},
                 {"severity", Unit::Text},
                 {"gain", Unit::Ns},
                 {"evidence", Unit::Text},
                 {"advice", Unit::Text}});
    table.add_row({std::string_view("late-rank"), RankKey{3, 0}.packed(), std::string_view("high"),
                   std::int64_t{12'000'000}, std::string_view("last in 38 of 72 collectives: 7 ranks wait together"),
                   std::string_view("Look at what the host does before each of its collectives.")});
    table.add_row({std::string_view("uncounted"), RankKey{0, 0}.packed(), std::string_view("low"), std::monostate(),
                   std::string_view("bad \x1B[2J name"), std::string_view("Record shapes.")});
    return table;
}

}  // namespace

TEST_CASE("words are wrapped at the width and never cut") {
    CHECK(wrap_words("one two three four", 9) == "one two\nthree\nfour\n");
    CHECK(wrap_words("one two", 9, 4) == "    one\n    two\n");
    CHECK(wrap_words("a_word_that_is_longer_than_the_line is", 10) == "a_word_that_is_longer_than_the_line\nis\n");
    CHECK(wrap_words("  spaces   between ", 40) == "spaces between\n");
    CHECK(wrap_words("", 40).empty());
    CHECK(wrap_words("line\nend\x1B[1m", 40) == "line?end?[1m\n");
}

TEST_CASE("a card has its title, its numbers and its prose whole, and no empty cells") {
    CHECK(to_text_cards(advice(), {.columns = 40, .colour = false}) ==
          "1  late-rank \xC2\xB7 rank 3 \xC2\xB7 high\n"
          "   gain 12.0 ms\n"
          "   last in 38 of 72 collectives: 7 ranks\n"
          "   wait together\n"
          "   \xE2\x86\x92 Look at what the host does before\n"
          "   each of its collectives.\n"
          "\n"
          "2  uncounted \xC2\xB7 rank 0 \xC2\xB7 low\n"
          "   bad ?[2J name\n"
          "   \xE2\x86\x92 Record shapes.\n");
}

TEST_CASE("colour is of our texts alone") {
    const TerminalStyle coloured{.columns = 80, .colour = true};
    CHECK(bold("a\x1B[0mb", coloured) == "\x1B[1ma?[0mb\x1B[0m");
    CHECK(red("", coloured).empty());
    CHECK(bold("a", {.columns = 80, .colour = false}) == "a");
    const std::string text = to_text_cards(advice(), coloured);
    CHECK(text.starts_with("1  \x1B[1mlate-rank"));
    CHECK(text.find("\x1B[2J") == std::string::npos);
}

TEST_CASE("tables with advice are cards") {
    CHECK(reads_as_cards(advice()));
    CHECK_FALSE(reads_as_cards(Table({{"name", Unit::Text, Role::Key}})));
}
