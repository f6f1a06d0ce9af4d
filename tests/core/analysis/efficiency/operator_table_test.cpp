#include "core/analysis/efficiency/operator_table.hpp"

#include "tests/core/analysis/efficiency/efficiency_fixture.hpp"

using namespace core;
using namespace core::testing;

namespace {

struct OwnRows {
    explicit OwnRows(std::string_view json) { CHECK_FALSE(add_operator_rows(json)); }
    ~OwnRows() { forget_operator_rows(); }
};

// FLOP of one call of "my::gemm" with a bias first; absent if it is not counted.
std::string flop_of_own_operator() {
    OperatorFixture fixture;
    fixture.op(0, 50, "my::gemm").with("[[4], [2, 8], [8, 4]]", R"(["float", "float", "float"])");
    fixture.gpu(10, 1'000, 100, "my_gemm_kernel");
    const Table table = answer_of(*run_of({fixture.build()}), "op-efficiency").main();
    return table.rows() == 0 ? "-" : std::to_string(table.integer(0, table.find_column("flop")));
}

std::string error_of(std::string_view json) {
    const std::optional<Error> wrong = add_operator_rows(json);
    return wrong ? wrong->message : std::string();
}

}  // namespace

TEST_CASE("an operator of the user's own is counted by the rule and the positions that its row gives") {
    CHECK(flop_of_own_operator() == "-");
    {
        const OwnRows rows(R"({"my::gemm": {"rule": "product", "a": 1, "b": 2, "added": 0}})");
        CHECK(flop_of_own_operator() == "128");  // 2 x 2 x 8 x 4
    }
    CHECK(flop_of_own_operator() == "-");
    const OwnRows rows(R"({"my::*": {"rule": "product", "a": 1, "b": 2}})");
    CHECK(flop_of_own_operator() == "128");
}

TEST_CASE("an own row replaces that of the table, the others stay") {
    REQUIRE(find_operator_row("aten::mm"));
    CHECK(find_operator_row("aten::mm")->rule == FlopRule::Product);
    const OwnRows rows(R"({"aten::mm": {"rule": "opaque"}, "my::attention": {"rule": "attention", "causal": 3,
                           "heads_first": true, "corner": "bottom-right"}})");
    CHECK(find_operator_row("aten::mm")->rule == FlopRule::Opaque);
    CHECK(find_operator_row("aten::bmm")->rule == FlopRule::Product);
    const OperatorRow* const attention = find_operator_row("my::attention");
    REQUIRE(attention);
    CHECK(attention->causal == 3);
    CHECK(attention->heads_first);
    CHECK(attention->corner == MaskCorner::BottomRight);
    CHECK(attention->window_left == -1);
    // Later entries are added.
    const OwnRows more(R"({"my::gemm": {"rule": "linear"}})");
    CHECK(find_operator_row("my::attention"));
    CHECK(find_operator_row("my::gemm")->rule == FlopRule::Linear);
}

TEST_CASE("rows that say something else are refused with operator and field, all of them") {
    CHECK(error_of("[]").find("not a JSON object") == 0);
    CHECK(error_of("{").find("not JSON") != std::string::npos);
    CHECK(error_of(R"({"my::gemm": {"a": 1}})").find("'my::gemm' has no rule") == 0);
    CHECK(error_of(R"({"my::gemm": 7})").find("'my::gemm' has no rule") == 0);
    for (const std::string_view fields :
         {R"("rule": "gemm")", R"("rule": "product", "a": 64)", R"("rule": "product", "a": -2)",
          R"("rule": "product", "a": 1.5)", R"("rule": "product", "heads_first": 1)", R"("rule": "product", "c": 1)"}) {
        INFO(fields);
        CHECK(
            error_of(R"({"first": {"rule": "dot"}, "my::gemm": {)" + std::string(fields) + "}}").find("'my::gemm': ") ==
            0);
        CHECK_FALSE(find_operator_row("first"));
    }
}
