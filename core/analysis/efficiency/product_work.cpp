#include "core/analysis/efficiency/operator_work.hpp"

#include <algorithm>

namespace core {
namespace {

// A product of matrices: FLOP = 2 · all factors; elements written.
struct MatrixProduct {
    TensorSizes factors;
    TensorSizes written;
};

std::optional<MatrixProduct> batched(const TensorSizes& a, const TensorSizes& b, bool sum_over_batch) {
    if (a.size() == 2 && b.size() == 2) {
        if (a[1] != b[0]) return std::nullopt;
        return MatrixProduct{{a[0], a[1], b[1]}, {a[0], b[1]}};
    }
    if (a.size() != 3 || b.size() != 3 || a[0] != b[0] || a[2] != b[1]) return std::nullopt;
    MatrixProduct product{{a[0], a[1], a[2], b[2]}, {a[0], a[1], b[2]}};
    if (sum_over_batch) product.written = {a[1], b[2]};
    return product;
}

std::optional<MatrixProduct> linear(const TensorSizes& x, const TensorSizes& w) {
    if (x.empty() || w.empty() || w.size() > 2 || x.back() != w.back()) return std::nullopt;
    MatrixProduct product;
    product.factors.reserve(x.size() + 1);
    product.factors = x;
    product.written.assign(x.begin(), x.end() - 1);
    if (w.size() == 2) {
        product.factors.insert(product.factors.end(), w[0]);
        product.written.insert(product.written.end(), w[0]);
    }
    return product;
}

// As numpy multiplies: one dimension is a vector, the batch in front is broadcast.
std::optional<MatrixProduct> matmul(TensorSizes a, TensorSizes b) {
    if (a.empty() || b.empty()) return std::nullopt;
    const bool row = a.size() == 1, column = b.size() == 1;
    if (row) a.insert(a.begin(), 1);
    if (column) b = {b.front(), 1};
    const std::int64_t m = a[a.size() - 2], k = a.back(), n = b.back();
    if (b[b.size() - 2] != k) return std::nullopt;
    MatrixProduct product;
    const std::size_t dimensions = std::max(a.size(), b.size()) - 2;
    for (std::size_t i = 0; i < dimensions; ++i) {
        const auto size_of = [&](const TensorSizes& sizes) {
            const std::size_t missing = dimensions - (sizes.size() - 2);
            return i < missing ? 1 : sizes[i - missing];
        };
        const std::int64_t from_a = size_of(a), from_b = size_of(b);
        if (from_a != from_b && from_a != 1 && from_b != 1) return std::nullopt;
        product.written.push_back(from_a == 1 ? from_b : from_a);
    }
    product.factors = product.written;
    product.factors.insert(product.factors.end(), {m, k, n});
    product.written.insert(product.written.end(), {m, n});
    return product;
}

std::optional<MatrixProduct> grouped(const TensorSizes& a, const TensorSizes& b, std::optional<std::int64_t> groups) {
    if (a.size() == 2 && b.size() == 3 && a[1] == b[1]) return MatrixProduct{{a[0], a[1], b[2]}, {a[0], b[2]}};
    if (a.size() == 3 && b.size() == 2 && a[2] == b[0]) return MatrixProduct{{a[1], a[2], b[1]}, {a[1], b[1]}};
    if (a.size() == 2 && b.size() == 2 && a[1] == b[0])
        return MatrixProduct{{a[0], a[1], b[1]}, {groups.value_or(1), a[0], b[1]}};
    return a.size() == 3 && b.size() == 3 ? batched(a, b, false) : std::nullopt;
}

std::optional<MatrixProduct> sparse(const OperatorRow& row, const TensorSizes& a, const TensorSizes& b) {
    if (row.rule == FlopRule::SparseLinear) {
        if (a.empty() || b.size() != 2 || b[1] > a.back()) return std::nullopt;
        TensorSizes written = a;
        written.back() = b[0];
        TensorSizes factors = a;
        factors.push_back(b[0]);
        return MatrixProduct{factors, written};
    }
    if (a.size() != 2 || b.size() != 2) return std::nullopt;
    return MatrixProduct{{a[0], b[0], b[1]}, {a[0], b[1]}};
}

std::optional<MatrixProduct> shape_of(const OperatorRow& row, const OperatorArguments& arguments, TensorSizes a,
                                      TensorSizes b) {
    switch (row.rule) {
        case FlopRule::Linear:
            return linear(a, b);
        case FlopRule::Matmul:
            return matmul(a, b);
        case FlopRule::MatrixVector:
            if (a.size() != 2 || b.size() != 1 || a[1] != b[0]) return std::nullopt;
            return MatrixProduct{{a[0], a[1]}, {a[0]}};
        case FlopRule::Dot:
            if (a.size() != 1 || a != b) return std::nullopt;
            return MatrixProduct{{a[0]}, {}};
        case FlopRule::GroupedProduct: {
            std::optional<std::int64_t> groups;  // the offsets are the first vector of integers behind the matrices
            for (int at = row.b + 1; at < static_cast<int>(arguments.size()) && !groups; ++at) {
                const OperatorArgument* const tensor = arguments.find_tensor(at);
                if (tensor && tensor->type == "int" && tensor->sizes.size() == 1) groups = tensor->sizes[0];
            }
            return grouped(a, b, groups);
        }
        case FlopRule::SparseProduct:
        case FlopRule::SparseLinear:
            return sparse(row, a, b);
        default:
            return batched(a, b, row.rule == FlopRule::ProductOverBatch);
    }
}

// Numbers of the types as PyTorch counts them, which scaled products take as an argument.
std::optional<std::int64_t> bytes_of_type_number(std::int64_t number) {
    switch (number) {
        case 5:
        case 15:
            return 2;
        case 6:
            return 4;
        case 7:
            return 8;
        default:
            return std::nullopt;
    }
}

std::int64_t bytes_written_per_element(const OperatorRow& row, const OperatorArguments& arguments,
                                       std::int64_t bytes_of_a) {
    if (row.rule == FlopRule::ScaledProduct) {
        for (int at = 2; at < static_cast<int>(arguments.size()); ++at)
            if (const std::optional<std::int64_t> number = arguments.find_integer(at))
                return bytes_of_type_number(*number).value_or(2);
        return 2;
    }
    return bytes_of_a == 1 ? 2 : bytes_of_a;
}

std::optional<std::int64_t> bytes_of_product(const OperatorRow& row, const OperatorArguments& arguments,
                                             const MatrixProduct& product) {
    const OperatorArgument& a = *arguments.find_tensor(row.a);
    const OperatorArgument& b = *arguments.find_tensor(row.b);
    std::optional<ExactCount> bytes = bytes_of(a);
    const std::optional<ExactCount> of_b = bytes_of(b);
    const std::optional<std::int64_t> element = bytes_of_element(a.type);
    if (!bytes || !of_b || !element) return std::nullopt;
    *bytes += *of_b;
    *bytes += product_of(product.written) * bytes_written_per_element(row, arguments, *element);
    if (const OperatorArgument* const added = arguments.find_tensor(row.added);
        added && arguments.find_number(row.beta) != 0.0) {
        const std::optional<ExactCount> of_added = bytes_of(*added);
        if (!of_added) return std::nullopt;
        *bytes += *of_added;
    }
    return bytes->value();
}

}  // namespace

std::optional<OperatorWork> evaluate_product(const OperatorRow& row, const OperatorArguments& arguments) {
    const OperatorArgument* const a = arguments.find_tensor(row.a);
    const OperatorArgument* const b = arguments.find_tensor(row.b);
    if (a == nullptr || b == nullptr) return std::nullopt;
    TensorSizes a_sizes = a->sizes, b_sizes = b->sizes;
    OperatorWork work;
    work.precision = precision_of(a->type);
    const bool packed = work.precision == Precision::Fp4;  // two values per byte along K
    if (packed && row.rule != FlopRule::ScaledProduct && row.rule != FlopRule::GroupedProduct) return std::nullopt;
    const std::optional<MatrixProduct> product = shape_of(row, arguments, std::move(a_sizes), std::move(b_sizes));
    if (!product) return std::nullopt;
    const std::optional<std::int64_t> flop = (product_of(product->factors) * (packed ? 4 : 2)).value();
    if (!flop) return std::nullopt;
    work.flop = work.model_flop = *flop;
    work.bytes = bytes_of_product(row, arguments, *product);
    return work;
}

}  // namespace core
