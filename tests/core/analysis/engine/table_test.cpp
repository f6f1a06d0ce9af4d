#include "core/analysis/engine/table.hpp"

#include "core/index/run.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace core;

namespace {

Table sample_table() {
    Table table({{"kernel", Unit::Text, Role::Key, Facet::Kernel, "the name"},
                 {"total", Unit::Ns, Role::Measure, Facet::None, "sum"},
                 {"share", Unit::Ratio, Role::Measure, Facet::None, "part"}});
    table.add_row({"gemm", std::int64_t{1500}, 0.75});
    table.add_row({"copy", std::int64_t{500}, 0.25});
    table.add_row({"gemm", {}, {}});
    return table;
}

}  // namespace

TEST_CASE("a table gives back what was put in, and says what is absent") {
    const Table table = sample_table();
    REQUIRE(table.rows() == 3);
    CHECK(table.text(0, 0) == "gemm");
    CHECK(table.text(1, 0) == "copy");
    CHECK(table.text(2, 0) == "gemm");
    CHECK(table.integer(1, 1) == 500);
    CHECK(table.number(0, 1) == 1500.0);
    CHECK(table.number(0, 2) == 0.75);
    CHECK(table.absent(2, 1));
    CHECK(table.integer(2, 1) == 0);
    CHECK(std::isnan(table.number(2, 2)));
    CHECK(std::holds_alternative<std::monostate>(table.cell(2, 2)));
    CHECK(std::get<std::string_view>(table.cell(1, 0)) == "copy");
}

TEST_CASE("a number that is not finite is an absent cell") {
    Table table({{"share", Unit::Ratio, Role::Measure, Facet::None, ""}});
    table.add_row({std::numeric_limits<double>::quiet_NaN()});
    table.add_row({std::numeric_limits<double>::infinity()});
    CHECK(table.absent(0, 0));
    CHECK(table.absent(1, 0));
}

TEST_CASE("an unknown column is found one past the last") {
    const Table table = sample_table();
    CHECK(table.find_column("share") == 2);
    CHECK(table.find_column("nothing") == 3);
}

TEST_CASE("rows append with their texts and sort by a given order") {
    Table table = sample_table();
    table.append(sample_table());
    REQUIRE(table.rows() == 6);
    table.sort_rows({4, 0, 1, 2, 3, 5});
    CHECK(table.text(0, 0) == "copy");
    CHECK(table.integer(0, 1) == 500);
    CHECK(table.text(1, 0) == "gemm");
    CHECK(table.absent(3, 1));
    CHECK(table.absent(5, 2));
    CHECK(table.number(0, 2) == 0.25);
}

TEST_CASE("cells print short by size and exactly on request") {
    Table table({{"rank", Unit::Rank, Role::Key, Facet::Rank, ""},
                 {"time", Unit::Ns, Role::Measure, Facet::None, ""},
                 {"bytes", Unit::Bytes, Role::Measure, Facet::None, ""},
                 {"share", Unit::Ratio, Role::Measure, Facet::None, ""},
                 {"stream", Unit::Stream, Role::Key, Facet::Stream, ""}});
    table.add_row({RankKey{3, 1}.packed(), std::int64_t{1234567}, std::int64_t{1536}, 0.125, {}});
    CHECK(format_cell(table, 0, 0) ==
          "3\xc2\xb7"
          "b");
    CHECK(format_cell(table, 0, 1) == "1.23 ms");
    CHECK(format_cell_exact(table, 0, 1) == "1,234,567 ns");
    CHECK(format_cell(table, 0, 2) == "1.50 KiB");
    CHECK(format_cell_exact(table, 0, 2) == "1,536 B");
    CHECK(format_cell(table, 0, 3) == "12.5 %");
    CHECK(format_cell_exact(table, 0, 3) == "12.5 %");
    CHECK(format_cell(table, 0, 4) == "-");
    CHECK(table.resident_bytes() > 0);
}

TEST_CASE("every unit and role has the name that stands in the JSON") {
    CHECK(name_of(Unit::Text) == "text");
    CHECK(name_of(Unit::BytesPerSecond) == "bytes/s");
    CHECK(name_of(Unit::Event) == "event");
    CHECK(name_of(Role::Key) == "key");
    CHECK(name_of(Role::Info) == "info");
    CHECK(is_integer(Unit::Rank));
    CHECK_FALSE(is_integer(Unit::Number));
}
