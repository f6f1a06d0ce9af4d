// Calls and launches of every differentiable operation of the model, forward and backward.

#include "core/sample/training_program.hpp"

namespace core::sample {

void TrainingProgram::build_linear(NodeKind kind, const LinearShapes& shapes, KernelId forward, KernelId input_grad,
                                   KernelId weight_grad, std::int64_t bytes) {
    NodeSpec& node = spec(kind);
    node.forward = {{OpId::Linear, shapes.outer}, {OpId::Matmul, shapes.inner}, {OpId::Mm, shapes.inner, forward}};
    node.bytes = bytes;
    node.backward_node = OpId::MmBackward;
    node.backward = {
        {OpId::Transpose}, {OpId::Mm, shapes.input_grad, input_grad}, {OpId::Mm, shapes.weight_grad, weight_grad}};
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
        {{O::Embedding, c.embedding}, {O::IndexSelect, c.embedding, K::EmbeddingGather}},
        part,
        O::EmbeddingBackwardNode,
        {{O::EmbeddingDenseBackward, c.ids, K::EmbeddingSort}, {O::Add, c.embedding, K::EmbeddingBackward}},
        true};
    spec(NodeKind::Norm) = {
        {{O::LayerNorm, c.norm}, {O::NativeLayerNorm, c.norm, K::LayerNorm}},
        part,
        O::LayerNormBackwardNode,
        {{O::LayerNormBackward, c.norm, K::NormInputGrad}, {O::LayerNormBackward, c.norm, K::NormWeightGrad}},
        true};
    spec(NodeKind::Gather) = {{}, full, O::GatherBackward, {}, false, TextId::GatherSequence};
    spec(NodeKind::Scatter) = {{}, part, O::ScatterBackward, {}, false, TextId::ScatterSequence};
    spec(NodeKind::Rotary) = {{{O::TritonRotary, c.rotary, K::Rotary}},
                              part * 2,
                              O::RotaryBackward,
                              {{O::TritonRotaryBackward, c.rotary, K::RotaryBackward}},
                              false,
                              TextId::RotaryFunction};
    spec(NodeKind::Flash) = {{{O::FlashForward, c.flash, K::FlashForward}},
                             part,
                             O::FlashBackwardNode,
                             {{O::FlashBackward, c.flash, K::FlashDot},
                              {O::View, c.flash, K::FlashBackward},
                              {O::Copy, c.flash, K::FlashConvert}},
                             false,
                             TextId::FlashFunction};
    spec(NodeKind::Add) = {{{O::Add, c.add, K::ResidualAdd}}, part, O::AddBackward, {{O::Add, c.add, K::GradientAdd}}};
    spec(NodeKind::Silu) = {
        {{O::Silu, c.silu, K::Silu}}, gate, O::SiluBackwardNode, {{O::SiluBackward, c.mul, K::SiluBackward}}};
    spec(NodeKind::Mul) = {{{O::Mul, c.mul, K::GateMul}},
                           gate,
                           O::MulBackward,
                           {{O::Mul, c.mul, K::GateMulBackward}, {O::Mul, c.mul, K::GateMulBackward}}};
    spec(NodeKind::SiluMul) = {{{O::TritonSiluMul, c.mul, K::SiluMulFused}},
                               gate,
                               O::TritonSiluMulBackward,
                               {{O::Mul, c.mul, K::GateMulBackward},
                                {O::Mul, c.mul, K::GateMulBackward},
                                {O::SiluBackward, c.mul, K::SiluBackward}}};
    spec(NodeKind::Cast) = {{{O::To, c.logits}, {O::ToCopy, c.logits}, {O::Copy, c.logits, K::CastToFloat}},
                            logits * 4,
                            O::ToCopyBackward,
                            {{O::Copy, c.logits, K::CastToHalf}}};
    spec(NodeKind::LogSoftmax) = {{{O::LogSoftmax, c.logits}, {O::LogSoftmaxInner, c.logits, K::SoftmaxForward}},
                                  logits * 4,
                                  O::LogSoftmaxBackwardNode,
                                  {{O::LogSoftmaxBackwardData, c.logits, K::SoftmaxBackward}}};
    spec(NodeKind::Nll) = {{{O::NllLoss, c.logits}, {O::NllLossForward, c.logits, K::NllForward}},
                           512,
                           O::NllLossBackwardNode,
                           {{O::NllLossBackward, c.logits, K::NllBackward}}};
    build_linear(NodeKind::Qkv, c.qkv, K::QkvGemm, K::QkvInputGrad, K::QkvWeightGrad, 3 * part);
    build_linear(NodeKind::Out, c.out, K::OutGemm, K::OutInputGrad, K::OutWeightGrad, full);
    build_linear(NodeKind::GateUp, c.gate_up, K::GateUpGemm, K::GateUpInputGrad, K::GateUpWeightGrad, 2 * gate);
    build_linear(NodeKind::Down, c.down, K::DownGemm, K::DownInputGrad, K::DownWeightGrad, full);
    build_linear(NodeKind::Head, c.head, K::HeadGemm, K::HeadInputGrad, K::HeadWeightGrad, logits * 2);
}

}  // namespace core::sample
