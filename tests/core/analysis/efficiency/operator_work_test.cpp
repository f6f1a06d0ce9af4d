#include "core/analysis/efficiency/operator_work.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace core;

namespace {

// A call as its writer records it; types and values may be empty.
struct Call {
    std::string_view name, sizes, types, values{}, strides{};
    CallHints hints{};

    std::optional<OperatorWork> work() const {
        const OperatorRow* const row = find_operator_row(name);
        REQUIRE(row != nullptr);
        return evaluate_operator(*row, OperatorArguments({sizes, types, values, strides}), hints);
    }
    std::int64_t flop() const {
        const std::optional<OperatorWork> found = work();
        return found ? found->flop : -1;
    }
    std::int64_t bytes() const {
        const std::optional<OperatorWork> found = work();
        return found ? found->bytes.value_or(-1) : -2;
    }
};

constexpr std::string_view kTwoHalves = R"(["c10::BFloat16", "c10::BFloat16"])";
constexpr std::string_view kThreeHalves = R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16"])";

}  // namespace

TEST_CASE("a product of [M,K] and [K,N] has 2MNK FLOP and moves each matrix once") {
    const Call mm{"aten::mm", "[[8, 16], [16, 32]]", kTwoHalves};
    CHECK(mm.flop() == 2 * 8 * 16 * 32);
    CHECK(mm.bytes() == 2 * (8 * 16 + 16 * 32 + 8 * 32));
    CHECK(mm.work()->precision == Precision::Bf16);
    CHECK(Call{"aten::mm", "[[8, 16], [17, 32]]", kTwoHalves}.flop() == -1);
    CHECK(Call{"aten::mm.out", "[[8, 16], [16, 32], [8, 32]]", kThreeHalves}.flop() == 2 * 8 * 16 * 32);
    CHECK(Call{"aten::mm", "[[0, 16], [16, 32]]", kTwoHalves}.flop() == 0);
    CHECK(Call{"aten::mm", "[[3000000000, 3000000000], [3000000000, 3]]", kTwoHalves}.flop() == -1);
}

TEST_CASE("without types the FLOP stay and the bytes are absent") {
    const Call mm{"aten::mm", "[[8, 16], [16, 32]]", ""};
    CHECK(mm.flop() == 2 * 8 * 16 * 32);
    CHECK(mm.bytes() == -1);
    CHECK(mm.work()->precision == Precision::Unknown);
}

TEST_CASE("a matrix that is added is read unless its factor is 0") {
    constexpr std::string_view kSizes = "[[32], [8, 16], [16, 32], [], []]";
    constexpr std::string_view kTypes = R"(["float", "float", "float", "Scalar", "Scalar"])";
    const std::int64_t without = 4 * (8 * 16 + 16 * 32 + 8 * 32);
    CHECK(Call{"aten::addmm", kSizes, kTypes, R"(["", "", "", "1", "1"])"}.bytes() == without + 4 * 32);
    CHECK(Call{"aten::addmm_", kSizes, kTypes, R"(["", "", "", "0", "1"])"}.bytes() == without);
    CHECK(Call{"aten::addmm", kSizes, kTypes}.flop() == 2 * 8 * 16 * 32);
}

TEST_CASE("batches multiply, and are summed over where the operator does") {
    CHECK(Call{"aten::bmm", "[[4, 8, 16], [4, 16, 32]]", kTwoHalves}.flop() == 2 * 4 * 8 * 16 * 32);
    constexpr std::string_view kSizes = "[[8, 32], [4, 8, 16], [4, 16, 32]]";
    const Call sum{"aten::addbmm", kSizes, kThreeHalves};
    CHECK(sum.flop() == 2 * 4 * 8 * 16 * 32);
    CHECK(sum.bytes() == 2 * (4 * 8 * 16 + 4 * 16 * 32 + 8 * 32 + 8 * 32));
    CHECK(Call{"aten::baddbmm", "[[4, 8, 32], [4, 8, 16], [4, 16, 32]]", kThreeHalves}.flop() == 2 * 4 * 8 * 16 * 32);
    CHECK(Call{"aten::matmul", "[[5, 1, 8, 16], [4, 16, 32]]", kTwoHalves}.flop() == 2 * 5 * 4 * 8 * 16 * 32);
    CHECK(Call{"aten::matmul", "[[16], [16]]", kTwoHalves}.flop() == 2 * 16);
}

