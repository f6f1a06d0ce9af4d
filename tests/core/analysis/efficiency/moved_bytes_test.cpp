// One hand-made call per rule, with the expected bytes.

#include "core/analysis/efficiency/moved_bytes.hpp"

#include "tests/core/analysis/efficiency/efficiency_fixture.hpp"

using namespace core;
using namespace core::testing;

namespace {

constexpr std::int64_t kAbsent = -1;

std::int64_t bytes_of_call(std::string_view name, std::string_view sizes, std::string_view types,
                           std::string_view values = "", std::string_view strides = "") {
    const MovingRow* const row = find_moving_row(name);
    REQUIRE(row);
    const OperatorArguments arguments({.sizes = sizes, .types = types, .values = values, .strides = strides});
    const std::optional<MovedBytes> moved = evaluate_moved_bytes(*row, name, arguments);
    return moved ? moved->bytes : kAbsent;
}

}  // namespace

TEST_CASE("elementwise operators read every tensor and write the broadcast shape in the widest type") {
    CHECK(bytes_of_call("aten::add", "[[4, 8], [8], []]", R"(["float", "float", "Scalar"])") == 4 * (32 + 8 + 32));
    CHECK(bytes_of_call("aten::mul", "[[4, 8], []]", R"(["c10::Half", "double"])") == 64 + 8 + 64);  // 0 dimensions
    CHECK(bytes_of_call("aten::mul", "[[4, 8], [4, 8]]", R"(["c10::Half", "float"])") == 64 + 128 + 128);
    CHECK(bytes_of_call("aten::add_", "[[4, 8], [8], []]", R"(["float", "float", "Scalar"])") == 4 * (32 + 8 + 32));
    CHECK(bytes_of_call("aten::gt", "[[100], [100]]", R"(["float", "float"])") == 400 + 400 + 100);
    CHECK(bytes_of_call("aten::exp", "[[2, 3]]", R"(["float"])") == 48);
    CHECK(bytes_of_call("aten::relu", "[[1000]]", R"(["c10::BFloat16"])") == 4'000);
    // An expanded tensor is read once.
    CHECK(bytes_of_call("aten::add", "[[4, 8], [4, 8], []]", R"(["float", "float", "Scalar"])", "",
                        "[[8, 1], [0, 1], []]") == 4 * (32 + 8 + 32));
    CHECK(bytes_of_call("aten::add", "[[4, 8], [3], []]", R"(["float", "float", "Scalar"])") == kAbsent);
    CHECK(bytes_of_call("aten::add", "[[4], [4], []]", R"(["float", "new type", "Scalar"])") == kAbsent);
    CHECK(bytes_of_call("aten::add", "", "") == kAbsent);
}

TEST_CASE("copies, fills and selections") {
    CHECK(bytes_of_call("aten::copy_", "[[10, 10], [10, 10], []]", R"(["float", "c10::Half", "Scalar"])") == 400 + 200);
    CHECK(bytes_of_call("aten::fill_", "[[100], []]", R"(["float", "Scalar"])") == 400);
    CHECK(bytes_of_call("aten::zero_", "[[100]]", R"(["double"])") == 800);
    CHECK(bytes_of_call("aten::cat", "[[[2, 3], [4, 3]], []]", R"(["TensorList", "Scalar"])") == kAbsent);
    CHECK(bytes_of_call("aten::gather", "[[5, 9], [], [5, 2]]", R"(["float", "Scalar", "long int"])",
                        R"(["", "1", ""])") == 2 * 10 * 4);
    CHECK(bytes_of_call("aten::index_select", "[[5, 9], [], [3]]", R"(["float", "Scalar", "long int"])",
                        R"(["", "0", ""])") == 2 * 27 * 4);
    CHECK(bytes_of_call("aten::index_select", "[[5, 9], [], [3]]", R"(["float", "Scalar", "long int"])") == kAbsent);
}

TEST_CASE("reductions write what remains") {
    CHECK(bytes_of_call("aten::sum", "[[4, 8], []]", R"(["float", ""])") == 128 + 4);
    CHECK(bytes_of_call("aten::sum", "[[4, 8], [], [], []]", R"(["float", "ScalarList", "Scalar", ""])",
                        R"(["", "[1]", "False", ""])") == 128 + 16);
    CHECK(bytes_of_call("aten::mean", "[[4, 8], [], [], []]", R"(["float", "ScalarList", "Scalar", ""])",
                        R"(["", "[-2]", "True", ""])") == 128 + 32);
    CHECK(bytes_of_call("aten::argmax", "[[4, 8], [], []]", R"(["float", "Scalar", "Scalar"])",
                        R"(["", "1", "False"])") == 128 + 4 * 8);
    CHECK(bytes_of_call("aten::max", "[[4], [4]]", R"(["float", "float"])") == 48);
}

TEST_CASE("softmax, norms and dropout count their input so often") {
    CHECK(bytes_of_call("aten::_softmax", "[[4, 8], [], []]", R"(["float", "Scalar", "Scalar"])") == 256);
    CHECK(bytes_of_call("aten::_softmax_backward_data", "[[4, 8], [4, 8], [], []]",
                        R"(["float", "float", "Scalar", "Scalar"])") == 3 * 128);
    CHECK(bytes_of_call("aten::native_layer_norm", "[[4, 8], [], [8], [8], []]",
                        R"(["float", "ScalarList", "float", "float", "Scalar"])") == 256 + 64);
    CHECK(bytes_of_call("aten::native_layer_norm", "[[4, 8], [], [], [], []]",
                        R"(["float", "ScalarList", "", "", "Scalar"])") == 256);
    CHECK(bytes_of_call("aten::native_layer_norm_backward", "[[4, 8], [4, 8], [], [4, 1], [4, 1], [8], [8], []]",
                        R"(["float", "float", "ScalarList", "float", "float", "float", "float", ""])") ==
          3 * 128 + 2 * 64);
    CHECK(bytes_of_call("aten::native_dropout", "[[10], [], []]", R"(["float", "Scalar", "Scalar"])") == 80 + 10);
}

TEST_CASE("embeddings and losses") {
    CHECK(bytes_of_call("aten::embedding", "[[1000, 16], [2, 5]]", R"(["float", "long int"])") == 80 + 2 * 640);
    CHECK(bytes_of_call("aten::embedding_dense_backward", "[[2, 5, 16], [2, 5], [], [], []]",
                        R"(["float", "long int", "Scalar", "Scalar", "Scalar"])",
                        R"(["", "", "1000", "-1", "False"])") == 640 + 80 + 64'000);
    CHECK(bytes_of_call("aten::nll_loss_forward", "[[10, 100], [10], [], [], []]",
                        R"(["float", "long int", "", "Scalar", "Scalar"])") == 80 + 40);
    const MovingRow* const bag = find_moving_row("aten::_embedding_bag");
    REQUIRE(bag);
    const OperatorArguments arguments({.sizes = "[[1000, 16], [50], [4]]",
                                       .types = R"(["float", "long int", "long int"])",
                                       .values = {},
                                       .strides = {}});
    CHECK(evaluate_moved_bytes(*bag, "aten::_embedding_bag", arguments) == MovedBytes{400 + 4 * 64, true});
}

TEST_CASE("a list whose sizes or types are not written is unknown, never 0") {
    CHECK(bytes_of_call("aten::_foreach_add_", "[[], []]", R"(["TensorList", "Scalar"])") == kAbsent);
    CHECK(bytes_of_call("aten::cross_entropy_loss", "[[10, 100], [10]]", R"(["float", "long int"])") == kAbsent);
    CHECK(find_moving_row("aten::mm") == nullptr);
    CHECK(find_moving_row("fbgemm::add") == nullptr);
}

TEST_CASE("with of=all the roof of moved bytes is that of the memory") {
    OperatorFixture fixture;
    fixture.device("NVIDIA H100 80GB HBM3");
    fixture.op(0, 1'000, "aten::relu").with("[[1000000]]", R"(["float"])").gpu(10, 1'000, 10'000, "relu_kernel");
    fixture.op(2'000, 1'000, "aten::mm")
        .with("[[1024, 1024], [1024, 1024]]", kHalves)
        .gpu(2'010, 20'000, 9'000, "gemm");
    const RunPtr run = run_of({fixture.build()});
    CHECK(answer_of(*run, "op-efficiency").main().rows() == 1);
    const Answer all = answer_of(*run, "op-efficiency", "", {{"of", "all"}});
    const Table& table = all.main();
    REQUIRE(table.rows() == 2);
    const std::size_t row = table.text(0, 1) == "aten::relu" ? 0 : 1;
    const auto at = [&](std::string_view column) { return table.find_column(column); };
    CHECK(table.integer(row, at("bytes")) == 8'000'000);
    CHECK(table.integer(row, at("time")) == 10'000);
    CHECK(table.number(row, at("bandwidth")) == doctest::Approx(800e9));
    CHECK(table.text(row, at("bound")) == "memory");
    CHECK(table.number(row, at("roof_share")) == doctest::Approx(800e9 / 3352e9).epsilon(0.001));
    CHECK(table.absent(row, at("flop")));
    CHECK(table.absent(row, at("flop_rate")));
    CHECK(table.absent(row, at("intensity")));
}
