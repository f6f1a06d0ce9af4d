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

TEST_CASE("a table returns its values and reports absent cells") {
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

TEST_CASE("tables of equal columns share them, and others do not") {
    const Table one = sample_table(), other = sample_table();
    CHECK(&one.columns() == &other.columns());
    const Table narrow({{"kernel", Unit::Text, Role::Key, Facet::Kernel, "the name"}});
    const Table renamed({{"kernel", Unit::Text, Role::Key, Facet::Kernel, "its name"}});
    CHECK(&narrow.columns() != &renamed.columns());
    CHECK(renamed.columns().front().meaning == "its name");
    for (int i = 0; i < 100; ++i) {
        const Table made({{"c" + std::to_string(i), Unit::Count, Role::Measure, Facet::None, ""}});
        CHECK(made.columns().front().name == "c" + std::to_string(i));
    }
    CHECK(one.columns().front().name == "kernel");
    CHECK(Table().columns().empty());
}

TEST_CASE("a non-finite number is an absent cell") {
    Table table({{"share", Unit::Ratio, Role::Measure, Facet::None, ""}});
    table.add_row({std::numeric_limits<double>::quiet_NaN()});
    table.add_row({std::numeric_limits<double>::infinity()});
    CHECK(table.absent(0, 0));
    CHECK(table.absent(1, 0));
}

TEST_CASE("an unknown column has the index one past the last") {
    const Table table = sample_table();
    CHECK(table.find_column("share") == 2);
    CHECK(table.find_column("nothing") == 3);
}

TEST_CASE("rows are appended with their texts and sorted by a given order") {
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

TEST_CASE("cells print short forms by size, and exact values on request") {
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

TEST_CASE("every unit and role has its name in JSON") {
    CHECK(name_of(Unit::Text) == "text");
    CHECK(name_of(Unit::BytesPerSecond) == "bytes/s");
    CHECK(name_of(Unit::Event) == "event");
    CHECK(name_of(Role::Key) == "key");
    CHECK(name_of(Role::Info) == "info");
    CHECK(is_integer(Unit::Rank));
    CHECK_FALSE(is_integer(Unit::Number));
}