TEST_CASE("linear, vectors and dot products") {
    const Call linear{"aten::linear", "[[2, 3, 16], [32, 16], [32]]", kThreeHalves};
    CHECK(linear.flop() == 2 * 2 * 3 * 16 * 32);
    CHECK(linear.bytes() == 2 * (2 * 3 * 16 + 32 * 16 + 2 * 3 * 32 + 32));
    CHECK(Call{"aten::mv", "[[8, 16], [16]]", kTwoHalves}.flop() == 2 * 8 * 16);
    CHECK(Call{"aten::addmv", "[[8], [8, 16], [16]]", kThreeHalves}.flop() == 2 * 8 * 16);
    CHECK(Call{"aten::dot", "[[16], [16]]", kTwoHalves}.flop() == 2 * 16);
    CHECK(Call{"vllm::rocm_unquantized_gemm", "[[7, 16], [32, 16], []]", R"(["c10::Half", "c10::Half", ""])"}.flop() ==
          2 * 7 * 16 * 32);
}

TEST_CASE("an expanded matrix is read once") {
    constexpr std::string_view kSizes = "[[4, 8, 16], [4, 16, 32]]";
    CHECK(Call{"aten::bmm", kSizes, kTwoHalves, "", "[[0, 16, 1], [512, 32, 1]]"}.bytes() ==
          2 * (8 * 16 + 4 * 16 * 32 + 4 * 8 * 32));
}

TEST_CASE("scaled products write the type of their argument; a byte holds two values of fp4") {
    constexpr std::string_view kSizes = "[[8, 16], [16, 32], [], [], [], [], [], []]";
    constexpr std::string_view kFp8 =
        R"(["c10::Float8_e4m3fn", "c10::Float8_e4m3fn", "float", "float", "", "", "Scalar", "Scalar"])";
    const Call fp8{"aten::_scaled_mm", kSizes, kFp8, R"(["", "", "", "", "", "", "6", "True"])"};
    CHECK(fp8.flop() == 2 * 8 * 16 * 32);
    CHECK(fp8.bytes() == 8 * 16 + 16 * 32 + 4 * 8 * 32);
    CHECK(fp8.work()->precision == Precision::Fp8);
    CHECK(Call{"aten::_scaled_mm", kSizes, kFp8}.bytes() == 8 * 16 + 16 * 32 + 2 * 8 * 32);
    const Call fp4{"aten::_scaled_mm", "[[8, 16], [16, 32]]", R"(["c10::Float4_e2m1fn_x2", "c10::Float4_e2m1fn_x2"])"};
    CHECK(fp4.flop() == 2 * 8 * 32 * 32);
    CHECK(fp4.work()->precision == Precision::Fp4);
}

TEST_CASE("grouped products count the rows that there are, whatever group they are in") {
    constexpr std::string_view kTypes = R"(["c10::BFloat16", "c10::BFloat16", "int"])";
    CHECK(Call{"aten::_grouped_mm", "[[100, 16], [4, 16, 32], [4]]", kTypes}.flop() == 2 * 100 * 16 * 32);
    CHECK(Call{"aten::_grouped_mm", "[[4, 8, 16], [16, 100], [4]]", kTypes}.flop() == 2 * 8 * 16 * 100);
    const Call both{"aten::_grouped_mm", "[[8, 100], [100, 32], [4]]", kTypes};
    CHECK(both.flop() == 2 * 8 * 100 * 32);
    CHECK(both.bytes() == 2 * (8 * 100 + 100 * 32 + 4 * 8 * 32));
    CHECK(Call{"aten::_scaled_grouped_mm", "[[4, 8, 16], [4, 16, 32]]", kTwoHalves}.flop() == 2 * 4 * 8 * 16 * 32);
}

