#pragma once
// The operators whose floating-point operations (FLOP) follow from their arguments, one row each, with the positions of
// the arguments in the operator's schema. A new operator is a row in operator_table.cpp; no other file names one.
// A row also holds for the in-place and the .out spelling of its name.

#include "core/base/result.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace core {

enum class FlopRule : std::uint8_t {
    Product,  // a [M,K] × b [K,N], also with a batch in front
    ProductOverBatch,  // the same, summed over the batch
    Linear,  // a […,K] × b [N,K]
    Matmul,  // any two, the batch broadcast
    MatrixVector,  // a [M,K] × b [K]
    Dot,  // a [K] · b [K]
    ScaledProduct,  // as Product; the output's type is an argument
    GroupedProduct,  // 2- or 3-dimensional each, groups by offsets
    SparseProduct,  // 2:4 sparse a; counted as dense
    SparseLinear,  // 2:4 sparse b; counted as dense
    Convolution,
    ConvolutionBackward,
    ConvolutionInputGradient,  // before torch 1.10
    ConvolutionWeightGradient,
    Attention,
    AttentionBackward,
    Opaque,  // does matrix work that its arguments do not tell
};

// How a causal mask lies where there are fewer queries than keys.
enum class MaskCorner : std::uint8_t { TopLeft, BottomRight, ByValue };  // ByValue: 0 none, 1 top left, 2 bottom right

struct OperatorRow {
    std::string_view name;  // one that ends in * stands for all that begin so
    FlopRule rule;
    // Positions; -1: the operator has no such argument.
    int a = 0;  // the first matrix; of attention q, of gradients the gradient
    int b = 1;  // the second; weights
    int added = -1;  // a matrix that is added, or a bias
    int beta = -1;  // factor of `added`
    // Convolutions.
    int stride = -1, padding = -1, dilation = -1, transposed = -1, output_padding = -1, groups = -1, mask = -1;
    int x = -1;  // of gradients: the input
    bool is_transposed = false;
    // Attention: k and v follow q.
    bool heads_first = false;  // [B,H,S,D], otherwise [B,S,H,D]
    int causal = -1;
    int causal_else = -1;  // where other versions have it
    int window_left = -1, window_right = -1;
    int sequences = -1;  // cumulative lengths of the packed queries
    int pages = -1;  // a table of pages: then the lengths are not in the arguments
    MaskCorner corner = MaskCorner::TopLeft;
    bool is_backward() const {
        return rule == FlopRule::ConvolutionBackward || rule == FlopRule::ConvolutionInputGradient ||
               rule == FlopRule::ConvolutionWeightGradient || rule == FlopRule::AttentionBackward;
    }
};

// The row of an operator's name, or null: the user's, else the table's. Any thread.
const OperatorRow* find_operator_row(std::string_view name);

// Adds rows of the user's own, {"my::gemm": {"rule": "product", "a": 1, "b": 2}}: the fields above, rules in the form
// "product-over-batch". Of an operator in the table they replace the row. All rows are used, or none and the error
// names operator and field. For runs that are opened later.
std::optional<Error> add_operator_rows(std::string_view json);
void forget_operator_rows();  // those of the user

}  // namespace core
