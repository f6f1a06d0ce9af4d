#include "core/analysis/efficiency/operator_work.hpp"

#include <algorithm>

namespace core {
namespace {

// The spatial sizes that a convolution writes; absent if its arguments do not tell.
class ConvolutionShape {
public:
    ConvolutionShape(const OperatorRow& row, const OperatorArguments& arguments, const TensorSizes& x,
                     const TensorSizes& w)
        : row_(row), arguments_(arguments), spatial_(w.size() - 2), w_(w) {
        x_ = x;
        if (x_.size() + 1 == w.size()) x_.insert(x_.begin(), 1);  // no batch
    }

    bool fits() const { return x_.size() == w_.size(); }
    bool is_transposed() const { return row_.is_transposed || arguments_.find_flag(row_.transposed).value_or(false); }

    std::optional<TensorSizes> written() const {
        const std::optional<TensorSizes> stride = per_dimension(row_.stride, 1);
        const std::optional<TensorSizes> dilation = per_dimension(row_.dilation, 1);
        if (!stride || !dilation) return std::nullopt;
        const OperatorArgument* const given = arguments_.find(row_.padding);
        const bool same = given && given->value == "same";
        std::optional<TensorSizes> padding =
            given && (same || given->value == "valid") ? TensorSizes(spatial_, 0) : per_dimension(row_.padding, 0);
        if (!padding) return std::nullopt;
        TensorSizes sizes;
        if (is_transposed()) {
            const std::optional<TensorSizes> more = per_dimension(row_.output_padding, 0);
            const std::int64_t groups = arguments_.find_integer(row_.groups).value_or(1);
            if (!more) return std::nullopt;
            sizes = {x_[0], (ExactCount(w_[1]) * groups).value().value_or(-1)};
            for (std::size_t i = 0; i < spatial_; ++i) {
                ExactCount size = ExactCount(x_[i + 2] - 1) * (*stride)[i];
                size += ExactCount(-2) * (*padding)[i];
                size += ExactCount((*dilation)[i]) * (w_[i + 2] - 1);
                size += ExactCount((*more)[i]) + 1;
                sizes.push_back(size.value().value_or(-1));
            }
        } else {
            sizes = {x_[0], w_[0]};
            for (std::size_t i = 0; i < spatial_; ++i) {
                ExactCount reach = ExactCount(x_[i + 2]) + ExactCount(2) * (*padding)[i];
                reach += ExactCount(-1) * ((ExactCount((*dilation)[i]) * (w_[i + 2] - 1)) + 1);
                const std::int64_t steps = reach.value().value_or(-1);
                if (steps < 0 || (*stride)[i] < 1) return std::nullopt;
                sizes.push_back(same ? x_[i + 2] : steps / (*stride)[i] + 1);
            }
        }
        if (std::ranges::any_of(sizes, [](std::int64_t n) { return n < 0; })) return std::nullopt;
        return sizes;
    }

private:
    // One number per dimension; one alone stands for all.
    std::optional<TensorSizes> per_dimension(int position, std::int64_t standard) const {
        if (position < 0) return TensorSizes(spatial_, standard);
        std::optional<TensorSizes> sizes = arguments_.find_integers(position);
        if (!sizes) return std::nullopt;
        if (sizes->size() == 1) return TensorSizes(spatial_, sizes->front());
        return sizes->size() == spatial_ ? sizes : std::nullopt;
    }