TEST_CASE("2:4 sparse matrices count as dense") {
    CHECK(Call{"aten::_sparse_semi_structured_mm", "[[8, 8], [8, 1], [16, 32]]", kThreeHalves}.flop() ==
          2 * 8 * 16 * 32);
}

TEST_CASE("a convolution multiplies every output with the weights that reach it") {
    constexpr std::string_view kSizes = "[[32, 3, 224, 224], [64, 3, 7, 7], [], [], [], [], [], [], []]";
    constexpr std::string_view kTypes =
        R"(["float", "float", "", "ScalarList", "ScalarList", "ScalarList", "Scalar", "ScalarList", "Scalar"])";
    const Call conv{"aten::convolution", kSizes, kTypes,
                    R"(["", "", "", "[2, 2]", "[3, 3]", "[1, 1]", "False", "[0, 0]", "1"])"};
    CHECK(conv.flop() == std::int64_t{2} * 32 * 64 * 112 * 112 * 3 * 49);
    CHECK(conv.bytes() == std::int64_t{4} * (32 * 3 * 224 * 224 + 64 * 3 * 49 + 32 * 64 * 112 * 112));
    CHECK(conv.work()->has_fast_algorithm);
    SUBCASE("twice the batch is twice the FLOP") {
        Call twice = conv;
        twice.sizes = "[[64, 3, 224, 224], [64, 3, 7, 7], [], [], [], [], [], [], []]";
        CHECK(twice.flop() == 2 * conv.flop());
    }
    SUBCASE("without values the output comes from the gradient, else the FLOP are unknown") {
        Call old{"aten::cudnn_convolution", "[[32, 3, 224, 224], [64, 3, 7, 7], [], [], [], []]", ""};
        CHECK(old.flop() == -1);
        old.hints.output_sizes = TensorSizes{32, 64, 112, 112};
        CHECK(old.flop() == conv.flop());
    }
    SUBCASE("no batch is a batch of one; padding may be a word") {
        CHECK(Call{"aten::conv2d", "[[3, 10, 10], [4, 3, 3, 3], [], [], [], [], []]", "",
                   R"(["", "", "", "[1, 1]", "same", "[1, 1]", "1"])"}
                  .flop() == 2 * 4 * 100 * 3 * 9);
        CHECK(Call{"aten::conv2d", "[[1, 3, 10, 10], [4, 3, 3, 3], [], [], [], [], []]", "",
                   R"(["", "", "", "[1]", "valid", "[1]", "1"])"}
                  .flop() == 2 * 4 * 64 * 3 * 9);
    }
    SUBCASE("a transposed one multiplies every input") {
        CHECK(Call{"aten::conv_transpose2d", "[[2, 8, 5, 5], [8, 4, 3, 3], [], [], [], [], [], []]", "",
                   R"(["", "", "", "[2, 2]", "[1, 1]", "[1, 1]", "1", "[1, 1]"])"}
                  .flop() == 2 * 2 * 8 * 25 * 4 * 9);
    }
}

