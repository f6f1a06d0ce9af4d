#include "core/export/csv.hpp"

#include "core/index/run.hpp"

#include <doctest/doctest.h>

using namespace core;

TEST_CASE("the header has the unit where a number needs one") {
    const Table table({{"rank", Unit::Rank, Role::Key, Facet::Rank, ""},
                       {"kernel", Unit::Text, Role::Key, Facet::Kernel, ""},
                       {"compute", Unit::Ns, Role::Measure, Facet::None, ""},
                       {"size", Unit::Bytes, Role::Measure, Facet::None, ""},
                       {"busbw", Unit::BytesPerSecond, Role::Measure, Facet::None, ""},
                       {"share", Unit::Ratio, Role::Measure, Facet::None, ""},
                       {"count", Unit::Count, Role::Measure, Facet::None, ""}});
    CHECK(to_csv(table) == "rank,kernel,compute_ns,size_bytes,busbw_bytes_per_s,share,count\n");
}

TEST_CASE("values are raw, absent cells empty, ranks readable") {
    Table table({{"rank", Unit::Rank, Role::Key, Facet::Rank, ""},
                 {"time", Unit::Ns, Role::Measure, Facet::None, ""},
                 {"share", Unit::Ratio, Role::Measure, Facet::None, ""}});
    table.add_row({RankKey{3, 0}.packed(), std::int64_t{1234567}, 0.1});
    table.add_row({RankKey{3, 1}.packed(), {}, 1.0 / 3});
    CHECK(to_csv(table) ==
          "rank,time_ns,share\n3,1234567,0.1\n3\xc2\xb7"
          "b,,0.3333333333333333\n");
}

TEST_CASE("fields with commas, quotes or line ends are quoted as in RFC 4180") {
    Table table({{"kernel", Unit::Text, Role::Key, Facet::Kernel, ""}});
    for (const std::string_view name : {"plain", "a, b", "say \"x\"", "two\nlines", "cr\r"}) table.add_row({name});
    CHECK(to_csv(table, CsvCells::Raw) == "kernel\nplain\n\"a, b\"\n\"say \"\"x\"\"\"\n\"two\nlines\"\n\"cr\r\"\n");
}

TEST_CASE("texts that a spreadsheet takes for formulas get a leading apostrophe; numbers stay numbers") {
    Table table(
        {{"kernel", Unit::Text, Role::Key, Facet::Kernel, ""}, {"time", Unit::Ns, Role::Measure, Facet::None, ""}});
    for (const std::string_view name : {"=1+1", "+x", "-x", "@sum", "\tx", "-1.5", "+2e3", "--1", "a=b", "\x1b[0m"})
        table.add_row({name, std::int64_t{-5}});
    CHECK(to_csv(table) ==
          "kernel,time_ns\n'=1+1,-5\n'+x,-5\n'-x,-5\n'@sum,-5\n'?x,-5\n-1.5,-5\n+2e3,-5\n'--1,-5\na=b,-5\n?[0m,-5\n");
}

TEST_CASE("tab-separated text has the requested rows and columns, unquoted, one line per row") {
    Table table({{"rank", Unit::Rank, Role::Key, Facet::Rank, ""},
                 {"kernel", Unit::Text, Role::Key, Facet::Kernel, ""},
                 {"time", Unit::Ns, Role::Measure, Facet::None, ""}});
    table.add_row({RankKey{0, 0}.packed(), "a, \"b\"", std::int64_t{1}});
    table.add_row({RankKey{1, 0}.packed(), "two\nlines\tand\r", {}});
    table.add_row({RankKey{2, 0}.packed(), "c", std::int64_t{1234567890}});
    const std::vector<std::size_t> rows{2, 0, 1};
    const TsvText all = to_tsv(table, rows, std::vector<std::size_t>{1, 2}, 1000);
    CHECK(all.rows == 3);
    CHECK(all.text == "kernel\ttime_ns\nc\t1234567890\na, \"b\"\t1\ntwo lines and \t\n");
    const TsvText cut = to_tsv(table, rows, std::vector<std::size_t>{0}, 9);
    CHECK(cut.rows == 2);
    CHECK(cut.text == "rank\n2\n0\n");
}
