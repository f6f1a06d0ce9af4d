#include "core/diff/join/compare_tables.hpp"

#include "core/index/run.hpp"
#include "tests/core/analysis/engine/answers.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>

using namespace core;
using namespace core::testing;

namespace {

std::vector<Column> columns() {
    return {{"rank", Unit::Rank, Role::Key, Facet::Rank, {}},
            {"kernel", Unit::Text, Role::Key, Facet::Kernel, {}},
            {"count", Unit::Count, Role::Measure, Facet::None, {}, true},
            {"total", Unit::Ns, Role::Measure, Facet::None, {}, true},
            {"share", Unit::Ratio, Role::Measure, Facet::None, {}},
            {"note", Unit::Text, Role::Info, Facet::None, {}}};
}

Table table_of(std::initializer_list<std::vector<Cell>> rows) {
    Table table(columns());
    for (const std::vector<Cell>& row : rows) table.add_row(row);
    return table;
}

std::int64_t rank(int number) { return RankKey{number, 0}.packed(); }

std::vector<Cell> row(int number, std::string_view kernel, std::int64_t count, std::int64_t total, Cell share = {}) {
    return {rank(number), kernel, count, total, share, std::string_view("x")};
}

Comparison compare(const Table& baseline, const Table& candidate, const CompareOptions& options = {},
                   const Averages& averages = {}, const RunAlignment& alignment = {}) {
    return compare_tables({&baseline, &candidate}, alignment, averages, options);
}

}  // namespace

TEST_CASE("a comparison has keys, presence, and four columns per measure") {
    const Comparison comparison = compare(Table(columns()), Table(columns()));
    std::string names;
    for (const Column& column : comparison.table.columns()) names += column.name + " ";
    CHECK(names ==
          "rank kernel presence count.baseline count.candidate count.change count.ratio total.baseline "
          "total.candidate total.change total.ratio share.baseline share.candidate share.change share.ratio ");
    CHECK(comparison.table.columns()[comparison.column(1, Part::Change)].unit == Unit::Ns);
    CHECK(comparison.table.columns()[comparison.column(1, Part::Ratio)].unit == Unit::Ratio);
    CHECK(comparison.measure_name(1) == "total");
    CHECK(comparison.lead == 1);
    CHECK(compare(Table(columns()), Table(columns()), {"count", {}}).lead == 0);
    CHECK(compare(Table(columns()), Table(columns()), {"no such", {}}).lead == 1);
}

TEST_CASE("rows join by key; values that one side lacks are absent, never zero") {
    const Comparison comparison =
        compare(table_of({row(0, "gemm", 10, 1000, 0.5), row(0, "relu", 1, 5), row(0, "zero", 1, 0)}),
                table_of({row(0, "zero", 1, 7), row(0, "gemm", 8, 1250, 0.25), row(1, "gemm", 3, 40)}));
    CHECK(rows_of(comparison.table) ==
          Rows{"0 gemm both 10 8 -2 0.800000 1000 1250 250 1.250000 0.500000 0.250000 -0.250000 0.500000",
               "1 gemm added - 3 - - - 40 - - - - - -", "0 zero both 1 1 0 1.000000 0 7 7 - - - - -",
               "0 relu removed 1 - - - 5 - - - - - - -"});
    CHECK(comparison.sources[0].baseline == std::vector<std::size_t>{0});
    CHECK(comparison.sources[0].candidate == std::vector<std::size_t>{1});
    CHECK(comparison.sources[1].baseline.empty());
    CHECK(comparison.notes.empty());
}

TEST_CASE("rows of equal size are sorted by key, rows without a size are last") {
    Table baseline = table_of({row(1, "b", 1, 5), row(0, "b", 1, 5), row(0, "a", 1, 5)});
    baseline.add_row({rank(0), std::string_view("none"), std::int64_t{1}, {}, {}, {}});
    const Comparison comparison = compare(baseline, baseline);
    REQUIRE(comparison.table.rows() == 4);
    CHECK(row_text(comparison.table, 0).starts_with("0 a both"));
    CHECK(row_text(comparison.table, 1).starts_with("0 b both"));
    CHECK(row_text(comparison.table, 2).starts_with("1 b both"));
    CHECK(row_text(comparison.table, 3) == "0 none both 1 1 0 1.000000 - - - - - - - -");
}

TEST_CASE("rows with equal keys join in order") {
    const Comparison comparison = compare(table_of({row(0, "a", 1, 10), row(0, "a", 1, 20), row(0, "a", 1, 30)}),
                                          table_of({row(0, "a", 1, 11), row(0, "a", 1, 22)}));
    CHECK(rows_of(comparison.table) == Rows{"0 a removed 1 - - - 30 - - - - - - -",
                                            "0 a both 1 1 0 1.000000 20 22 2 1.100000 - - - -",
                                            "0 a both 1 1 0 1.000000 10 11 1 1.100000 - - - -"});
}

