#pragma once
// Operators that move data and do no matrix work: elementwise, copies, reductions, normalisation, embeddings,
// optimizers. One row each, with the rule for the bytes that they read and write; a new operator is a row in
// moving_table.cpp. A row also holds for the in-place and the .out spelling of its name.

#include <cstdint>
#include <string_view>

namespace core {

enum class MoveRule : std::uint8_t {
    Elementwise,  // every tensor read, the broadcast shape written in the widest type
    Comparison,  // the same, one byte per element written
    Copy,  // argument b read, argument a written
    Fill,  // argument a written
    Concatenate,  // a list of tensors read and written
    Select,  // argument a [...], dimension b, indices c: the output read and written, the indices read
    Gather,  // argument a, indices c: the same of the indices' shape
    Reduce,  // argument a read, its shape without dimensions b written; c: whether they are kept
    ReduceToIndex,  // the same, 8 bytes per element written
    Softmax,  // argument a read, and written
    SoftmaxBackward,  // three tensors of the size of a
    Norm,  // argument a read and written; parameters from b to c read
    NormBackward,  // three tensors of the size of a; parameters from b to c twice
    Embedding,  // weight a, indices b: the indices read, the output read and written
    EmbeddingBackward,  // gradient a, indices b, rows c: all read or written
    EmbeddingBag,  // weight a, indices b, offsets c: the indices read, the output written: a lower bound
    Loss,  // argument a: one element per target b; the targets
    LossBackward,  // gradient of a: written whole; the targets b
    Dropout,  // argument a read and written, one byte of mask per element
    DropoutBackward,  // the same of the gradient
    Lists,  // every tensor of every list read; the first list written
    Optimizer,  // every tensor of every list read; all but the second list (gradients) written
    Unknown,  // how much it moves does not follow from its arguments
};

struct MovingRow {
    std::string_view name;  // without "aten::"; one that ends in * stands for all that begin so
    MoveRule rule;
    int a = 0, b = 1, c = 2;
};

// The row of an operator's full name, or null.
const MovingRow* find_moving_row(std::string_view operator_name);
inline bool is_without_matrix_work(std::string_view operator_name) { return find_moving_row(operator_name) != nullptr; }
// Whether it writes into its first argument: "aten::add_".
bool is_in_place(std::string_view operator_name);
// Whether its last argument is where it writes to: "aten::add.out".
bool has_out_argument(std::string_view operator_name);

}  // namespace core