TEST_CASE("each gradient of a convolution that is wanted has the FLOP of one forward") {
    constexpr std::string_view kSizes =
        "[[10, 512, 7, 7], [10, 256, 14, 14], [512, 256, 3, 3], [], [], [], [], [], [], [], []]";
    const std::int64_t one = std::int64_t{2} * 10 * 512 * 49 * 256 * 9;
    const auto with_mask = [&](std::string_view mask) {
        const std::string values = R"(["", "", "", "[0]", "[2, 2]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1", ")" +
                                   std::string(mask) + "\"]";
        return Call{"aten::convolution_backward", kSizes, "", values}.flop();
    };
    CHECK(with_mask("[True, True, False]") == 2 * one);
    CHECK(with_mask("[False, True, True]") == one);
    CHECK(with_mask("[False, False, True]") == 0);
    SUBCASE("without a mask the parts that ran tell, else both are guessed") {
        constexpr std::string_view kOld = "[[10, 256, 14, 14], [10, 512, 7, 7], [512, 256, 3, 3]]";
        CHECK(Call{"aten::cudnn_convolution_backward", kOld, "", "", "", {{}, false, true}}.flop() == one);
        const std::optional<OperatorWork> guessed = Call{"aten::cudnn_convolution_backward", kOld, ""}.work();
        REQUIRE(guessed);
        CHECK(guessed->flop == 2 * one);
        CHECK(guessed->estimated);
        CHECK(Call{"aten::cudnn_convolution_backward_input", "[[], [10, 512, 7, 7], [512, 256, 3, 3]]", ""}.flop() ==
              one);
        CHECK(Call{"aten::cudnn_convolution_backward_weight", "[[], [10, 512, 7, 7], [10, 256, 14, 14]]",
                   R"(["ScalarList", "float", "float"])", R"(["[512, 256, 3, 3]", "", ""])"}
                  .flop() == one);
        CHECK(Call{"aten::cudnn_convolution_backward_weight", "[[], [10, 512, 7, 7], [10, 256, 14, 14]]", ""}.flop() ==
              -1);
    }
}

TEST_CASE("attention multiplies the pairs that attend, with the heads of the queries") {
    const auto flash = [](std::string_view sizes, std::string_view causal, std::string_view more = "") {
        const std::string values =
            R"(["", "", "", "0.", ")" + std::string(causal) + R"(", "False", "0.125")" + std::string(more) + "]";
        return Call{"aten::_scaled_dot_product_flash_attention", sizes, kThreeHalves, values}.flop();
    };
    CHECK(flash("[[2, 8, 128, 64], [2, 8, 128, 64], [2, 8, 128, 64]]", "False") == 2 * 2 * 8 * 128 * 128 * 128);
    CHECK(flash("[[2, 8, 128, 64], [2, 8, 128, 64], [2, 8, 128, 64]]", "True") == 2 * 8 * 128 * 128 * 128);
    CHECK(flash("[[2, 8, 128, 64], [2, 2, 128, 64], [2, 2, 128, 32]]", "False") == 2 * 2 * 8 * 128 * 128 * 96);
    CHECK(flash("[[1, 1, 4, 8], [1, 1, 6, 8], [1, 1, 6, 8]]", "True") == 16 * 16);
    CHECK(flash("[[1, 1, 6, 8], [1, 1, 4, 8], [1, 1, 4, 8]]", "True") == (16 + 2 * 2 * 4) * 16);
    SUBCASE("where the arguments do not say whether it is causal, the FLOP are unknown") {
        CHECK(Call{"aten::_scaled_dot_product_flash_attention", "[[2, 8, 128, 64], [2, 8, 128, 64], [2, 8, 128, 64]]",
                   kThreeHalves}
                  .flop() == -1);
    }
    SUBCASE("keys and values are read with their own heads") {
        CHECK(Call{"flash_attn::_flash_attn_forward", "[[2, 128, 8, 64], [2, 128, 2, 64], [2, 128, 2, 64]]",
                   kThreeHalves, R"(["", "", "", "0.", "0.125", "False", "-1", "-1"])"}
                  .bytes() == 2 * (2 * 128 * 64) * (8 + 2 + 2 + 8));
    }
    SUBCASE("the mask of flash_attn ends at the last key") {
        const auto pairs = [](std::string_view sizes) {
            return Call{"flash_attn::_flash_attn_forward", sizes, kThreeHalves,
                        R"(["", "", "", "0.", "0.125", "True", "-1", "-1"])"}
                .flop();
        };
        CHECK(pairs("[[1, 4, 1, 8], [1, 6, 1, 8], [1, 6, 1, 8]]") == (2 * 4 * 2 + 16) * 16);
        CHECK(pairs("[[1, 6, 1, 8], [1, 4, 1, 8], [1, 4, 1, 8]]") == 16 * 16);
    }
    SUBCASE("a window leaves the keys that it reaches") {
        CHECK(Call{"flash_attn::_flash_attn_forward", "[[1, 5, 1, 8], [1, 5, 1, 8], [1, 5, 1, 8]]", kThreeHalves,
                   R"(["", "", "", "0.", "0.125", "True", "2", "0"])"}
                  .flop() == 2 * (1 + 2 + 3 + 3 + 3) * 16);
    }
}

