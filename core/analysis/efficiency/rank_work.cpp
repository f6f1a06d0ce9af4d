#include "core/analysis/efficiency/rank_work.hpp"

#include "core/analysis/efficiency/argument_classes.hpp"
#include "core/analysis/efficiency/kernel_names.hpp"
#include "core/analysis/efficiency/moving_table.hpp"
#include "core/analysis/engine/call_tree.hpp"
#include "core/index/graph_sources.hpp"
#include "core/store/event_above.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

namespace core {
namespace {

constexpr std::array<std::string_view, kWorkKinds> kKindNames = {"matrix", "uncounted", "none", "unclassified"};

constexpr std::uint32_t kNotListed = 0xFFFFFFFFu;

// Bits of an event while the tree is walked from the leaves.
constexpr std::uint8_t kListedBelow = 1;
constexpr std::uint8_t kUnknownBelow = 2;  // an innermost listed operator below did not tell
constexpr std::uint8_t kInputPart = 4;     // parts of a convolution's backward
constexpr std::uint8_t kWeightPart = 8;
constexpr std::uint8_t kOwner = 16;
constexpr std::uint8_t kUncounted = 32;
constexpr std::uint8_t kInnermostUnknown = 64;

// Bits on the way back from the roots.
constexpr std::uint8_t kInBackward = 1;
constexpr std::uint8_t kGradientsOn = 2;  // an operator of the forward pass runs within the backward pass
constexpr std::uint8_t kInUncounted = 4;

// Signs of the backward pass in a name.
enum class BackwardName : std::uint8_t { Unknown, No, Entry, Node };

BackwardName backward_name_of(std::string_view name, bool is_frame) {
    if (is_frame) return name.find("recompute_fn") == std::string_view::npos ? BackwardName::No : BackwardName::Entry;
    if (name.starts_with("autograd::engine::evaluate_function") || name == "CheckpointFunctionBackward")
        return BackwardName::Entry;
    if (name.starts_with("torch::autograd::")) return BackwardName::Node;
    while (!name.empty() && name.back() >= '0' && name.back() <= '9') name.remove_suffix(1);
    return name.ends_with("Backward") ? BackwardName::Node : BackwardName::No;
}

class WorkBuilder {
public:
    WorkBuilder(const RankIndex& index, std::shared_ptr<const GraphAttribution> graphs, const JobContext& job)
        : index_(index), graphs_(*graphs), trace_(graphs->trace()), job_(job), made_(std::make_shared<RankWork>()) {
        made_->graphs = std::move(graphs);
    }

    RankWorkPtr run() && {
        listed_ = collect_listed_calls(trace_, job_);
        if (job_.cancelled()) return nullptr;
        class_of_.assign(trace_.size(), kNotListed);
        for (const ListedCall& call : listed_.calls) class_of_[index_of(call.event)] = call.argument_class;
        const std::vector<EventId> order = collect_parents_first(trace_);
        find_gradients();
        if (!find_owners(order) || !hand_down(order) || !place_gpu_events()) return nullptr;
        return std::move(made_);
    }

private:
    const ArgumentClass* class_of(EventId e) const {
        const std::uint32_t at = class_of_[index_of(e)];
        return at == kNotListed ? nullptr : &listed_.classes[at];
    }

    // The autograd sequence number at or around an event.
    std::optional<std::int64_t> sequence_around(EventId e) const {
        const SparseColumn<std::int64_t> numbers = trace_.integers(Arg::SequenceNumber);
        for (EventId at = e; at != kNoEvent; at = event_above(trace_, at))
            if (const std::int64_t* const number = numbers.find(at); number && *number >= 0) return *number;
        return std::nullopt;
    }

    // Convolutions without recorded values have the output size of their gradient.
    void find_gradients() {
        for (const ListedCall& call : listed_.calls) {
            const ArgumentClass& c = listed_.classes[call.argument_class];
            if (c.row->rule != FlopRule::ConvolutionBackward || c.arguments.has_values()) continue;
            if (const std::optional<std::int64_t> number = sequence_around(call.event)) gradients_.emplace(*number, &c);
        }
    }

