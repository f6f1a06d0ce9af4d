#include "ui/model/rank_pairs.hpp"

#include <doctest/doctest.h>

namespace {

std::vector<core::RankKey> keys(std::initializer_list<int> numbers) {
    std::vector<core::RankKey> made;
    for (const int number : numbers) made.push_back({number, 0});
    return made;
}

std::vector<std::string> labels(const std::vector<ui::RankPair>& pairs) {
    std::vector<std::string> made;
    for (const ui::RankPair& pair : pairs)
        made.push_back(ui::label_of(pair) + (pair.baseline && pair.candidate ? "" : pair.baseline ? "-" : "+"));
    return made;
}

}  // namespace

TEST_CASE("ranks paired by number stand by number, with those of one side where they belong") {
    core::RunAlignment alignment;
    alignment.ranks = {{{1, 0}, {1, 0}}, {{3, 0}, {3, 0}}};
    const auto pairs = ui::pair_ranks(alignment, {keys({0, 1, 3}), keys({1, 2, 3, 4})});
    CHECK(labels(pairs) == std::vector<std::string>{"0-", "1", "2+", "3", "4+"});
}

TEST_CASE("ranks paired by order stand as the baseline's, then what only the candidate has") {
    core::RunAlignment alignment;
    alignment.ranks_by_number = false;
    alignment.ranks = {{{5, 0}, {0, 0}}, {{6, 0}, {1, 0}}};
    const auto pairs = ui::pair_ranks(alignment, {keys({5, 6}), keys({0, 1, 2})});
    CHECK(labels(pairs) == std::vector<std::string>{"5 | 0", "6 | 1", "2+"});
    CHECK(ui::named_rank(&alignment, pairs[1]) == core::RankKey{6, 0});
    CHECK_FALSE(ui::named_rank(&alignment, pairs[2]));
}

TEST_CASE("a pair of which an answer has one side only is that side's") {
    core::RunAlignment alignment;
    alignment.steps = {{{7, {}}, {12, {}}}, {{8, {}}, {13, {}}}};
    alignment.steps_by_number = false;
    const auto pairs = ui::pair_steps(alignment, {{7}, {12, 13}});
    REQUIRE(pairs.size() == 2);
    CHECK(pairs[0] == ui::StepPair{7, 12});
    CHECK(pairs[1] == ui::StepPair{std::nullopt, 13});
    CHECK(ui::named_step(&alignment, pairs[1]) == 8);
}
