#include "core/sample/sample_catalog.hpp"

#include <array>
#include <cassert>
#include <initializer_list>

namespace core::sample {
namespace {

constexpr std::int64_t kSmCount = 132;

// Durations of a matrix product at 520 TFLOP/s and of a pass over memory at 2.4 TB/s, with start-up
// costs.
std::int64_t product_ns(std::int64_t m, std::int64_t n, std::int64_t k) { return 3000 + 2 * m * n * k / 520000; }
std::int64_t traffic_ns(std::int64_t bytes) { return 1800 + bytes / 2400; }

std::string list_of(std::initializer_list<std::int64_t> values) {
    std::string text = "[";
    for (const std::int64_t value : values) {
        if (text.size() > 1) text += ", ";
        text += std::to_string(value);
    }
    return text + "]";
}

struct Launch {
    int registers;
    int shared_bytes;
    std::array<std::int64_t, 3> grid;
    std::int64_t block;
    int occupancy;
};

// Six decimals, rounded down, as `value / kSmCount` would print.
std::string per_sm(std::int64_t value) {
    const std::int64_t millionths = value * 1000000 / kSmCount;
    std::string fraction = std::to_string(millionths % 1000000);
    fraction.insert(0, 6 - fraction.size(), '0');
    return std::to_string(millionths / 1000000) + "." + fraction;
}

std::string geometry_text(const Launch& launch) {
    const std::int64_t blocks = launch.grid[0] * launch.grid[1] * launch.grid[2];
    return "      \"registers per thread\": " + std::to_string(launch.registers) +
           ",      \"shared memory\": " + std::to_string(launch.shared_bytes) +
           ",      \"blocks per SM\": " + per_sm(blocks) +
           ",      \"warps per SM\": " + per_sm(blocks * launch.block / 32) +
           ",      \"grid\": " + list_of({launch.grid[0], launch.grid[1], launch.grid[2]}) +
           ",      \"block\": " + list_of({launch.block, 1, 1}) +
           ",      \"est. achieved occupancy %\": " + std::to_string(launch.occupancy);
}

Launch tiled(std::int64_t m, std::int64_t n) {
    return {
        .registers = 168, .shared_bytes = 213040, .grid = {n / 128, (m + 127) / 128, 1}, .block = 384, .occupancy = 19};
}
Launch elementwise(std::int64_t elements) {
    return {.registers = 24, .shared_bytes = 0, .grid = {elements / 512, 1, 1}, .block = 128, .occupancy = 100};
}

std::string vectorized(const std::string& functor, int arrays) {
    const std::string array = "std::array<char*, " + std::to_string(arrays) + "ul>";
    return "void at::native::vectorized_elementwise_kernel<4, " + functor + ", " + array + " >(int, " + functor + ", " +
           array + ")";
}

std::string product_name(const char* layout, const char* tile) {
    return std::string("sm90_xmma_gemm_bf16bf16_bf16f32_f32_") + layout + "_n_tilesize" + tile +
           "_warpgroupsize2x1x1_execute_segment_k_off_kernel__5x_cublas";
}

std::string multi_tensor(const std::string& functor) {
    return "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<" + functor + ">(" + functor + ")";
}

std::string flash_name(const char* stage, const char* traits, const char* parameters) {
    return std::string("void flash::") + stage + "<flash::" + traits +
           ", cutlass::bfloat16_t>, false, true, false, true, true>(flash::" + parameters + ")";
}

std::string collective_name(const char* operation) {
    return std::string("ncclDevKernel_") + operation + "(ncclDevKernelArgsStorage<4096ul>)";
}

constexpr const char* kWide = "128x256x64";
constexpr const char* kNarrow = "128x128x64";
constexpr const char* kMulFunctor =
    "at::native::BinaryFunctor<c10::BFloat16, c10::BFloat16, c10::BFloat16, "
    "at::native::binary_internal::MulFunctor<float> >";

class KernelTable {
public:
    KernelTable(std::vector<KernelSpec>& kernels, bool fp8) : kernels_(kernels), fp8_(fp8) {
        kernels_.resize(static_cast<std::size_t>(KernelId::Count));
    }

    void add(KernelId id, std::string name, std::int64_t base_ns, const Launch& launch,
             LaunchCall call = LaunchCall::Runtime) {
        KernelSpec& spec = kernels_[static_cast<std::size_t>(id)];
        spec.name = std::move(name);
        spec.base_ns = base_ns;
        spec.call = call;
        spec.geometry = geometry_text(launch);
    }

