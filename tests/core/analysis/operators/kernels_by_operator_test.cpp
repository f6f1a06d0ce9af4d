#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/trace_fixture.hpp"

using namespace core;
using namespace core::testing;

namespace {

// mm inside linear launches gemm and a split-k helper; linear launches a copy; "lone" has no launch.
RankTracePtr nested() {
    return TraceFixture()
        .cpu(0, 100, "aten::linear")
        .cpu(10, 40, "aten::mm")
        .launch(15, 2, 1)
        .launch(20, 2, 2)
        .launch(60, 2, 3)
        .kernel(30, 10, "gemm", 7, 1)
        .kernel(40, 5, "splitk", 7, 2)
        .kernel(70, 7, "Memcpy DtoD", 7, 3, "gpu_memcpy")
        .kernel(90, 3, "lone", 7, 99)
        .build();
}

Rows rows(std::string_view filter = "") {
    return rows_of(answer_of(*run_of({nested()}), "kernels-by-operator", filter).main());
}

}  // namespace

TEST_CASE("a kernel belongs to the innermost operator around its launch call, or to none") {
    CHECK(rows() == Rows{"0 compute aten::mm gemm 1 10", "0 compute aten::mm splitk 1 5",
                         "0 memory aten::linear Memcpy DtoD 1 7", "0 compute (unattributed) lone 1 3"});
}

TEST_CASE("a filter selects kernels, not their operators; time cuts them") {
    CHECK(rows("name:gemm") == Rows{"0 compute aten::mm gemm 1 10"});
    CHECK(rows("time:35ns..42ns") == Rows{"0 compute aten::mm gemm 1 5", "0 compute aten::mm splitk 1 2"});
}

TEST_CASE("totals equal those of kernels and the own GPU time of operators") {
    const RunPtr run = run_of({nested()});
    const Answer mine = answer_of(*run, "kernels-by-operator");
    const Answer operators = answer_of(*run, "operators");
    const auto sum = [](const Table& table, std::string_view column) {
        std::int64_t total = 0;
        for (std::size_t row = 0; row < table.rows(); ++row) total += table.integer(row, table.find_column(column));
        return total;
    };
    CHECK(sum(mine.main(), "total") == sum(answer_of(*run, "kernels").main(), "total"));
    CHECK(sum(mine.main(), "total") == sum(operators.main(), "self_kernel_time"));
}
