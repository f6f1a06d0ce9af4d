// Fixed names of the sample: operators, annotations, Python functions, calls and copies.

#include "core/sample/sample_catalog.hpp"

#include <iterator>

namespace core::sample {
namespace {

const char* const kOps[] = {"aten::to",
                            "aten::_to_copy",
                            "aten::copy_",
                            "aten::embedding",
                            "aten::index_select",
                            "aten::layer_norm",
                            "aten::native_layer_norm",
                            "aten::linear",
                            "aten::matmul",
                            "aten::mm",
                            "triton_poi_fused_cat_mul_neg_slice_0",
                            "flash_attn::_flash_attn_forward",
                            "aten::add",
                            "aten::silu",
                            "aten::mul",
                            "triton_poi_fused_mul_silu_2",
                            "aten::amax",
                            "aten::log_softmax",
                            "aten::_log_softmax",
                            "aten::nll_loss_nd",
                            "aten::nll_loss_forward",
                            "NllLossBackward0",
                            "aten::nll_loss_backward",
                            "LogSoftmaxBackward0",
                            "aten::_log_softmax_backward_data",
                            "ToCopyBackward0",
                            "MmBackward0",
                            "NativeLayerNormBackward0",
                            "aten::native_layer_norm_backward",
                            "MulBackward0",
                            "SiluBackward0",
                            "aten::silu_backward",
                            "CompiledSiluMulBackward",
                            "AddBackward0",
                            "FlashAttnFuncBackward",
                            "flash_attn::_flash_attn_backward",
                            "CompiledRotaryBackward",
                            "triton_poi_fused_add_mul_slice_backward_1",
                            "EmbeddingBackward0",
                            "aten::embedding_dense_backward",
                            "torch::autograd::AccumulateGrad",
                            "aten::detach",
                            "GatherSequenceBackward",
                            "ScatterSequenceBackward",
                            "c10d::allreduce_",
                            "c10d::_allgather_base_",
                            "c10d::_reduce_scatter_base_",
                            "record_param_comms",
                            "aten::div_",
                            "aten::_foreach_norm",
                            "aten::stack",
                            "aten::linalg_vector_norm",
                            "aten::_foreach_mul_",
                            "aten::_fused_adamw_",
                            "aten::item",
                            "aten::_local_scalar_dense",
                            "aten::zero_",
                            "aten::empty",
                            "aten::t",
                            "aten::view",
                            "c10d::send",
                            "c10d::recv_"};
static_assert(std::size(kOps) == static_cast<std::size_t>(OpId::Count));

const TextSpec kTexts[] = {{"ProfilerStep#", true},
                           {"enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"},
                           {"## forward ##"},
                           {"## loss ##"},
                           {"## backward ##"},
                           {"Optimizer.step#AdamW.step"},
                           {"Optimizer.zero_grad#AdamW.zero_grad"},
                           {"DistributedDataParallel.forward"},
                           {"nccl:all_reduce"},
                           {"nccl:_all_gather_base"},
                           {"nccl:_reduce_scatter_base"},
                           {"train.py(212): <module>"},
                           {"train.py(171): main"},
                           {"train.py(94): train_step"},
                           {"torch/utils/data/dataloader.py(701): __next__"},
                           {"torch/utils/data/dataloader.py(1448): _next_data"},
                           {"multiprocessing/queues.py(107): get"},
                           {"multiprocessing/connection.py(253): poll"},
                           {"selectors.py(402): select"},
                           {"train.py(58): to_device"},
                           {"torch/nn/parallel/distributed.py(1637): forward"},
                           {"nn.Module: Transformer_", true},
                           {"nn.Module: Embedding_", true},
                           {"nn.Module: DecoderLayer_", true},
                           {"nn.Module: LayerNorm_", true},
                           {"nn.Module: Attention_", true},
                           {"nn.Module: GatedMlp_", true},
                           {"nn.Module: ColumnLinear_", true},
                           {"nn.Module: RowLinear_", true},
                           {"<built-in function linear>"},
                           {"model/rotary.py(22): apply"},
                           {"model/attention.py(49): attend"},
                           {"model/parallel.py(31): gather_sequence"},
                           {"model/parallel.py(47): scatter_sequence"},
                           {"model/loss.py(14): sharded_cross_entropy"},
                           {"torch/_tensor.py(592): backward"},
                           {"torch/autograd/graph.py(815): _engine_run_backward"},
                           {"<built-in method run_backward of torch._C._EngineBase object at 0x7f24c81d5a30>"},
                           {"torch/nn/utils/clip_grad.py(173): clip_grad_norm_"},
                           {"torch/optim/optimizer.py(465): wrapper"},
                           {"torch/optim/adamw.py(205): step"},
                           {"<built-in method item of Tensor object at 0x7f23d4a0f2c0>"},
                           {"train.py(139): log_metrics"},
                           {"train.py(128): format_metrics"},
                           {"torch/optim/optimizer.py(955): zero_grad"},
                           {"nccl:send"},
                           {"nccl:recv"}};
static_assert(std::size(kTexts) == static_cast<std::size_t>(TextId::Count));

const CallSpec kCalls[] = {
    {.name = "cudaLaunchKernel", .driver = false, .cbid = 211, .base_ns = 5200, .launches = true},
    {.name = "cudaLaunchKernelExC", .driver = false, .cbid = 430, .base_ns = 5900, .launches = true},
    {.name = "cuLaunchKernel", .driver = true, .cbid = 307, .base_ns = 4300, .launches = true},
    {.name = "cuLaunchKernelEx", .driver = true, .cbid = 652, .base_ns = 4600, .launches = true},
    {.name = "cudaMemcpyAsync", .driver = false, .cbid = 41, .base_ns = 7800, .launches = true},
    {.name = "cudaMemsetAsync", .driver = false, .cbid = 51, .base_ns = 5600, .launches = true},
    {.name = "cudaStreamSynchronize", .driver = false, .cbid = 131, .base_ns = 3000, .launches = false},
    {.name = "cudaEventRecord", .driver = false, .cbid = 135, .base_ns = 1400, .launches = false},
    {.name = "cudaStreamWaitEvent", .driver = false, .cbid = 147, .base_ns = 1100, .launches = false},
    {.name = "cudaEventSynchronize", .driver = false, .cbid = 137, .base_ns = 2600, .launches = false},
    {.name = "cudaMalloc", .driver = false, .cbid = 20, .base_ns = 60'000, .launches = false}};
static_assert(std::size(kCalls) == static_cast<std::size_t>(CallId::Count));

}  // namespace

void Catalog::build_vocabulary() {
    ops.assign(std::begin(kOps), std::end(kOps));
    texts.assign(std::begin(kTexts), std::end(kTexts));
    calls.assign(std::begin(kCalls), std::end(kCalls));
    copies = {"Memcpy HtoD (Pinned -> Device)", "Memcpy DtoH (Device -> Pageable)", "Memcpy DtoD (Device -> Device)"};
    syncs = {"Stream Wait Event", "Stream Sync", "Event Sync"};
}

}  // namespace core::sample
