#include "core/diff/join/add_up_ranks.hpp"

#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/trace_fixture.hpp"

using namespace core;
using namespace core::testing;

TEST_CASE("rows of all ranks are merged with the measures that add up; other columns are dropped") {
    const RunPtr run = run_of({TraceFixture().kernel(0, 10, "gemm").kernel(20, 5, "gemm").build(),
                               TraceFixture().kernel(0, 7, "relu").kernel(10, 1, "gemm").build()});
    const Table sums = add_up_ranks(answer_of(*run, "kernels").main());
    std::string names;
    for (const Column& column : sums.columns()) names += column.name + " ";
    CHECK(names == "class kernel count total ");
    CHECK(rows_of(sums) == Rows{"compute gemm 3 16", "compute relu 1 7"});
}

TEST_CASE("a value absent in every rank stays absent, one absent in some counts as zero") {
    Table table({{"rank", Unit::Rank, Role::Key, Facet::Rank, {}},
                 {"name", Unit::Text, Role::Key, Facet::None, {}},
                 {"time", Unit::Ns, Role::Measure, Facet::None, {}, true}});
    table.add_row({std::int64_t{0}, std::string_view("a"), std::int64_t{5}});
    table.add_row({std::int64_t{1024}, std::string_view("a"), Cell{}});
    table.add_row({std::int64_t{0}, std::string_view("b"), Cell{}});
    CHECK(rows_of(add_up_ranks(table)) == Rows{"a 5", "b -"});
    CHECK(add_up_ranks(Table(table.columns())).rows() == 0);
}
