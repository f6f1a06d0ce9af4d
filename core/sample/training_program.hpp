#pragma once
// The program of every rank: load a batch, forward, loss, backward, clip, optimizer, read the loss.
//
// The host waits for the device once, in the middle of a step, so a step has two parts:
// run_until_sync(), then the device is scheduled on all ranks, then run_after_sync().

#include "core/sample/sample_plan.hpp"

#include <vector>

namespace core::sample {

class TrainingProgram {
public:
    TrainingProgram(const Catalog& catalog, const SampleOptions& options, const Topology& topology, int rank,
                    std::int64_t begin_ns);

    void run_until_sync(int step);
    void run_after_sync(std::int64_t device_done_ns);
    RankRecorder& recorder() { return recorder_; }
    const RankRecorder& recorder() const { return recorder_; }

private:
    bool is_late_by(StragglerCause cause) const;
    bool is_first_stage() const;
    bool is_last_stage() const;
    void exchange(CollectiveOp op);
    void fall_behind();
    // clang-format off
    enum class NodeKind : std::uint8_t {
        Embedding, Norm, Gather, Scatter, Qkv, Rotary, Flash, Out, Add, GateUp, Silu, Mul, SiluMul, Down, Head, Cast,
        LogSoftmax, Nll, Dispatch, Combine, Checkpoint, Count,
    };
    // clang-format on
    struct OpCall {
        OpId op = OpId::Count;
        ShapeId shapes = kNoShapes;
        KernelId kernel = KernelId::Count;
    };
    // One differentiable operation: its calls, launches and backward.
    struct NodeSpec {
        std::vector<OpCall> forward;  // nested, outermost first; an op launches the kernel in its entry
        std::int64_t bytes = 0;
        OpId backward_node = OpId::Count;
        std::vector<OpCall> backward;  // one after the other
        bool has_weight = false;
        TextId function = TextId::Count;  // Python function around it
    };
    struct Node {  // a forward operation waiting for its backward
        NodeKind kind;
        RankRecorder::Link link;
        std::size_t allocations;
        std::uint32_t layer;
    };

    void build_nodes();
    void build_linear(NodeKind kind, const LinearShapes& shapes, KernelId forward, KernelId input_grad,
                      KernelId weight_grad, std::int64_t bytes);
    NodeSpec& spec(NodeKind kind) { return nodes_[static_cast<std::size_t>(kind)]; }

    void load_batch();
    void move_to_device();
    void forward_pass();
    void forward_layer(std::uint32_t layer);
    void forward_attention(std::uint32_t layer);
    void forward_mlp(std::uint32_t layer);
    void forward_module(TextId module, std::uint32_t number, NodeKind kind);
    void forward_loss();
    void forward(NodeKind kind);
    void nest(const std::vector<OpCall>& calls, std::size_t depth, const NodeSpec& node, RankRecorder::Link& link);
    void backward_pass();
    void backward(const Node& node);
    void backward_checkpoint(const Node& node);
    void gather_shard();
    void enter_layer(std::uint32_t layer, bool is_forward);
    void exchange_tokens(bool to_experts);
    void accumulate();
    void send_ready_buckets(std::size_t kept);
    void clip_gradients();
    void optimizer_step();
    void begin_loss_read();
    void finish_loss_read(std::int64_t device_done_ns);
    void log_metrics();
    void zero_gradients();

    void launch(KernelId kernel);
    void communicate(GroupKind group, CollectiveOp op, ElementType type, std::int64_t shard_elements);
    void communicate_and_wait(GroupKind group, CollectiveOp op, ElementType type, std::int64_t shard_elements);

    const Catalog& catalog_;
    SampleOptions options_;
    Planted planted_;
    Topology topology_;
    int rank_;
    RankRecorder recorder_;
    std::vector<NodeSpec> nodes_;
    std::vector<Node> tape_;
    std::vector<std::int64_t> ready_buckets_;  // element counts in order of readiness
    std::size_t sent_buckets_ = 0;
    std::uint32_t layer_ = 0;
    RankRecorder::LaneMark shard_;  // of the layer that is entered next
    bool records_graph_ = true;  // false: nothing of the forward pass is kept for the backward pass
};

}  // namespace core::sample