    const OperatorRow& row_;
    const OperatorArguments& arguments_;
    std::size_t spatial_;
    TensorSizes x_;
    TensorSizes w_;
};

std::optional<OperatorWork> count_convolution(ExactCount flop, const OperatorArgument& first) {
    OperatorWork work;
    const std::optional<std::int64_t> fits = flop.value();
    if (!fits) return std::nullopt;
    work.flop = work.model_flop = *fits;
    work.precision = precision_of(first.type);
    work.has_fast_algorithm = true;
    return work;
}

std::optional<OperatorWork> forward(const OperatorRow& row, const OperatorArguments& arguments,
                                    const CallHints& hints) {
    const OperatorArgument* const x = arguments.find_tensor(row.a);
    const OperatorArgument* const w = arguments.find_tensor(row.b);
    if (x == nullptr || w == nullptr || w->sizes.size() < 3) return std::nullopt;
    const ConvolutionShape shape(row, arguments, x->sizes, w->sizes);
    if (!shape.fits()) return std::nullopt;
    std::optional<TensorSizes> written = shape.written();
    if (!written && !arguments.has_values()) written = hints.output_sizes;
    ExactCount flop = 2;
    if (shape.is_transposed()) {
        flop *= product_of(x->sizes) * product_of(w->sizes, 1);
    } else {
        if (!written) return std::nullopt;
        flop *= product_of(*written) * product_of(w->sizes, 1);
    }
    std::optional<OperatorWork> work = count_convolution(flop, *x);
    if (!work || !written) return work;
    std::optional<ExactCount> bytes = bytes_of(*x);
    const std::optional<ExactCount> of_w = bytes_of(*w);
    const std::optional<std::int64_t> element = bytes_of_element(x->type);
    if (!bytes || !of_w || !element) return work;
    *bytes += *of_w;
    *bytes += product_of(*written) * (*element == 1 ? 2 : *element);
    if (const OperatorArgument* const bias = arguments.find_tensor(row.added)) {
        const std::optional<ExactCount> of_bias = bytes_of(*bias);
        if (!of_bias) return work;
        *bytes += *of_bias;
    }
    work->bytes = bytes->value();
    return work;
}

// Gradients of the input and of the weights take one forward's FLOP each.
std::optional<OperatorWork> backward(const OperatorRow& row, const OperatorArguments& arguments,
                                     const CallHints& hints) {
    const OperatorArgument* const grad = arguments.find_tensor(row.a);
    const OperatorArgument* const w = arguments.find_tensor(row.b);
    const OperatorArgument* const x = arguments.find_tensor(row.x);
    if (grad == nullptr || w == nullptr || x == nullptr || w->sizes.size() < 3) return std::nullopt;
    const bool transposed = arguments.find_flag(row.transposed).value_or(false);
    ExactCount one = product_of(transposed ? x->sizes : grad->sizes) * product_of(w->sizes, 1) * 2;
    bool of_input = hints.input_gradient, of_weight = hints.weight_gradient, estimated = false;
    const OperatorArgument* const mask = arguments.find(row.mask);
    if (mask && mask->value) {
        const std::string& text = *mask->value;  // "[True, False, True]": input, weight, bias
        const std::size_t comma = text.find(',');
        of_input = text.substr(0, comma).find("rue") != std::string::npos;
        of_weight = comma != std::string::npos &&
                    text.substr(comma, text.find(',', comma + 1) - comma).find("rue") != std::string::npos;
    } else if (!of_input && !of_weight) {
        of_input = of_weight = estimated = true;
    }
    std::optional<OperatorWork> work = count_convolution(one * ((of_input ? 1 : 0) + (of_weight ? 1 : 0)), *grad);
    if (!work) return std::nullopt;
    work->estimated = estimated;
    std::optional<ExactCount> bytes = bytes_of(*grad);
    const std::optional<ExactCount> of_x = bytes_of(*x), of_w = bytes_of(*w);
    const std::optional<std::int64_t> x_element = bytes_of_element(x->type), w_element = bytes_of_element(w->type);
    if (!bytes || !of_x || !of_w || !x_element || !w_element) return work;
    *bytes += *of_x + *of_w;
    if (of_input) *bytes += product_of(x->sizes) * *x_element;
    if (of_weight) *bytes += product_of(w->sizes) * *w_element;
    work->bytes = bytes->value();
    return work;
}

std::optional<OperatorWork> one_gradient(const OperatorRow& row, const OperatorArguments& arguments) {
    const OperatorArgument* const grad = arguments.find_tensor(row.a);
    if (grad == nullptr) return std::nullopt;
    std::optional<TensorSizes> w;
    if (const OperatorArgument* const tensor = arguments.find_tensor(row.b))
        w = tensor->sizes;
    else
        w = arguments.find_integers(row.b);
    if (!w || w->size() < 3 || w->size() != grad->sizes.size()) return std::nullopt;
    if (std::ranges::any_of(*w, [](std::int64_t n) { return n < 0; })) return std::nullopt;
    return count_convolution(product_of(grad->sizes) * product_of(*w, 1) * 2, *grad);
}

}  // namespace

std::optional<OperatorWork> evaluate_convolution(const OperatorRow& row, const OperatorArguments& arguments,
                                                 const CallHints& hints) {
    switch (row.rule) {
        case FlopRule::Convolution:
            return forward(row, arguments, hints);
        case FlopRule::ConvolutionBackward:
            return backward(row, arguments, hints);
        default:
            return one_gradient(row, arguments);
    }
}

}  // namespace core
