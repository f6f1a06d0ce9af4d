#include "core/sample/training_program.hpp"

#include <cassert>

namespace core::sample {

TrainingProgram::TrainingProgram(const Catalog& catalog, const SampleOptions& options, const Topology& topology,
                                 int rank, std::int64_t begin_ns)
    : catalog_(catalog),
      options_(options),
      planted_(plan_faults(options)),
      topology_(topology),
      rank_(rank),
      recorder_(catalog, options.seed, rank, begin_ns) {
    // The first stage has the odd layer.
    if (topology.stages > 1) options_.layers = (options.layers + (is_first_stage() ? 1 : 0)) / 2;
    build_nodes();
}

bool TrainingProgram::is_first_stage() const { return topology_.stage_of(rank_) == 0; }
bool TrainingProgram::is_last_stage() const { return topology_.stage_of(rank_) == topology_.stages - 1; }

// Activations to the next stage, or gradients to the one before.
void TrainingProgram::exchange(CollectiveOp op) {
    const bool sends = op == CollectiveOp::Send;
    const std::int64_t elements = catalog_.tokens * catalog_.hidden / catalog_.shards;
    const auto call = recorder_.op(sends ? OpId::Send : OpId::Recv);
    const auto comms = recorder_.op(OpId::RecordParamComms);
    const auto mark = recorder_.annotation(sends ? TextId::NcclSend : TextId::NcclRecv);
    recorder_.wait_for_lane(Lane::Pipeline, Lane::Compute);
    recorder_.collective({.group = GroupKind::Pipeline,
                          .op = op,
                          .type = ElementType::BFloat16,
                          .in_elements = elements,
                          .out_elements = elements,
                          .seq = 0},
                         KernelId::SendRecv);
    if (!sends) recorder_.wait_for_lane(Lane::Compute, Lane::Pipeline);
}

void TrainingProgram::run_until_sync(int step) {
    recorder_.begin_step(step);
    recorder_.open(EventKind::Annotation, static_cast<std::uint16_t>(TextId::ProfilerStep),
                   static_cast<std::uint32_t>(step));
    recorder_.open(EventKind::Python, static_cast<std::uint16_t>(TextId::TrainStep));
    load_batch();
    move_to_device();
    forward_pass();
    forward_loss();
    backward_pass();
    clip_gradients();
    optimizer_step();
    begin_loss_read();
}

void TrainingProgram::run_after_sync(std::int64_t device_done_ns) {
    finish_loss_read(device_done_ns);
    log_metrics();
    zero_gradients();
    recorder_.close();
    recorder_.close();
    recorder_.spend(9'000);
}

void TrainingProgram::load_batch() {
    const auto next = recorder_.python(TextId::LoaderNext);
    const auto mark = recorder_.annotation(TextId::LoaderNextMark);
    const auto get_data = recorder_.python(TextId::LoaderGetData);
    const auto get = recorder_.python(TextId::QueueGet);
    const auto poll = recorder_.python(TextId::Poll);
    const auto select = recorder_.python(TextId::Select);
    recorder_.spend(140'000);
    if (is_late_by(StragglerCause::DataLoading)) recorder_.spend(planted_.stall_ns);
}

bool TrainingProgram::is_late_by(StragglerCause cause) const {
    return planted_.cause == cause && planted_.is_straggler(rank_);
}

// Before the first layer: what makes the straggler late, other than its loader and its kernels.
void TrainingProgram::fall_behind() {
    if (is_late_by(StragglerCause::Allocation)) {
        recorder_.stall_next_call(planted_.stall_ns);
        recorder_.allocate_on_device();
    }
    if (is_late_by(StragglerCause::MoreWork))
        for (int i = 0; i < 24; ++i) recorder_.launch(KernelId::SiluMulFused, 400);
    if (is_late_by(StragglerCause::Copies))
        recorder_.copy(CopyId::DeviceToDevice, planted_.stall_ns * 1'300);  // at 1.3 bytes a picosecond
}

void TrainingProgram::move_to_device() {
    const auto python = recorder_.python(TextId::ToDevice);
    for (int tensor = 0; tensor < 3; ++tensor) {
        const auto to = recorder_.op(OpId::To, catalog_.ids);
        const auto to_copy = recorder_.op(OpId::ToCopy, catalog_.ids);
        recorder_.allocate(catalog_.tokens * 8);
        const auto copy = recorder_.op(OpId::Copy, catalog_.ids);
        if (tensor == 0 && is_late_by(StragglerCause::Host)) recorder_.spend(planted_.stall_ns);
        if (tensor == 0 && is_late_by(StragglerCause::Synchronisation)) recorder_.event_sync(planted_.stall_ns);
        if (tensor == 0 && is_late_by(StragglerCause::LaunchCall)) recorder_.stall_next_call(planted_.stall_ns);
        recorder_.copy(CopyId::HostToDevice, catalog_.tokens * 8);
    }
}

void TrainingProgram::launch(KernelId kernel) {
    std::int64_t percent = 100;
    if (kernel == planted_.imbalanced_kernel && rank_ == planted_.imbalanced_rank)
        percent = planted_.imbalanced_percent;
    if (kernel == KernelId::LayerNorm) percent = planted_.layer_norm_percent;
    if (is_late_by(StragglerCause::SlowerKernels)) percent = percent * planted_.slower_percent / 100;
    recorder_.launch(kernel, percent);
}

void TrainingProgram::nest(const std::vector<OpCall>& calls, std::size_t depth, const NodeSpec& node,
                           RankRecorder::Link& link) {
    const OpCall& call = calls[depth];
    const auto scope = recorder_.op(call.op, call.shapes);
    if (depth == 0 && records_graph_) link = recorder_.begin_link();
    if (depth + 1 < calls.size()) {
        nest(calls, depth + 1, node, link);
        return;
    }
    {
        const auto empty = recorder_.op(OpId::Empty);
        recorder_.allocate(node.bytes);
    }
    if (call.kernel != KernelId::Count) launch(call.kernel);
}

void TrainingProgram::forward(NodeKind kind) {
    const NodeSpec& node = spec(kind);
    const std::size_t allocations = recorder_.live_allocations();
    RankRecorder::Link link;
    const bool in_function = node.function != TextId::Count;
    if (in_function) recorder_.open(EventKind::Python, static_cast<std::uint16_t>(node.function));
    if (!node.forward.empty()) {
        nest(node.forward, 0, node, link);
    } else if (kind == NodeKind::Dispatch || kind == NodeKind::Combine) {
        recorder_.allocate(node.bytes);
        exchange_tokens(kind == NodeKind::Dispatch);
    } else {  // a collective of the tensor parallel group
        if (options_.tensor_parallel > 1) {
            recorder_.allocate(node.bytes);
            const bool gather = kind == NodeKind::Gather;
            communicate_and_wait(GroupKind::Tensor, gather ? CollectiveOp::AllGather : CollectiveOp::ReduceScatter,
                                 ElementType::BFloat16, catalog_.tokens * catalog_.hidden / catalog_.shards);
        }
    }
    if (in_function) recorder_.close();
    if (records_graph_) tape_.push_back({.kind = kind, .link = link, .allocations = allocations, .layer = layer_});
}

void TrainingProgram::forward_module(TextId module, std::uint32_t number, NodeKind kind) {
    const auto scope = recorder_.python(module, number);
    forward(kind);
}

void TrainingProgram::forward_attention(std::uint32_t layer) {
    const auto scope = recorder_.python(TextId::Attention, layer);
    forward(NodeKind::Gather);
    forward_module(TextId::ColumnLinear, 2 * layer, NodeKind::Qkv);
    forward(NodeKind::Rotary);
    forward(NodeKind::Flash);
    forward_module(TextId::RowLinear, 2 * layer, NodeKind::Out);
    forward(NodeKind::Scatter);
}

void TrainingProgram::forward_mlp(std::uint32_t layer) {
    const auto scope = recorder_.python(TextId::Mlp, layer);
    if (topology_.experts) forward(NodeKind::Dispatch);
    forward(NodeKind::Gather);
    forward_module(TextId::ColumnLinear, 2 * layer + 1, NodeKind::GateUp);
    if (planted_.fused_activation) {
        forward(NodeKind::SiluMul);
    } else {
        forward(NodeKind::Silu);
        forward(NodeKind::Mul);
    }
    forward_module(TextId::RowLinear, 2 * layer + 1, NodeKind::Down);
    forward(NodeKind::Scatter);
    if (topology_.experts) forward(NodeKind::Combine);
}

void TrainingProgram::forward_layer(std::uint32_t layer) {
    const auto scope = recorder_.python(TextId::DecoderLayer, layer);
    forward_module(TextId::LayerNorm, 2 * layer, NodeKind::Norm);
    forward_attention(layer);
    forward(NodeKind::Add);
    forward_module(TextId::LayerNorm, 2 * layer + 1, NodeKind::Norm);
    forward_mlp(layer);
    forward(NodeKind::Add);
}

// The shards of one layer, to all ranks of the data group.
void TrainingProgram::gather_shard() {
    communicate(GroupKind::Data, CollectiveOp::AllGather, ElementType::BFloat16,
                catalog_.layer_parameters() / topology_.group_size(GroupKind::Data));
    shard_ = recorder_.mark_lane(Lane::Data);
}

// Waits for the shards of a layer and has those of the next gathered meanwhile.
void TrainingProgram::enter_layer(std::uint32_t layer, bool is_forward) {
    if (!topology_.sharded) return;
    const auto layers = static_cast<std::uint32_t>(options_.layers);
    const auto is_late = [&](std::uint32_t one) {
        return is_forward && one == static_cast<std::uint32_t>(planted_.late_layer);
    };
    if (!is_forward) recorder_.open(EventKind::EvaluateFunction, static_cast<std::uint16_t>(OpId::UnshardBackward));
    if (is_late(layer)) gather_shard();
    recorder_.wait_for_mark(Lane::Compute, shard_);
    const bool is_last = is_forward ? layer + 1 == layers : layer == 0;
    if (!is_last && !is_late(layer + 1)) gather_shard();
    if (!is_forward) recorder_.close();
}

// Rows of tokens to the experts that they chose, or back. Every rank gives equally many to each expert.
void TrainingProgram::exchange_tokens(bool to_experts) {
    const auto members = static_cast<std::int64_t>(topology_.group_size(GroupKind::Expert));
    const std::int64_t rows = catalog_.tokens / catalog_.shards;
    std::vector<std::int64_t> of_experts;  // rows that one rank gives to each
    const std::int64_t full = members == 1 ? rows : rows * planted_.full_percent / 100 / members;
    for (std::int64_t place = 0; place < members; ++place)
        of_experts.push_back(place == planted_.full_expert ? full : (rows - full) / (members - 1));
    of_experts[0] += rows - full - (rows - full) / (members - 1) * (members - 1);
    const auto own = of_experts[static_cast<std::size_t>(topology_.place_of(GroupKind::Expert, rank_))];
    const std::vector<std::int64_t> to_own(static_cast<std::size_t>(members), own);
    Collective call{.group = GroupKind::Expert,
                    .op = CollectiveOp::AllToAll,
                    .type = ElementType::BFloat16,
                    .in_elements = rows * catalog_.hidden,
                    .out_elements = own * members * catalog_.hidden,
                    .seq = 0,
                    .in_rows = of_experts,
                    .out_rows = to_own};
    if (!to_experts) {
        std::swap(call.in_elements, call.out_elements);
        std::swap(call.in_rows, call.out_rows);
    }
    const auto op = recorder_.op(OpId::AllToAll);
    const auto comms = recorder_.op(OpId::RecordParamComms);
    const auto mark = recorder_.annotation(TextId::NcclAllToAll);
    recorder_.wait_for_lane(Lane::Expert, Lane::Compute);
    recorder_.collective(call, KernelId::SendRecv);
    recorder_.wait_for_lane(Lane::Compute, Lane::Expert);
}

void TrainingProgram::forward_pass() {
    const auto mark = recorder_.annotation(TextId::ForwardMark);
    const auto wrapper = recorder_.python(TextId::DdpForward);
    const auto ddp = recorder_.annotation(TextId::DdpForwardMark);
    const auto model = recorder_.python(TextId::Transformer);
    const auto layers = static_cast<std::uint32_t>(options_.layers);
    tape_.clear();
    layer_ = 0;
    fall_behind();
    if (topology_.sharded && planted_.late_layer != 0) gather_shard();
    if (is_first_stage()) {
        forward_module(TextId::Embedding, 0, NodeKind::Embedding);
        forward(NodeKind::Scatter);
    } else {
        exchange(CollectiveOp::Recv);
    }
    for (std::uint32_t layer = 0; layer < layers; ++layer) {
        layer_ = layer + 1;
        enter_layer(layer, true);
        if (!options_.faults.recompute) {
            forward_layer(layer);
            continue;
        }
        const auto checkpoint = recorder_.python(TextId::Checkpoint);
        const std::size_t allocations = recorder_.live_allocations();
        records_graph_ = false;
        forward_layer(layer);
        records_graph_ = true;
        recorder_.release(allocations);
        recorder_.allocate(catalog_.tokens * catalog_.hidden * 2 / catalog_.shards);
        tape_.push_back({NodeKind::Checkpoint, {}, allocations, layer_});
    }
    layer_ = layers + 1;
    if (!is_last_stage()) return exchange(CollectiveOp::Send);
    forward_module(TextId::LayerNorm, 2 * layers, NodeKind::Norm);
    forward(NodeKind::Gather);
    forward_module(TextId::ColumnLinear, 2 * layers, NodeKind::Head);
}

void TrainingProgram::forward_loss() {
    if (!is_last_stage()) return;
    const auto mark = recorder_.annotation(TextId::LossMark);
    const auto python = recorder_.python(TextId::LossFunction);
    forward(NodeKind::Cast);
    {
        const auto amax = recorder_.op(OpId::Amax, catalog_.logits);
        launch(KernelId::RowMax);
    }
    communicate_and_wait(GroupKind::Tensor, CollectiveOp::AllReduce, ElementType::Float, catalog_.tokens);
    forward(NodeKind::LogSoftmax);
    communicate_and_wait(GroupKind::Tensor, CollectiveOp::AllReduce, ElementType::Float, 2 * catalog_.tokens);
    forward(NodeKind::Nll);
}

void TrainingProgram::accumulate() {
    const auto evaluate = recorder_.evaluate(OpId::AccumulateGrad, kNone);
    const auto node = recorder_.op(OpId::AccumulateGrad);
    const auto detach = recorder_.op(OpId::Detach);
}

void TrainingProgram::backward(const Node& node) {
    const NodeSpec& described = spec(node.kind);
    {
        const auto evaluate = recorder_.evaluate(described.backward_node, node.link.sequence);
        const auto function = recorder_.op(described.backward_node);
        if (node.link.flow != kNone) recorder_.end_link(node.link);
        if (node.kind == NodeKind::Dispatch || node.kind == NodeKind::Combine) {
            exchange_tokens(node.kind == NodeKind::Combine);
        } else if (described.forward.empty()) {
            const bool was_gather = node.kind == NodeKind::Gather;
            communicate_and_wait(GroupKind::Tensor, was_gather ? CollectiveOp::ReduceScatter : CollectiveOp::AllGather,
                                 ElementType::BFloat16, catalog_.tokens * catalog_.hidden / catalog_.shards);
        }
        recorder_.allocate(described.bytes);
        for (const OpCall& call : described.backward) {
            const auto op = recorder_.op(call.op, call.shapes);
            if (call.kernel != KernelId::Count) launch(call.kernel);
        }
    }
    if (described.has_weight) accumulate();
    recorder_.release(node.allocations);
}

// The layer once more, now kept, then its backward.
void TrainingProgram::backward_checkpoint(const Node& node) {
    const auto evaluate = recorder_.evaluate(OpId::CheckpointBackward, kNone);
    const auto function = recorder_.op(OpId::CheckpointBackward);
    const std::size_t kept = tape_.size();
    layer_ = node.layer;
    forward_layer(node.layer - 1);
    while (tape_.size() > kept) {
        const Node inner = tape_.back();
        tape_.pop_back();
        backward(inner);
    }
    recorder_.release(node.allocations);
}

void TrainingProgram::backward_pass() {
    const auto mark = recorder_.annotation(TextId::BackwardMark);
    const auto tensor = recorder_.python(TextId::TensorBackward);
    const auto engine = recorder_.python(TextId::EngineBackward);
    const auto run = recorder_.python(TextId::RunBackward);
    recorder_.spend(14'000);
    recorder_.switch_thread(Lane::Backward);
    ready_buckets_.clear();
    sent_buckets_ = 0;
    if (!is_last_stage()) exchange(CollectiveOp::Recv);
    if (topology_.sharded) {  // of the last layer
        const auto evaluate = recorder_.evaluate(OpId::UnshardBackward, kNone);
        gather_shard();
    }
    auto entered = static_cast<std::uint32_t>(options_.layers) + 1;
    while (!tape_.empty()) {
        const Node node = tape_.back();
        tape_.pop_back();
        if (node.layer > 0 && node.layer < entered) {
            entered = node.layer;
            enter_layer(entered - 1, false);
        }
        if (node.kind == NodeKind::Checkpoint)
            backward_checkpoint(node);
        else
            backward(node);
        const bool layer_done = node.layer > 0 && (tape_.empty() || tape_.back().layer < node.layer);
        if (node.kind == NodeKind::Head || node.kind == NodeKind::Embedding) {
            ready_buckets_.push_back(catalog_.vocabulary_parameters());
        } else if (layer_done && node.layer <= static_cast<std::uint32_t>(options_.layers)) {
            ready_buckets_.push_back(catalog_.layer_parameters());
        } else if (layer_done) {
            ready_buckets_.push_back(catalog_.hidden * 2);  // the last norm
        }
        send_ready_buckets(static_cast<std::size_t>(planted_.bucket_delay));
    }
    send_ready_buckets(0);
    if (!is_first_stage()) exchange(CollectiveOp::Send);
    if (topology_.group_size(GroupKind::Data) > 1) recorder_.wait_for_lane(Lane::Compute, Lane::Data);
    recorder_.switch_thread(Lane::Main);
    recorder_.spend(11'000);
}

void TrainingProgram::send_ready_buckets(std::size_t kept) {
    for (; ready_buckets_.size() > sent_buckets_ + kept; ++sent_buckets_) {
        if (topology_.group_size(GroupKind::Data) == 1) continue;
        {
            const auto scale = recorder_.op(OpId::Div);
            launch(KernelId::GradientScale);
        }
        if (topology_.sharded) {
            const auto evaluate = recorder_.evaluate(OpId::ReduceShards, kNone);
            communicate(GroupKind::Data, CollectiveOp::ReduceScatter, ElementType::BFloat16,
                        ready_buckets_[sent_buckets_] / topology_.group_size(GroupKind::Data));
        } else {
            communicate(GroupKind::Data, CollectiveOp::AllReduce, ElementType::BFloat16, ready_buckets_[sent_buckets_]);
        }
    }
}

void TrainingProgram::clip_gradients() {
    const auto python = recorder_.python(TextId::ClipGradNorm);
    {
        const auto norms = recorder_.op(OpId::ForeachNorm);
        for (int layer = 0; layer <= options_.layers; ++layer) launch(KernelId::NormPartial);
    }
    {
        const auto stack = recorder_.op(OpId::Stack);
        recorder_.copy(CopyId::DeviceToDevice, std::int64_t{4} * (options_.layers + 1));
    }
    {
        const auto norm = recorder_.op(OpId::VectorNorm);
        launch(KernelId::NormFinal);
    }
    communicate_and_wait(GroupKind::World, CollectiveOp::AllReduce, ElementType::Float, 1);
    const auto scale = recorder_.op(OpId::ForeachMul);
    for (int layer = 0; layer <= options_.layers; ++layer) launch(KernelId::ClipScale);
}

void TrainingProgram::optimizer_step() {
    const auto mark = recorder_.annotation(TextId::OptimizerStepMark);
    const auto wrapper = recorder_.python(TextId::OptimizerWrapper);
    const auto step = recorder_.python(TextId::AdamWStep);
    for (int layer = 0; layer <= options_.layers; ++layer) {
        const auto adamw = recorder_.op(OpId::FusedAdamW);
        launch(KernelId::FusedAdamW);
    }
}

void TrainingProgram::begin_loss_read() {
    communicate_and_wait(GroupKind::Data, CollectiveOp::AllReduce, ElementType::Float, 1);
    recorder_.open(EventKind::Python, static_cast<std::uint16_t>(TextId::ItemBuiltin));
    recorder_.open(EventKind::CpuOp, static_cast<std::uint16_t>(OpId::Item));
    recorder_.open(EventKind::CpuOp, static_cast<std::uint16_t>(OpId::LocalScalarDense));
    recorder_.copy(CopyId::DeviceToHost, 4);
    recorder_.begin_stream_sync();
}

void TrainingProgram::finish_loss_read(std::int64_t device_done_ns) {
    recorder_.finish_stream_sync(device_done_ns);
    for (int frame = 0; frame < 3; ++frame) recorder_.close();
    recorder_.release(0);
}

void TrainingProgram::log_metrics() {
    const auto python = recorder_.python(TextId::LogMetrics);
    recorder_.event_sync();
    const auto format = recorder_.python(TextId::FormatMetrics);
    recorder_.spend(planted_.metrics_ns);
}

void TrainingProgram::zero_gradients() {
    const auto mark = recorder_.annotation(TextId::ZeroGradMark);
    const auto python = recorder_.python(TextId::ZeroGrad);
    for (int layer = 0; layer <= options_.layers; ++layer) {
        const auto zero = recorder_.op(OpId::Zero);
        recorder_.set(catalog_.layer_parameters() * 2);
    }
}

void TrainingProgram::communicate(GroupKind group, CollectiveOp op, ElementType type, std::int64_t shard_elements) {
    const std::int64_t size = topology_.group_size(group);
    if (size == 1) return;
    constexpr OpId kCollectiveCalls[] = {OpId::AllReduce, OpId::AllGather, OpId::ReduceScatter};
    constexpr TextId kMarks[] = {TextId::NcclAllReduce, TextId::NcclAllGather, TextId::NcclReduceScatter};
    const auto index = static_cast<std::size_t>(op);
    Collective collective{.group = group,
                          .op = op,
                          .type = type,
                          .in_elements = shard_elements,
                          .out_elements = shard_elements,
                          .seq = 0};
    if (op == CollectiveOp::AllGather) collective.out_elements *= size;
    if (op == CollectiveOp::ReduceScatter) collective.in_elements *= size;
    KernelId kernel = type == ElementType::Float ? KernelId::AllReduceFloat : KernelId::AllReduceHalf;
    if (op == CollectiveOp::AllGather) kernel = KernelId::AllGather;
    if (op == CollectiveOp::ReduceScatter) kernel = KernelId::ReduceScatter;
    const auto call = recorder_.op(kCollectiveCalls[index]);
    const auto comms = recorder_.op(OpId::RecordParamComms);
    const auto mark = recorder_.annotation(kMarks[index]);
    recorder_.wait_for_lane(lane_of(group), Lane::Compute);
    recorder_.collective(collective, kernel);
}

void TrainingProgram::communicate_and_wait(GroupKind group, CollectiveOp op, ElementType type,
                                           std::int64_t shard_elements) {
    if (topology_.group_size(group) == 1) return;
    communicate(group, op, type, shard_elements);
    recorder_.wait_for_lane(Lane::Compute, lane_of(group));
}

}  // namespace core::sample
