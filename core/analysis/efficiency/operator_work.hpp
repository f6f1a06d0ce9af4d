#pragma once
// FLOP and bytes of one operator call from its arguments. 1 multiply-add = 2 FLOP. Exact integers: what does not follow
// from the arguments, or does not fit 63 bits, is absent, never 0. Pure functions, no trace.

#include "core/analysis/efficiency/operator_arguments.hpp"
#include "core/analysis/efficiency/operator_table.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace core {

enum class Precision : std::uint8_t { Unknown, Fp64, Fp32, Tf32, Bf16, Fp16, Fp8, Int8, Fp4 };
inline constexpr std::size_t kPrecisions = 9;
std::string_view name_of(Precision);  // "bf16"
// Parses a type as PyTorch spells it: "c10::BFloat16".
Precision precision_of(std::string_view type);
std::optional<std::int64_t> bytes_of_element(std::string_view type);

struct OperatorWork {
    std::int64_t flop = 0;
    std::int64_t model_flop = 0;  // without what the kernel computes again
    std::optional<std::int64_t> bytes{};  // read and written, each tensor once
    Precision precision = Precision::Unknown;  // of the first matrix
    bool estimated = false;  // rests on a guess that the arguments leave open
    bool has_fast_algorithm = false;  // kernels may do less than the formula
    bool operator==(const OperatorWork&) const = default;
};

// Facts from the surroundings of a call that its arguments lack.
struct CallHints {
    std::optional<TensorSizes> output_sizes{};  // of a forward convolution, from its gradient
    bool input_gradient = false;  // parts of a convolution's backward that ran below it
    bool weight_gradient = false;
    bool operator==(const CallHints&) const = default;
};

// Absent if the arguments do not tell.
std::optional<OperatorWork> evaluate_operator(const OperatorRow&, const OperatorArguments&, const CallHints& = {});

// The parts of evaluate_operator, one per family.
std::optional<OperatorWork> evaluate_product(const OperatorRow&, const OperatorArguments&);
std::optional<OperatorWork> evaluate_convolution(const OperatorRow&, const OperatorArguments&, const CallHints&);
std::optional<OperatorWork> evaluate_attention(const OperatorRow&, const OperatorArguments&);

// A product or sum that becomes absent once it does not fit.
class ExactCount {
public:
    ExactCount(std::int64_t value = 0) : value_(value) {}
    ExactCount& operator*=(const ExactCount& other) {
        fits_ = fits_ && other.fits_ && !__builtin_mul_overflow(value_, other.value_, &value_);
        return *this;
    }
    ExactCount& operator+=(const ExactCount& other) {
        fits_ = fits_ && other.fits_ && !__builtin_add_overflow(value_, other.value_, &value_);
        return *this;
    }
    friend ExactCount operator*(ExactCount a, const ExactCount& b) { return a *= b; }
    friend ExactCount operator+(ExactCount a, const ExactCount& b) { return a += b; }
    std::optional<std::int64_t> value() const { return fits_ ? std::optional(value_) : std::nullopt; }

private:
    std::int64_t value_;
    bool fits_ = true;
};

ExactCount product_of(const TensorSizes& sizes, std::size_t first = 0);  // from the dimension `first` on
ExactCount distinct_elements(const OperatorArgument&);  // those with a stride of 0 are one
// Bytes of a tensor, or absent if its type is unknown.
std::optional<ExactCount> bytes_of(const OperatorArgument&);

}  // namespace core