    CallHints hints_of(EventId e, const ArgumentClass& c) const {
        CallHints hints;
        hints.input_gradient = (below_[index_of(e)] & kInputPart) != 0;
        hints.weight_gradient = (below_[index_of(e)] & kWeightPart) != 0;
        if (c.row->rule != FlopRule::Convolution || c.arguments.has_values() || gradients_.empty()) return hints;
        const std::optional<std::int64_t> number = sequence_around(e);
        if (!number) return hints;
        const auto gradient = gradients_.find(*number);
        if (gradient == gradients_.end()) return hints;
        const OperatorArguments& backward = gradient->second->arguments;
        const auto sizes = [](const OperatorArguments& arguments, int at) {
            const OperatorArgument* const tensor = arguments.find_tensor(at);
            return tensor ? tensor->sizes : TensorSizes();
        };
        const OperatorRow& row = *gradient->second->row;
        const bool same = sizes(backward, row.x) == sizes(c.arguments, c.row->a) &&
                          sizes(backward, row.b) == sizes(c.arguments, c.row->b);
        if (same) hints.output_sizes = sizes(backward, row.a);
        return hints;
    }

    // The shape of a call, evaluated once per class and hints.
    std::optional<std::uint32_t> find_shape(EventId e) {
        const std::uint32_t at = class_of_[index_of(e)];
        const ArgumentClass& c = listed_.classes[at];
        std::vector<Evaluated>& known = evaluated_[at];
        const CallHints hints = hints_of(e, c);
        for (const Evaluated& one : known)
            if (one.hints == hints) return one.shape;
        std::optional<std::uint32_t> shape;
        if (const std::optional<OperatorWork> work = evaluate_operator(*c.row, c.arguments, hints)) {
            shape = static_cast<std::uint32_t>(made_->shapes.size());
            made_->shapes.push_back({c.name, c.sizes, c.types, *work, c.row->is_backward()});
        }
        known.push_back({hints, shape});
        return shape;
    }

    // From the leaves: an operator that tells owns what lies below, unless all inner ones told. False if cancelled.
    bool find_owners(const std::vector<EventId>& order) {
        below_.assign(trace_.size(), 0);
        shape_of_.assign(trace_.size(), 0);
        evaluated_.resize(listed_.classes.size());
        for (std::size_t i = order.size(); i-- > 0;) {
            if (i % kEventsBetweenChecks == 0 && job_.checkpoint()) return false;
            const EventId e = order[i];
            std::uint8_t& bits = below_[index_of(e)];
            if (const ArgumentClass* const c = class_of(e)) judge(e, *c, bits);
            const EventId parent = trace_.parent[index_of(e)];
            constexpr std::uint8_t kUp = kListedBelow | kUnknownBelow | kInputPart | kWeightPart;
            if (parent != kNoEvent) below_[index_of(parent)] |= bits & kUp;
        }
        return true;
    }

    void judge(EventId e, const ArgumentClass& c, std::uint8_t& bits) {
        const bool all_told = (bits & kListedBelow) != 0 && (bits & kUnknownBelow) == 0;
        const bool opaque = c.row->rule == FlopRule::Opaque;
        if (opaque || !all_told) {
            const std::optional<std::uint32_t> shape = opaque ? std::nullopt : find_shape(e);
            if (!shape && (opaque || (bits & kListedBelow) == 0)) bits |= kInnermostUnknown;
            bits |= kListedBelow;
            if (shape) {
                bits = (bits & ~kUnknownBelow) | kOwner;
                shape_of_[index_of(e)] = *shape;
            } else {
                bits |= kUnknownBelow | kUncounted;
            }
        }
        if (c.row->rule == FlopRule::ConvolutionInputGradient) bits |= kInputPart;
        if (c.row->rule == FlopRule::ConvolutionWeightGradient) bits |= kWeightPart;
    }

