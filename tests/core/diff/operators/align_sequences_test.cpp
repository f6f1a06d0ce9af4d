// Alignments against the textbook's table, and the cost of long ones.

#include "core/diff/operators/align_sequences.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

using namespace core;

namespace {

std::vector<OperatorItem> random_items(std::mt19937& engine, std::size_t count, std::uint32_t symbols) {
    std::vector<OperatorItem> items(count);
    for (OperatorItem& item : items)
        item = {.symbol = static_cast<std::uint32_t>(engine() % symbols),
                .detail = static_cast<std::uint32_t>(engine() % 3),
                .place = static_cast<std::uint32_t>(engine() % 3)};
    return items;
}

// The best (matches, details, places) by the whole table.
std::array<std::int64_t, 3> best_of(const std::vector<OperatorItem>& b, const std::vector<OperatorItem>& c) {
    using Score = std::array<std::int64_t, 3>;
    const auto weight = [](const Score& s) { return s[0] * 1'000'000'000 + s[1] * 2 + s[2]; };
    std::vector<std::vector<Score>> table(b.size() + 1, std::vector<Score>(c.size() + 1, Score{}));
    for (std::size_t i = 1; i <= b.size(); ++i) {
        for (std::size_t j = 1; j <= c.size(); ++j) {
            Score best = weight(table[i - 1][j]) > weight(table[i][j - 1]) ? table[i - 1][j] : table[i][j - 1];
            if (b[i - 1].symbol == c[j - 1].symbol) {
                Score with = table[i - 1][j - 1];
                ++with[0];
                with[1] += b[i - 1].detail == c[j - 1].detail;
                with[2] += b[i - 1].place == c[j - 1].place;
                if (weight(with) > weight(best)) best = with;
            }
            table[i][j] = best;
        }
    }
    return table[b.size()][c.size()];
}

std::array<std::int64_t, 3> score_of(const std::vector<MatchedItems>& pairs, const std::vector<OperatorItem>& b,
                                     const std::vector<OperatorItem>& c) {
    std::array<std::int64_t, 3> score{};
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const OperatorItem &left = b[pairs[i].baseline], &right = c[pairs[i].candidate];
        REQUIRE(left.symbol == right.symbol);
        if (i > 0) {
            REQUIRE(pairs[i].baseline > pairs[i - 1].baseline);
            REQUIRE(pairs[i].candidate > pairs[i - 1].candidate);
        }
        ++score[0];
        score[1] += left.detail == right.detail;
        score[2] += left.place == right.place;
    }
    return score;
}

}  // namespace

TEST_CASE("short alignments match most, then most details, then most places") {
    std::mt19937 engine(5);
    for (int round = 0; round < 500; ++round) {
        CAPTURE(round);
        const auto symbols = static_cast<std::uint32_t>(1 + engine() % 8);
        const auto b = random_items(engine, engine() % 60, symbols), c = random_items(engine, engine() % 60, symbols);
        const auto pairs = align_sequences(b, c, {});
        REQUIRE(pairs);
        const auto found = score_of(*pairs, b, c), best = best_of(b, c);
        CHECK(found[0] == best[0]);
        CHECK(found[1] * 2 + found[2] == best[1] * 2 + best[2]);
    }
}

TEST_CASE("long alignments that are split match as many as the whole table") {
    std::mt19937 engine(6);
    for (const std::uint32_t symbols : {1u, 2u, 5u, 40u, 3000u}) {
        CAPTURE(symbols);
        const auto b = random_items(engine, 1500, symbols), c = random_items(engine, 1300, symbols);
        REQUIRE(b.size() * c.size() > kWeighedPairs);
        const auto pairs = align_sequences(b, c, {});
        REQUIRE(pairs);
        CHECK(score_of(*pairs, b, c)[0] == best_of(b, c)[0]);
    }
}

TEST_CASE("an inserted layer is found among equal ones by its shapes") {
    // three equal calls against four, of which the second has a shape of its own
    const std::vector<OperatorItem> b{{0, 7, 0}, {0, 7, 1}, {0, 7, 2}}, c{{0, 7, 0}, {0, 9, 5}, {0, 7, 1}, {0, 7, 2}};
    const auto pairs = align_sequences(b, c, {});
    REQUIRE(pairs);
    CHECK(*pairs == std::vector<MatchedItems>{{0, 0}, {1, 2}, {2, 3}});
}

TEST_CASE("empty sequences and cancelled alignments") {
    const std::vector<OperatorItem> some{{0, 0, 0}};
    CHECK(align_sequences({}, some, {})->empty());
    CHECK(align_sequences(some, {}, {})->empty());
    std::stop_source stop;
    stop.request_stop();
    const std::vector<OperatorItem> other{{1, 0, 0}};
    CHECK_FALSE(align_sequences(some, other, {.stop = stop.get_token()}));
}

TEST_CASE("a hundred thousand operators that all differ are aligned") {
    std::mt19937 engine(7);
    const auto b = random_items(engine, 100'000, 300), c = random_items(engine, 100'000, 300);
    const auto pairs = align_sequences(b, c, {});
    REQUIRE(pairs);
    CHECK(score_of(*pairs, b, c)[0] > 10'000);
}
