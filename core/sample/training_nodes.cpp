// Calls and launches of every differentiable operation of the model, forward and backward.

#include "core/sample/training_program.hpp"

namespace core::sample {

void TrainingProgram::build_linear(NodeKind kind, const LinearShapes& shapes, KernelId forward, KernelId input_grad,
                                   KernelId weight_grad, std::int64_t bytes) {
    NodeSpec& node = spec(kind);
    if (catalog_.fp8 && kind != NodeKind::Head)
        node.forward = {{.op = OpId::Linear, .shapes = shapes.outer},
                        {.op = OpId::ScaledMm, .shapes = shapes.scaled, .kernel = forward}};
    else
        node.forward = {{.op = OpId::Linear, .shapes = shapes.outer},
                        {.op = OpId::Matmul, .shapes = shapes.inner},
                        {.op = OpId::Mm, .shapes = shapes.inner, .kernel = forward}};
    node.bytes = bytes;
    node.backward_node = OpId::MmBackward;
    node.backward = {{.op = OpId::Transpose},
                     {.op = OpId::Mm, .shapes = shapes.input_grad, .kernel = input_grad},
                     {.op = OpId::Mm, .shapes = shapes.weight_grad, .kernel = weight_grad}};
    node.has_weight = true;
    node.function = TextId::LinearBuiltin;
}

void TrainingProgram::build_nodes() {
    const Catalog& c = catalog_;
    const std::int64_t full = c.tokens * c.hidden * 2;
    const std::int64_t part = full / c.shards;
    const std::int64_t gate = c.tokens * c.feed_forward * 2 / c.shards;
    const std::int64_t logits = c.tokens * c.vocabulary / c.shards;
    using K = KernelId;
    using O = OpId;
    nodes_.resize(static_cast<std::size_t>(NodeKind::Count));
    spec(NodeKind::Embedding) = {
        .forward = {{.op = O::Embedding, .shapes = c.embedding},
                    {.op = O::IndexSelect, .shapes = c.embedding, .kernel = K::EmbeddingGather}},
        .bytes = part,
        .backward_node = O::EmbeddingBackwardNode,
        .backward = {{.op = O::EmbeddingDenseBackward, .shapes = c.ids, .kernel = K::EmbeddingSort},
                     {.op = O::Add, .shapes = c.embedding, .kernel = K::EmbeddingBackward}},
        .has_weight = true};
    spec(NodeKind::Norm) = {.forward = {{.op = O::LayerNorm, .shapes = c.norm},
                                        {.op = O::NativeLayerNorm, .shapes = c.norm, .kernel = K::LayerNorm}},
                            .bytes = part,
                            .backward_node = O::LayerNormBackwardNode,
                            .backward = {{.op = O::LayerNormBackward, .shapes = c.norm, .kernel = K::NormInputGrad},
                                         {.op = O::LayerNormBackward, .shapes = c.norm, .kernel = K::NormWeightGrad}},
                            .has_weight = true};
    spec(NodeKind::Gather) = {.forward = {},
                              .bytes = full,
                              .backward_node = O::GatherBackward,
                              .backward = {},
                              .has_weight = false,
                              .function = TextId::GatherSequence};
    spec(NodeKind::Scatter) = {.forward = {},
                               .bytes = part,
                               .backward_node = O::ScatterBackward,
                               .backward = {},
                               .has_weight = false,
                               .function = TextId::ScatterSequence};
    spec(NodeKind::Dispatch) = {.forward = {},
                                .bytes = part,
                                .backward_node = OpId::DispatchBackward,
                                .backward = {},
                                .has_weight = false,
                                .function = TextId::DispatchTokens};
    spec(NodeKind::Combine) = {.forward = {},
                               .bytes = part,
                               .backward_node = OpId::CombineBackward,
                               .backward = {},
                               .has_weight = false,
                               .function = TextId::CombineTokens};
    spec(NodeKind::Rotary) = {
        .forward = {{.op = O::TritonRotary, .shapes = c.rotary, .kernel = K::Rotary}},
        .bytes = part * 2,
        .backward_node = O::RotaryBackward,
        .backward = {{.op = O::TritonRotaryBackward, .shapes = c.rotary, .kernel = K::RotaryBackward}},
        .has_weight = false,
        .function = TextId::RotaryFunction};
    spec(NodeKind::Flash) = {.forward = {{.op = O::FlashForward, .shapes = c.flash, .kernel = K::FlashForward}},
                             .bytes = part,
                             .backward_node = O::FlashBackwardNode,
                             .backward = {{.op = O::FlashBackward, .shapes = c.flash, .kernel = K::FlashDot},
                                          {.op = O::View, .shapes = c.flash, .kernel = K::FlashBackward},
                                          {.op = O::Copy, .shapes = c.flash, .kernel = K::FlashConvert}},
                             .has_weight = false,
                             .function = TextId::FlashFunction};
    spec(NodeKind::Add) = {.forward = {{.op = O::Add, .shapes = c.add, .kernel = K::ResidualAdd}},
                           .bytes = part,
                           .backward_node = O::AddBackward,
                           .backward = {{.op = O::Add, .shapes = c.add, .kernel = K::GradientAdd}}};
    spec(NodeKind::Silu) = {.forward = {{.op = O::Silu, .shapes = c.silu, .kernel = K::Silu}},
                            .bytes = gate,
                            .backward_node = O::SiluBackwardNode,
                            .backward = {{.op = O::SiluBackward, .shapes = c.mul, .kernel = K::SiluBackward}}};
    spec(NodeKind::Mul) = {.forward = {{.op = O::Mul, .shapes = c.mul, .kernel = K::GateMul}},
                           .bytes = gate,
                           .backward_node = O::MulBackward,
                           .backward = {{.op = O::Mul, .shapes = c.mul, .kernel = K::GateMulBackward},
                                        {.op = O::Mul, .shapes = c.mul, .kernel = K::GateMulBackward}}};
    spec(NodeKind::SiluMul) = {.forward = {{.op = O::TritonSiluMul, .shapes = c.mul, .kernel = K::SiluMulFused}},
                               .bytes = gate,
                               .backward_node = O::TritonSiluMulBackward,
                               .backward = {{.op = O::Mul, .shapes = c.mul, .kernel = K::GateMulBackward},
                                            {.op = O::Mul, .shapes = c.mul, .kernel = K::GateMulBackward},
                                            {.op = O::SiluBackward, .shapes = c.mul, .kernel = K::SiluBackward}}};
    spec(NodeKind::Cast) = {.forward = {{.op = O::To, .shapes = c.logits},
                                        {.op = O::ToCopy, .shapes = c.logits},
                                        {.op = O::Copy, .shapes = c.logits, .kernel = K::CastToFloat}},
                            .bytes = logits * 4,
                            .backward_node = O::ToCopyBackward,
                            .backward = {{.op = O::Copy, .shapes = c.logits, .kernel = K::CastToHalf}}};
    spec(NodeKind::LogSoftmax) = {
        .forward = {{.op = O::LogSoftmax, .shapes = c.logits},
                    {.op = O::LogSoftmaxInner, .shapes = c.logits, .kernel = K::SoftmaxForward}},
        .bytes = logits * 4,
        .backward_node = O::LogSoftmaxBackwardNode,
        .backward = {{.op = O::LogSoftmaxBackwardData, .shapes = c.logits, .kernel = K::SoftmaxBackward}}};
    spec(NodeKind::Nll) = {.forward = {{.op = O::NllLoss, .shapes = c.logits},
                                       {.op = O::NllLossForward, .shapes = c.logits, .kernel = K::NllForward}},
                           .bytes = 512,
                           .backward_node = O::NllLossBackwardNode,
                           .backward = {{.op = O::NllLossBackward, .shapes = c.logits, .kernel = K::NllBackward}}};
    build_linear(NodeKind::Qkv, c.qkv, K::QkvGemm, K::QkvInputGrad, K::QkvWeightGrad, 3 * part);
    build_linear(NodeKind::Out, c.out, K::OutGemm, K::OutInputGrad, K::OutWeightGrad, full);
    build_linear(NodeKind::GateUp, c.gate_up, K::GateUpGemm, K::GateUpInputGrad, K::GateUpWeightGrad, 2 * gate);
    build_linear(NodeKind::Down, c.down, K::DownGemm, K::DownInputGrad, K::DownWeightGrad, full);
    build_linear(NodeKind::Head, c.head, K::HeadGemm, K::HeadInputGrad, K::HeadWeightGrad, logits * 2);
}

}  // namespace core::sample
