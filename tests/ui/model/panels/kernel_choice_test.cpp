// Kernels found by a part of their names.

#include "ui/model/panels/kernel_choice.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

namespace {

using core::testing::answer_of;
using core::testing::run_of;
using core::testing::TraceFixture;
using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("kernels are found by a part of their names, the longest of all ranks and runs first") {
    const core::RunPtr one = run_of({TraceFixture().rank(0).kernel(0, 30, "GEMM_a").kernel(40, 20, "relu").build(),
                                     TraceFixture().rank(1).kernel(0, 10, "gemm_b").kernel(40, 20, "relu").build()});
    const core::RunPtr other = run_of({TraceFixture().kernel(0, 500, "gemm_b").kernel(600, 5, "only_there").build()});
    const core::Answer first = answer_of(*one, "kernels");
    const core::Answer second = answer_of(*other, "kernels");
    const std::vector<const core::Table*> both{&first.main(), &second.main()};
    CHECK(ui::find_kernels(std::span(both).first(1), "", 9) == Names{"relu", "GEMM_a", "gemm_b"});
    CHECK(ui::find_kernels(both, "", 9) == Names{"gemm_b", "relu", "GEMM_a", "only_there"});
    CHECK(ui::find_kernels(both, "gemm", 9) == Names{"gemm_b", "GEMM_a"});
    CHECK(ui::find_kernels(both, "", 1) == Names{"gemm_b"});
    CHECK(ui::find_kernels(both, "none", 9).empty());
}