    void add_product(KernelId id, const char* layout, const char* tile, std::int64_t m, std::int64_t n,
                     std::int64_t k) {
        add(id, product_name(layout, tile), product_ns(m, n, k), tiled(m, n), LaunchCall::RuntimeEx);
    }

    void add_linear(KernelId forward, KernelId input_grad, KernelId weight_grad, std::int64_t tokens,
                    std::int64_t inputs, std::int64_t outputs) {
        const char* tile = outputs > inputs ? kWide : kNarrow;
        if (fp8_ && forward != KernelId::HeadGemm)
            add(forward, std::string("sm90_xmma_gemm_e4m3bf16_e4m3f32_f32_tn_n_tilesize") + tile + "_cublas",
                3000 + 2 * tokens * outputs * inputs / 880'000, tiled(tokens, outputs), LaunchCall::RuntimeEx);
        else
            add_product(forward, "tn", tile, tokens, outputs, inputs);
        add_product(input_grad, "nn", tile, tokens, inputs, outputs);
        add_product(weight_grad, "nt", kWide, outputs, inputs, tokens);
    }

    void add_collective(KernelId id, const char* operation) {
        add(id, collective_name(operation), 0,
            {.registers = 96, .shared_bytes = 103808, .grid = {24, 1, 1}, .block = 544, .occupancy = 0},
            LaunchCall::RuntimeEx);
        kernels_[static_cast<std::size_t>(id)].kernel_class = KernelClass::Communication;
    }

private:
    std::vector<KernelSpec>& kernels_;
    bool fp8_;
};

void add_attention_kernels(KernelTable& table, const Catalog& c) {
    const std::int64_t width = c.hidden / c.shards;
    const std::int64_t heads = c.heads / c.shards;
    const std::int64_t flops = 2 * c.tokens * 2048 * width;  // causal: each token sees half of its sequence
    const std::int64_t rows = c.tokens * width;
    table.add_linear(KernelId::QkvGemm, KernelId::QkvInputGrad, KernelId::QkvWeightGrad, c.tokens, c.hidden, 3 * width);
    table.add_linear(KernelId::OutGemm, KernelId::OutInputGrad, KernelId::OutWeightGrad, c.tokens, width, c.hidden);
    table.add(KernelId::Rotary, "triton_poi_fused_cat_mul_neg_slice_0", traffic_ns(rows * 8),
              {.registers = 32, .shared_bytes = 0, .grid = {rows / 1024, 1, 1}, .block = 128, .occupancy = 94},
              LaunchCall::Driver);
    table.add(KernelId::RotaryBackward, "triton_poi_fused_add_mul_slice_backward_1", traffic_ns(rows * 9),
              {.registers = 36, .shared_bytes = 0, .grid = {rows / 1024, 1, 1}, .block = 128, .occupancy = 88},
              LaunchCall::Driver);
    table.add(
        KernelId::FlashForward,
        flash_name("flash_fwd_kernel", "Flash_fwd_kernel_traits<128, 128, 64, 4, false, false", "Flash_fwd_params"),
        5000 + flops / 330000,
        {.registers = 255, .shared_bytes = 81920, .grid = {16, 4, heads}, .block = 128, .occupancy = 13});
    table.add(KernelId::FlashDot,
              flash_name("flash_bwd_dot_do_o_kernel", "Flash_bwd_kernel_traits<128, 64, 128, 8, 2, 4, 2, false, false",
                         "Flash_bwd_params"),
              traffic_ns(rows * 5),
              {.registers = 48, .shared_bytes = 0, .grid = {32, 4, heads}, .block = 256, .occupancy = 56});
    table.add(KernelId::FlashBackward,
              flash_name("flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel",
                         "Flash_bwd_kernel_traits<128, 64, 128, 8, 2, 4, 2, false, false", "Flash_bwd_params"),
              6000 + 5 * flops / 2 / 280000,
              {.registers = 255, .shared_bytes = 147456, .grid = {16, 4, heads}, .block = 256, .occupancy = 13});
    table.add(KernelId::FlashConvert,
              flash_name("flash_bwd_convert_dq_kernel",
                         "Flash_bwd_kernel_traits<128, 64, 128, 8, 2, 4, 2, false, false", "Flash_bwd_params"),
              traffic_ns(rows * 6),
              {.registers = 72, .shared_bytes = 16384, .grid = {32, 4, heads}, .block = 256, .occupancy = 38});
}

void add_mlp_kernels(KernelTable& table, const Catalog& c) {
    const std::int64_t width = c.feed_forward / c.shards;
    const std::int64_t elements = c.tokens * width;
    table.add_linear(KernelId::GateUpGemm, KernelId::GateUpInputGrad, KernelId::GateUpWeightGrad, c.tokens, c.hidden,
                     2 * width);
    table.add_linear(KernelId::DownGemm, KernelId::DownInputGrad, KernelId::DownWeightGrad, c.tokens, width, c.hidden);
    table.add(KernelId::Silu,
              vectorized("at::native::(anonymous namespace)::silu_kernel(at::TensorIteratorBase&)::{lambda()#1}"
                         "::operator()() const::{lambda()#6}::operator()() const::{lambda(c10::BFloat16)#1}",
                         2),
              traffic_ns(elements * 4), elementwise(elements));
    table.add(KernelId::GateMul, vectorized(kMulFunctor, 3), traffic_ns(elements * 6), elementwise(elements));
    table.add(KernelId::SiluMulFused, "triton_poi_fused_mul_silu_2", traffic_ns(elements * 6),
              {.registers = 28, .shared_bytes = 0, .grid = {elements / 1024, 1, 1}, .block = 128, .occupancy = 98},
              LaunchCall::Driver);
    const std::string strided = std::string("at::native::gpu_kernel_impl_nocast<") + kMulFunctor +
                                " >(at::TensorIteratorBase&, " + kMulFunctor + " const&)::{lambda(int)#1}";
    table.add(KernelId::GateMulBackward,
              "void at::native::elementwise_kernel<128, 4, " + strided + ">(int, " + strided + ")",
              traffic_ns(elements * 6),
              {.registers = 32, .shared_bytes = 0, .grid = {elements / 512, 1, 1}, .block = 128, .occupancy = 88});
    table.add(KernelId::SiluBackward,
              vectorized("at::native::(anonymous namespace)::silu_backward_kernel(at::TensorIteratorBase&)"
                         "::{lambda()#1}::operator()() const::{lambda()#6}::operator()() const::{lambda(c10::BFloat16, "
                         "c10::BFloat16)#1}",
                         3),
              traffic_ns(elements * 6), elementwise(elements));
}

void add_shared_kernels(KernelTable& table, const Catalog& c) {
    const std::int64_t rows = c.tokens / c.shards;
    const std::int64_t elements = rows * c.hidden;
    table.add(KernelId::LayerNorm,
              "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>"
              "(int, float, c10::BFloat16 const*, c10::BFloat16 const*, c10::BFloat16 const*, float*, float*, "
              "c10::BFloat16*)",
              2 * traffic_ns(elements * 4),
              {.registers = 40, .shared_bytes = 24, .grid = {rows, 1, 1}, .block = 128, .occupancy = 75});
    table.add(KernelId::NormInputGrad,
              "void at::native::(anonymous namespace)::layer_norm_grad_input_kernel_vectorized"
              "<c10::BFloat16, float>(c10::BFloat16 const*, c10::BFloat16 const*, float const*, float const*, "
              "c10::BFloat16 const*, c10::BFloat16*, int)",
              2 * traffic_ns(elements * 6),
              {.registers = 48, .shared_bytes = 32, .grid = {rows, 1, 1}, .block = 128, .occupancy = 62});
    table.add(
        KernelId::NormWeightGrad,
        "void at::native::(anonymous namespace)::GammaBetaBackwardCUDAKernel_32x32"
        "<c10::BFloat16, float>(long, long, c10::BFloat16 const*, c10::BFloat16 const*, float const*, float const*, "
        "c10::BFloat16*, c10::BFloat16*)",
        3 * traffic_ns(elements * 4),
        {.registers = 56, .shared_bytes = 8448, .grid = {c.hidden / 32, 1, 1}, .block = 1024, .occupancy = 50});
    table.add(KernelId::ResidualAdd, vectorized("at::native::CUDAFunctor_add<c10::BFloat16>", 3),
              traffic_ns(elements * 6), elementwise(elements));
    table.add(KernelId::GradientAdd, vectorized("at::native::CUDAFunctorOnSelf_add<c10::BFloat16>", 2),
              traffic_ns(elements * 6), elementwise(elements));
    table.add(KernelId::EmbeddingGather,
              "void at::native::(anonymous namespace)::vectorized_gather_kernel<16, long>"
              "(char*, char*, long*, int, long, long, long, long, bool)",
              traffic_ns(elements * 4),
              {.registers = 32, .shared_bytes = 0, .grid = {rows, 2, 1}, .block = 256, .occupancy = 86});
    table.add(KernelId::EmbeddingSort,
              "void at_cuda_detail::cub::DeviceRadixSortOnesweepKernel<at_cuda_detail::cub::"
              "DeviceRadixSortPolicy<long, int, int>::Policy900, false, long, int, int, int, int>"
              "(int*, int*, int*, int const*, long*, long const*, int*, int const*, int, int, int)",
              14200, {.registers = 64, .shared_bytes = 36864, .grid = {8, 1, 1}, .block = 384, .occupancy = 3});
    table.add(
        KernelId::EmbeddingBackward,
        "void at::native::(anonymous namespace)::compute_grad_weight<c10::BFloat16, long>"
        "(long const*, c10::BFloat16 const*, long const*, long const*, long, long, long, c10::BFloat16*, long)",
        2 * traffic_ns(elements * 8),
        {.registers = 40, .shared_bytes = 0, .grid = {c.hidden / 128, rows / 8, 1}, .block = 128, .occupancy = 70});
}

void add_loss_kernels(KernelTable& table, const Catalog& c) {
    const std::int64_t width = c.vocabulary / c.shards;
    const std::int64_t elements = c.tokens * width;
    table.add_linear(KernelId::HeadGemm, KernelId::HeadInputGrad, KernelId::HeadWeightGrad, c.tokens, c.hidden, width);
    table.add(KernelId::CastToFloat,
              vectorized("at::native::float32_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda(c10::BFloat16)#1}", 2),
              traffic_ns(elements * 6), elementwise(elements));
    table.add(KernelId::CastToHalf,
              vectorized("at::native::bfloat16_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda(float)#1}", 2),
              traffic_ns(elements * 6), elementwise(elements));
    table.add(
        KernelId::RowMax,
        "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MaxOps<float>, "
        "unsigned int, float, 4> >(at::native::ReduceOp<float, at::native::MaxOps<float>, unsigned int, float, 4>)",
        traffic_ns(elements * 4),
        {.registers = 36, .shared_bytes = 16, .grid = {c.tokens / 4, 1, 1}, .block = 512, .occupancy = 84});
    table.add(KernelId::SoftmaxForward,
              "void (anonymous namespace)::cunn_SoftMaxForward<4, float, float, float, at::native::"
              "(anonymous namespace)::LogSoftMaxForwardEpilogue>(float*, float const*, int)",
              traffic_ns(elements * 12),
              {.registers = 40, .shared_bytes = 128, .grid = {c.tokens, 1, 1}, .block = 1024, .occupancy = 73});
    table.add(KernelId::SoftmaxBackward,
              "void at::native::(anonymous namespace)::cunn_SoftMaxBackward<4, float, float, float, at::native::"
              "(anonymous namespace)::LogSoftMaxBackwardEpilogue>(float*, float const*, float const*, long)",
              traffic_ns(elements * 16),
              {.registers = 42, .shared_bytes = 128, .grid = {c.tokens, 1, 1}, .block = 1024, .occupancy = 71});
    table.add(KernelId::NllForward,
              "void at::native::(anonymous namespace)::nll_loss_forward_reduce_cuda_kernel_2d<float, float, long>"
              "(float*, float*, float const*, long const*, float const*, bool, long, long, long, long)",
              9400, {.registers = 38, .shared_bytes = 128, .grid = {1, 1, 1}, .block = 32, .occupancy = 0});
    table.add(KernelId::NllBackward,
              "void at::native::(anonymous namespace)::nll_loss_backward_reduce_cuda_kernel_2d<float, long>"
              "(float*, float const*, long const*, float const*, float const*, bool, int, int, long, long)",
              7100, {.registers = 30, .shared_bytes = 0, .grid = {1, 1, 1}, .block = 32, .occupancy = 0});
}

void add_optimizer_kernels(KernelTable& table, const Catalog& c) {
    const std::int64_t parameters = c.layer_parameters();
    table.add(KernelId::GradientScale,
              vectorized("at::native::AUnaryFunctor<c10::BFloat16, c10::BFloat16, c10::BFloat16, "
                         "at::native::binary_internal::MulFunctor<float> >",
                         2),
              traffic_ns(parameters * 2), elementwise(parameters));
    table.add(
        KernelId::NormPartial,
        multi_tensor(
            "at::native::(anonymous namespace)::TensorListMetadata<1>, at::native::"
            "(anonymous namespace)::LpNormFunctor<c10::BFloat16, (at::native::NormType)1, c10::BFloat16, 1, 1, 0>"),
        traffic_ns(parameters * 2),
        {.registers = 38, .shared_bytes = 64, .grid = {320, 1, 1}, .block = 512, .occupancy = 89});
    table.add(KernelId::NormFinal,
              "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::NormTwoOps<float, float, "
              "float>, "
              "unsigned int, float, 4> >(at::native::ReduceOp<float, at::native::NormTwoOps<float, float, float>, "
              "unsigned int, float, 4>)",
              4600, {.registers = 32, .shared_bytes = 16, .grid = {1, 1, 1}, .block = 32, .occupancy = 0});
    table.add(KernelId::ClipScale,
              multi_tensor("at::native::(anonymous namespace)::TensorListMetadata<1>, at::native::"
                           "(anonymous namespace)::BinaryOpScalarTensorFunctor<c10::BFloat16, 1, 1, 0>"),
              traffic_ns(parameters * 4),
              {.registers = 34, .shared_bytes = 0, .grid = {320, 1, 1}, .block = 512, .occupancy = 92});
    table.add(KernelId::FusedAdamW,
              multi_tensor("at::native::(anonymous namespace)::FusedOptimizerTensorListMetadata<4>, at::native::"
                           "(anonymous namespace)::FusedAdamMathFunctor<float, 4, (at::native::ADAM_MODE)1, false>"),
              traffic_ns(parameters * 22),
              {.registers = 48, .shared_bytes = 0, .grid = {320, 1, 1}, .block = 512, .occupancy = 77});
}

std::string tensor_list(std::initializer_list<std::initializer_list<std::int64_t>> tensors) {
    std::string text = "[";
    for (const auto& tensor : tensors) text += (text.size() > 1 ? ", " : "") + list_of(tensor);
    return text + "]";
}

std::string strides_of(std::initializer_list<std::initializer_list<std::int64_t>> tensors) {
    std::string text = "[";
    for (const auto& tensor : tensors) {
        std::string strides;
        std::int64_t stride = 1;
        for (auto extent = std::rbegin(tensor); extent != std::rend(tensor); ++extent) {
            strides.insert(0, std::to_string(stride) + (strides.empty() ? "" : ", "));
            stride *= *extent;
        }
        text += (text.size() > 1 ? ", [" : "[") + strides + "]";
    }
    return text + "]";
}

constexpr const char* kTwoHalves = "[\"c10::BFloat16\", \"c10::BFloat16\"]";
constexpr const char* kThreeHalves = "[\"c10::BFloat16\", \"c10::BFloat16\", \"c10::BFloat16\"]";

}  // namespace

Catalog::Catalog(int tensor_parallel, bool in_fp8) : shards(tensor_parallel), fp8(in_fp8) {
    build_vocabulary();
    build_shapes();
    build_kernels();
}

std::int64_t Catalog::layer_parameters() const {
    return (4 * hidden * hidden + 3 * hidden * feed_forward) / shards + 4 * hidden;
}

std::int64_t Catalog::layer_product_flop() const {
    return 2 * tokens * (4 * hidden * hidden + 3 * hidden * feed_forward) / shards;
}

std::int64_t Catalog::vocabulary_parameters() const { return vocabulary * hidden / shards; }

ShapeId Catalog::add_shapes(const std::string& dims, const std::string& strides, const std::string& types) {
    shapes.push_back(", \"Input type\": " + types + ", \"Input Strides\": " + strides + ", \"Input Dims\": " + dims);
    return static_cast<ShapeId>(shapes.size() - 1);
}

LinearShapes Catalog::add_linear(std::int64_t inputs, std::int64_t outputs) {
    const auto add_pair = [this](std::int64_t m, std::int64_t k, std::int64_t n) {
        return add_shapes(tensor_list({{m, k}, {k, n}}), strides_of({{m, k}, {k, n}}), kTwoHalves);
    };
    LinearShapes linear;
    linear.outer = add_shapes(tensor_list({{tokens, inputs}, {outputs, inputs}, {}}),
                              strides_of({{tokens, inputs}, {outputs, inputs}, {}}),
                              "[\"c10::BFloat16\", \"c10::BFloat16\", \"\"]");
    linear.inner = add_pair(tokens, inputs, outputs);
    linear.input_grad = add_pair(tokens, outputs, inputs);
    linear.weight_grad = add_pair(outputs, tokens, inputs);
    if (fp8)
        linear.scaled = add_shapes(tensor_list({{tokens, inputs}, {inputs, outputs}, {}, {}}),
                                   "[[" + std::to_string(inputs) + ", 1], [1, " + std::to_string(inputs) + "], [], []]",
                                   "[\"c10::Float8_e4m3fn\", \"c10::Float8_e4m3fn\", \"float\", \"float\"]");
    return linear;
}

void Catalog::build_shapes() {
    const std::int64_t width = hidden / shards;
    const std::int64_t rows = tokens / shards;
    const std::int64_t gate = feed_forward / shards;
    const std::int64_t head_count = heads / shards;
    const std::int64_t local_vocabulary = vocabulary / shards;
    shapes.emplace_back();
    qkv = add_linear(hidden, 3 * width);
    out = add_linear(width, hidden);
    gate_up = add_linear(hidden, 2 * gate);
    down = add_linear(gate, hidden);
    head = add_linear(hidden, local_vocabulary);
    ids = add_shapes(tensor_list({{4, 2048}}), strides_of({{4, 2048}}), "[\"long int\"]");
    embedding = add_shapes(tensor_list({{local_vocabulary, hidden}, {4, 2048}}),
                           strides_of({{local_vocabulary, hidden}, {4, 2048}}), "[\"c10::BFloat16\", \"long int\"]");
    norm = add_shapes(tensor_list({{rows, hidden}, {hidden}, {hidden}}),
                      strides_of({{rows, hidden}, {hidden}, {hidden}}), kThreeHalves);
    rotary = add_shapes(tensor_list({{4, 2048, head_count, 128}, {2048, 128}}),
                        strides_of({{4, 2048, head_count, 128}, {2048, 128}}), kTwoHalves);
    flash = add_shapes(
        tensor_list({{4, 2048, head_count, 128}, {4, 2048, head_count, 128}, {4, 2048, head_count, 128}}),
        strides_of({{4, 2048, head_count, 128}, {4, 2048, head_count, 128}, {4, 2048, head_count, 128}}), kThreeHalves);
    add =
        add_shapes(tensor_list({{rows, hidden}, {rows, hidden}, {}}), strides_of({{rows, hidden}, {rows, hidden}, {}}),
                   "[\"c10::BFloat16\", \"c10::BFloat16\", \"Scalar\"]");
    silu = add_shapes(tensor_list({{tokens, gate}}), strides_of({{tokens, gate}}), "[\"c10::BFloat16\"]");
    mul = add_shapes(tensor_list({{tokens, gate}, {tokens, gate}}), strides_of({{tokens, gate}, {tokens, gate}}),
                     kTwoHalves);
    logits =
        add_shapes(tensor_list({{tokens, local_vocabulary}}), strides_of({{tokens, local_vocabulary}}), "[\"float\"]");
}

void Catalog::build_kernels() {
    KernelTable table(kernels, fp8);
    add_attention_kernels(table, *this);
    add_mlp_kernels(table, *this);
    add_shared_kernels(table, *this);
    add_loss_kernels(table, *this);
    add_optimizer_kernels(table, *this);
    table.add_collective(KernelId::AllReduceHalf, "AllReduce_Sum_bf16_RING_LL");
    table.add_collective(KernelId::AllReduceFloat, "AllReduce_Sum_f32_RING_LL");
    table.add_collective(KernelId::AllGather, "AllGather_RING_LL");
    table.add_collective(KernelId::ReduceScatter, "ReduceScatter_Sum_bf16_RING_LL");
    table.add_collective(KernelId::SendRecv, "SendRecv");
    for ([[maybe_unused]] const KernelSpec& spec : kernels) assert(!spec.name.empty());
}

}  // namespace core::sample