    // From the roots: the outermost owner above each event, and whether the backward pass runs it. False if cancelled.
    bool hand_down(const std::vector<EventId>& order) {
        const SparseColumn<std::int64_t> numbers = trace_.integers(Arg::SequenceNumber);
        std::vector<bool> has_number(trace_.size());
        for (std::size_t i = 0; i < numbers.size(); ++i)
            if (numbers.values[i] >= 0) has_number[index_of(numbers.events[i])] = true;
        std::vector<BackwardName> names(trace_.names.size(), BackwardName::Unknown);
        owner_.assign(trace_.size(), RankWork::kNoCall);
        above_.assign(trace_.size(), 0);
        operator_.assign(trace_.size(), kNoEvent);
        for (std::size_t i = 0; i < order.size(); ++i) {
            if (i % kEventsBetweenChecks == 0 && job_.checkpoint()) return false;
            const EventId e = order[i];
            const EventId parent = trace_.parent[index_of(e)];
            if (parent != kNoEvent) {
                owner_[index_of(e)] = owner_[index_of(parent)];
                above_[index_of(e)] = above_[index_of(parent)];
                operator_[index_of(e)] = operator_[index_of(parent)];
            }
            if (!trace_.has(e, kGpuEvent)) enter(e, has_number[index_of(e)], names);
        }
        std::ranges::sort(made_->uncounted);
        const auto repeated = std::ranges::unique(made_->uncounted);
        made_->uncounted.erase(repeated.begin(), repeated.end());
        return true;
    }

    void enter(EventId e, bool has_number, std::vector<BackwardName>& names) {
        std::uint8_t& bits = above_[index_of(e)];
        const bool frame = trace_.category_kind(e) == Category::PythonFunction;
        const bool cpu_operator = is_operator(trace_, e);
        if (frame || cpu_operator) {
            BackwardName& name = names[index_of(trace_.name[index_of(e)])];
            if (name == BackwardName::Unknown) name = backward_name_of(trace_.name_text(e), frame);
            if (name == BackwardName::Entry)
                bits = (bits | kInBackward) & ~kGradientsOn;
            else if (cpu_operator && name == BackwardName::No && has_number && (bits & kInBackward) != 0)
                bits |= kGradientsOn;
        }
        if (cpu_operator) operator_[index_of(e)] = e;
        const std::uint8_t found = below_[index_of(e)];
        if ((found & kUncounted) != 0) bits |= kInUncounted;
        std::uint32_t& owner = owner_[index_of(e)];
        if ((found & kInnermostUnknown) != 0 && owner == RankWork::kNoCall)
            made_->uncounted.push_back(trace_.name[index_of(e)]);
        if ((found & kOwner) == 0 || owner != RankWork::kNoCall) return;
        owner = static_cast<std::uint32_t>(made_->calls.size());
        WorkCall call{};
        call.event = e;
        call.first = kNoEvent;
        call.shape = shape_of_[index_of(e)];
        call.is_recomputed =
            (bits & kInBackward) != 0 && (bits & kGradientsOn) != 0 && !made_->shapes[call.shape].is_backward;
        made_->calls.push_back(call);
    }

    bool place_gpu_events() {
        struct NameFacts {
            bool known, matrix, tf32, plain;
        };
        std::vector<NameFacts> facts(trace_.names.size(), NameFacts{});
        const std::size_t count = trace_.gpu_events.size();
        made_->kinds.reserve(count);
        made_->owners.reserve(count);
        made_->operators.reserve(count);
        made_->passes.reserve(count);
        for (std::size_t i = 0; i < count; ++i) {
            if (i % kEventsBetweenChecks == 0 && job_.checkpoint()) return false;
            const EventId e = trace_.gpu_events[i];
            const std::size_t at = index_of(e);
            NameFacts& name = facts[index_of(trace_.name[at])];
            if (!name.known) {
                const std::string_view text = trace_.name_text(e);
                name = {.known = true,
                        .matrix = is_matrix_kernel(text),
                        .tf32 = is_tf32_kernel(text),
                        .plain = is_plain_kernel(text)};
            }
            const KernelClass kernel_class = index_.classes().of(e);
            const bool communicates = kernel_class == KernelClass::Communication;
            const std::uint32_t owner = communicates ? RankWork::kNoCall : owner_[at];
            made_->owners.push_back(owner);
            made_->operators.push_back(operator_[at]);
            made_->passes.push_back((above_[at] & kInBackward) == 0    ? Pass::Forward
                                    : (above_[at] & kGradientsOn) != 0 ? Pass::Recomputed
                                                                       : Pass::Backward);
            made_->kinds.push_back(kernel_class == KernelClass::Compute ? kind_of(e, name.matrix, name.plain)
                                                                        : WorkKind::NoCompute);
            if (owner == RankWork::kNoCall) continue;
            WorkCall& call = made_->calls[made_->owners.back() = owner_in_replay(owner, e)];
            if (call.gpu_events++ == 0) call.first = e;
            call.gpu_time += trace_.duration[at];
            call.is_tf32 = call.is_tf32 || (name.tf32 && made_->work_of(call).precision == Precision::Fp32);
        }
        leave_out_calls_of_captures();
        sort_calls();
        return true;
    }