TEST_CASE("the gradient of attention computes the scores again; the model does not need them") {
    const std::optional<OperatorWork> work =
        Call{"aten::_scaled_dot_product_flash_attention_backward",
             "[[2, 8, 128, 64], [2, 8, 128, 64], [2, 8, 128, 64], [2, 8, 128, 64], [], [], [], [], [], [], [], []]",
             R"(["c10::Half", "c10::Half", "c10::Half", "c10::Half"])",
             R"(["", "", "", "", "", "", "", "", "128", "128", "0.", "True"])"}
            .work();
    REQUIRE(work);
    CHECK(work->flop == 2 * 8 * 128 * 128 * 5 * 64);
    CHECK(work->model_flop == 2 * 8 * 128 * 128 * 4 * 64);
    CHECK(work->precision == Precision::Fp16);
}

TEST_CASE("packed sequences count as equally long and are marked") {
    const std::optional<OperatorWork> work =
        Call{"aten::_flash_attention_forward", "[[100, 8, 64], [100, 8, 64], [100, 8, 64], [5], [5], [], [], [], []]",
             R"(["c10::Half", "c10::Half", "c10::Half", "int", "int", "Scalar", "Scalar", "Scalar", "Scalar"])",
             R"(["", "", "", "", "", "30", "30", "0.", "True"])"}
            .work();
    REQUIRE(work);
    CHECK(work->flop == 8 * (2 * 100 * 100 / 4 / 2) * 128);
    CHECK(work->estimated);
}

TEST_CASE("arguments in one text with semicolons are read like lists") {
    CHECK(Call{"aten::mm", "8,16;16,32", "float;float"}.flop() == 2 * 8 * 16 * 32);
    CHECK(Call{"aten::addmm", "32;8,16;16,32;;", "float;float;float;;"}.flop() == 2 * 8 * 16 * 32);
}

TEST_CASE("texts that aren't arguments give no FLOP and do no harm") {
    for (const std::string_view sizes :
         {"", "[", "[[", "[[8, 16], [16", "{}", "[[8, -16], [-16, 32]]", "[[8, x], [16, 32]]", "[[[8, 16]], [16, 32]]",
          "[[8, 16.5], [16, 32]]", "\"", "[\"\\", ";;;;", "[[99999999999999999999, 2], [2, 2]]"}) {
        CAPTURE(sizes);
        for (const std::string_view name : {"aten::mm", "aten::convolution", "aten::linear", "aten::matmul",
                                            "aten::_flash_attention_forward", "aten::convolution_backward"})
            CHECK(Call{name, sizes, kTwoHalves, sizes, sizes}.flop() == -1);
    }
}

TEST_CASE("opaque and unlisted operators have no FLOP") {
    CHECK(Call{"vllm::moe_forward", "[[8, 16], [16, 32]]", kTwoHalves}.flop() == -1);
    CHECK(Call{"vllm::unified_attention_with_output", "[[8, 16]]", kTwoHalves}.flop() == -1);
    CHECK(find_operator_row("aten::add") == nullptr);
    CHECK(find_operator_row("aten::einsum") == nullptr);
}
