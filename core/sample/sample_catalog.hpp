#pragma once
// The sample's kernels, operators, calls and annotations with constant arguments and base costs,
// sized for the model (hidden 2048, 16 heads, 4 x 2048 tokens) and its tensor-parallel split. Built
// once per run; texts need no escaping.

#include <cstdint>
#include <string>
#include <vector>

namespace core::sample {

// clang-format off
enum class KernelId : std::uint16_t {
    EmbeddingGather, LayerNorm, QkvGemm, Rotary, FlashForward, OutGemm, ResidualAdd, GateUpGemm, Silu, GateMul,
    SiluMulFused, DownGemm, HeadGemm, CastToFloat, RowMax, SoftmaxForward, NllForward,
    NllBackward, SoftmaxBackward, CastToHalf, HeadInputGrad, HeadWeightGrad, NormInputGrad, NormWeightGrad,
    DownInputGrad, DownWeightGrad, GateMulBackward, SiluBackward, GateUpInputGrad, GateUpWeightGrad,
    OutInputGrad, OutWeightGrad, FlashDot, FlashBackward, FlashConvert, RotaryBackward, QkvInputGrad,
    QkvWeightGrad, GradientAdd, EmbeddingSort, EmbeddingBackward, GradientScale,
    NormPartial, NormFinal, ClipScale, FusedAdamW,
    AllReduceHalf, AllReduceFloat, AllGather, ReduceScatter, SendRecv,
    Count,
};
// clang-format on

enum class KernelClass : std::uint8_t { Compute, Communication, Memory };
enum class LaunchCall : std::uint8_t { Runtime, RuntimeEx, Driver, DriverEx };

struct KernelSpec {
    std::string name;
    KernelClass kernel_class = KernelClass::Compute;
    LaunchCall call = LaunchCall::Runtime;
    std::int64_t base_ns = 0;
    std::string geometry;  // registers to occupancy, as text
};

// clang-format off
enum class OpId : std::uint16_t {
    To, ToCopy, Copy, Embedding, IndexSelect, LayerNorm, NativeLayerNorm, Linear, Matmul, Mm, TritonRotary,
    FlashForward, Add, Silu, Mul, TritonSiluMul, Amax, LogSoftmax, LogSoftmaxInner, NllLoss, NllLossForward,
    NllLossBackwardNode, NllLossBackward, LogSoftmaxBackwardNode, LogSoftmaxBackwardData, ToCopyBackward,
    MmBackward, LayerNormBackwardNode, LayerNormBackward, MulBackward, SiluBackwardNode, SiluBackward,
    TritonSiluMulBackward, AddBackward, FlashBackwardNode, FlashBackward, RotaryBackward, TritonRotaryBackward,
    EmbeddingBackwardNode, EmbeddingDenseBackward, AccumulateGrad, Detach, GatherBackward, ScatterBackward,
    AllReduce, AllGather, ReduceScatter, RecordParamComms, Div, ForeachNorm, Stack, VectorNorm, ForeachMul,
    FusedAdamW, Item, LocalScalarDense, Zero, Empty, Transpose, View, Send, Recv,
    ScaledMm, CheckpointBackward, AllToAll, DispatchBackward, CombineBackward, UnshardBackward, ReduceShards,
    Count,
};

enum class TextId : std::uint16_t {
    // annotations
    ProfilerStep, LoaderNextMark, ForwardMark, LossMark, BackwardMark, OptimizerStepMark, ZeroGradMark, DdpForwardMark,
    NcclAllReduce, NcclAllGather, NcclReduceScatter,
    // python
    Script, ScriptMain, TrainStep, LoaderNext, LoaderGetData, QueueGet, Poll, Select, ToDevice, DdpForward,
    Transformer, Embedding, DecoderLayer, LayerNorm, Attention, Mlp, ColumnLinear, RowLinear, LinearBuiltin,
    RotaryFunction, FlashFunction, GatherSequence, ScatterSequence, LossFunction, TensorBackward, EngineBackward,
    RunBackward, ClipGradNorm, OptimizerWrapper, AdamWStep, ItemBuiltin, LogMetrics, FormatMetrics, ZeroGrad,
    NcclSend, NcclRecv,  // annotations
    NcclAllToAll,
    DispatchTokens, CombineTokens, Checkpoint,  // python
    Count,
};
// clang-format on

struct TextSpec {
    std::string before;
    bool numbered = false;
};

// clang-format off
enum class CallId : std::uint16_t {
    LaunchKernel, LaunchKernelEx, DriverLaunch, DriverLaunchEx, MemcpyAsync, MemsetAsync, StreamSynchronize,
    EventRecord, StreamWaitEvent, EventSynchronize, Malloc,
    Count,
};
// clang-format on

struct CallSpec {
    std::string name;
    bool driver = false;
    int cbid = 0;
    std::int64_t base_ns = 0;
    bool launches = false;  // device work; a flow arrow leaves it
};

enum class CopyId : std::uint16_t { HostToDevice, DeviceToHost, DeviceToDevice, Count };
enum class SyncId : std::uint16_t { StreamWaitEvent, StreamSync, EventSync, Count };

// Index into Catalog::shapes; 0 means no recorded inputs.
using ShapeId = std::uint32_t;
inline constexpr ShapeId kNoShapes = 0;

struct LinearShapes {
    ShapeId outer = 0, inner = 0, input_grad = 0, weight_grad = 0;
    ShapeId scaled = 0;  // of the forward product in 8 bits
};

struct Catalog {
    // fp8: products of layers multiply in 8 bits in the forward pass.
    Catalog(int tensor_parallel, bool fp8);

    const KernelSpec& kernel(KernelId id) const { return kernels[static_cast<std::size_t>(id)]; }
    const CallSpec& call(CallId id) const { return calls[static_cast<std::size_t>(id)]; }

    std::int64_t tokens = 8192;  // 4 sequences of 2048
    std::int64_t hidden = 2048;
    std::int64_t feed_forward = 5632;
    std::int64_t heads = 16;
    std::int64_t vocabulary = 32000;
    std::int64_t shards;  // tensor parallel ranks
    bool fp8;

    std::vector<KernelSpec> kernels;
    std::vector<std::string> ops;
    std::vector<TextSpec> texts;
    std::vector<CallSpec> calls;
    std::vector<std::string> copies;
    std::vector<std::string> syncs;
    std::vector<std::string> shapes;
    LinearShapes qkv, out, gate_up, down, head;
    ShapeId ids = 0, embedding = 0, norm = 0, rotary = 0, flash = 0, add = 0, silu = 0, mul = 0, logits = 0;

    std::int64_t layer_parameters() const;   // of one shard
    std::int64_t layer_product_flop() const;  // of the four products of a layer, forward, of one shard
    std::int64_t vocabulary_parameters() const;

private:
    void build_vocabulary();
    ShapeId add_shapes(const std::string& dims, const std::string& strides, const std::string& types);
    LinearShapes add_linear(std::int64_t inputs, std::int64_t outputs);
    void build_shapes();
    void build_kernels();
};

}  // namespace core::sample