    // A captured call runs with each replay, and stands once for each.
    std::uint32_t owner_in_replay(std::uint32_t owner, EventId gpu) {
        const std::uint32_t replay = graphs_.replays.replay_of(gpu);
        if (replay == kNoReplay || !graphs_.is_captured(gpu)) return owner;
        const auto [at, is_new] = in_replay_.try_emplace(std::uint64_t{replay} << 32 | owner, 0);
        if (!is_new) return at->second;
        at->second = static_cast<std::uint32_t>(made_->calls.size());
        WorkCall call = made_->calls[owner];
        call.gpu_events = 0;
        call.gpu_time = Duration{0};
        call.first = kNoEvent;
        call.is_tf32 = false;
        made_->calls.push_back(call);
        return at->second;
    }

    // They ran nothing, and not in this recording.
    void leave_out_calls_of_captures() {
        std::vector<std::uint32_t> place(made_->calls.size());
        std::vector<WorkCall> left;
        for (std::size_t i = 0; i < place.size(); ++i) {
            place[i] = static_cast<std::uint32_t>(left.size());
            const WorkCall& call = made_->calls[i];
            if (graphs_.is_own(call.event) || call.gpu_events > 0) left.push_back(call);
        }
        if (left.size() == place.size()) return;
        made_->calls = std::move(left);
        for (std::uint32_t& owner : made_->owners)
            if (owner != RankWork::kNoCall) owner = place[owner];
    }

    WorkKind kind_of(EventId e, bool matrix_name, bool plain_name) const {
        const std::size_t at = index_of(e);
        if (owner_[at] != RankWork::kNoCall) return WorkKind::Matrix;
        if ((above_[at] & kInUncounted) != 0) return WorkKind::Uncounted;
        const EventId inner = operator_[at];
        const std::string_view name = inner == kNoEvent ? std::string_view() : trace_.name_text(inner);
        if (is_without_matrix_work(name)) return WorkKind::None;
        if (matrix_name) return WorkKind::Uncounted;
        return plain_name || name.starts_with("aten::") ? WorkKind::None : WorkKind::Unclassified;
    }

    void sort_calls() {
        std::vector<std::uint32_t> order(made_->calls.size());
        for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
        std::ranges::sort(order, {}, [&](std::uint32_t i) { return made_->calls[i].event; });
        std::vector<WorkCall> sorted;
        std::vector<std::uint32_t> new_place(order.size());
        for (const std::uint32_t i : order) {
            new_place[i] = static_cast<std::uint32_t>(sorted.size());
            sorted.push_back(made_->calls[i]);
        }
        made_->calls = std::move(sorted);
        for (std::uint32_t& owner : made_->owners)
            if (owner != RankWork::kNoCall) owner = new_place[owner];
    }

    struct Evaluated {
        CallHints hints;
        std::optional<std::uint32_t> shape;
    };

    const RankIndex& index_;
    const GraphAttribution& graphs_;
    const RankTrace& trace_;
    std::unordered_map<std::uint64_t, std::uint32_t> in_replay_;  // by replay and call: into made_->calls
    const JobContext& job_;
    std::shared_ptr<RankWork> made_;
    ListedCalls listed_;
    std::vector<std::uint32_t> class_of_;  // by event, into listed_.classes
    std::map<std::int64_t, const ArgumentClass*> gradients_;  // by sequence number
    std::vector<std::vector<Evaluated>> evaluated_;  // by class
    std::vector<std::uint8_t> below_, above_;  // by event
    std::vector<std::uint32_t> shape_of_, owner_;  // by event
    std::vector<EventId> operator_;  // by event: the operator at or above it
};

}  // namespace

std::string_view name_of(WorkKind kind) {
    return kind == WorkKind::NoCompute ? std::string_view() : kKindNames[static_cast<std::size_t>(kind)];
}

RankWorkPtr work_of(const RankIndex& rank, const JobContext& job) {
    return derived_with_graphs(rank).get<RankWork>([&]() -> RankWorkPtr {
        std::shared_ptr<const GraphAttribution> graphs = graph_attribution_of(rank, job);
        return graphs ? WorkBuilder(rank, std::move(graphs), job).run() : nullptr;
    });
}

}  // namespace core