TEST_CASE("absent keys equal only each other") {
    const Table one = table_of({{rank(0), {}, std::int64_t{1}, std::int64_t{10}, {}, {}}, row(0, "", 1, 20)});
    CHECK(rows_of(compare(one, one).table) ==
          Rows{"0 - both 1 1 0 1.000000 10 10 0 1.000000 - - - -", "0  both 1 1 0 1.000000 20 20 0 1.000000 - - - -"});
}

TEST_CASE("changes of extreme values saturate") {
    constexpr std::int64_t kFar = 9'000'000'000'000'000'000;
    const Comparison comparison = compare(table_of({row(0, "a", 1, -kFar)}), table_of({row(0, "a", 1, kFar)}));
    CHECK(comparison.table.integer(0, comparison.column(1, Part::Change)) == std::numeric_limits<std::int64_t>::max());
}

TEST_CASE("steps and ranks paired by order join under the baseline's number") {
    const std::vector<Column> known = {{"rank", Unit::Rank, Role::Key, Facet::Rank, {}},
                                       {"step", Unit::Step, Role::Key, Facet::Step, {}},
                                       {"duration", Unit::Ns, Role::Measure, Facet::None, {}, true}};
    Table baseline(known);
    Table candidate(known);
    baseline.add_row({rank(3), std::int64_t{10}, std::int64_t{100}});
    baseline.add_row({rank(3), std::int64_t{22}, std::int64_t{100}});
    candidate.add_row({rank(1), std::int64_t{21}, std::int64_t{110}});
    candidate.add_row({rank(1), std::int64_t{22}, std::int64_t{50}});  // unpaired: not the baseline's 22
    RunAlignment alignment;
    alignment.steps_by_number = alignment.ranks_by_number = false;
    alignment.steps = {{{10, {}}, {21, {}}}};
    alignment.ranks = {{{3, 0}, {1, 0}}};
    CHECK(rows_of(compare(baseline, candidate, {}, {}, alignment).table) ==
          Rows{"3 22 removed 100 - - -", "1 22 added - 50 - -", "3 10 both 100 110 10 1.100000"});
}

TEST_CASE("sums become averages, rounded half up, counts become numbers, shares stay") {
    Averages averages;
    averages.used = true;
    averages.of_rank.baseline = {{rank(0), {1, 2}}};
    averages.of_rank.candidate = {{rank(0), {1, 3}}};
    const Comparison comparison = compare(table_of({row(0, "a", 5, 1001, 0.5), row(1, "a", 5, 10, 0.5)}),
                                          table_of({row(0, "a", 6, 1000, 0.5), row(1, "a", 5, 10, 0.5)}), {}, averages);
    CHECK(comparison.table.columns()[comparison.column(0, Part::Baseline)].unit == Unit::Number);
    CHECK(
        rows_of(comparison.table) ==
        Rows{"0 a both 2.500000 2.000000 -0.500000 0.800000 501 333 -168 0.664671 0.500000 0.500000 0.000000 1.000000",
             "1 a both - - - - - - - - 0.500000 0.500000 0.000000 1.000000"});
}

TEST_CASE("rows with equal normalised names are summed, other measures are absent, with notes for both") {
    const Table baseline =
        table_of({row(0, "gemm_64x64", 1, 10, 0.1), row(0, "gemm_128x64", 2, 30, 0.3), row(0, "relu<4>", 1, 7, 0.6)});
    const Table candidate = table_of({row(0, "gemm_256x64", 4, 50, 0.5), row(0, "relu<8>", 1, 9, 0.5)});
    const Comparison exact = compare(baseline, candidate);
    CHECK(exact.table.rows() == 5);
    REQUIRE(exact.notes.size() == 1);
    CHECK(exact.notes[0].starts_with("no kernel is in both runs"));
    CHECK(exact.notes[0].find("normalised") != std::string::npos);
    const Comparison comparison = compare(baseline, candidate, {{}, NameMatching::Normalised});
    CHECK(rows_of(comparison.table) ==
          Rows{"0 gemm_NxN both 3 4 1 1.333333 40 50 10 1.250000 - 0.500000 - -",
               "0 relu<N> both 1 1 0 1.000000 7 9 2 1.285714 0.600000 0.500000 -0.100000 0.833333"});
    CHECK(comparison.sources[0].baseline == std::vector<std::size_t>{0, 1});
    REQUIRE(comparison.notes.size() == 1);
    CHECK(comparison.notes[0].starts_with("1 row combines several names"));
}

