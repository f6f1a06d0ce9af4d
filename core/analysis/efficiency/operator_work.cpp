#include "core/analysis/efficiency/operator_work.hpp"

#include <array>
#include <utility>

namespace core {
namespace {

constexpr std::array<std::string_view, kPrecisions> kPrecisionNames = {"unknown", "fp64", "fp32", "tf32", "bf16",
                                                                       "fp16",    "fp8",  "int8", "fp4"};

struct ElementType {
    std::string_view name;  // one that ends in * stands for all that begin so
    std::int64_t bytes;
    Precision precision;
};
constexpr ElementType kElementTypes[] = {
    {"double", 8, Precision::Fp64},
    {"long int", 8, Precision::Unknown},
    {"long", 8, Precision::Unknown},
    {"float", 4, Precision::Fp32},
    {"int", 4, Precision::Unknown},
    {"c10::Half", 2, Precision::Fp16},
    {"c10::BFloat16", 2, Precision::Bf16},
    {"short int", 2, Precision::Unknown},
    {"short", 2, Precision::Unknown},
    {"bool", 1, Precision::Unknown},
    {"unsigned char", 1, Precision::Int8},
    {"signed char", 1, Precision::Int8},
    {"char", 1, Precision::Int8},
    {"c10::Float8_*", 1, Precision::Fp8},
    {"c10::Float4_e2m1fn_x2", 1, Precision::Fp4},
};

const ElementType* find_element_type(std::string_view type) {
    for (const ElementType& known : kElementTypes) {
        const bool prefix = known.name.ends_with('*');
        if (prefix ? type.starts_with(known.name.substr(0, known.name.size() - 1)) : type == known.name) return &known;
    }
    return nullptr;
}

}  // namespace

std::string_view name_of(Precision precision) { return kPrecisionNames[static_cast<std::size_t>(precision)]; }

Precision precision_of(std::string_view type) {
    const ElementType* const known = find_element_type(type);
    return known ? known->precision : Precision::Unknown;
}

std::optional<std::int64_t> bytes_of_element(std::string_view type) {
    const ElementType* const known = find_element_type(type);
    return known ? std::optional(known->bytes) : std::nullopt;
}

ExactCount product_of(const TensorSizes& sizes, std::size_t first) {
    ExactCount product = 1;
    for (std::size_t i = first; i < sizes.size(); ++i) product *= sizes[i];
    return product;
}

ExactCount distinct_elements(const OperatorArgument& tensor) {
    ExactCount product = 1;
    for (std::size_t i = 0; i < tensor.sizes.size(); ++i) {
        const bool expanded = tensor.strides && (*tensor.strides)[i] == 0 && tensor.sizes[i] > 0;
        if (!expanded) product *= tensor.sizes[i];
    }
    return product;
}

std::optional<ExactCount> bytes_of(const OperatorArgument& tensor) {
    const std::optional<std::int64_t> bytes = bytes_of_element(tensor.type);
    if (!bytes) return std::nullopt;
    return distinct_elements(tensor) * *bytes;
}

std::optional<OperatorWork> evaluate_operator(const OperatorRow& row, const OperatorArguments& arguments,
                                              const CallHints& hints) {
    switch (row.rule) {
        case FlopRule::Opaque:
            return std::nullopt;
        case FlopRule::Attention:
        case FlopRule::AttentionBackward:
            return evaluate_attention(row, arguments);
        case FlopRule::Convolution:
        case FlopRule::ConvolutionBackward:
        case FlopRule::ConvolutionInputGradient:
        case FlopRule::ConvolutionWeightGradient:
            return evaluate_convolution(row, arguments, hints);
        default:
            return evaluate_product(row, arguments);
    }
}

}  // namespace core