TEST_CASE("a measure that is not a quantity has no change") {
    const std::vector<Column> known = {{"rank", Unit::Rank, Role::Key, Facet::Rank, {}},
                                       {"slowest", Unit::Rank, Role::Measure, Facet::None, {}}};
    Table table(known);
    table.add_row({rank(0), rank(5)});
    CHECK(rows_of(compare(table, table).table) == Rows{"0 both 5 5 - -"});
}

TEST_CASE("a table without keys or measures joins row by row") {
    Table sums(std::vector<Column>{{"total", Unit::Ns, Role::Measure, Facet::None, {}}});
    sums.add_row({std::int64_t{4}});
    CHECK(rows_of(compare(sums, sums).table) == Rows{"both 4 4 0 1.000000"});
    Table names(std::vector<Column>{{"name", Unit::Text, Role::Key, Facet::None, {}}});
    names.add_row({std::string_view("b")});
    names.add_row({std::string_view("a")});
    CHECK(rows_of(compare(names, names).table) == Rows{"a both", "b both"});
}

namespace {

using Key = std::pair<std::int64_t, std::string>;

Table random_table(std::mt19937& random) {
    Table table(columns());
    const int rows = static_cast<int>(random() % 40);
    for (int i = 0; i < rows; ++i) {
        const std::string kernel = "k" + std::to_string(random() % 6);
        const auto maybe = [&](Cell cell) { return random() % 8 == 0 ? Cell{} : cell; };
        table.add_row({rank(static_cast<int>(random() % 3)), std::string_view(kernel),
                       maybe(static_cast<std::int64_t>(random() % 5)),
                       maybe(static_cast<std::int64_t>(random() % 1000)),
                       maybe(static_cast<double>(random() % 100) / 64), std::string_view("x")});
    }
    return table;
}

std::map<Key, std::vector<std::size_t>> rows_by_key(const Table& table) {
    std::map<Key, std::vector<std::size_t>> rows;
    for (std::size_t i = 0; i < table.rows(); ++i)
        rows[{table.integer(i, 0), std::string(table.text(i, 1))}].push_back(i);
    return rows;
}

// Expected row for the two source rows; npos: no row on that side.
constexpr std::size_t kNone = static_cast<std::size_t>(-1);
std::string joined_by_hand(const Key& key, const Table& baseline, std::size_t b, const Table& candidate,
                           std::size_t c) {
    std::string text = format_rank(RankKey::unpacked(key.first)) + " " + key.second +
                       (b == kNone   ? " added"
                        : c == kNone ? " removed"
                                     : " both");
    for (std::size_t column = 2; column < 5; ++column) {
        const double from = b == kNone ? std::nan("") : baseline.number(b, column);
        const double to = c == kNone ? std::nan("") : candidate.number(c, column);
        const auto shown = [&](double value, bool whole) {
            if (!std::isfinite(value)) return std::string(" -");
            return " " + (whole ? std::to_string(static_cast<std::int64_t>(value)) : std::to_string(value));
        };
        const bool whole = column < 4;
        text += shown(from, whole) + shown(to, whole) + shown(to - from, whole) +
                (from == 0 ? " -" : shown(to / from, false));
    }
    return text;
}

}  // namespace

TEST_CASE("random tables: rows agree with a naive join, largest change first") {
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
        const Table baseline = random_table(random);
        const Table candidate = random_table(random);
        const auto from = rows_by_key(baseline);
        const auto to = rows_by_key(candidate);
        std::vector<std::string> expected;
        std::map<Key, std::size_t> keys;
        for (const auto& [key, rows] : from) keys[key] = std::max(keys[key], rows.size());
        for (const auto& [key, rows] : to) keys[key] = std::max(keys[key], rows.size());
        for (const auto& [key, most] : keys) {
            const auto pick = [&](const auto& side, std::size_t i) {
                const auto it = side.find(key);
                return it == side.end() || i >= it->second.size() ? kNone : it->second[i];
            };
            for (std::size_t i = 0; i < most; ++i)
                expected.push_back(joined_by_hand(key, baseline, pick(from, i), candidate, pick(to, i)));
        }
        const Comparison comparison = compare(baseline, candidate);
        std::vector<std::string> rows = rows_of(comparison.table);
        double last = 1e18;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const Table& table = comparison.table;
            const std::string_view presence = table.text(i, comparison.keys);
            const Part part = presence == "both"    ? Part::Change
                              : presence == "added" ? Part::Candidate
                                                    : Part::Baseline;
            const double number = table.number(i, comparison.column(comparison.lead, part));
            const double size = std::isnan(number) ? -1 : std::abs(number);
            CHECK(size <= last);
            last = size;
        }
        std::ranges::sort(rows);
        std::ranges::sort(expected);
        CHECK(rows == expected);
    }
}
